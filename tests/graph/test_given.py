"""What is given as a graph is checked where it comes in."""

from __future__ import annotations

import pytest

from stepgraph.errors import InputError
from stepgraph.graph import TaskGraph
from stepgraph.graph.given import as_graph


def test_a_graph_is_given_back() -> None:
    graph = TaskGraph.from_preconditions({"mix": ["egg"]})
    assert as_graph(graph, "a monitor") is graph


@pytest.mark.parametrize("came", [None, "graph.json", {"mix": ["egg"]}, TaskGraph])
def test_anything_else_is_named_with_where_graphs_come_from(came: object) -> None:
    with pytest.raises(InputError) as raised:
        as_graph(came, "a monitor")
    assert str(raised.value).startswith(
        f"a monitor got {came!r}; expected a TaskGraph, as stepgraph.re"
    )
