from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stepgraph.errors import FormatError
from stepgraph.formats import Reading, read_demonstrations

from .conftest import Put
from .samples import STEPS, taxonomy_annotations


def read(content: Any, put: Put, **options: Any) -> Reading:
    return read_demonstrations(put("x.json", json.dumps(content)), **options)


def test_steps_are_known_by_id_and_called_by_the_taxonomy(put: Put) -> None:
    content = taxonomy_annotations()
    content["annotations"]["1"]["segments"][0]["step_name"] = "something else"
    found = read(content, put).only()
    assert found.names(found.sequences[0]) == STEPS


def test_the_vocabulary_has_the_order_of_the_taxonomy(put: Put) -> None:
    content = taxonomy_annotations()
    content["taxonomy"]["tea"] = dict(reversed(content["taxonomy"]["tea"].items()))
    assert read(content, put).only().vocabulary.steps == STEPS[::-1]


def test_a_step_never_demonstrated_stays_and_is_noted(put: Put) -> None:
    content = taxonomy_annotations()
    content["taxonomy"]["tea"]["9"] = {"id": 9, "name": "drink"}
    reading = read(content, put)
    assert reading.only().unseen_steps == ("drink",)
    assert reading.notes == ("steps never demonstrated: 'drink'; they stay in the vocabulary",)


def test_two_steps_with_one_name_are_told_apart_by_id(put: Put) -> None:
    content = taxonomy_annotations()
    content["taxonomy"]["tea"]["2"]["name"] = "boil water"
    reading = read(content, put)
    assert reading.only().vocabulary.steps[:2] == ("boil water (step 1)", "boil water (step 2)")
    assert reading.notes == (
        "2 steps are called 'boil water'; their ids were added to tell them apart",
    )


def test_a_step_outside_the_taxonomy_is_refused_with_what_there_is(put: Put) -> None:
    content = taxonomy_annotations()
    content["annotations"]["2"]["segments"][1]["step_id"] = 77
    with pytest.raises(
        FormatError, match=r"recording '2', segment 2: the step id '77' .* has '1', '2', '3', '4'"
    ):
        read(content, put)


def test_two_steps_with_one_id_are_refused(put: Put) -> None:
    content = taxonomy_annotations()
    content["taxonomy"]["tea"]["2"]["id"] = 1
    with pytest.raises(FormatError, match=r"the taxonomy of 'tea': two steps have the id '1'"):
        read(content, put)


def test_a_scenario_outside_the_taxonomy_is_refused_with_the_nearest(put: Put) -> None:
    content = taxonomy_annotations()
    content["annotations"]["2"]["scenario"] = "teas"
    with pytest.raises(FormatError, match=r"recording '2' .* 'teas', .* it has 'tea'"):
        read(content, put)


def test_a_scenario_without_recordings_is_noted(put: Put) -> None:
    content = taxonomy_annotations()
    content["taxonomy"]["coffee"] = {}
    assert read(content, put).notes == ("procedures of the taxonomy without recordings: 'coffee'",)


def test_flags_of_errors_become_marks(put: Put) -> None:
    content = taxonomy_annotations()
    for segment in content["annotations"]["1"]["segments"]:
        segment["has_errors"] = segment["step_id"] == 3
    first, second = read(content, put).only()
    assert first.mistakes == (None, None, "mistake", None)
    assert second.mistakes is None


def test_a_step_that_starts_at_minus_one_is_kept_and_noted(put: Put) -> None:
    content = taxonomy_annotations()
    content["annotations"]["1"]["segments"][3].update(start_time=-1.0, end_time=-1.0)
    reading = read(content, put)
    assert reading.only().sequences[0].steps == (1, 2, 3, 4)
    assert reading.notes[0].startswith("1 steps start at -1")


def test_a_recording_without_segments_is_refused(put: Put) -> None:
    content = taxonomy_annotations()
    content["annotations"]["2"]["segments"] = []
    with pytest.raises(FormatError, match="recording '2' has no steps"):
        read(content, put)


def test_no_recordings_at_all_are_refused(put: Put) -> None:
    with pytest.raises(FormatError, match="no recordings"):
        read({"annotations": {}, "taxonomy": {}}, put)


@pytest.mark.real_data
def test_captaincook4d_has_24_procedures_and_41_recordings_out_of_time_order(data: Path) -> None:
    path = data / "captaincook4d" / "task_graph_generation_annotations.json"
    reading = read_demonstrations(path)
    assert len(reading.procedures) == 24
    assert sum(map(len, reading.procedures.values())) == 194
    assert reading.notes[-1].startswith("41 of 194 recordings are not in the order")
    assert not any(found.unseen_steps for found in reading.procedures.values())


@pytest.mark.real_data
def test_captaincook4d_is_sorted_by_start_on_demand(data: Path) -> None:
    path = data / "captaincook4d" / "task_graph_generation_annotations.json"
    reading = read_demonstrations(path, order="start")
    for found in reading.procedures.values():
        for recording in found:
            assert recording.starts is not None
            assert list(recording.starts) == sorted(recording.starts)
    assert reading.notes[-1] == "sorting by start time changes the order of 41 of 194 recordings"
