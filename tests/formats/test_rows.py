"""Rows gathered into recordings, and the columns that hold what."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FormatError, SettingError, UnknownNameError
from stepgraph.formats.rows import COLUMN_NAMES, SWAP, Row, find_columns, gather, parse_mark


def starts(*texts: str) -> list[float | None]:
    rows = [Row(line, "1", "a", "p", start=text) for line, text in enumerate(texts, start=2)]
    [recording], _ = gather(rows, marked=False)
    return [event.start for event in recording.events]


def test_timestamps_count_from_the_first_of_the_recording() -> None:
    assert starts("2024-05-01T10:00:30", "2024-05-01 10:00:00") == [30.0, 0.0]


def test_time_zones_are_taken_into_account() -> None:
    assert starts("2024-05-01T10:00:00+02:00", "2024-05-01T09:00:00Z") == [0.0, 3600.0]


def test_the_first_moment_may_be_an_end() -> None:
    rows = [
        Row(2, "1", "a", "p", end="2024-05-01T10:00:00"),
        Row(3, "1", "b", "p", start="2024-05-01T10:00:05"),
    ]
    [recording], _ = gather(rows, marked=False)
    assert [event.start for event in recording.events] == [None, 5.0]


def test_each_recording_has_its_own_first_moment() -> None:
    rows = [
        Row(2, "1", "a", "p", start="2024-05-01T10:00:00"),
        Row(3, "2", "a", "p", start="2024-05-02T10:00:00"),
    ]
    assert [one.events[0].start for one in gather(rows, marked=False)[0]] == [0.0, 0.0]


@pytest.mark.parametrize(
    "other", ["12", "2024-05-01T10:00:00Z"], ids=["seconds", "another kind of timestamp"]
)
def test_mixed_kinds_of_times_in_a_recording_are_refused(other: str) -> None:
    with pytest.raises(FormatError, match=r"line 3: recording '1' mixes .*line 2.* and .*line 3"):
        starts("2024-05-01T10:00:00", other)


def test_a_recording_that_goes_on_after_another_is_one_and_said_so() -> None:
    rows = [Row(2, "1", "a", "p"), Row(3, "2", "a", "p"), Row(4, "1", "b", "p")]
    recordings, [remark] = gather(rows, marked=False)
    assert [len(recording.events) for recording in recordings] == [2, 1]
    assert "a recording do not stand together: '1' goes on in line 4 after another" in remark


def test_many_recordings_that_are_mixed_are_counted_in_one_remark() -> None:
    rows = [Row(line, str(line % 3), f"step {line // 3}", "p") for line in range(2, 11)]
    rows = rows[::2] + rows[1::2]
    _, [remark] = gather(rows, marked=False)
    assert "the rows of 3 recordings" in remark


def test_a_recording_that_goes_on_as_another_procedure_is_said() -> None:
    rows = [Row(2, "1", "a", "tea"), Row(3, "1", "b", "soup"), Row(4, "2", "a", "tea")]
    recordings, [remark] = gather(rows, marked=False)
    assert len(recordings) == 3
    assert "a recording goes on as another procedure: '1' as 'soup' in line 3" in remark


def test_numbers_that_begin_anew_with_each_procedure_are_no_remark() -> None:
    rows = [
        Row(line, number, "a", procedure)
        for line, (procedure, number) in enumerate(
            [("tea", "1"), ("tea", "2"), ("soup", "1"), ("soup", "2")], start=2
        )
    ]
    assert gather(rows, marked=False)[1] == []


def test_swapped_columns_are_told_by_the_rows() -> None:
    right = [("anna", "egg"), ("anna", "mix"), ("anna", "fry"), ("ben", "egg"), ("ben", "mix")]
    rows = [Row(line, step, name, "p") for line, (name, step) in enumerate(right, start=2)]
    assert gather(rows, marked=False)[1] == [SWAP]
    once = [Row(2, "egg", "anna", "p"), Row(3, "mix", "anna", "p")]
    assert gather(once, marked=False)[1] == [], "no recording is interrupted"


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, unique=True), min_size=1, max_size=6))
def test_recordings_one_after_the_other_never_look_swapped(recordings: list[list[int]]) -> None:
    pairs = [(str(number), str(step)) for number, one in enumerate(recordings) for step in one]
    rows = [Row(line, *pair, "p") for line, pair in enumerate(pairs, start=2)]
    assert gather(rows, marked=False)[1] == []


def test_recordings_that_stand_together_need_no_remark() -> None:
    rows = [Row(line, str(line // 3), "a", "p") for line in range(2, 11)]
    assert gather(rows, marked=False)[1] == []


def test_times_of_another_kind_name_the_option_that_reads_them() -> None:
    row = Row(2, "anna", "boil", "tea", start="05/03/2024 09:32")
    with pytest.raises(
        FormatError, match=r"line 2: the start time is '05/03/2024 09:32'.*time_format='"
    ):
        gather([row], marked=False)


def test_plain_names_are_no_guess() -> None:
    assert find_columns(["Recording", "step"], {}, "x.csv") == (
        {"recording": "Recording", "step": "step"},
        [],
    )


@pytest.mark.parametrize(
    ("recording", "step"),
    [
        ("Video ID", "Key-Step"),
        ("case:concept:name", "concept:name"),
        ("CASE_ID", "Activity"),
        ("demo", "label"),
        ("session", "description"),
    ],
)
def test_usual_names_are_guessed_and_noted(recording: str, step: str) -> None:
    found, remarks = find_columns([step, recording], {}, "x.csv")
    assert found == {"recording": recording, "step": step}
    assert remarks == [f"columns guessed: recording = {recording!r}, step = {step!r}"]


def test_no_name_but_the_tasks_stands_for_two_things() -> None:
    names = Counter(name for usual in COLUMN_NAMES.values() for name in usual)
    assert {name for name, times in names.items() if times > 1} == {"task", "task_name"}


def test_a_task_is_the_step_where_no_other_column_is() -> None:
    assert find_columns(["recording", "task"], {}, "x.csv")[0]["step"] == "task"


def test_a_task_is_the_procedure_beside_a_step() -> None:
    found, _ = find_columns(["task", "recording", "action"], {}, "x.csv")
    assert found == {"recording": "recording", "step": "action", "procedure": "task"}


def test_a_column_that_is_missing_can_be_named_on_both_ways() -> None:
    with pytest.raises(FormatError, match=r"columns=\{'step': NAME\}"):
        find_columns(["recording", "what"], {}, "x.csv")


def test_the_likeliest_of_several_is_taken_and_noted() -> None:
    found, remarks = find_columns(["description", "step", "recording"], {}, "x.csv")
    assert found["step"] == "step"
    assert remarks == ["columns guessed: step = 'step'", "columns not used: 'description'"]


def test_a_named_column_wins_over_the_guess() -> None:
    found, _ = find_columns(["step", "recording", "Text"], {"step": "Text"}, "x.csv")
    assert found["step"] == "Text"


def test_a_named_column_that_is_absent_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"x.csv: unknown column 'Vido'; did you .* 'Video'"):
        find_columns(["Video", "step"], {"recording": "Vido"}, "x.csv")


def test_naming_something_a_table_has_not_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="kind of column 'recoding'"):
        find_columns(["a", "b"], {"recoding": "a"}, "x.csv")


def test_one_column_for_two_things_is_refused() -> None:
    with pytest.raises(SettingError, match="named twice"):
        find_columns(["a", "b"], {"recording": "a", "step": "a"}, "x.csv")


def test_a_column_that_cannot_be_guessed_is_asked_for() -> None:
    with pytest.raises(
        FormatError, match=r"like the recording; the columns are 'who', 'step' .*'recording': NAME"
    ):
        find_columns(["who", "step"], {}, "x.csv")


def test_a_column_that_counts_and_comes_twice_is_refused() -> None:
    with pytest.raises(FormatError, match="two columns are called 'step'"):
        find_columns(["recording", "step", "step"], {}, "x.csv")


@pytest.mark.parametrize(
    "text", ["", "0", "0.0", "False", "NO", "n", "N/A", "-", "correct", "ok", "none", "fine", " "]
)
def test_marks_that_say_right(text: str) -> None:
    assert parse_mark(text) == (None, True)


@pytest.mark.parametrize("text", ["1", "1.0", "true", "Yes", "Y"])
def test_marks_that_say_wrong(text: str) -> None:
    assert parse_mark(text) == ("mistake", True)


@pytest.mark.parametrize("text", ["skipped", "Missing", "omitted", "missing_step", "NOT DONE"])
def test_marks_that_say_left_out(text: str) -> None:
    assert parse_mark(text) == (None, False)


def test_any_other_mark_is_kept() -> None:
    assert parse_mark(" Order Error ") == ("Order Error", True)
