from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from stepgraph.errors import GraphError, SettingError
from stepgraph.graph import TaskGraph
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.postprocess import Reason, implied_edges, to_graph, weakest_in_cycles
from stepgraph.sequences import END, START, Vocabulary
from tests.operations import calls

Matrix = NDArray[np.float64]


@st.composite
def matrices(draw: st.DrawFn, most: int = 6) -> Matrix:
    size = draw(st.integers(1, most)) + 2
    # Few distinct values, so that ties are common.
    values = st.sampled_from([0.0, 0.05, 0.2, 0.3, 0.5, 0.9, 1.0])
    return draw(arrays(np.float64, (size, size), elements=values))


def named(matrix: Matrix) -> WeightedAdjacency:
    return WeightedAdjacency(Vocabulary(tuple(f"s{i}" for i in range(1, len(matrix) - 1))), matrix)


@given(matrices(), st.booleans())
def test_any_weights_give_a_graph_with_every_step_between_start_and_end(
    matrix: Matrix, relaxed: bool
) -> None:
    graph = to_graph(named(matrix), relaxed=relaxed).graph.to_networkx()
    assert nx.is_directed_acyclic_graph(graph)
    for step in graph.nodes:
        if step not in (START, END):
            assert nx.has_path(graph, step, START)
            assert nx.has_path(graph, END, step)


@given(matrices())
def test_the_graph_is_its_own_transitive_reduction(matrix: Matrix) -> None:
    graph = to_graph(named(matrix)).graph.to_networkx()
    assert set(nx.transitive_reduction(graph).edges) == set(graph.edges)


@given(matrices())
def test_removing_implied_edges_keeps_reachability_and_equals_networkx(matrix: Matrix) -> None:
    edges = np.tril(matrix > 0.25, -1)
    reduced = edges & ~implied_edges(edges)
    whole = nx.from_numpy_array(edges, create_using=nx.DiGraph)
    part = nx.from_numpy_array(reduced, create_using=nx.DiGraph)
    assert set(nx.transitive_closure(part).edges) == set(nx.transitive_closure(whole).edges)
    assert set(part.edges) == set(nx.transitive_reduction(whole).edges)


