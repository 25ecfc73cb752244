"""Edges that somebody stated when a graph was learned."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph.graph import TaskGraph
from stepgraph.graph.stated import stated, stated_edges

EDGE = ("mix", "egg")


@pytest.mark.parametrize(
    "provenance",
    [
        {},
        {"settings": 3},
        {"settings": {"must": 3}},
        {"settings": {"must": "mix needs egg"}},
        {"settings": {"must": [3, [], ["mix"], [["mix"], ["egg"]], ["mix", "milk"]]}},
    ],
)
def test_what_a_file_holds_in_their_place_states_nothing(provenance: dict[str, Any]) -> None:
    assert stated_edges(TaskGraph(["egg", "mix"], [EDGE], provenance=provenance)) == frozenset()


def test_edges_that_were_ruled_out_are_found() -> None:
    settings = {"never": [["egg", "mix"], [*EDGE], ["egg"]]}
    graph = TaskGraph(["egg", "mix"], [EDGE], provenance={"settings": settings})
    assert stated_edges(graph, "never") == {("egg", "mix")}


@pytest.mark.parametrize("must", [[EDGE], ([*EDGE],), [["mix", "salt"], [*EDGE]]])
def test_edges_that_were_stated_are_found(must: Any) -> None:
    graph = TaskGraph(["egg", "mix"], [EDGE], provenance={"settings": {"must": must}})
    assert stated_edges(graph) == {EDGE}


def test_what_was_stated_is_told_whether_it_is_an_edge_or_not() -> None:
    settings = {"must": [["mix", "salt"], ["mix", 3], [*EDGE]], "never": [["egg", "mix"]]}
    graph = TaskGraph(["egg", "mix"], [EDGE], provenance={"settings": settings})
    assert stated(graph) == (("mix", "salt"), EDGE)
    assert stated(graph, "never") == (("egg", "mix"),)
