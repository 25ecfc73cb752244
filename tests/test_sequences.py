from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest
from hypothesis import given

from stepgraph.errors import FormatError, UnknownNameError
from stepgraph.sequences import END, START, Demonstrations, KeyStepSequence, Vocabulary
from tests.strategies import annotated_demonstrations, demonstrations


def test_nodes_are_numbered_from_start_through_the_steps_to_end() -> None:
    words = Vocabulary(("a", "b"))
    assert words.nodes == (START, "a", "b", END)
    assert [words.node(name) for name in words.nodes] == [0, 1, 2, 3]
    assert [words.name(node) for node in range(4)] == list(words.nodes)
    assert words.end == 3


def test_start_and_end_are_nodes_but_no_steps() -> None:
    words = Vocabulary(("a", "b"))
    assert len(words) == 2
    assert "a" in words
    assert START not in words
    assert END not in words
    assert "c" not in words


def test_an_unknown_step_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'crack egg'"):
        Vocabulary(("crack egg", "mix")).node("crack eg")


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        (("a", ""), "step 2 has the name ''"),
        (("a", " \n"), "step 2 has the name"),
        ((1,), "step 1 has the name 1; expected a text"),
        ((["a"],), "expected a text"),
        (("a", "b", "a"), "'a' is listed twice"),
        (("a", START), "START and END are added by stepgraph"),
        ((END,), "START and END are added by stepgraph"),
    ],
)
def test_names_that_cannot_be_steps_are_refused(steps: Any, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        Vocabulary(steps)


def test_a_vocabulary_takes_any_iterable_and_keeps_a_tuple() -> None:
    names = ["a", "b"]
    words = Vocabulary(names)  # type: ignore[arg-type]
    names.append("c")
    assert words.steps == ("a", "b")
    assert words == Vocabulary(("a", "b"))
    assert hash(words) == hash(Vocabulary(("a", "b")))


def test_a_recording_without_steps_is_refused() -> None:
    with pytest.raises(FormatError, match="recording 'r' has no steps"):
        KeyStepSequence("r", ())


@pytest.mark.parametrize("field", ["starts", "ends", "mistakes"])
def test_a_field_of_another_length_is_refused_with_both_lengths(field: str) -> None:
    values: Any = {field: (None,) if field == "mistakes" else (1.0,)}
    with pytest.raises(FormatError, match=f"recording 'r' has 2 steps and 1 {field}"):
        KeyStepSequence("r", (1, 2), **values)


def test_a_recording_keeps_no_list_that_could_change() -> None:
    steps, starts = [1, 2], [0.0, 1.0]
    sequence = KeyStepSequence("r", steps, starts=starts, skipped=[3])  # type: ignore[arg-type]
    steps.append(3)
    starts.append(2.0)
    assert sequence == KeyStepSequence("r", (1, 2), starts=(0.0, 1.0), skipped=(3,))
    assert hash(sequence) == hash(KeyStepSequence("r", (1, 2), starts=(0.0, 1.0), skipped=(3,)))


@pytest.mark.parametrize(
    ("fields", "marked"),
    [
        ({}, False),
        ({"mistakes": (None, None)}, False),
        ({"mistakes": (None, "")}, True),
        ({"mistakes": ("order", None)}, True),
        ({"skipped": (2,)}, True),
    ],
)
def test_a_marked_step_or_a_skipped_one_is_a_mistake(fields: Any, marked: bool) -> None:
    assert KeyStepSequence("r", (1, 2), **fields).has_mistakes is marked


def test_a_step_done_twice_is_a_repetition() -> None:
    assert KeyStepSequence("r", (1, 2, 1)).has_repetitions
    assert not KeyStepSequence("r", (1, 2)).has_repetitions


def test_no_recordings_are_refused() -> None:
    with pytest.raises(FormatError, match="procedure 'tea': no recordings"):
        Demonstrations(Vocabulary(("a",)), (), "tea")


def test_two_recordings_of_the_same_id_are_refused() -> None:
    one = KeyStepSequence("r", (1,))
    with pytest.raises(FormatError, match="two recordings are called 'r'"):
        Demonstrations(Vocabulary(("a",)), (one, one))


@pytest.mark.parametrize("node", [-1, 0, 2])
@pytest.mark.parametrize("field", ["steps", "skipped"])
def test_a_node_that_is_no_step_is_refused(node: int, field: str) -> None:
    nodes = {"steps": (1,), field: (node,)}
    sequence = KeyStepSequence("r", **nodes)  # type: ignore[arg-type]
    with pytest.raises(FormatError, match=f"'r' refers to node {node}; expected 1 to 1"):
        Demonstrations(Vocabulary(("a",)), (sequence,))


def test_lists_of_names_become_numbered_recordings_in_order_of_appearance() -> None:
    built = Demonstrations.from_steps([["b", "a"], ["c"]])
    assert built.vocabulary.steps == ("b", "a", "c")
    assert [(sequence.id, sequence.steps) for sequence in built] == [("1", (1, 2)), ("2", (3,))]


def test_a_mapping_gives_each_recording_its_id() -> None:
    assert [s.id for s in Demonstrations.from_steps({"x": ["a"], "y": ["a"]})] == ["x", "y"]


def test_a_name_outside_the_given_vocabulary_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="'b'"):
        Demonstrations.from_steps([["b"]], vocabulary=Vocabulary(("a",)))


@given(demonstrations())
def test_names_and_node_numbers_say_the_same(given_: Demonstrations) -> None:
    again = Demonstrations.from_steps(
        {sequence.id: given_.names(sequence) for sequence in given_}, vocabulary=given_.vocabulary
    )
    assert again == given_
    assert len(given_) == len(list(given_))


@given(demonstrations())
def test_every_step_is_either_seen_or_unseen(given_: Demonstrations) -> None:
    seen = {name for sequence in given_ for name in given_.names(sequence)}
    assert {given_.vocabulary.name(node) for node in given_.seen} == seen
    assert given_.unseen_steps == tuple(s for s in given_.vocabulary.steps if s not in seen)


@given(annotated_demonstrations())
def test_without_marked_mistakes_exactly_the_unmarked_recordings_stay(
    given_: Demonstrations,
) -> None:
    unmarked = tuple(s for s in given_ if not s.skipped and not any(_marks(s)))
    if unmarked:
        kept = given_.without_marked_mistakes()
        assert kept.sequences == unmarked
        assert (kept.vocabulary, kept.procedure) == (given_.vocabulary, given_.procedure)
    else:
        with pytest.raises(FormatError, match="no recordings"):
            given_.without_marked_mistakes()


@given(annotated_demonstrations())
def test_demonstrations_travel_between_processes_unchanged(given_: Demonstrations) -> None:
    assert pickle.loads(pickle.dumps(given_)) == given_  # noqa: S301 - our own bytes


@pytest.mark.parametrize("field", ["vocabulary", "sequences", "procedure"])
def test_demonstrations_cannot_be_changed(field: str) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(Demonstrations.from_steps(["ab"]), field, None)


def _marks(sequence: KeyStepSequence) -> list[bool]:
    return [mark is not None for mark in sequence.mistakes or ()]
