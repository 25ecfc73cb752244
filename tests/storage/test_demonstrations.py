"""Demonstrations as versioned JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FormatError
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary
from stepgraph.storage import (
    VERSION,
    demonstrations_from_json,
    demonstrations_to_json,
    dump_json,
    parse_json,
)
from tests.storage.wrong import TEXTS, changed, outcome, some
from tests.strategies import JSON_VALUES, annotated_demonstrations

DEMONSTRATIONS = Demonstrations(
    Vocabulary(("egg", "milk", "mix")),
    (
        KeyStepSequence("one", (1, 2, 3), (0.0, 1.0, 2.0), (1.0, 2.0, 3.5), (None, "late", None)),
        KeyStepSequence("two", (2, 3), skipped=(1,)),
    ),
    "cake",
)


@given(annotated_demonstrations())
def test_demonstrations_survive_their_file(given_: Demonstrations) -> None:
    text = dump_json(demonstrations_to_json(given_))
    assert demonstrations_from_json(parse_json(text, "here")) == given_


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("format", "stepgraph-graph", '"format": "stepgraph-demonstrations"'),
        ("version", VERSION + 1, "install a newer stepgraph"),
        ("steps", None, "'steps' is missing"),
        ("steps", ["", "b"], "step 1 has the name ''"),
        ("procedure", [], "'procedure' is a list"),
        ("demonstrations", None, "'demonstrations' is missing; expected a list"),
        ("demonstrations", [], "no recordings"),
        ("demonstrations", [3], "demonstration 1 is a number; expected an object"),
        ("demonstrations", [{"id": "x"}], "demonstration 1: 'steps' is missing"),
        ("demonstrations", [{"steps": []}], "recording '1' has no steps"),
        ("demonstrations", [{"steps": ["eg"]}], "unknown step 'eg'; did you mean 'egg'"),
        ("demonstrations", [{"steps": ["START"]}], "refers to node 0"),
        ("demonstrations", [{"steps": ["egg"], "id": None}], "'id' is missing; expected a text"),
        ("demonstrations", [{"steps": ["egg"], "id": True}], "'id' is true or false"),
        ("demonstrations", [{"steps": ["egg"], "starts": 3}], "'starts' is a number"),
        ("demonstrations", [{"steps": ["egg"], "ends": ["x"]}], "'ends' is 'x'"),
        ("demonstrations", [{"steps": ["egg"], "ends": [10**400]}], "expected a finite number"),
        ("demonstrations", [{"steps": ["egg"], "ends": [1, 2]}], "1 steps and 2 ends"),
        ("demonstrations", [{"steps": ["egg"], "mistakes": [1]}], "expected a list of texts"),
        ("demonstrations", [{"steps": ["egg"], "skipped": ["x"]}], "unknown step 'x'"),
        ("demonstrations", [{"steps": ["egg"]}, {"steps": ["egg"], "id": "1"}], "called '1'"),
    ],
)
def test_a_demonstrations_file_that_is_wrong_somewhere_is_refused_with_the_place(
    key: str, value: Any, reason: str
) -> None:
    content = changed(demonstrations_to_json(DEMONSTRATIONS), key, value)
    with pytest.raises(FormatError, match=f"^d.json: (?!d.json).*{reason}"):
        demonstrations_from_json(content, "d.json")


def test_recordings_without_an_id_are_numbered_and_numbers_are_ids() -> None:
    recordings = [{"steps": ["egg"]}, {"steps": ["egg"], "id": 7}]
    content = changed(demonstrations_to_json(DEMONSTRATIONS), "demonstrations", recordings)
    assert [sequence.id for sequence in demonstrations_from_json(content)] == ["1", "7"]


RECORDINGS = some(
    st.lists(
        some(
            st.fixed_dictionaries(
                {"steps": some(st.lists(TEXTS, max_size=3))},
                optional={
                    "id": TEXTS,
                    "starts": some(st.lists(st.floats(), max_size=3)),
                    "ends": JSON_VALUES,
                    "mistakes": some(st.lists(st.none() | st.text(max_size=2), max_size=3)),
                    "skipped": some(st.lists(TEXTS, max_size=2)),
                },
            )
        ),
        max_size=3,
    )
)


@given(
    some(
        st.fixed_dictionaries(
            {"format": st.just("stepgraph-demonstrations"), "version": some(st.just(VERSION))},
            optional={
                "steps": some(st.lists(TEXTS, max_size=3)),
                "demonstrations": RECORDINGS,
                "procedure": TEXTS,
            },
        )
    )
)
def test_whatever_json_a_demonstrations_file_holds_it_is_read_or_an_error_of_ours(
    content: Any,
) -> None:
    found, message = outcome(demonstrations_from_json, content)
    if found is None:
        assert message.startswith("here: ")
    else:
        assert demonstrations_from_json(demonstrations_to_json(found)) == found


def test_the_weight_of_a_recording_survives_a_file() -> None:
    given = Demonstrations.from_steps(["ab"])
    heavy = replace(given, sequences=(replace(given.sequences[0], weight=12.0),))
    read = demonstrations_from_json(demonstrations_to_json(heavy))
    assert read.sequences[0].weight == 12
    assert read.total_weight == 12
