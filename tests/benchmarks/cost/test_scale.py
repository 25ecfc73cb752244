from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import run_benchmark
from benchmarks.cost.scale import DASK_SETTINGS, MEMORY_VARIABLES, as_variables, two_workers
from benchmarks.cost.scaling import fit, predictions
from stepgraph.errors import SettingError, UnknownNameError

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "logs.md"

pytest.importorskip("duckdb")
pytest.importorskip("joblib")


def test_a_small_log_is_read_by_both_ways_and_gives_the_same_variants() -> None:
    (row,) = run_benchmark("scale", methods=["log:20000"]).rows
    assert row["ratio"] > 0
    assert row["variants"] > 100
    assert row["megabytes"] < 2000


def test_procedures_are_timed_against_one_at_a_time_and_xes_on_its_own() -> None:
    robust, xes = run_benchmark("scale", methods=["robust:12", "xes:1600"]).rows
    assert (robust["failed"], robust["size"]) == (0, 12)
    assert robust["reference_seconds"] > 0
    assert xes["seconds"] > 0


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("logs", UnknownNameError, "did you mean 'log'"),
        ("log:many", SettingError, "the size of 'log' is 'many'"),
        ("log:0", SettingError, "the size of 'log' is '0'"),
    ],
)
def test_a_measure_that_does_not_exist_is_refused(
    name: str, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        run_benchmark("scale", methods=[name])


def test_a_formula_with_a_negative_cost_is_fitted_without_it() -> None:
    factors, _ = fit([(1, 1), (1, 2), (1, 4)], [1.0, 3.0, 7.5])
    assert factors[0] == 0
    assert factors[1] > 0


def test_points_on_the_formula_predict_the_formula() -> None:
    rows = [
        {"method": "steps", "size": n, "steps": n, "pairs": 10 * (n + 2) ** 2,
         "seconds": 1e-3 + 2e-6 * n**2 + 1e-7 * 10 * (n + 2) ** 2}
        for n in (5, 10, 20, 40)
    ]  # fmt: skip
    rows += [
        {"method": "recordings", "size": r, "steps": 15, "pairs": r * 17**2,
         "seconds": 1e-3 + 2e-6 * 15**2 + 1e-7 * r * 17**2}
        for r in (2, 20)
    ]  # fmt: skip
    rows += [{"method": "log", "size": r, "seconds": 0.5 + 1e-6 * r} for r in (10**6, 10**7)]
    said = predictions(rows)
    assert "1.00 ms + 2.00 us n^2 + 0.10 us p; largest error on the points 0 %" in said[0]
    assert "0.50 s + 1.00 us r" in said[1]
    assert "0.48 core hours, 0.5 minutes on 64 cores" in said[2]
    assert predictions([]) == []


def test_the_documentation_advises_what_is_measured() -> None:
    page = DOCUMENTATION.read_text()
    for name, value in {**as_variables(DASK_SETTINGS), **MEMORY_VARIABLES}.items():
        assert f"{name}={value}" in page


def test_dask_reads_the_variables_as_the_settings() -> None:
    config = pytest.importorskip("dask.config")
    defaults = config.collect_env(as_variables(DASK_SETTINGS))
    for name, value in DASK_SETTINGS.items():
        assert config.get(name, config=defaults) == value


def test_both_settings_are_measured() -> None:
    pytest.importorskip("distributed")
    row = two_workers("intersection", 12, 3, 1)
    assert row["ratio"] > 0
    assert row["unset_ratio"] > 0
    assert [len(turn) for turn in row["turns"]] == [2]
