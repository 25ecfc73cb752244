from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stepgraph.evaluation import compare_edges
from stepgraph.evaluation.controls import CONTROLS, first_recording, no_order, uncontradicted
from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.postprocess import to_graph
from stepgraph.sequences import END, START, Demonstrations, Vocabulary
from tests.strategies import demonstrations, task_graphs, valid_orders


def inner(graph: TaskGraph) -> set[Edge]:
    return {edge for edge in graph.edges if edge[0] != END and edge[1] != START}


def reduced(graph: TaskGraph) -> TaskGraph:
    """Return a graph without the edges that follow from others, as known graphs are."""
    return to_graph(WeightedAdjacency(graph.vocabulary, graph.to_matrix())).graph


@given(demonstrations())
def test_without_order_everything_can_be_done_at_once(given_: Demonstrations) -> None:
    graph = no_order(given_)
    assert graph.executable() == given_.vocabulary.steps
    assert inner(graph) == set()
    assert {needed for step, needed in graph.edges if step == END} == set(graph.steps)


@given(demonstrations())
def test_the_first_recording_is_a_chain_with_one_order_only(given_: Demonstrations) -> None:
    graph = first_recording(given_)
    order = tuple(dict.fromkeys(given_.names(given_.sequences[0])))
    done: list[str] = []
    for step in order:
        assert graph.executable(done) == (step,)
        done.append(step)
    assert set(graph.steps) == set(order)
    assert len(graph.edges) == len(order) + 1


@given(task_graphs(max_steps=6), st.data())
def test_the_uncontradicted_edges_are_known_ones_that_every_recording_obeys(
    truth: TaskGraph, data: st.DataObject
) -> None:
    orders = data.draw(st.lists(st.permutations(truth.steps), min_size=1, max_size=3))
    given_ = Demonstrations.from_steps(orders, vocabulary=Vocabulary(truth.steps))
    graph = uncontradicted(given_, truth)
    expected = {
        (step, needed)
        for step, needed in inner(truth)
        if all(order.index(needed) < order.index(step) for order in orders)
    }
    assert inner(graph) == expected
    assert all(graph.is_valid(order, complete=True) for order in orders)


@given(task_graphs(max_steps=6), st.data())
def test_recordings_that_obey_the_known_graph_contradict_none_of_it(
    truth: TaskGraph, data: st.DataObject
) -> None:
    truth = reduced(truth)
    orders = data.draw(st.lists(valid_orders(truth), min_size=1, max_size=3))
    given_ = Demonstrations.from_steps(orders, vocabulary=Vocabulary(truth.steps))
    assert uncontradicted(given_, truth) == truth
    assert compare_edges(uncontradicted(given_, truth), truth).f1 == 1


def test_steps_outside_the_recordings_take_no_part_in_what_is_uncontradicted() -> None:
    truth = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"]})
    graph = uncontradicted(Demonstrations.from_steps(["ab"]), truth)
    assert graph == TaskGraph.from_preconditions({"b": ["a"]})


@given(demonstrations())
def test_every_listed_control_draws_a_graph_over_the_known_steps(given_: Demonstrations) -> None:
    for control in CONTROLS.values():
        assert set(control(given_).steps) <= set(given_.vocabulary.steps)
    assert set(CONTROLS.values()) == {no_order, first_recording}
