from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stepgraph.errors import CycleError, GraphError, UnknownNameError
from stepgraph.graph import TaskGraph
from stepgraph.graph.adjacency import BoolMatrix, Matrix, WeightedAdjacency, closure, reduction
from stepgraph.sequences import Vocabulary
from tests.graph.examples import same
from tests.strategies import task_graphs

WORDS = Vocabulary(("a", "b", "c"))
MATRICES = arrays(np.float64, (5, 5), elements=st.floats(0, 10))


def broken(value: float) -> Matrix:
    matrix = np.zeros((5, 5))
    matrix[2, 1] = value
    return matrix


@given(MATRICES, st.sampled_from(WORDS.nodes), st.sampled_from(WORDS.nodes))
def test_the_row_is_the_step_and_the_column_its_precondition(
    matrix: Matrix, step: str, precondition: str
) -> None:
    weight = WeightedAdjacency(WORDS, matrix).weight(step, precondition)
    assert weight == matrix[WORDS.nodes.index(step), WORDS.nodes.index(precondition)]


@given(MATRICES, st.sets(st.sampled_from(WORDS.steps)))
def test_leaving_steps_out_keeps_the_weights_of_the_others(matrix: Matrix, out: set[str]) -> None:
    whole = WeightedAdjacency(WORDS, matrix)
    part = whole.without(tuple(out))
    assert part.vocabulary.steps == tuple(step for step in WORDS.steps if step not in out)
    for step in part.vocabulary.nodes:
        for precondition in part.vocabulary.nodes:
            assert part.weight(step, precondition) == whole.weight(step, precondition)


@pytest.mark.parametrize("shape", [(3, 3), (5, 4), (5,), (5, 5, 1)])
def test_another_shape_is_refused_with_the_expected_one(shape: tuple[int, ...]) -> None:
    with pytest.raises(GraphError, match=r"expected \(5, 5\): 3 steps, START and END"):
        WeightedAdjacency(WORDS, np.zeros(shape))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), -0.5])
def test_a_weight_that_cannot_be_is_refused_with_its_place(value: float) -> None:
    with pytest.raises(GraphError, match=f"the weight of 'b' needing 'a' is {value}"):
        WeightedAdjacency(WORDS, broken(value))


@pytest.mark.parametrize("value", ["abc", [[1, 2], [3]], None, [[{}] * 5] * 5])
def test_what_is_no_matrix_of_numbers_is_refused(value: Any) -> None:
    with pytest.raises(GraphError, match="the weights"):
        WeightedAdjacency(WORDS, value)


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="'d'"):
        WeightedAdjacency(WORDS, np.zeros((5, 5))).weight("d", "a")


def test_the_matrix_given_is_copied_and_its_owner_may_go_on() -> None:
    matrix = np.zeros((5, 5))
    adjacency = WeightedAdjacency(WORDS, matrix)
    matrix[2, 1] = 1
    assert adjacency.weight("b", "a") == 0


@pytest.mark.parametrize(
    "copied",
    [
        lambda adjacency: adjacency,
        copy.copy,
        copy.deepcopy,
        lambda adjacency: pickle.loads(pickle.dumps(adjacency)),  # noqa: S301 - our own bytes
    ],
    ids=["itself", "copy", "deepcopy", "pickle"],
)
def test_neither_the_weights_nor_those_of_a_copy_can_be_written(copied: Any) -> None:
    adjacency = copied(WeightedAdjacency(WORDS, broken(0.5)))
    assert adjacency.weight("b", "a") == 0.5
    with pytest.raises(ValueError, match="read-only"):
        adjacency.matrix[2, 1] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        adjacency.matrix = np.ones((5, 5))


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


@given(arrays(np.bool_, (4, 4)))
def test_closure_and_reduction_equal_networkx(matrix: BoolMatrix) -> None:
    edges = np.tril(matrix, -1)
    graph = nx.from_numpy_array(edges, create_using=nx.DiGraph)
    closed = closure(edges)
    assert set(zip(*closed.nonzero(), strict=True)) == set(nx.transitive_closure(graph).edges)
    reduced = set(zip(*reduction(closed).nonzero(), strict=True))
    assert reduced == set(nx.transitive_reduction(graph).edges)
