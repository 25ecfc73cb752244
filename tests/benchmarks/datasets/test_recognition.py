from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.datasets.assembly101 import read_assembly101_o
from benchmarks.datasets.epic_tent import read_epic_tent_o
from benchmarks.datasets.recognition import RECOGNISERS, read_recognition, recognition_file
from benchmarks.harness import MissingDataError
from stepgraph.errors import FormatError
from stepgraph.sequences import Vocabulary

WORDS = Vocabulary(("open", "read", "spread"))


def write(folder: Path, content: Any, name: str = "seen.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content))
    return path


def test_labels_count_from_zero_and_become_nodes(tmp_path: Path) -> None:
    path = write(tmp_path, {"a": {"pred": [0, 2], "gt": [0, 1, 2], "pred_durations": [5, 7]}})
    found = read_recognition(path, WORDS)
    [recording] = found
    assert found.names(recording.recognised) == ("open", "spread")
    assert recording.true == (1, 2, 3)
    assert (recording.recognised_durations, recording.true_durations) == ((5, 7), None)
    assert not found.by_frame


def test_frames_merge_into_segments_with_their_durations(tmp_path: Path) -> None:
    path = write(tmp_path, {"a": {"pred": [0, 0, 2, 0], "gt": [1, 1, 1, 2]}}, "x_frames.json")
    found = read_recognition(path, WORDS)
    [recording] = found
    assert found.by_frame
    assert recording.merged().recognised == (1, 3, 1)
    assert recording.merged().recognised_durations == (2, 1, 1)
    assert recording.merged().true_durations == (3, 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "expected an object"),
        ({}, "there are no recordings"),
        ({"a": {"gt": [1]}}, "recording 'a': 'pred' is null; expected a list"),
        ({"a": {"pred": [], "gt": [1]}}, "'pred' is empty"),
        ({"a": {"pred": [3], "gt": [1]}}, "'pred' has the label 3; expected 0 to 2"),
        ({"a": {"pred": [-1], "gt": [1]}}, "'pred' has the label -1; expected 0 to 2"),
        ({"a": {"pred": [True], "gt": [1]}}, "'pred' has the label True"),
        (
            {"a": {"pred": [1], "gt": [1], "pred_durations": [1, 2]}},
            "'pred_durations' has 2 values; expected 1 numbers of frames",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_named(content: Any, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, content)
    with pytest.raises(FormatError) as caught:
        read_recognition(path, WORDS)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_frames_of_different_numbers_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, {"a": {"pred": [0, 0], "gt": [1]}}, "x_frames.json")
    with pytest.raises(FormatError, match="2 recognised and 1 true frames; expected as many"):
        read_recognition(path, WORDS)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"no\.json: there is no such file"):
        read_recognition(tmp_path / "no.json", WORDS)


@pytest.mark.real_data
@pytest.mark.parametrize("recogniser", RECOGNISERS)
def test_the_true_steps_are_those_of_epic_tent_o(recogniser: str, data: Path) -> None:
    split = read_epic_tent_o(data / "epic-tent")
    path = data / "recognition" / recognition_file("epic-tent-o", recogniser)
    found = read_recognition(path, split.vocabulary)
    assert {recording.id: recording.true for recording in found} == {
        recording.id: recording.steps for recording in split.test
    }


@pytest.mark.real_data
@pytest.mark.parametrize(("recogniser", "count"), [("miniroad", 182), ("oadtr", 156)])
def test_the_true_steps_are_those_of_assembly101_o_merged(
    recogniser: str, count: int, data: Path
) -> None:
    split = read_assembly101_o(data / "assembly101")
    path = data / "recognition" / recognition_file("assembly101-o", recogniser)
    found = read_recognition(path, split.vocabulary)
    assert len(found) == count
    steps = {recording.id: recording.steps for recording in split.test}
    for recording in found:
        merged = [
            step
            for place, step in enumerate(steps[recording.id])
            if not place or step != steps[recording.id][place - 1]
        ]
        assert list(recording.true) == merged


@pytest.mark.real_data
def test_frames_are_read(data: Path) -> None:
    split = read_epic_tent_o(data / "epic-tent")
    path = data / "recognition" / recognition_file("epic-tent-o", "miniroad", frames=True)
    found = read_recognition(path, split.vocabulary)
    assert found.by_frame
    assert sum(len(recording.true) for recording in found) == 187_959
