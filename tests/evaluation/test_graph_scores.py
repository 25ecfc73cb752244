from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stepgraph.errors import GraphError, UnknownNameError
from stepgraph.evaluation import (
    EdgeScores,
    compare_edges,
    graph_sequence_accuracy,
    macro_average,
    sequence_log_likelihood,
)
from stepgraph.graph import TaskGraph, connect_ends
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import END, START, Demonstrations
from tests.strategies import STEP_NAMES, task_graphs, valid_orders

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


def equation_2(graph: TaskGraph, steps: Sequence[str]) -> Fraction:
    """Return Eq. 1 with Eq. 2 of the paper, read aloud over the matrix."""
    Z = graph.to_matrix()
    y = [graph.vocabulary.node(name) for name in (START, *steps, END)]
    product = Fraction(1)
    for t in range(1, len(y)):
        unobserved = set(range(len(Z))) - set(y[:t])
        favourable = {i for i in unobserved if not any(Z[i, j] for j in unobserved)}
        if y[t] not in favourable:
            return Fraction(0)
        product *= Fraction(1, len(favourable))
    return product


def finished_orders(graph: TaskGraph, done: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every valid order after which END may come."""
    if not graph.missing_before(END, done):
        yield done
    for step in graph.executable(done):
        yield from finished_orders(graph, (*done, step))


@given(GRAPHS, st.data())
def test_the_likelihood_equals_the_equation(graph: TaskGraph, data: st.DataObject) -> None:
    steps = data.draw(st.lists(st.sampled_from(graph.steps), unique=True))
    likelihood = math.exp(sequence_log_likelihood(graph, steps))
    assert likelihood == pytest.approx(float(equation_2(graph, steps)))


@given(GRAPHS)
def test_the_likelihoods_of_all_complete_orders_sum_to_one(graph: TaskGraph) -> None:
    orders = list(finished_orders(graph))
    assert {len(order) for order in orders} == {len(graph.steps)}
    total = math.fsum(math.exp(sequence_log_likelihood(graph, order)) for order in orders)
    assert total == pytest.approx(1)


@given(GRAPHS, st.data())
def test_they_sum_to_one_also_where_end_does_not_need_every_step(
    graph: TaskGraph, data: st.DataObject
) -> None:
    inner = [edge for edge in graph.edges if edge[0] != END]
    needed = data.draw(st.sets(st.sampled_from(graph.steps)))
    loose = TaskGraph(graph.steps, [*inner, *((END, step) for step in needed)])
    total = math.fsum(
        math.exp(sequence_log_likelihood(loose, order)) for order in finished_orders(loose)
    )
    assert total == pytest.approx(1)


@given(GRAPHS, st.data())
def test_a_valid_complete_order_has_a_chance_and_any_other_has_none(
    graph: TaskGraph, data: st.DataObject
) -> None:
    order = data.draw(valid_orders(graph))
    assert math.isfinite(sequence_log_likelihood(graph, order))
    other = data.draw(st.permutations(order))
    valid = graph.is_valid(other)
    assert math.isfinite(sequence_log_likelihood(graph, other)) is valid


@given(GRAPHS, st.data())
def test_an_order_that_stops_too_early_has_no_chance(graph: TaskGraph, data: st.DataObject) -> None:
    order = data.draw(valid_orders(graph))
    assert sequence_log_likelihood(graph, order[:-1]) == -math.inf


def test_a_repeated_step_has_no_chance() -> None:
    free = TaskGraph.from_preconditions({"a": [], "b": []})
    assert sequence_log_likelihood(free, ["a", "b"]) == pytest.approx(math.log(1 / 2))
    assert sequence_log_likelihood(free, ["a", "a", "b"]) == -math.inf


def test_the_only_order_of_a_chain_is_certain() -> None:
    chain = TaskGraph.from_preconditions({"a": [], "b": ["a"], "c": ["b"]})
    assert sequence_log_likelihood(chain, ["a", "b", "c"]) == 0


@pytest.mark.parametrize("name", ["x", START, END])
def test_the_likelihood_of_what_is_no_step_is_refused(name: str) -> None:
    graph = TaskGraph.from_preconditions({"a": []})
    with pytest.raises(UnknownNameError, match=repr(name)):
        sequence_log_likelihood(graph, ["a", name])


@given(GRAPHS, st.data())
def test_orders_that_obey_a_graph_have_a_sequence_accuracy_of_one(
    graph: TaskGraph, data: st.DataObject
) -> None:
    orders = data.draw(st.lists(valid_orders(graph), min_size=1, max_size=3))
    assert graph_sequence_accuracy(graph, Demonstrations.from_steps(orders)) == 1


@given(GRAPHS, st.data())
def test_an_order_that_breaks_a_graph_has_a_sequence_accuracy_below_one(
    graph: TaskGraph, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(graph.steps))
    assume(not graph.is_valid(order))
    assert graph_sequence_accuracy(graph, Demonstrations.from_steps([order])) < 1


def test_steps_are_matched_by_name_whatever_their_number() -> None:
    graph = TaskGraph.from_preconditions({"a": [], "b": ["a"]})
    # START 1, 'b' 0 of 1, 'a' 1 of 1, END 1 of 1.
    assert graph_sequence_accuracy(graph, Demonstrations.from_steps(["ba"])) == 0.75
    assert graph_sequence_accuracy(graph, Demonstrations.from_steps(["ab"])) == 1


def test_the_repetition_policy_decides_what_is_measured() -> None:
    graph = TaskGraph.from_preconditions({"a": [], "b": ["a"]})
    given_ = Demonstrations.from_steps(["aba"])
    assert graph_sequence_accuracy(graph, given_, Repetitions.FIRST) == 1
    assert graph_sequence_accuracy(graph, given_, Repetitions.LAST) == 0.75
    assert graph_sequence_accuracy(graph, given_, Repetitions.EXPAND) == 0.875


def test_a_step_that_the_graph_does_not_know_is_refused() -> None:
    graph = TaskGraph.from_preconditions({"a": []})
    with pytest.raises(UnknownNameError, match="'b'"):
        graph_sequence_accuracy(graph, Demonstrations.from_steps(["ab"]))


@given(GRAPHS, st.data())
def test_no_graph_makes_recordings_more_probable_than_the_order_that_they_share(
    graph: TaskGraph, data: st.DataObject
) -> None:
    orders = data.draw(st.lists(st.permutations(graph.steps), min_size=1, max_size=4))
    shared = [
        (step, needed)
        for step in graph.steps
        for needed in graph.steps
        if step != needed and all(order.index(needed) < order.index(step) for order in orders)
    ]
    best = TaskGraph(graph.steps, connect_ends(graph.steps, shared))
    for candidate in (graph, TaskGraph(graph.steps, connect_ends(graph.steps, []))):
        probable = sum(sequence_log_likelihood(candidate, order) for order in orders)
        assert probable <= sum(sequence_log_likelihood(best, order) for order in orders) + 1e-9