@given(matrices(most=4))
@settings(deadline=None)
def test_exactly_the_weakest_edge_of_every_simple_cycle_is_removed(matrix: Matrix) -> None:
    edges = (matrix > 0.1) & ~np.eye(len(matrix), dtype=bool)
    rows, columns = edges.nonzero()
    order = sorted(zip(matrix[rows, columns], rows, columns, strict=True))
    strength = {(r, c): rank for rank, (_, r, c) in enumerate(order)}
    expected = set()
    for cycle in nx.simple_cycles(nx.from_numpy_array(edges, create_using=nx.DiGraph)):
        closed = list(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        expected.add(min(closed, key=lambda edge: strength[edge]))
    found = set(zip(*weakest_in_cycles(edges, matrix).nonzero(), strict=True))
    assert found == expected


@given(matrices(), st.booleans())
def test_the_changes_lead_from_the_thresholded_weights_to_the_graph(
    matrix: Matrix, relaxed: bool
) -> None:
    adjacency = named(matrix)
    result = to_graph(adjacency, relaxed=relaxed)
    nodes = adjacency.vocabulary.nodes
    edges = {(nodes[r], nodes[c]) for r, c in np.argwhere(matrix > 1 / len(matrix))}
    for change in result.changes:
        edge = (change.step, change.precondition)
        assert (edge in edges) is not change.added
        (edges.add if change.added else edges.remove)(edge)
        assert change.weight == matrix[nodes.index(change.step), nodes.index(change.precondition)]
    assert edges == set(result.graph.edges)


@given(matrices())
def test_a_finished_graph_passes_through_unchanged(matrix: Matrix) -> None:
    graph = to_graph(named(matrix)).graph
    again = to_graph(WeightedAdjacency(graph.vocabulary, graph.to_matrix()))
    assert again.graph == graph
    assert again.changes == ()


def test_the_relaxed_variant_drops_the_one_precondition_beside_start() -> None:
    weights = np.zeros((5, 5))
    weights[2, [0, 1]] = 0.5  # 'b' needs START and 'a'
    weights[3, [0, 1, 2]] = 0.3  # 'c' needs START and two others
    adjacency = WeightedAdjacency(Vocabulary(("a", "b", "c")), weights)
    strict, relaxed = to_graph(adjacency), to_graph(adjacency, relaxed=True)
    assert strict.graph.preconditions_of("b") == ("a",)
    assert relaxed.graph.preconditions_of("b") == ()
    assert relaxed.graph.preconditions_of("c") == ("a", "b")
    assert [c.reason for c in relaxed.changes].count(Reason.RELAXED) == 1


def test_the_relaxed_variant_leaves_a_step_that_does_not_need_start_as_it_is() -> None:
    weights = np.zeros((5, 5))
    weights[2, 1] = weights[3, 2] = 0.9  # a chain whose later steps do not need START
    result = to_graph(WeightedAdjacency(Vocabulary(("a", "b", "c")), weights), relaxed=True)
    assert result.graph.preconditions_of("b") == ("a",)
    assert result.graph.preconditions_of("c") == ("b",)


def test_the_relaxed_variant_leaves_end_as_it_is() -> None:
    weights = np.zeros((3, 3))
    weights[1, 0] = weights[2, 0] = weights[2, 1] = 0.9  # END needs START and 'a'
    result = to_graph(WeightedAdjacency(Vocabulary(("a",)), weights), relaxed=True)
    assert [change.reason for change in result.changes] == [Reason.IMPLIED]


def test_a_procedure_without_steps_has_a_graph_without_edges() -> None:
    result = to_graph(WeightedAdjacency(Vocabulary(()), np.zeros((2, 2))))
    assert result.graph.edges == TaskGraph.from_preconditions({}).edges == ()
    assert result.changes == ()


def test_the_threshold_that_the_learner_gives_counts_unless_another_is_asked_for() -> None:
    weights = np.zeros((4, 4))
    weights[2, 1] = 0.6
    adjacency = WeightedAdjacency(Vocabulary(("a", "b")), weights, threshold=0.7)
    assert to_graph(adjacency).graph.preconditions_of("b") == ()
    assert to_graph(adjacency, threshold=0.5).graph.preconditions_of("b") == ("a",)


def test_a_threshold_of_zero_keeps_every_weight() -> None:
    weights = np.zeros((4, 4))
    weights[2, 1] = 1e-9
    adjacency = WeightedAdjacency(Vocabulary(("a", "b")), weights)
    assert to_graph(adjacency, threshold=0).graph.preconditions_of("b") == ("a",)


def test_the_graph_has_the_name_that_was_given() -> None:
    assert to_graph(named(np.zeros((3, 3))), procedure="omelette").graph.procedure == "omelette"


def test_a_change_says_whether_the_edge_came_or_went() -> None:
    weights = np.zeros((3, 3))
    weights[1, 1] = 0.9
    said = [str(change) for change in to_graph(named(weights)).changes]
    assert said == [
        f"removed 's1' needs 's1': {Reason.IMPOSSIBLE}",
        f"added 's1' needs 'START': {Reason.NEEDS_NOTHING}",
        f"added 'END' needs 's1': {Reason.NEEDED_BY_NOBODY}",
    ]


def test_an_edge_at_the_threshold_does_not_count() -> None:
    weights = np.zeros((4, 4))
    weights[2, 1] = 0.25
    adjacency = WeightedAdjacency(Vocabulary(("a", "b")), weights)
    assert to_graph(adjacency).graph.preconditions_of("b") == ()
    assert to_graph(adjacency, threshold=0.2).graph.preconditions_of("b") == ("a",)


def test_the_work_grows_no_faster_than_the_pairs_of_dense_nodes() -> None:
    small, large = (np.random.default_rng(0).random((size, size)) for size in (46, 92))
    result = to_graph(named(large))
    assert any(change.reason is Reason.CYCLE for change in result.changes)
    # Four times as many pairs, and a little for what each node costs.
    assert calls(lambda: to_graph(named(large))) < 5 * calls(lambda: to_graph(named(small)))


def test_weights_survive_on_the_edges_that_stay() -> None:
    weights = np.zeros((4, 4))
    weights[2, 1] = 0.7
    graph: TaskGraph = to_graph(WeightedAdjacency(Vocabulary(("a", "b")), weights)).graph
    assert graph.weights == {("b", "a"): 0.7}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused_with_their_place(value: float) -> None:
    weights = np.zeros((4, 4))
    weights[2, 1] = value
    with pytest.raises(GraphError, match=r"'b' needing 'a' is (nan|inf)"):
        WeightedAdjacency(Vocabulary(("a", "b")), weights)


@pytest.mark.parametrize("threshold", [float("nan"), -0.1, float("inf")])
def test_a_threshold_that_cannot_be_is_refused(threshold: float) -> None:
    with pytest.raises(SettingError, match="threshold"):
        to_graph(named(np.zeros((3, 3))), threshold=threshold)


def test_a_graph_with_a_cycle_has_no_implied_edges_of_its_own() -> None:
    edges = np.zeros((4, 4), dtype=bool)
    edges[1, 2] = edges[2, 1] = True
    with pytest.raises(ValueError, match="cycle"):
        implied_edges(edges)
