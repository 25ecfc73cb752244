from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stepgraph.errors import FileError, FormatError, SettingError
from stepgraph.formats import Reading, read_demonstrations

from .conftest import Put
from .samples import STEPS, error_annotations, step_annotations


def read(put: Put, steps: Any, errors: Any = None) -> Reading:
    path = put("steps.json", json.dumps(steps))
    if errors is None:
        return read_demonstrations(path)
    return read_demonstrations(path, errors=put("errors.json", json.dumps(errors)))


def test_the_step_annotations_in_place_of_the_errors_are_told(put: Put) -> None:
    steps = step_annotations()
    with pytest.raises(FormatError, match=r"errors\.json: holds the steps, not the errors; expe"):
        read(put, steps, steps)
    with pytest.raises(
        FormatError, match=r"errors\.json: the content is \{'a': 1\}; expected a li"
    ):
        read(put, steps, {"a": 1})


def test_a_step_that_starts_at_minus_one_was_skipped(put: Put) -> None:
    steps = step_annotations()
    steps["1"]["steps"][1].update(start_time=-1.0, end_time=-1.0)
    first = read(put, steps).only("tea").sequences[0]
    assert first.steps == (1, 3, 4)
    assert first.skipped == (2,)
    assert first.mistakes is None


def test_a_recording_with_every_step_skipped_is_refused(put: Put) -> None:
    steps = step_annotations()
    for step in steps["2"]["steps"]:
        step["start_time"] = -1
    with pytest.raises(FormatError, match="recording '2' has no steps"):
        read(put, steps)


def test_tags_become_marks_and_untagged_steps_are_right(put: Put) -> None:
    errors = error_annotations()
    errors[0]["step_annotations"][2]["errors"] = [
        {"tag": "Order Error", "description": "late"},
        {"tag": "Timing Error", "description": ""},
        {"tag": "Order Error", "description": "again"},
    ]
    first, second = read(put, step_annotations(), errors).only()
    assert first.mistakes == (None, None, "Order Error, Timing Error", None)
    assert second.mistakes == (None,) * 4


def test_tags_of_a_repeated_step_find_it_by_its_times(put: Put) -> None:
    steps, errors = step_annotations(), error_annotations()
    again = {"step_id": 1, "description": STEPS[0], "start_time": 90.0, "end_time": 95.0}
    steps["1"]["steps"].append(again)
    # Listed first in one file and last in the other.
    errors[0]["step_annotations"].insert(0, {**again, "errors": [{"tag": "Order Error"}]})
    assert read(put, steps, errors).only().sequences[0].mistakes == (*[None] * 4, "Order Error")


def test_tags_of_a_repeated_step_with_other_times_find_it_by_its_turn(put: Put) -> None:
    steps, errors = step_annotations(), error_annotations()
    again = {"step_id": 1, "description": STEPS[0], "start_time": 90.0, "end_time": 95.0}
    steps["1"]["steps"].append(again)
    errors[0]["step_annotations"].append(
        {**again, "start_time": 91.0, "errors": [{"tag": "Order Error"}]}
    )
    assert read(put, steps, errors).only().sequences[0].mistakes == (*[None] * 4, "Order Error")


def test_tags_that_fit_no_step_are_noted(put: Put) -> None:
    errors = error_annotations()
    errors[0]["step_annotations"][0].update(step_id=99, errors=[{"tag": "Order Error"}])
    [note] = read(put, step_annotations(), errors).notes
    assert note.startswith("recording '1': the errors of step '99' (Order Error) fit no step")


def test_recordings_in_one_file_only_are_noted(put: Put) -> None:
    errors = error_annotations()
    errors[1]["recording_id"] = "3"
    reading = read(put, step_annotations(), errors)
    assert [one.mistakes is None for one in reading.only()] == [False, True]
    assert reading.notes == (
        "1 recordings have no error annotations; left unmarked",
        "1 recordings of the error annotations are not in the file",
    )


def test_flags_without_tags_mark_nothing_but_are_noted(put: Put) -> None:
    steps = step_annotations()
    steps["1"]["steps"][0]["has_errors"] = True
    reading = read(put, steps)
    assert reading.only().sequences[0].mistakes is None
    assert reading.notes[0].startswith("1 steps have errors, the file does not say which")


def test_a_step_tagged_missing_that_has_times_is_done_and_noted(put: Put) -> None:
    errors = error_annotations()
    errors[0]["step_annotations"][0]["errors"] = [{"tag": "Missing Step"}]
    reading = read(put, step_annotations(), errors)
    assert reading.only().sequences[0].mistakes == ("Missing Step", None, None, None)
    assert "taken as done" in reading.notes[0]


