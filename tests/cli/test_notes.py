"""What is true of many procedures is said once."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.cli.notes import MANY, said_once
from tests.cli.running import Put, Run
from tests.cli.samples import table

NAMES = ["tea", "soup", "tea: green", "rice"]
TEXTS = st.sampled_from(["2 steps", "10 steps", "'step 2' is odd", "'step 10' is odd", "odd"])


def test_each_number_becomes_its_range() -> None:
    notes = ["tea: 1 of 9 left out (1.5 %)", "soup: 10 of 9 left out (0.25 %)", "a note"]
    notes.append("rice: 2 of 9 left out (7 %)")
    assert said_once(NAMES, notes) == [
        "a note",
        "3 procedures (tea, soup, rice): 1 to 10 of 9 left out (0.25 to 7 %)",
    ]


def test_numbers_in_names_make_different_notes() -> None:
    notes = [f"{name}: 'step {number}' is odd" for number, name in enumerate(NAMES)]
    assert said_once(NAMES, notes) == notes


def test_the_longest_name_is_the_procedure() -> None:
    notes = [f"{name}: odd" for name in NAMES]
    assert said_once(NAMES, notes) == ["4 procedures (tea, soup, tea: green, ...): odd"]


@given(st.lists(st.tuples(st.sampled_from(["", *NAMES]), TEXTS), max_size=12))
def test_what_few_have_stays_and_no_note_is_lost(pairs: list[tuple[str, str]]) -> None:
    notes = [f"{name}: {text}" if name else text for name, text in pairs]
    said = said_once(NAMES, notes)
    kinds = {(bool(name), re.sub(r"^\d+", "#", text)) for name, text in pairs}
    assert {text for one, text in kinds if not one} <= {re.sub(r"^\d+", "#", one) for one in said}
    for one, kind in kinds:
        of = {name for name, text in pairs if re.sub(r"^\d+", "#", text) == kind and name}
        if one and len(of) >= MANY:
            assert any(line.startswith(f"{len(of)} procedures (") for line in said)
        elif one:
            mine = [f"{a}: {b}" for a, b in pairs if a and re.sub(r"^\d+", "#", b) == kind]
            assert [line for line in said if line in mine] == mine


@pytest.mark.parametrize("command", [["audit"], ["advise"], ["learn", "--method", "intersection"]])
def test_commands_say_once_what_they_note_of_many(
    stepgraph: Run, put: Put, command: list[str]
) -> None:
    text = table({"anna": ["mix", "Mix"], "ben": ["mix", "Mix"]}).splitlines()
    lines = [f"procedure,{text[0]}"]
    lines += [f"{name},{row}" for name in ("tea", "soup", "rice") for row in text[1:]]
    name, *more = command
    result = stepgraph(
        name, put("three.csv", "\n".join(lines)), *more, *(["--json"] if more else [])
    )
    assert result.code == 0
    assert result.notes[0].startswith(
        "note: 3 procedures (tea, soup, rice): the steps 'mix', 'Mix' differ only"
    )
