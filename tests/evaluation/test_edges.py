from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import GraphError
from stepgraph.evaluation import EdgeScores, compare_edges, macro_average
from stepgraph.graph import TaskGraph
from tests.strategies import STEP_NAMES, task_graphs

GRAPHS = task_graphs(max_steps=5)


def with_all_steps(graph: TaskGraph) -> TaskGraph:
    """Return the same edges over all the steps that another graph may have."""
    return TaskGraph(STEP_NAMES, graph.edges)


@given(GRAPHS, GRAPHS)
def test_common_spurious_and_missing_edges_split_both_graphs(
    graph: TaskGraph, truth: TaskGraph
) -> None:
    truth = with_all_steps(truth)
    scores = compare_edges(graph, truth)
    assert set(scores.common) | set(scores.spurious) == set(graph.edges)
    assert set(scores.common) | set(scores.missing) == set(truth.edges)
    assert not set(scores.spurious) & set(truth.edges)
    assert not set(scores.missing) & set(graph.edges)


@given(GRAPHS, GRAPHS)
def test_the_measures_are_those_of_sets_of_edges(graph: TaskGraph, truth: TaskGraph) -> None:
    truth = with_all_steps(truth)
    scores = compare_edges(graph, truth)
    found, known = set(graph.edges), set(truth.edges)
    assert scores.precision == pytest.approx(len(found & known) / len(found))
    assert scores.recall == pytest.approx(len(found & known) / len(known))
    # F1 as the overlap of two sets of edges, which needs neither of the two.
    assert scores.f1 == pytest.approx(2 * len(found & known) / (len(found) + len(known)))


@given(GRAPHS, GRAPHS)
def test_swapping_the_graphs_swaps_precision_and_recall(one: TaskGraph, two: TaskGraph) -> None:
    one, two = with_all_steps(one), with_all_steps(two)
    there, back = compare_edges(one, two), compare_edges(two, one)
    assert (there.precision, there.recall) == (back.recall, back.precision)
    assert there.f1 == pytest.approx(back.f1)


@given(GRAPHS)
def test_a_graph_scores_one_against_itself_and_only_then(graph: TaskGraph) -> None:
    scores = compare_edges(graph, graph)
    assert (scores.precision, scores.recall, scores.f1) == (1, 1, 1)
    lacking = TaskGraph(graph.steps, graph.edges[1:])
    assert compare_edges(lacking, graph).f1 < 1


def test_no_edges_score_zero() -> None:
    nothing, something = TaskGraph("ab", []), TaskGraph("ab", [("b", "a")])
    for one, two in ((nothing, something), (something, nothing), (nothing, nothing)):
        scores = compare_edges(one, two)
        assert (scores.precision, scores.recall, scores.f1) == (0, 0, 0)


def test_steps_that_the_graph_lacks_count_by_their_missing_edges() -> None:
    truth = TaskGraph.from_preconditions({"b": ["a"]})
    scores = compare_edges(TaskGraph.from_preconditions({"a": []}), truth)
    assert set(scores.missing) == {("b", "a"), ("END", "b")}


def test_a_truth_over_other_steps_is_refused_with_the_steps() -> None:
    truth = TaskGraph.from_preconditions({"a": []})
    with pytest.raises(GraphError, match=r"1 of the 2 steps are not in the known graph: 'b'; both"):
        compare_edges(TaskGraph("ab", []), truth)
    with pytest.raises(GraphError, match=r"4 of the 4 steps .*: 'w', 'x', 'y' \.\.\.; both"):
        compare_edges(TaskGraph("wxyz", []), truth)


@given(
    st.lists(st.tuples(*[st.floats(0, 1, allow_subnormal=False)] * 3), min_size=1, max_size=6),
)
def test_every_procedure_counts_the_same_in_the_average(
    values: list[tuple[float, float, float]],
) -> None:
    scores = [EdgeScores((), (), (), *measures) for measures in values]
    expected = [sum(column) / len(values) for column in zip(*values, strict=True)]
    assert macro_average(scores) == pytest.approx(tuple(expected))
