"""What people fix about a graph, and what contradicts itself."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from stepgraph.errors import CycleError, GraphError, InputError, SettingError, UnknownNameError
from stepgraph.graph import NO_CONSTRAINTS, Choice, Constraints, StepAttributes, Undoing

STATED = Constraints(
    [("mix", "egg")],
    [("egg", "mix")],
    [("bake", "mix")],
    ["egg"],
    ["mix"],
    [("fry", ["bake", "cool"])],
    [("drop", "egg")],
)


def test_without_anything_decided_constraints_are_false() -> None:
    assert not NO_CONSTRAINTS
    assert all(Constraints(**{name: value}) for name, value in vars(STATED).items())


def test_edges_are_tuples_each_once_and_must_and_pinned_are_required() -> None:
    again = Constraints(must=[["mix", "egg"], ("mix", "egg")], pinned=[("mix", "egg"), ("a", "b")])  # type: ignore[list-item]
    assert again.must == (("mix", "egg"),)
    assert again.required == (("mix", "egg"), ("a", "b"))
    assert STATED.steps == ("mix", "egg", "bake", "fry", "cool", "drop")


@pytest.mark.parametrize("name", ["must", "never", "pinned"])
@pytest.mark.parametrize("value", ["mix needs egg", 3, [3], [("mix",)], [("mix", 3)], ["ab"]])
def test_what_is_no_pair_of_names_is_refused(name: str, value: Any) -> None:
    with pytest.raises(SettingError, match=f"^{name} is .*; expected pairs"):
        Constraints(**{name: value})


@pytest.mark.parametrize("name", ["optional", "mandatory"])
@pytest.mark.parametrize("value", ["mix", 3, [3]])
def test_what_is_no_list_of_names_is_refused(name: str, value: Any) -> None:
    with pytest.raises(SettingError, match=f"^{name} is .*; expected a list of step names"):
        Constraints(**{name: value})


@pytest.mark.parametrize("value", ["ab", 3, [3], ["ab"], [[3, 4]]])
@pytest.mark.parametrize("name", ["one_of", "undoes"])
def test_what_is_no_rule_is_refused(name: str, value: Any) -> None:
    with pytest.raises(SettingError, match=f"^{name} (is|has) .*; expected"):
        Constraints(**{name: value})


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("one_of", [["a"]], "expected two or more"),
        ("one_of", [["a", ["b", "a"]]], "'a' is in two alternatives"),
        ("one_of", [["a", []]], "without steps"),
        ("undoes", [("a", "a")], "undo itself"),
        ("undoes", [("a", [])], "undo nothing"),
    ],
)
def test_rules_that_say_nothing_are_refused(name: str, value: Any, said: str) -> None:
    with pytest.raises(GraphError, match=said):
        Constraints(**{name: value})


def test_rules_may_be_given_as_the_graph_has_them() -> None:
    rules: Any = {
        "one_of": [Choice([["a"], ["b", "c"]])],
        "undoes": [Undoing("d", ["a"]), ("d", ["b"])],
    }
    given = Constraints(**rules)
    assert given.one_of == ((("a",), ("b", "c")),)
    assert given.choices == (Choice([["a"], ["b", "c"]]),)
    assert given.undoings == (Undoing("d", ["a", "b"]),)


def test_of_a_choice_the_alternatives_that_are_there_stay() -> None:
    given = Constraints(one_of=[("a", "b", ["c", "d"])], undoes=[("a", ["b", "c"])])
    fewer = given.among("acd")
    assert fewer.one_of == ((("a",), ("c", "d")),)
    assert fewer.undoes == (("a", ("c",)),)
    assert not given.among("d")


def test_a_step_is_not_both_optional_and_mandatory() -> None:
    with pytest.raises(SettingError, match="both optional and mandatory"):
        Constraints(optional=["mix"], mandatory=["mix"])


def test_only_what_is_said_of_some_steps_is_kept() -> None:
    assert STATED.among(["egg", "mix"]) == Constraints(
        must=STATED.must, never=STATED.never, optional=["egg"], mandatory=["mix"]
    )
    assert STATED.among(["bake"]) == NO_CONSTRAINTS


def test_what_is_said_of_an_edge_or_a_step_is_taken_back() -> None:
    assert STATED.without(("bake", "mix")).pinned == ()
    assert STATED.marked("egg", optional=False).mandatory == ("mix", "egg")
    assert STATED.marked("egg", optional=None).optional == ()


def test_marks_override_what_recordings_show() -> None:
    shown = {"egg": StepAttributes(0.9), "mix": StepAttributes(0.5, optional=True)}
    marked = STATED.mark(shown)
    assert marked["egg"] == StepAttributes(0.9, optional=True)
    assert marked["mix"] == StepAttributes(0.5)


def test_edges_that_can_be_obeyed_pass() -> None:
    STATED.check(["egg", "mix", "bake", "fry", "cool", "drop"])


@pytest.mark.parametrize(
    "name", ["must", "never", "pinned", "optional", "mandatory", "one_of", "undoes"]
)
def test_unknown_steps_are_named(name: str) -> None:
    value: Any = ["eg"] if name in ("optional", "mandatory") else [("mix", "eg")]
    with pytest.raises(UnknownNameError, match="'eg'; did you mean 'egg'"):
        Constraints(**{name: value}).check(["egg", "mix"])


def test_a_cycle_over_must_and_pinned_edges_is_shown() -> None:
    with pytest.raises(CycleError) as raised:
        Constraints(must=[("a", "b"), ("b", "c")], pinned=[("c", "a")]).check("abc")
    assert sorted(raised.value.cycle) == ["a", "b", "c"]


def test_what_required_edges_imply_cannot_be_ruled_out() -> None:
    with pytest.raises(InputError, match="the must edges say so: 'a' needs 'b' needs 'c'"):
        Constraints(must=[("a", "b")], pinned=[("b", "c")], never=[("a", "c")]).check("abc")


def test_a_required_edge_between_alternatives_is_refused() -> None:
    choice = [("a", ["b", "c"])]
    with pytest.raises(InputError, match="'b' needs 'a' of another alternative"):
        Constraints(must=[("b", "a")], one_of=choice).check("abc")
    Constraints(must=[("c", "b")], one_of=choice).check("abc")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])  # noqa: S301
def test_copies_are_equal(copied: Any) -> None:
    assert copied(STATED) == STATED
