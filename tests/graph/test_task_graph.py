"""The questions one asks of a graph, how it is made, and what it equals."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import CycleError, FormatError, GraphError, InputError, UnknownNameError
from stepgraph.graph import Edge, Provenance, TaskGraph, connect_ends
from stepgraph.graph.evidence import EdgeEvidence, StepAttributes
from stepgraph.graph.task_graph import expect_graph
from stepgraph.sequences import END, START
from tests.graph.examples import same, with_optional
from tests.strategies import STEP_NAMES, task_graphs, valid_orders

MIX = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "bake": ["mix"]}, procedure="cake")


def needs(graph: TaskGraph, step: str) -> set[str]:
    """Return what a step needs, START aside, straight from the edges."""
    return {needed for row, needed in graph.edges if row == step and needed != START}


def subsets(graph: TaskGraph) -> st.SearchStrategy[set[str]]:
    return st.sets(st.sampled_from(graph.steps))


# Questions


@given(task_graphs(), st.data())
def test_executable_are_exactly_the_steps_with_everything_done_that_they_need(
    graph: TaskGraph, data: st.DataObject
) -> None:
    done = data.draw(subsets(graph))
    expected = tuple(s for s in graph.steps if s not in done and needs(graph, s) <= done)
    assert graph.executable(done) == expected


@given(task_graphs(), st.data())
def test_missing_are_exactly_the_needed_steps_not_done(
    graph: TaskGraph, data: st.DataObject
) -> None:
    done = data.draw(subsets(graph))
    for step in (*graph.steps, END):
        assert set(graph.missing_before(step, done)) == needs(graph, step) - done


@given(task_graphs(), st.data(), st.booleans())
def test_validity_equals_looking_at_all_that_came_before_each_step(
    graph: TaskGraph, data: st.DataObject, complete: bool
) -> None:
    sequence = data.draw(st.lists(st.sampled_from(graph.steps), max_size=12))
    expected = len(set(sequence)) == len(sequence) and all(
        needs(graph, step) <= set(sequence[:place]) for place, step in enumerate(sequence)
    )
    if complete:
        expected = expected and set(graph.steps) == set(sequence)
    assert graph.is_valid(sequence, complete=complete) is expected


@given(task_graphs(), st.data())
def test_doing_what_is_executable_leads_through_a_valid_order_to_the_end(
    graph: TaskGraph, data: st.DataObject
) -> None:
    done: list[str] = []
    for _ in graph.steps:
        done.append(data.draw(st.sampled_from(graph.executable(done))))
        assert graph.is_valid(done)
    assert graph.executable(done) == ()
    assert sorted(done) == sorted(graph.steps)
    assert graph.is_valid(done, complete=True)


@given(task_graphs(max_steps=6))
def test_the_valid_complete_orders_are_the_topological_sorts(graph: TaskGraph) -> None:
    steps_only = graph.to_networkx().subgraph(graph.steps).reverse()
    expected = set(map(tuple, nx.all_topological_sorts(steps_only)))
    found = {
        order
        for order in itertools.permutations(graph.steps)
        if graph.is_valid(order, complete=True)
    }
    assert found == expected


@given(task_graphs(), st.data())
def test_breaking_a_valid_order_at_an_edge_makes_it_invalid(
    graph: TaskGraph, data: st.DataObject
) -> None:
    order = list(data.draw(valid_orders(graph)))
    assert graph.is_valid(order)
    inner = [edge for edge in graph.edges if edge[0] != END and edge[1] != START]
    for step, needed in inner:
        order.remove(needed)
        order.insert(order.index(step) + 1, needed)
        assert not graph.is_valid(order)
        order.remove(needed)
        order.insert(order.index(step), needed)


@given(task_graphs())
def test_the_suggested_order_is_complete_and_valid(graph: TaskGraph) -> None:
    assert graph.is_valid(graph.in_order(), complete=True)
    assert sorted(graph.in_order()) == sorted(graph.steps)


def test_the_suggested_order_follows_the_vocabulary_where_it_can() -> None:
    graph = TaskGraph("cab", connect_ends("cab", [("c", "b")]))
    assert graph.in_order() == ("a", "b", "c")


@given(task_graphs())
def test_preconditions_and_dependents_are_the_two_sides_of_the_edges(graph: TaskGraph) -> None:
    for step in graph.steps:
        assert set(graph.preconditions_of(step)) == needs(graph, step)
        for other in graph.dependents_of(step):
            assert step in graph.preconditions_of(other)
    pairs = {(other, step) for step in graph.steps for other in graph.dependents_of(step)}
    assert pairs == {edge for edge in graph.edges if edge[0] != END and edge[1] != START}


@given(task_graphs())
def test_all_preconditions_are_what_the_step_reaches(graph: TaskGraph) -> None:
    whole = graph.to_networkx()
    for step in (*graph.steps, END):
        assert set(graph.all_preconditions_of(step)) == nx.descendants(whole, step) - {START}


def test_only_a_repeatable_step_may_be_done_again() -> None:
    order = ["egg", "milk", "egg", "mix"]
    assert not MIX.is_valid(order)
    again = MIX.replace(attributes={"egg": StepAttributes(repeatable=True)})
    assert again.is_valid([*order, "bake"], complete=True)
    assert again.is_valid(["egg", "milk", "mix", "egg"])
    assert not again.is_valid(["egg", "mix", "milk", "egg"])


def test_an_unfinished_order_is_valid_but_not_complete() -> None:
    assert MIX.is_valid(["egg", "milk"])
    assert not MIX.is_valid(["egg", "milk"], complete=True)
    assert MIX.is_valid([])


def test_the_end_waits_for_every_step_that_is_not_optional_whatever_its_edges() -> None:
    graph = TaskGraph("ab", [("a", START), ("b", START), (END, "a")])
    assert not graph.is_valid(["a"], complete=True)
    optional = graph.replace(attributes={"b": StepAttributes(optional=True)})
    assert optional.is_valid(["a"], complete=True)
    assert not optional.is_valid(["b"], complete=True)


@pytest.mark.parametrize("name", ["eg", START, END])
def test_a_name_that_is_no_step_is_refused_in_a_sequence(name: str) -> None:
    with pytest.raises(UnknownNameError, match=repr(name)):
        MIX.is_valid([name])
    with pytest.raises(UnknownNameError, match=repr(name)):
        MIX.executable([name])
    with pytest.raises(UnknownNameError, match=repr(name)):
        MIX.missing_before("mix", [name])


def test_a_question_about_an_unknown_step_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'milk'"):
        MIX.preconditions_of("milkk")


# Construction


def test_start_and_end_are_connected_by_themselves() -> None:
    assert set(MIX.edges) == {
        ("egg", START),
        ("milk", START),
        ("mix", "egg"),
        ("mix", "milk"),
        ("bake", "mix"),
        (END, "bake"),
    }


@given(task_graphs())
def test_every_step_lies_between_start_and_end(graph: TaskGraph) -> None:
    whole = graph.to_networkx()
    for step in graph.steps:
        assert nx.has_path(whole, step, START)
        assert nx.has_path(whole, END, step)


@given(task_graphs())
def test_ends_that_are_connected_stay_as_they_are(graph: TaskGraph) -> None:
    assert connect_ends(graph.steps, graph.edges) == list(graph.edges)


@given(task_graphs(max_steps=5), st.data())
def test_closing_any_path_makes_a_cycle_whose_steps_need_each_other(
    graph: TaskGraph, data: st.DataObject
) -> None:
    step = data.draw(st.sampled_from(graph.steps))
    below = data.draw(st.sampled_from((step, *graph.all_preconditions_of(step))))
    edges = [*graph.edges, (below, step)]
    with pytest.raises(CycleError) as caught:
        TaskGraph(graph.steps, edges)
    cycle = caught.value.cycle
    assert set(zip(cycle, (*cycle[1:], cycle[0]), strict=True)) <= set(edges)
    assert len(set(cycle)) == len(cycle)


@pytest.mark.parametrize(
    ("edges", "reason"),
    [
        ([("b", "x")], "the edge 'b' needing 'x': unknown step 'x'"),
        ([("x", "b")], "unknown step 'x'"),
        ([("a", END)], "'a' is said to need END"),
        ([(START, "a")], "START is said to need 'a'"),
        ([(START, END)], "START is said to need 'END'"),
    ],
)
def test_an_edge_that_cannot_be_is_refused(edges: list[Edge], reason: str) -> None:
    with pytest.raises(GraphError, match=reason):
        TaskGraph(["a", "b"], edges)


def test_steps_that_cannot_be_are_refused() -> None:
    with pytest.raises(FormatError, match="listed twice"):
        TaskGraph(["a", "a"], [])


def test_a_weight_without_an_edge_is_refused() -> None:
    with pytest.raises(GraphError, match="a weight is given for 'b' needing 'a', no edge"):
        TaskGraph("ab", [], weights={("b", "a"): 1.0})


@pytest.mark.parametrize("weight", ["heavy", None, 10**400])
def test_a_weight_that_is_no_number_is_refused_with_its_edge(weight: Any) -> None:
    with pytest.raises(GraphError, match="the weight of 'b' needing 'a' is"):
        TaskGraph("ab", [("b", "a")], weights={("b", "a"): weight})


def test_an_edge_given_twice_counts_once() -> None:
    assert TaskGraph("ab", [("b", "a"), ("b", "a")]).edges == (("b", "a"),)


def test_a_graph_without_steps_has_nothing_to_do() -> None:
    empty = TaskGraph([], [])
    assert empty.executable() == ()
    assert empty.is_valid([], complete=True)
    assert empty.in_order() == ()


# Identity


@given(task_graphs(), st.data())
def test_the_order_of_steps_and_edges_does_not_matter_for_equality(
    graph: TaskGraph, data: st.DataObject
) -> None:
    steps = data.draw(st.permutations(graph.steps))
    edges = data.draw(st.permutations(graph.edges))
    other = TaskGraph(steps, edges)
    assert other == graph
    assert hash(other) == hash(graph)


@given(task_graphs(), st.data())
def test_one_edge_less_is_another_graph(graph: TaskGraph, data: st.DataObject) -> None:
    gone = data.draw(st.sampled_from(graph.edges))
    assert TaskGraph(graph.steps, [edge for edge in graph.edges if edge != gone]) != graph


def test_a_graph_equals_nothing_but_graphs() -> None:
    assert MIX.edges != MIX
    assert repr(MIX) == "TaskGraph('cake', 4 steps, 6 edges)"
    assert repr(TaskGraph("a", [])) == "TaskGraph(1 steps, 0 edges)"


@pytest.mark.parametrize("name", [*TaskGraph.__slots__, "anything"])
def test_a_graph_cannot_be_changed(name: str) -> None:
    with pytest.raises(AttributeError, match="immutable"):
        setattr(MIX, name, None)
    with pytest.raises(AttributeError, match="immutable"):
        delattr(MIX, name)


def test_weights_and_provenance_are_read_only_copies() -> None:
    weights, settings = {("b", "a"): 0.5}, {"beta": 1}
    provenance = Provenance("do", settings)
    graph = TaskGraph("ab", [("b", "a")], weights=weights, provenance=provenance)
    weights[("b", "a")], settings["beta"] = 9.0, 2
    assert graph.weights == {("b", "a"): 0.5}
    assert graph.provenance.settings == {"beta": 1}
    for mapping in (graph.weights, graph.provenance.settings):
        with pytest.raises(TypeError):
            mapping["x"] = 1  # type: ignore[index]


@pytest.mark.parametrize("name", ["provenance", "constraints"])
def test_a_dictionary_in_place_of_provenance_or_constraints_is_refused(name: str) -> None:
    with pytest.raises(GraphError, match=f"{name} of a graph is .*; expected {name.title()}"):
        TaskGraph("ab", [("b", "a")], **{name: {"method": "do"}})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda graph: pickle.loads(pickle.dumps(graph))],  # noqa: S301
    ids=["copy", "deepcopy", "pickle"],
)
@given(graph=task_graphs(weighted=True))
def test_a_copy_has_all_that_the_graph_has(copied: Any, graph: TaskGraph) -> None:
    other = copied(graph)
    assert same(other, graph)
    assert other.provenance == graph.provenance
    assert other.executable() == graph.executable()


def test_many_steps_answer_as_few_do() -> None:
    names = [f"{STEP_NAMES[0]} {number}" for number in range(2000)]
    chain = TaskGraph.from_preconditions({names[0]: [], **dict(chained(names))})
    assert chain.is_valid(names, complete=True)
    assert chain.executable(names[:1000]) == (names[1000],)
    assert len(chain.all_preconditions_of(END)) == 2000


def chained(names: list[str]) -> list[tuple[str, list[str]]]:
    return [(step, [before]) for before, step in itertools.pairwise(names)]


def test_replacing_edges_drops_what_was_known_of_those_that_go() -> None:
    graph = TaskGraph(
        ["a", "b"],
        [("b", "a")],
        weights={("b", "a"): 0.9},
        evidence={("b", "a"): EdgeEvidence(3, 1, 0)},
        attributes={"a": StepAttributes(done=0.5)},
    )
    assert graph.replace(edges=[]).weights == {}
    assert graph.replace(edges=[]).evidence == {}
    assert graph.replace(procedure="tea").evidence == graph.evidence
    smaller = graph.replace(steps=["b"], edges=[])
    assert smaller.attributes == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"attributes": {"z": StepAttributes()}}, "attributes are given for 'z'"),
        ({"evidence": {("a", "b"): EdgeEvidence(1, 0, 0)}}, "evidence is given for 'a'"),
    ],
)
def test_what_is_known_of_nothing_in_the_graph_is_refused(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        TaskGraph(["a", "b"], [("b", "a")], **given)


@pytest.mark.parametrize(
    "changes",
    [
        {"weights": {("a", "b"): 1.0}},
        {"evidence": {("a", "b"): EdgeEvidence(1, 0, 0)}},
        {"attributes": {"z": StepAttributes()}},
    ],
)
def test_replacing_with_what_is_known_of_nothing_in_the_graph_is_refused(
    changes: dict[str, Any],
) -> None:
    with pytest.raises(GraphError, match="given for"):
        TaskGraph(["a", "b"], [("b", "a")]).replace(**changes)


def test_a_graph_from_preconditions_has_the_name_and_the_origin_that_were_given() -> None:
    graph = TaskGraph.from_preconditions(
        {"b": ["a"]}, procedure="tea", provenance=Provenance("by hand")
    )
    assert graph.procedure == "tea"
    assert graph.provenance.method == "by hand"


def test_a_graph_is_no_equal_of_anything_else() -> None:
    assert (TaskGraph.from_preconditions({"b": ["a"]}) == "b needs a") is False


def test_attributes_and_evidence_survive_pickling() -> None:
    graph = with_optional("b")
    again = pickle.loads(pickle.dumps(graph))  # noqa: S301 - our own bytes
    assert again.attributes == graph.attributes
    assert again.optional_steps == ("b",)


def test_a_text_in_place_of_a_list_of_needs_is_refused() -> None:
    with pytest.raises(InputError, match=r"'mix' needs the text 'egg'; expected .* \['egg'\]"):
        TaskGraph.from_preconditions({"mix": "egg"})


def test_a_graph_is_given_back() -> None:
    graph = TaskGraph.from_preconditions({"mix": ["egg"]})
    assert expect_graph(graph, "a monitor") is graph


@pytest.mark.parametrize("came", [None, "graph.json", {"mix": ["egg"]}, TaskGraph])
def test_anything_else_is_named_with_where_graphs_come_from(came: object) -> None:
    with pytest.raises(InputError) as raised:
        expect_graph(came, "a monitor")
    assert str(raised.value).startswith(
        f"a monitor got {came!r}; expected a TaskGraph, as stepgraph.re"
    )
