from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stepgraph.alignment import Aligner, Alignment, Costs, align, conformance, explain_alignment
from stepgraph.alignment.moves import is_plain
from stepgraph.alignment.search import Searcher
from stepgraph.errors import GraphError, SettingError
from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes
from stepgraph.graph.rules import Choice, Undoing
from stepgraph.graph.semantics import State
from stepgraph.sequences import Demonstrations
from tests.alignment.test_aligner import GRAPHS, RECORDINGS, costs
from tests.strategies import STEP_NAMES, graphs_with_rules

# Graphs of five steps do not know "step f".
SHORT = st.lists(st.sampled_from(STEP_NAMES[:6]), max_size=6)
SHOP = TaskGraph.from_preconditions(
    {"accept": ["look"], "reject": ["look"], "pack": ["accept"], "leave": ["pack", "reject"]}
).replace(choices=[Choice((("accept", "pack"), ("reject",)))])
TEST = TaskGraph.from_preconditions({"test": ["build"], "ship": ["test"], "repair": ["build"]})
TEST = TEST.replace(
    attributes={"repair": StepAttributes(optional=True)}, undoings=[Undoing("repair", ("test",))]
)


def cheapest(graph: TaskGraph, steps: Sequence[str], costs: Costs) -> float:
    """Return the cost of a cheapest path, by trying every move everywhere; infinite without one."""
    meaning = graph.semantics
    queue: list[tuple[float, int, State, frozenset[str]]] = [(0.0, 0, State(), frozenset())]
    seen = set()
    while queue:
        cost, place, state, recorded = heapq.heappop(queue)
        if (place, state, recorded) in seen:
            continue
        seen.add((place, state, recorded))
        if place == len(steps) and not meaning.open(state):
            return cost
        if place < len(steps):
            price = costs.of("inserted", steps[place])
            heapq.heappush(queue, (cost + price, place + 1, state, recorded))
        for name, node in meaning.nodes.items():
            if not meaning.may_do(node, state):
                continue
            after = meaning.do(node, state)
            counted = frozenset(
                other for other in recorded if after.done >> meaning.nodes[other] & 1
            )
            heapq.heappush(queue, (cost + costs.of("skipped", name), place, after, counted))
            first = not state.done >> node & 1
            if place < len(steps) and steps[place] == name and (first or name in recorded):
                price = costs.of("done", name)
                heapq.heappush(queue, (cost + price, place + 1, after, counted | {name}))
    return math.inf


def explained(graph: TaskGraph, steps: Sequence[str], costs: Costs, **more: int) -> Alignment:
    """Return the alignment, unless the graph cannot be finished."""
    try:
        return Aligner(graph, costs, **more).align(steps)
    except GraphError:
        assert cheapest(graph, [], Costs()) == math.inf
        assume(False)
        raise


def check_moves(graph: TaskGraph, steps: Sequence[str], found: Alignment) -> None:
    assert [move.step for move in found.moves if move.kind != "skipped"] == list(steps)
    if not is_plain(graph):
        order = [move.step for move in found.moves if move.kind != "inserted"]
        assert graph.is_valid(order, complete=True)
    assert 0 <= found.fitness <= 1


@given(graphs_with_rules(), SHORT)
@settings(deadline=None, max_examples=300)
def test_nothing_is_wrong_exactly_if_the_order_is_valid_and_complete(
    graph: TaskGraph, steps: list[str]
) -> None:
    found = explained(graph, steps, Costs())
    known = all(step in graph.vocabulary for step in steps)
    assert (found.cost == 0) is (known and graph.is_valid(steps, complete=True))
    assert found.at_least is None
    check_moves(graph, steps, found)


@given(graphs_with_rules(), st.data())
@settings(deadline=None, max_examples=200)
def test_a_walk_to_the_end_costs_nothing(graph: TaskGraph, data: st.DataObject) -> None:
    meaning, state = graph.semantics, State()
    steps: list[str] = []
    while meaning.open(state):
        may = [name for name, node in meaning.nodes.items() if meaning.may_do(node, state)]
        assume(may and len(steps) < 15)
        steps.append(data.draw(st.sampled_from(may)))
        state = meaning.do(meaning.nodes[steps[-1]], state)
    found = align(graph, steps)
    assert (found.cost, found.fitness) == (0, 1)
    assert explain_alignment(graph, found) == ()


@given(graphs_with_rules(max_steps=5), SHORT, st.data())
@settings(deadline=None, max_examples=300)
def test_no_explanation_is_cheaper(graph: TaskGraph, steps: list[str], data: st.DataObject) -> None:
    assume(not is_plain(graph))
    chosen = data.draw(st.just(Costs()) | costs(graph))
    found = explained(graph, steps, chosen)
    assert found.cost == cheapest(graph, steps, chosen)  # quarters: no rounding
    check_moves(graph, steps, found)
    explain_alignment(graph, found)


