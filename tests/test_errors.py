from __future__ import annotations

import inspect
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import errors
from stepgraph.errors import (
    CycleError,
    FormatError,
    GraphError,
    InputError,
    MissingExtraError,
    StepgraphError,
    UnavailableError,
    UnknownNameError,
    nearest_names,
)

ROOTS = {"StepgraphError": "Exception", "StepgraphWarning": "UserWarning"}


def test_the_tree_in_the_documentation_is_the_tree_of_classes() -> None:
    drawn: dict[str, str] = {}
    above: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"( *(?:[│├└─ ]*))(\w+(?:Error|Warning))\b", line)
        if found:
            depth = len(found[1])
            above = {column: name for column, name in above.items() if column < depth}
            drawn[found[2]] = above[max(above)] if above else ROOTS[found[2]]
            above[depth] = found[2]
    defined = {
        name: kind.__base__.__name__
        for name, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, Exception) and kind.__base__ is not None
    }
    assert drawn == defined


def test_an_unknown_name_is_answered_with_the_nearest_ones() -> None:
    error = UnknownNameError("step", "Mix Flou", ["mix flour", "mix floor", "bake"], "line 3")
    assert error.nearest == ("mix flour", "mix floor")
    assert str(error) == (
        "line 3: unknown step 'Mix Flou'; did you mean 'mix flour' or 'mix floor'?"
    )


def test_a_name_in_other_case_is_answered_with_that_one() -> None:
    error = UnknownNameError("step", "Mix Flour", ["mix floor", "mix flour", "bake"])
    assert error.nearest == ("mix flour",)


def test_an_unknown_name_like_no_other_is_answered_with_what_there_is() -> None:
    known = [f"k{number}" for number in range(15)]
    message = str(UnknownNameError("step", "something else", known))
    assert "expected one of 'k0', 'k1'" in message
    assert message.endswith("'k11' and 3 more")


def test_an_unknown_name_among_none_says_that_there_is_none() -> None:
    assert str(UnknownNameError("step", "x", [])).endswith("there is no step to choose from")


def test_a_cycle_is_shown_as_steps_that_need_the_next_one() -> None:
    error = CycleError(["a", "b"], "g.json")
    assert error.cycle == ("a", "b")
    assert str(error).startswith("g.json: these steps need each other: 'a' needs 'b' needs 'a'; ")


def test_a_missing_extra_says_how_to_install_it() -> None:
    assert "pip install 'stepgraph[torch]'" in str(MissingExtraError("the method 'do'", "torch"))


@pytest.mark.parametrize(
    "error",
    [
        UnknownNameError("method", "x", ["y"], "here"),
        CycleError(["a", "b"], "here"),
        MissingExtraError("this", "torch"),
        FormatError("broken"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_travels_between_processes_unchanged(error: StepgraphError) -> None:
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_what_came_in_and_what_is_not_installed_can_be_told_apart() -> None:
    assert isinstance(CycleError(["a"]), GraphError | InputError)
    assert not isinstance(MissingExtraError("this", "torch"), InputError)
    assert isinstance(MissingExtraError("this", "torch"), UnavailableError)


@given(st.text(), st.lists(st.text(max_size=8)))
def test_nearest_names_are_known_ones_and_at_most_three(name: str, known: list[str]) -> None:
    found = nearest_names(name, known)
    assert set(found) <= set(known)
    assert len(found) <= 3


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1), st.data())
def test_a_name_that_differs_in_case_only_is_nearest(known: list[str], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(known))
    assert nearest_names(name.swapcase().swapcase(), known)[0].casefold() == name.casefold()
    assert nearest_names(name.casefold(), known)[0].casefold() == name.casefold()


def test_where_one_name_is_much_nearer_the_others_are_not_named() -> None:
    known = ["open the cover", "close the cover", "wipe the contacts"]
    assert nearest_names("open the covr", known) == ("open the cover",)
    assert nearest_names("the cover", known) == ("open the cover", "close the cover")


def test_who_types_the_first_word_gets_all_that_have_it() -> None:
    known = ["Pour-Pour a little water into the filter", "pour-Slowly pour the rest", "Grind-Grind"]
    assert nearest_names("Pour", known) == tuple(known[:2])