def test_a_step_done_and_skipped_in_one_recording_is_noted(put: Put) -> None:
    steps = step_annotations()
    steps["1"]["steps"].append(
        {"step_id": 1, "description": STEPS[0], "start_time": -1, "end_time": -1}
    )
    reading = read(put, steps)
    assert reading.only().sequences[0].skipped == (1,)
    assert "both done and left out" in reading.notes[0]


def test_a_step_is_called_by_its_most_frequent_description(put: Put) -> None:
    steps = step_annotations()
    steps["3"] = {**steps["2"], "steps": [{**one} for one in steps["2"]["steps"]]}
    steps["1"]["steps"][0]["description"] = "boil the water"
    reading = read(put, steps)
    assert reading.only().vocabulary.steps == STEPS
    assert reading.notes == (
        "step '1' has 2 descriptions; called by the most frequent, 'boil water' (2 of 3 times)",
    )


def test_of_equally_frequent_descriptions_the_first_counts(put: Put) -> None:
    steps = step_annotations()
    steps["2"]["steps"][1]["description"] = "boil the water"
    assert read(put, steps).only().vocabulary.steps == STEPS


def test_two_ids_with_one_description_stay_two_steps(put: Put) -> None:
    steps = step_annotations()
    for take in steps.values():
        for step in take["steps"]:
            if step["step_id"] == 2:
                step["description"] = "boil water"
    found = read(put, steps).only()
    assert found.vocabulary.steps[:2] == ("boil water (step 1)", "boil water (step 2)")


def test_the_error_annotations_can_be_read_alone(put: Put) -> None:
    errors = error_annotations()
    errors[0]["step_annotations"][1]["errors"] = [{"tag": "Other"}]
    errors[0]["step_annotations"][2].update(start_time=-1.0, errors=[{"tag": "Missing Step"}])
    reading = read(put, errors)
    first, second = reading.only("activity 7")
    assert "for their names read the step annotations, to which" in reading.notes[0]
    assert first.mistakes == (None, "Other", None)
    assert first.skipped == (3,)
    assert second.mistakes == (None,) * 4


def test_the_error_annotations_take_no_second_file(put: Put) -> None:
    with pytest.raises(SettingError, match="holds the errors itself"):
        read(put, error_annotations(), error_annotations())


def test_errors_in_the_second_file_start_with_its_path(put: Put) -> None:
    steps = put("steps.json", json.dumps(step_annotations()))
    with pytest.raises(FormatError) as caught:
        read_demonstrations(steps, errors=(errors := put("errors.json", "{}")))
    assert str(caught.value) == f"{errors}: the content is {{}}; expected a list"
    with pytest.raises(FileError, match="no such file"):
        read_demonstrations(steps, errors=errors.with_name("nowhere.json"))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("step_id", None, "recording '1', step 1: 'step_id' is null"),
        ("start_time", "soon", "recording '1', step 1: 'start_time' is 'soon'"),
        ("description", 3.5, "recording '1', step 1: 'description' is 3.5"),
        ("errors", {"tag": "x"}, "recording '1', step 1: 'errors' is {'tag': 'x'}"),
        ("errors", [{}], "recording '1', step 1: an error's 'tag' is null"),
    ],
)
def test_a_wrong_value_is_named_by_recording_and_step(
    key: str, value: Any, message: str, put: Put
) -> None:
    steps = step_annotations()
    steps["1"]["steps"][0][key] = value
    with pytest.raises(FormatError) as caught:
        read(put, steps)
    assert f"steps.json: {message}" in str(caught.value)


@pytest.mark.real_data
def test_the_dev_files_give_tags_skipped_steps_and_notes(data: Path) -> None:
    folder = data / "captaincook4d"
    reading = read_demonstrations(
        folder / "complete_step_annotations.dev.json",
        errors=folder / "error_annotations.dev.json",
    )
    recordings = [one for found in reading.procedures.values() for one in found]
    assert len(reading.procedures) == 12
    assert len(recordings) == 190
    assert sum(len(one) for one in recordings) == 2530
    marks = [mark for one in recordings for mark in one.mistakes or () if mark]
    assert sum("Order Error" in mark for mark in marks) == 385
    assert len(marks) == 773
    # 124 rows start at -1.
    assert sum(len(one.skipped) for one in recordings) == 124
    assert sum("descriptions" in note for note in reading.notes) == 6


@pytest.mark.real_data
def test_the_dev_error_file_alone_gives_the_same_recordings(data: Path) -> None:
    folder = data / "captaincook4d"
    both = read_demonstrations(
        folder / "complete_step_annotations.dev.json",
        errors=folder / "error_annotations.dev.json",
    )
    alone = read_demonstrations(folder / "error_annotations.dev.json")
    expected = {one.id: one for found in both.procedures.values() for one in found}
    assert {one.id: one for found in alone.procedures.values() for one in found} == expected
