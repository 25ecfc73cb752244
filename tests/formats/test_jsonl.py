from __future__ import annotations

import pytest

from stepgraph.errors import FormatError
from stepgraph.formats import read_demonstrations
from stepgraph.sequences import KeyStepSequence

from .conftest import Put


def test_events_are_gathered_like_rows_of_a_table(put: Put) -> None:
    path = put(
        "x.jsonl",
        '{"video": 1, "action": "a", "start": 0.5, "error": false}\n'
        '{"video": 2, "action": "b", "start": "0:07"}\n\n'
        '{"video": 1, "action": "b", "start": 2, "error": true}\n'
        '{"video": 1, "action": "c", "error": "skipped"}\n',
    )
    reading = read_demonstrations(path)
    assert reading.only().sequences == (
        KeyStepSequence("1", (1, 2), (0.5, 2.0), None, (None, "mistake"), (3,)),
        KeyStepSequence("2", (2,), (7.0,), None, (None,)),
    )
    assert reading.notes[0] == (
        "columns guessed: recording = 'video', step = 'action', mistake = 'error'"
    )


def test_a_whole_recording_has_its_times_marks_and_skipped_steps(put: Put) -> None:
    path = put(
        "x.jsonl",
        '{"id": "r", "steps": ["a", "b"], "starts": [0, 1], "ends": [1, 2], '
        '"mistakes": [null, "late"], "skipped": ["c"], "procedure": "tea"}',
    )
    found = read_demonstrations(path).only("tea")
    assert found.vocabulary.steps == ("a", "b", "c")
    assert found.sequences == (
        KeyStepSequence("r", (1, 2), (0.0, 1.0), (1.0, 2.0), (None, "late"), (3,)),
    )


def test_both_kinds_of_lines_may_be_mixed_and_keep_their_order(put: Put) -> None:
    path = put(
        "x.jsonl",
        '{"recording": "1", "step": "a"}\n{"id": "2", "steps": ["b"]}\n'
        '{"recording": "3", "step": "c"}\n{"recording": "1", "step": "d"}\n',
    )
    found = read_demonstrations(path).only()
    assert {one.id: found.names(one) for one in found} == {
        "1": ("a", "d"),
        "2": ("b",),
        "3": ("c",),
    }


def test_a_named_column_is_used(put: Put) -> None:
    path = put("x.jsonl", '{"recording": 1, "step": "a", "text": "mix"}')
    found = read_demonstrations(path, columns={"step": "text"}).only()
    assert found.vocabulary.steps == ("mix",)


def test_a_line_separator_inside_a_text_ends_no_line(put: Put) -> None:
    path = put("x.jsonl", '{"id": 1, "steps": ["a\u2028b"]}')
    assert read_demonstrations(path).only().vocabulary.steps == ("a\u2028b",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{]", "line 2, column 2: not JSON"),
        ("[1]", "line 2 is [1]; expected an object"),
        ('{"recording": 1}', "line 2: the step is missing"),
        ('{"recording": 1, "step": ["a"]}', "line 2: 'step' is ['a']; expected a text"),
        ('{"recording": 1, "step": "a", "start": "x"}', "line 2: the start time is 'x'"),
        ('{"steps": ["a"]}', "line 2: 'recording' is null; expected a text"),
        ('{"id": 1, "steps": "a"}', "line 2: 'steps' is 'a'; expected a list"),
        ('{"id": 1, "steps": [null]}', "line 2: a step is null"),
        ('{"id": 1, "steps": ["a"], "starts": [1, 2]}', "line 2: 1 steps and 2 starts"),
        ('{"id": 1, "steps": ["a"], "ends": ["x"]}', "line 2: one of 'ends' is 'x'"),
        ('{"id": 1, "steps": []}', "recording '1' has no steps"),
        ('{"id": 0, "steps": ["a"]}', "procedure 'x': two recordings are called '0'"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(line: str, message: str, put: Put) -> None:
    path = put("x.jsonl", f'{{"recording": 0, "step": "a"}}\n{line}\n')
    with pytest.raises(FormatError) as caught:
        read_demonstrations(path)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_a_line_may_say_how_many_recordings_it_stands_for(put: Put) -> None:
    path = put(
        "t.jsonl",
        '{"recording": "1", "steps": ["a"], "weight": 2.5}\n{"recording": "2", "steps": ["a"]}\n',
    )
    assert [one.weight for one in read_demonstrations(path).only()] == [2.5, 1.0]
