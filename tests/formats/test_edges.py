from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FormatError, StepgraphError, UnknownNameError
from stepgraph.formats.edges import parse_choice, parse_edge, parse_undoing, read_constraints

from .conftest import Put

STEPS = ("mix", "crack egg", "heat > 80", "cool")


@pytest.mark.parametrize(
    "text", ["mix>crack egg", " mix > crack egg ", "mix needs crack egg", "crack egg before mix"]
)
def test_every_way_to_state_an_edge_gives_step_and_precondition(text: str) -> None:
    assert parse_edge(text, STEPS) == ("mix", "crack egg")


def test_a_name_that_holds_the_arrow_is_found_by_the_steps_there_are() -> None:
    assert parse_edge("cool>heat > 80", STEPS) == ("cool", "heat > 80")


def test_an_unknown_step_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="'crack egg'"):
        parse_edge("mix>crack eg", STEPS)


@given(st.text())
def test_any_text_is_an_edge_or_refused_with_an_error_of_ours(text: str) -> None:
    with pytest.raises(StepgraphError):
        parse_edge(text, ())


NAMES = ("accept", "reject", "pack", "nuts + bolts", "stage 2: test", "repair")


@pytest.mark.parametrize(
    ("text", "alternatives"),
    [
        ("accept | reject", (("accept",), ("reject",))),
        ("accept|reject|pack", (("accept",), ("reject",), ("pack",))),
        (" accept + pack | reject ", (("accept", "pack"), ("reject",))),
        ("nuts + bolts | reject", (("nuts + bolts",), ("reject",))),
    ],
)
def test_a_choice_has_its_alternatives(
    text: str, alternatives: tuple[tuple[str, ...], ...]
) -> None:
    assert parse_choice(text, NAMES) == alternatives


@pytest.mark.parametrize("text", ["", "accept", "accept |", "| accept", "accept + reject"])
def test_what_is_no_choice_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(FormatError, match="states no choice; expected two or more alternatives"):
        parse_choice(text, NAMES)


@pytest.mark.parametrize(
    ("text", "undoing"),
    [
        ("repair: pack", ("repair", ("pack",))),
        ("repair undoes pack", ("repair", ("pack",))),
        ("repair: pack + accept", ("repair", ("pack", "accept"))),
        ("stage 2: test: pack", ("stage 2: test", ("pack",))),
        ("repair: stage 2: test", ("repair", ("stage 2: test",))),
        ("repair: nuts + bolts", ("repair", ("nuts + bolts",))),
    ],
)
def test_an_undoing_has_the_step_and_what_it_undoes(
    text: str, undoing: tuple[str, tuple[str, ...]]
) -> None:
    assert parse_undoing(text, NAMES) == undoing


@pytest.mark.parametrize("text", ["", "repair", "repair:", "repair pack"])
def test_what_is_no_undoing_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(FormatError, match="states no undoing; expected 'A: B' or"):
        parse_undoing(text, NAMES)


def test_unknown_steps_of_rules_are_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="'acept'; did you mean 'accept'"):
        parse_choice("acept | reject", NAMES)
    with pytest.raises(UnknownNameError, match="'repai'; did you mean 'repair'"):
        parse_undoing("repai: pack", NAMES)
    with pytest.raises(UnknownNameError, match="'pck'; did you mean 'pack'"):
        parse_undoing("repair: pck", NAMES)


@given(st.text())
def test_any_text_is_a_rule_or_refused_with_an_error_of_ours(text: str) -> None:
    for parse in (parse_choice, parse_undoing):
        with pytest.raises(StepgraphError):
            parse(text, ())


def test_a_file_states_choices_and_undoing(put: Put) -> None:
    path = put("rules.txt", "one-of accept | reject + pack\nUndoes: repair: pack\n")
    stated = read_constraints(path, NAMES)
    assert stated.one_of == ((("accept",), ("reject", "pack")),)
    assert stated.undoes == (("repair", ("pack",)),)


@pytest.mark.parametrize(
    "line", ["one-of accept", "one-of accept | rject", "undoes repair", "one of accept | reject"]
)
def test_a_line_that_states_no_rule_is_named_with_its_file(put: Put, line: str) -> None:
    with pytest.raises(FormatError, match=r"rules\.txt: line 2"):
        read_constraints(put("rules.txt", f"# first\n{line}\n"), NAMES)


def test_a_file_has_must_and_never_edges_and_comments(put: Put) -> None:
    path = put("edges.txt", "# ours\nmust mix>crack egg\n\nnever: cool > mix\n")
    edges = read_constraints(path, STEPS)
    assert edges.must == (("mix", "crack egg"),)
    assert edges.never == (("cool", "mix"),)


@pytest.mark.parametrize("line", ["maybe mix>cool", "must mix", "must mix>col", "must"])
def test_a_line_that_states_nothing_is_named_with_its_file(put: Put, line: str) -> None:
    with pytest.raises(FormatError, match=r"edges\.txt: line 2"):
        read_constraints(put("edges.txt", f"# first\n{line}\n"), STEPS)
