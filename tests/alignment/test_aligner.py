from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.alignment import Aligner, Costs, align
from stepgraph.alignment.aligner import heaviest_antichain
from stepgraph.alignment.moves import KINDS, Kind
from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.graph import TaskGraph
from stepgraph.graph.edges import bits
from stepgraph.graph.evidence import StepAttributes
from tests.alignment.brute_force import cheapest
from tests.strategies import STEP_NAMES, task_graphs, valid_orders


@st.composite
def attributed(draw: st.DrawFn) -> TaskGraph:
    """Return graphs in which some steps are optional and some repeatable."""
    graph = draw(task_graphs(max_steps=5))
    about = st.builds(StepAttributes, optional=st.booleans(), repeatable=st.booleans())
    names = st.sampled_from(graph.steps)
    return graph.replace(attributes=draw(st.dictionaries(names, about, max_size=3)))


GRAPHS = task_graphs(max_steps=5) | attributed()
# Steps "step f" and later are unknown to graphs of five steps.
RECORDINGS = st.lists(st.sampled_from(STEP_NAMES[:7]), max_size=7)
TEA = TaskGraph.from_preconditions({"stir": ["pour"], "drink": ["stir"], "sing": []})


@st.composite
def costs(draw: st.DrawFn, graph: TaskGraph) -> Costs:
    price = st.integers(0, 6).map(lambda quarters: quarters / 4)
    keys = st.tuples(st.sampled_from(KINDS), st.sampled_from(graph.steps))
    return Costs(
        draw(price), draw(price), draw(price), draw(st.dictionaries(keys, price, max_size=4))
    )


@given(GRAPHS, RECORDINGS, st.data())
@settings(deadline=None, max_examples=300)
def test_no_explanation_is_cheaper(
    graph: TaskGraph, recording: list[str], data: st.DataObject
) -> None:
    chosen = data.draw(st.just(Costs()) | costs(graph))
    found = align(graph, recording, costs=chosen)
    assert found.cost == cheapest(graph, recording, chosen)  # quarters: no rounding


@given(GRAPHS, RECORDINGS, st.data())
@settings(deadline=None)
def test_moves_are_the_recording_on_one_side_and_a_valid_order_on_the_other(
    graph: TaskGraph, recording: list[str], data: st.DataObject
) -> None:
    found = align(graph, recording, costs=data.draw(costs(graph)))
    assert [move.step for move in found.moves if move.kind != "skipped"] == recording
    places = [move.position for move in found.moves if move.kind != "skipped"]
    assert places == list(range(1, len(recording) + 1))
    order = [move.step for move in found.moves if move.kind != "inserted"]
    repeatable = {step for step, about in graph.attributes.items() if about.repeatable}
    assert set(order) == set(graph.steps)
    assert {step for step in order if order.count(step) > 1} <= repeatable
    assert graph.is_valid(order, complete=True)
    left_out = {move.step for move in found.skipped} & set(graph.optional_steps)
    assert graph.is_valid([step for step in order if step not in left_out], complete=True)
    assert 0 <= found.fitness <= 1
    assert found.cost == math.fsum(move.cost for move in found.moves)


@given(task_graphs(), st.data())
@settings(deadline=None)
def test_a_valid_order_fits_without_a_deviation(graph: TaskGraph, data: st.DataObject) -> None:
    found = align(graph, data.draw(valid_orders(graph)))
    assert (found.cost, found.fitness) == (0, 1)
    assert not found.skipped
    assert not found.inserted


def test_the_best_of_several_occurrences_stays() -> None:
    found = align(TEA, ["stir", "pour", "stir", "drink", "sing"])
    assert [(move.step, move.position) for move in found.inserted] == [("stir", 1)]
    assert found.cost == 1


def test_of_equally_good_occurrences_the_first_stays() -> None:
    found = align(TEA, ["pour", "pour", "stir", "stir", "drink", "sing"])
    assert [(move.step, move.position) for move in found.inserted] == [("pour", 2), ("stir", 4)]


def test_a_dear_step_stays_at_the_cost_of_cheap_ones() -> None:
    order = ["drink", "pour", "stir", "sing"]
    assert align(TEA, order).moved == ("drink",)
    dear = Costs(steps={("skipped", "drink"): 10})
    assert set(align(TEA, order, costs=dear).moved) == {"pour", "stir"}


