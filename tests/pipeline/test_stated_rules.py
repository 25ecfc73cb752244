"""Choices and undoing that somebody states for learning."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph.errors import GraphError, InputError, SettingError, UnknownNameError
from stepgraph.graph import Choice, TaskGraph, Undoing
from stepgraph.pipeline import LearningOptions, learn, learn_together
from stepgraph.sequences import Demonstrations

pytestmark = pytest.mark.filterwarnings("ignore::stepgraph.errors.LearningWarning")
"""What people state may not fit the recordings, and a warning says so."""

ORDERED = Demonstrations.from_steps([["mix", "fry", "bake", "eat"]] * 6)
"""Everybody fries before baking."""
CASES = Demonstrations.from_steps(
    [["check", "accept", "ship"]] * 30 + [["check", "reject", "scrap"]] * 12
)


@pytest.mark.parametrize("method", ["robust", "intersection", "count-based"])
def test_a_stated_choice_overrules_the_order_that_recordings_show(method: str) -> None:
    graph = learn(ORDERED, method, one_of=[("fry", "bake")])
    assert graph.choices == (Choice([["fry"], ["bake"]]),)
    assert "fry" not in graph.preconditions_of("bake")
    assert graph.is_valid(["mix", "bake", "eat"], complete=True)
    assert graph.is_valid(["mix", "fry", "eat"], complete=True)
    assert not graph.is_valid(["mix", "fry", "bake", "eat"])
    assert not graph.is_valid(["mix", "eat"], complete=True)


def test_a_stated_choice_overrules_a_learned_one_of_the_same_steps() -> None:
    assert len(learn(CASES).choices) == 1
    graph = learn(CASES, one_of=[("accept", "ship")])
    assert graph.choices == (Choice([["accept"], ["ship"]]),)


def test_a_stated_choice_may_have_alternatives_of_several_steps() -> None:
    graph = learn(CASES, one_of=[(["accept", "ship"], ["reject", "scrap"])])
    assert [choice.alternatives for choice in graph.choices] == [
        (("accept", "ship"), ("reject", "scrap"))
    ]
    assert graph.optional_steps == ()


def test_a_stated_undoing_holds_although_no_recording_shows_it() -> None:
    graph = learn(ORDERED, undoes=[("fry", "mix")])
    assert graph.undoings == (Undoing("fry", ["mix"]),)
    assert not graph.is_valid(["mix", "fry", "bake"])


def test_what_people_state_of_a_step_comes_with_what_recordings_show() -> None:
    bench = [["build", "test", "pack"]] * 12 + [["build", "test", "repair", "test", "pack"]] * 6
    graph = learn(Demonstrations.from_steps(bench), undoes=[("repair", "build")])
    undone = {step for own in graph.undoings if own.step == "repair" for step in own.undone}
    assert undone == {"build", "test"}


def test_what_is_stated_stays_with_the_graph() -> None:
    graph = learn(ORDERED, one_of=[("fry", "bake")], undoes=[("eat", "mix")])
    assert graph.constraints.one_of == ((("fry",), ("bake",)),)
    assert graph.constraints.undoes == (("eat", ("mix",)),)


@pytest.mark.parametrize("rules", [{"one_of": [("fry", "bke")]}, {"undoes": [("bke", "mix")]}])
def test_unknown_steps_are_named_before_anything_is_learned(rules: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError, match="'bke'; did you mean 'bake'"):
        learn(ORDERED, **rules)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"one_of": ["fry", "bake"]}, "one_of"),
        ({"one_of": "fry | bake"}, "one_of is 'fry | bake'"),
        ({"undoes": [("fry",)]}, "expected pairs"),
    ],
)
def test_what_is_no_rule_is_refused(rules: dict[str, Any], said: str) -> None:
    with pytest.raises((SettingError, GraphError), match=said):
        learn(ORDERED, **rules)


def test_alternatives_that_a_must_edge_orders_are_refused() -> None:
    with pytest.raises(InputError, match="'bake' needs 'fry' of another alternative"):
        learn(ORDERED, must=[("bake", "fry")], one_of=[("fry", "bake")])


def test_several_procedures_need_all_steps_that_are_stated() -> None:
    options = LearningOptions(constraints=learn(ORDERED, one_of=[("fry", "bake")]).constraints)
    with pytest.raises(UnknownNameError, match="'fry'"):
        learn_together([ORDERED, CASES], options)


def test_a_graph_can_be_learned_again_with_its_constraints() -> None:
    stated = learn(ORDERED, one_of=[("fry", "bake")], undoes=[("fry", "mix")])
    (again,) = learn_together([ORDERED], LearningOptions(constraints=stated.constraints))
    assert isinstance(again.graph, TaskGraph)
    assert (again.graph, again.graph.choices, again.graph.undoings) == (
        stated,
        stated.choices,
        stated.undoings,
    )


def test_a_learned_choice_may_add_steps_to_the_alternatives_of_a_stated_one() -> None:
    graph = learn(CASES, one_of=[("accept", "reject")])
    (choice,) = graph.choices
    assert set(map(frozenset, choice.alternatives)) == {
        frozenset({"accept", "ship"}),
        frozenset({"reject", "scrap"}),
    }
    assert not graph.is_valid(["check", "reject", "ship"])
    assert graph.constraints.one_of == ((("accept",), ("reject",)),)
