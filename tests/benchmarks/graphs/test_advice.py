"""The benchmark of advice."""

from __future__ import annotations

import random

import pytest

from benchmarks import run_benchmark
from benchmarks.generators import Noise, problems, random_procedure
from benchmarks.graphs import advice as advice_benchmark
from benchmarks.graphs.advice import as_far_as_possible, record
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
    monkeypatch.setattr(problems, "SIZES", (12,))
    monkeypatch.setattr(advice_benchmark, "COUNTS", (1, 4))
    result = run_benchmark("advice", methods=["intersection"], seeds=4)
    f1 = {(row["method"].split(",")[0], row["x"]): row["f1"] for row in result.rows}
    assert f1["advised", 1] == f1["random", 1]
    assert f1["advised", 4] > f1["random", 4]
    assert "<svg" in result.charts["advice-clean"]
