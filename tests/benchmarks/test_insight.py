"""The benchmarks of audits, advice and attributes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks import advice as advice_benchmark
from benchmarks import random_procedures, run_benchmark
from benchmarks.advice import as_far_as_possible, record
from benchmarks.generators import Noise, random_procedure
from stepgraph.errors import MissingDataError, UnknownNameError
from stepgraph.graph import TaskGraph

TRUTH = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "fry": ["mix"]})


def test_an_order_is_followed_as_far_as_the_graph_permits() -> None:
    wanted = ["fry", "milk", "egg", "mix"]
    order = as_far_as_possible(TRUTH, wanted, random.Random(0))
    assert [TRUTH.vocabulary.name(node) for node in order] == ["milk", "egg", "mix", "fry"]


def test_both_ways_begin_with_the_same_recording_and_only_show_valid_orders() -> None:
    truth = random_procedure(8, width=3, density=0.6, seed=1)
    advised = record(truth, "advised", 5, Noise(), 0)
    chance = record(truth, "random", 5, Noise(), 0)
    assert advised.sequences[0] == chance.sequences[0]
    for given in (advised, chance):
        assert all(truth.is_valid(given.names(one), complete=True) for one in given)


def test_advice_needs_fewer_recordings_than_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_procedures, "SIZES", (12,))
    monkeypatch.setattr(advice_benchmark, "COUNTS", (1, 4))
    result = run_benchmark("advice", methods=["intersection"], seeds=4)
    f1 = {(row["method"].split(",")[0], row["x"]): row["f1"] for row in result.rows}
    assert f1["advised", 1] == f1["random", 1]
    assert f1["advised", 4] > f1["random", 4]
    assert "<svg" in result.charts["advice-clean"]


def test_learned_attributes_are_more_precise_than_calling_everything_optional() -> None:
    result = run_benchmark("attributes", seeds=1)
    for row in result.rows:
        if row["method"] == "learned" and row["condition"] == "20% errors":
            control = next(
                other
                for other in result.rows
                if other["method"] != "learned"
                and (other["condition"], other["recordings"])
                == (row["condition"], row["recordings"])
            )
            assert row["optional"]["precision"] > control["optional"]["precision"]
    shipped = result.rows[-2]
    for kind in ("optional", "repeatable"):
        assert (shipped[kind]["precision"], shipped[kind]["recall"]) == (1.0, 1.0)


@pytest.mark.parametrize("name", ["audit", "advice", "attributes"])
def test_an_unknown_row_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError, match="nonsense"):
        run_benchmark(name, data="nowhere", methods=["nonsense"])


def test_the_audit_needs_the_data(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError):
        run_benchmark("audit", data=tmp_path)


@pytest.mark.real_data
def test_recordings_with_order_errors_are_told_from_clean_ones(data: Path) -> None:
    result = run_benchmark("audit", data=data, seeds=1)
    rows = {row["method"]: row for row in result.rows if row["source"] == "file order"}
    assert rows["audit, all slips"]["recordings_clean"] >= 0.85
    assert rows["audit"]["recordings_clean"] >= 0.85
    assert rows["audit"]["recordings_clean"] > rows["missing"]["recordings_clean"]
    assert rows["audit"]["steps"] > 3 * rows["base rate"]["steps"]
