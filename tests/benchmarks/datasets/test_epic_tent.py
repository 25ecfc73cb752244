from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.datasets.epic_tent import NO_REPAIRS, Repairs, read_epic_tent_o
from benchmarks.harness import MissingDataError
from stepgraph.errors import FormatError

HEADER = "subject_id,start,action_label"
LINES = ["9,0,1", "9,1,1", "9,2,0", "9,3,2", "2,0,0", "2,1,1", "2,2,1", "2,3,2", "2,4,0"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    actions = {"1": "open bag", "2": "read", "3": "spread"}
    (tmp_path / "EPIC-Tent-O_action_dict.json").write_text(json.dumps(actions))
    (tmp_path / "train_split.json").write_text('{"annotations_9": 3}')
    (tmp_path / "test_split.json").write_text('{"annotations_2": 3}')
    (tmp_path / "Synchronised_action_label.txt").write_text("\n".join([HEADER, *LINES]))
    return tmp_path


def test_equal_labels_in_a_row_are_one_segment(folder: Path) -> None:
    found = read_epic_tent_o(folder, repairs=NO_REPAIRS)
    assert found.train.names(found.train.sequences[0]) == ("read", "open bag", "spread")


def test_a_test_recording_is_cut_where_the_split_says_and_ends_with_its_mistake(
    folder: Path,
) -> None:
    found = read_epic_tent_o(folder, repairs=NO_REPAIRS)
    [recording] = found.test
    assert found.test.names(recording) == ("open bag", "read", "spread")
    assert recording.mistakes == (None, None, "mistake")
    assert found.notes == ("1 recordings are cut after as many segments as the split says",)


def test_every_repair_is_made_and_noted(folder: Path) -> None:
    found = read_epic_tent_o(folder, repairs=Repairs({2: (1, 2)}, frozenset({5})))
    assert found.train.names(found.train.sequences[0]) == ("read", "spread", "open bag")
    assert found.test.names(found.test.sequences[0]) == ("read", "spread", "open bag")
    assert found.notes[:2] == (
        "line 2: the label 1 is a known defect, taken as 2",
        "line 5: done before the recording began, left out",
    )


@pytest.mark.parametrize(
    ("repairs", "message"),
    [
        (Repairs({2: (0, 2)}, frozenset()), "line 2 has the label 1; expected 0, a known defect"),
        (Repairs({}, frozenset({99})), "ends before line 99, which has a known defect"),
    ],
)
def test_repairs_refuse_another_file(repairs: Repairs, message: str, folder: Path) -> None:
    with pytest.raises(FormatError) as caught:
        read_epic_tent_o(folder, repairs=repairs)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(folder / "Synchronised_action_label.txt"))


def test_a_missing_folder_names_the_files_expected(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"lacks EPIC-Tent-O_action_dict\.json, Synchron"):
        read_epic_tent_o(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("EPIC-Tent-O_action_dict.json", '{"0": "a"}', "the keys are not 1, 2, 3"),
        ("train_split.json", '{"annotations_7": 1}', "'annotations_7' has no line in"),
        ("train_split.json", '{"annotations_9": 4}', "expected a number from 1 to 3"),
        ("test_split.json", '{"annotations_9": 2}', "'annotations_9' is in train_split.json, too"),
        ("train_split.json", '{"annotations_9": true}', "expected a number from 1 to 3"),
        ("Synchronised_action_label.txt", "9,1,1\n", "line 0 is no header"),
        ("Synchronised_action_label.txt", f"{HEADER}\n9,1,3\n", "line 1: expected 3 fields"),
        ("Synchronised_action_label.txt", f"{HEADER}\n9,1\n", "line 1: expected 3 fields"),
        (
            "Synchronised_action_label.txt",
            f"{HEADER}\n9,1,{'9' * 5000}",
            "line 1: expected 3 fields",
        ),
        ("Synchronised_action_label.txt", f"{HEADER}\n9,{'9' * 150_000},1", "line 1: no row of"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(
    name: str, text: str, message: str, folder: Path
) -> None:
    (folder / name).write_text(text)
    with pytest.raises(FormatError) as caught:
        read_epic_tent_o(folder, repairs=NO_REPAIRS)
    assert str(caught.value).startswith(f"{folder / name}: ")
    assert message in str(caught.value)


@pytest.mark.real_data
def test_epic_tent_o_has_its_published_size(data: Path) -> None:
    found = read_epic_tent_o(data / "epic-tent")
    assert len(found.vocabulary) == 12
    assert (len(found.train), sum(map(len, found.train))) == (13, 335)
    assert (len(found.test), sum(map(len, found.test))) == (15, 168)
    for recording in found.test:
        assert recording.mistakes is not None
        assert recording.mistakes[-1] == "mistake"
        assert not any(recording.mistakes[:-1])
    assert sum("known defect" in note for note in found.notes) == 9
    assert sum("left out" in note for note in found.notes) == 7
