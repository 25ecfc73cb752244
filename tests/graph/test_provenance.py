"""How a graph came about, kept with it and read-only."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from stepgraph.graph import Provenance, TaskGraph

LEARNED = Provenance(
    "robust",
    {"errors": 1.5},
    3,
    recordings=12,
    notes=["a step was left out"],  # type: ignore[arg-type]
    history=[{"edit": "pin"}],  # type: ignore[arg-type]
    other={"author": "Ada"},
)


def test_lists_become_tuples_and_mappings_are_read_only() -> None:
    assert LEARNED.notes == ("a step was left out",)
    assert LEARNED.history == ({"edit": "pin"},)
    for mapping in (LEARNED.settings, LEARNED.other):
        with pytest.raises(TypeError):
            mapping["x"] = 1  # type: ignore[index]


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))],  # noqa: S301
    ids=["copy", "deepcopy", "pickle"],
)
def test_copies_are_equal(copied: Any) -> None:
    assert copied(LEARNED) == LEARNED
    graph = TaskGraph("ab", [("b", "a")], provenance=LEARNED)
    assert copied(graph).provenance == LEARNED


def test_a_graph_takes_another_provenance_and_stays_as_it_is() -> None:
    graph = TaskGraph("ab", [("b", "a")], weights={("b", "a"): 0.5}, procedure="tea")
    told = graph.with_provenance(LEARNED)
    assert (told, told.weights, told.procedure) == (graph, graph.weights, "tea")
    assert told.provenance == LEARNED
    assert graph.provenance == Provenance()
    assert told.executable(["a"]) == ("b",)
