from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FormatError
from stepgraph.formats.rows import SWAP, Row, gather


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
        FormatError, match=r"line 2: the start time is '05/03/2024 09:32'.*--time-f"
    ):
        gather([row], marked=False)