def test_an_optional_step_costs_nothing_to_skip_but_keeps_its_place() -> None:
    graph = TEA.replace(attributes={"stir": StepAttributes(optional=True)})
    assert align(graph, ["pour", "drink", "sing"]).cost == 0
    assert align(graph, ["pour", "drink", "stir", "sing"]).cost == 1
    assert align(graph, ["drink", "pour", "sing"]).cost == 2


def test_a_repeatable_step_costs_nothing_to_repeat_after_the_first() -> None:
    graph = TEA.replace(attributes={"stir": StepAttributes(repeatable=True)})
    assert align(graph, ["pour", "stir", "stir", "drink", "stir", "sing"]).cost == 0
    assert align(graph, ["stir", "pour", "stir", "drink", "stir", "sing"]).cost == 1


def test_an_empty_recording_skips_everything() -> None:
    found = align(TEA, [])
    assert [move.kind for move in found.moves] == ["skipped"] * 4
    assert (found.cost, found.fitness) == (4, 0)


def test_a_graph_without_steps_has_everything_inserted() -> None:
    found = align(TaskGraph((), ()), ["sing", "sing"])
    assert [move.kind for move in found.moves] == ["inserted", "inserted"]
    assert found.fitness == 0


def test_where_nothing_costs_anything_all_fits() -> None:
    assert align(TEA, ["drink"], costs=Costs(0, 0, 0)).fitness == 1


def test_costs_of_any_fraction_are_weighed_exactly() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["a"], "d": ["a"]})
    tenths: dict[tuple[Kind, str], float] = {("skipped", name): 0.1 for name in "bcd"}
    found = align(graph, ["b", "c", "d", "a"], costs=Costs(0, 0.3, 0, tenths))
    # Three times the float 0.1 is more than the float 0.3 by less than a rounding error.
    assert found.moved == ("a",)


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, "much"])
def test_a_cost_that_is_no_cost_is_refused(value: float) -> None:
    with pytest.raises(SettingError, match="the cost of skipped is"):
        Costs(skipped=value)
    with pytest.raises(SettingError, match="the cost of done of 'stir' is"):
        Costs(steps={("done", "stir"): value})


def test_an_unknown_kind_of_move_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'skipped'"):
        Costs(steps={("skiped", "stir"): 1})  # type: ignore[dict-item]


def test_a_cost_for_a_step_that_the_graph_lacks_is_refused_unless_it_is_inserted() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'stir'"):
        Aligner(TEA, Costs(steps={("skipped", "stirr"): 1}))
    assert align(TEA, ["dance"], costs=Costs(steps={("inserted", "dance"): 7})).cost == 11


@st.composite
def orders(draw: st.DrawFn) -> list[int]:
    """Return random partial orders, transitively closed, as masks of what is below."""
    below: list[int] = []
    for element in range(draw(st.integers(1, 9))):
        mask = 0
        for other in range(element):
            if draw(st.booleans()):
                mask |= 1 << other | below[other]
        below.append(mask)
    return below


def is_antichain(below: list[int], mask: int) -> bool:
    return not any(below[element] & mask for element in bits(mask))


@given(orders(), st.data())
@settings(deadline=None)
def test_nothing_is_heavier(below: list[int], data: st.DataObject) -> None:
    weight = st.integers(1, 5) | st.integers(10**20, 10**20 + 3)
    weights = data.draw(st.lists(weight, min_size=len(below), max_size=len(below)))
    found = heaviest_antichain(below, weights)
    assert is_antichain(below, found)
    heaviest = max(
        sum(weights[element] for element in chosen)
        for size in range(len(below) + 1)
        for chosen in combinations(range(len(below)), size)
        if is_antichain(below, sum(1 << element for element in chosen))
    )
    assert sum(weights[element] for element in bits(found)) == heaviest


def test_of_a_chain_of_equals_the_lowest_stays() -> None:
    assert heaviest_antichain([0, 0b1, 0b11, 0b111], [2, 2, 2, 2]) == 0b1


def test_nothing_has_an_empty_antichain() -> None:
    assert heaviest_antichain([], []) == 0
