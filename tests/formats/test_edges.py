from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FormatError, StepgraphError, UnknownNameError
from stepgraph.formats.edges import parse_edge, read_constraints

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


def test_a_file_has_must_and_never_edges_and_comments(put: Put) -> None:
    path = put("edges.txt", "# ours\nmust mix>crack egg\n\nnever: cool > mix\n")
    edges = read_constraints(path, STEPS)
    assert edges.must == (("mix", "crack egg"),)
    assert edges.never == (("cool", "mix"),)


@pytest.mark.parametrize("line", ["maybe mix>cool", "must mix", "must mix>col", "must"])
def test_a_line_that_states_nothing_is_named_with_its_file(put: Put, line: str) -> None:
    with pytest.raises(FormatError, match=r"edges\.txt: line 2"):
        read_constraints(put("edges.txt", f"# first\n{line}\n"), STEPS)
