"""Graphs as matrices and as networkx graphs, and back."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from stepgraph.errors import CycleError, GraphError
from stepgraph.graph import TaskGraph
from tests.graph.examples import same
from tests.strategies import task_graphs


@given(task_graphs())
def test_a_matrix_and_back_is_the_same_graph(graph: TaskGraph) -> None:
    matrix = graph.to_matrix()
    assert matrix.dtype == np.float64
    assert {(r, c) for r, c in np.argwhere(matrix == 1)} == {
        (graph.vocabulary.node(step), graph.vocabulary.node(needed)) for step, needed in graph.edges
    }
    assert matrix.sum() == len(graph.edges)
    again = TaskGraph.from_matrix(matrix, graph.steps, procedure="p")
    assert (again, again.procedure) == (graph, "p")


def test_any_weight_above_zero_in_a_matrix_is_an_edge() -> None:
    matrix = np.zeros((4, 4))
    matrix[2, 1] = 1e-9
    assert TaskGraph.from_matrix(matrix, "ab").edges == (("b", "a"),)


@pytest.mark.parametrize(
    ("row", "column", "kind"), [(1, 1, CycleError), (0, 1, GraphError), (1, 3, GraphError)]
)
def test_a_matrix_with_an_impossible_edge_is_refused(
    row: int, column: int, kind: type[GraphError]
) -> None:
    matrix = np.zeros((4, 4))
    matrix[row, column] = 1
    with pytest.raises(kind):
        TaskGraph.from_matrix(matrix, "ab")


def test_a_matrix_of_another_size_or_with_nan_is_refused() -> None:
    with pytest.raises(GraphError, match="shape"):
        TaskGraph.from_matrix(np.zeros((3, 3)), "ab")
    with pytest.raises(GraphError, match="nan"):
        TaskGraph.from_matrix(np.full((4, 4), np.nan), "ab")


@given(task_graphs(weighted=True))
def test_networkx_and_back_is_the_same_graph(graph: TaskGraph) -> None:
    assert same(TaskGraph.from_networkx(graph.to_networkx()), graph)


def test_a_networkx_graph_without_start_and_end_is_taken_as_it_is() -> None:
    graph = TaskGraph.from_networkx(nx.DiGraph([(2, 1)]), procedure="p")
    assert graph.edges == (("2", "1"),)
    assert graph.procedure == "p"


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiDiGraph])
def test_a_networkx_graph_of_another_kind_is_refused(kind: Any) -> None:
    with pytest.raises(GraphError, match=f"{kind.__name__} came; expected a networkx.DiGraph"):
        TaskGraph.from_networkx(kind([("b", "a")]))


def test_a_networkx_weight_that_is_no_number_is_refused() -> None:
    graph = nx.DiGraph()
    graph.add_edge("b", "a", weight="heavy")
    with pytest.raises(GraphError, match="'b' needing 'a' is 'heavy'"):
        TaskGraph.from_networkx(graph)