@given(GRAPHS, RECORDINGS, st.data())
@settings(deadline=None)
def test_the_search_finds_what_the_antichain_does(
    graph: TaskGraph, steps: list[str], data: st.DataObject
) -> None:
    chosen = data.draw(st.just(Costs()) | costs(graph))
    found, expected = Searcher(graph, chosen).align(steps), align(graph, steps, costs=chosen)
    assert (found.cost, found.worst) == (expected.cost, expected.worst)


@given(graphs_with_rules(max_steps=5), SHORT, st.integers(0, 5), st.data())
@settings(deadline=None, max_examples=200)
def test_beyond_the_budget_an_alignment_says_what_it_may_cost(
    graph: TaskGraph, steps: list[str], budget: int, data: st.DataObject
) -> None:
    assume(not is_plain(graph))
    chosen = data.draw(st.just(Costs()) | costs(graph))
    least = cheapest(graph, steps, chosen)
    assume(least < math.inf)
    try:
        found = Aligner(graph, chosen, budget=budget).align(steps)
    except GraphError as error:
        if "was found within" in str(error):
            return
        raise
    check_moves(graph, steps, found)
    if found.at_least is None:
        assert found.cost == least
    else:
        assert found.at_least <= least <= found.cost
        assert "may be a cheaper explanation" in explain_alignment(graph, found)[-1]
        assert found.to_json()["at_least"] == found.at_least


@given(graphs_with_rules(max_steps=5), st.lists(SHORT, min_size=1, max_size=4))
@settings(deadline=None)
def test_precision_is_a_share(graph: TaskGraph, recordings: list[list[str]]) -> None:
    log = Demonstrations.from_steps([steps for steps in recordings if steps] or [["step a"]])
    try:
        result = conformance(graph, log)
    except GraphError:
        assume(False)
        raise
    assert 0 < result.precision <= 1
    assert 0 <= result.fitness <= 1


def test_one_alternative_is_enough_and_two_are_too_many() -> None:
    assert align(SHOP, ["look", "reject", "leave"]).cost == 0
    assert align(SHOP, ["look", "accept", "pack", "leave"]).cost == 0
    found = align(SHOP, ["look", "accept", "reject", "pack", "leave"])
    assert explain_alignment(SHOP, found) == (
        "inserted: 'reject' (step 3); 'accept' (step 2) is done instead",
    )
    assert (align(SHOP, []).cost, align(SHOP, []).fitness) == (3, 0)


def test_what_was_undone_is_done_again() -> None:
    assert align(TEST, ["build", "test", "repair", "test", "ship"]).cost == 0
    found = align(TEST, ["build", "test", "repair", "ship"])
    assert explain_alignment(TEST, found) == ("skipped: 'test'",)
    found = align(TEST, ["build", "test", "test", "ship"])
    assert explain_alignment(TEST, found) == ("repeated: 'test' (step 3); step 2 counts as done",)


def test_what_goes_with_a_step_is_skipped_without_it() -> None:
    graph = TaskGraph.from_preconditions({"oven": [], "cool": ["oven"], "eat": ["cool"]})
    graph = graph.replace(
        attributes={
            "oven": StepAttributes(optional=True, goes_with=("cool",)),
            "cool": StepAttributes(optional=True),
        }
    )
    assert align(graph, ["eat"]).cost == 0
    found = align(graph, ["oven", "eat"])
    assert explain_alignment(graph, found) in (
        ("skipped: 'cool'",),
        ("inserted: 'oven' (step 1); with these costs that is cheaper than to count it as done",),
    )
    dear = Costs(inserted=3)
    assert explain_alignment(graph, align(graph, ["oven", "eat"], costs=dear)) == (
        "skipped: 'cool'",
    )


def test_of_equals_the_first_stays() -> None:
    found = align(SHOP, ["look", "look", "reject", "leave", "leave"])
    assert [(move.step, move.position) for move in found.inserted] == [("look", 2), ("leave", 5)]


def test_precision_counts_what_is_done_again() -> None:
    order = ["build", "test", "repair", "test", "ship"]
    result = conformance(TEST, Demonstrations.from_steps([order]))
    # build; test or repair; ship or repair; test; ship
    assert result.precision == pytest.approx(5 / 7)


def test_rules_against_each_other_are_refused() -> None:
    graph = TaskGraph.from_preconditions({"a": [], "b": [], "c": []}).replace(
        attributes={
            "a": StepAttributes(goes_with=("b",)),
            "b": StepAttributes(optional=True),
        },
        undoings=[Undoing("a", ("b",)), Undoing("b", ("a",))],
    )
    with pytest.raises(GraphError, match="no order of the steps finishes"):
        align(graph, ["a"])


def test_a_budget_below_zero_is_refused() -> None:
    with pytest.raises(SettingError, match="budget"):
        Aligner(SHOP, budget=-1)
