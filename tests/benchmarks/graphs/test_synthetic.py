from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from benchmarks import BenchmarkResult, run_benchmark
from benchmarks.generators import problems
from benchmarks.graphs import synthetic
from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.learners import LEARNERS


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "SIZES", (5, 7))
    monkeypatch.setattr(synthetic, "COUNTS", (1, 4, 64))
    monkeypatch.setattr(synthetic, "RATES", (0.0, 0.3))


def run(*methods: str, seeds: int = 2) -> BenchmarkResult:
    return run_benchmark("synthetic", methods=list(methods) or None, seeds=seeds)


def f1(result: BenchmarkResult, method: str, condition: str) -> list[float]:
    return [
        row["f1"] for row in result.rows if (row["method"], row["condition"]) == (method, condition)
    ]


@pytest.mark.usefixtures("tiny")
def test_every_method_and_control_is_scored_under_every_condition() -> None:
    result = run(seeds=1)
    methods = {*LEARNERS, *synthetic.CONTROL_NAMES} - {"llm", "tgt-text", "tgt-video"}
    rows = json.loads(result.to_json())["rows"]
    assert {row["method"] for row in rows} == methods
    assert len(rows) == len(methods) * 5
    for row in rows:
        assert row["condition"] in ("demonstrations", "noise")
        for figure in ("precision", "recall", "f1"):
            assert 0 <= row[figure] <= 1
        assert row["f1_interval90"] >= 0
        assert row["procedure_count"] == 2
        assert row["seconds"] >= 0


@pytest.mark.usefixtures("tiny")
def test_recordings_help_and_noise_harms() -> None:
    result = run("intersection", "uncontradicted", "no-order")
    few, more, many = f1(result, "intersection", "demonstrations")
    assert few < more < many
    clean, noisy = f1(result, "intersection", "noise")
    assert noisy < clean
    assert f1(result, "uncontradicted", "demonstrations") == [1.0] * 3
    assert len(set(f1(result, "no-order", "demonstrations"))) == 1


def test_without_noise_the_figure_is_that_of_as_many_clean_recordings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(problems, "SIZES", (6,))
    result = run("intersection")
    by_count = dict(
        zip(synthetic.COUNTS, f1(result, "intersection", "demonstrations"), strict=True)
    )
    assert by_count[synthetic.NOISY_COUNT] == f1(result, "intersection", "noise")[0]


@pytest.mark.usefixtures("tiny")
def test_the_same_seeds_give_the_same_figures() -> None:
    first, again = (run("intersection", "msg2") for _ in range(2))
    assert [row["f1"] for row in first.rows] == [row["f1"] for row in again.rows]
    assert first.charts == again.charts


@pytest.mark.usefixtures("tiny")
def test_each_curve_is_a_table_with_a_line_for_each_method_and_a_column_for_each_point() -> None:
    result = run("intersection", "no-order")
    by_count, by_rate = result.parts
    assert [column.title for column in by_count.columns] == ["method", "1", "4", "64", "seconds"]
    assert [column.title for column in by_rate.columns] == ["method", "0%", "30%", "seconds"]
    assert [line[0] for line in by_count.table()] == ["intersection", "no-order"]
    expected = [f"{100 * value:.1f}" for value in f1(result, "intersection", "demonstrations")]
    assert by_count.table()[0][1:4] == expected
    assert [*by_count.rows, *by_rate.rows] == sorted(
        result.rows, key=lambda row: str(row["condition"])
    )
    assert len(result.table()) == len(result.rows)


@pytest.mark.usefixtures("tiny")
def test_the_notes_say_what_was_drawn() -> None:
    notes = " ".join(run("no-order", seeds=3).notes)
    assert "3 procedures each of 5, 7 steps" in notes
    assert "25% of the demonstrators err 3 times as often" in notes


@pytest.mark.usefixtures("tiny")
def test_both_curves_are_drawn_and_kept_out_of_the_json() -> None:
    result = run("intersection", "uncontradicted")
    assert list(result.charts) == ["demonstrations", "noise"]
    for chart in result.charts.values():
        ET.fromstring(chart)  # noqa: S314 - our own text
        assert "intersection" in chart
        assert "uncontradicted (knows the truth)" in chart
    assert "<svg" not in result.to_json()


def test_methods_that_it_cannot_run_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="'intersection'"):
        run("intersetion")
    with pytest.raises(SettingError, match="those of random procedures mean nothing"):
        run("llm")


@pytest.mark.usefixtures("tiny")
def test_each_point_is_compared_with_the_intersection_on_the_same_procedures() -> None:
    result = run("robust", "intersection", "no-order")
    at = {(row["method"], row["condition"], row["x"]): row for row in result.rows}
    for (method, condition, x), row in at.items():
        assert "procedures" not in row
        if method != "intersection":
            anchor = at["intersection", condition, x]
            difference = row["against_anchor"]["difference"]
            assert difference == pytest.approx(row["f1"] - anchor["f1"])
            assert 0 < row["against_anchor"]["p"] <= 1
