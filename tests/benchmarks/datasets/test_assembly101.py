from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.datasets.assembly101 import Maker, read_assembly101, read_assembly101_o
from benchmarks.harness import MissingDataError
from stepgraph.errors import FormatError, StepgraphError

TABLES = {
    "one": "0,5,attach,big wheel,chassis,correct,\n5,9,position,figurine,seat,correct\n",
    "two": (
        "0,5,attach,big wheel,chassis,correct,\n5,9,detach,door,cabin,mistake,wrong order\n"
        "9,12,attach,big wheel,chassis,correction,\n"
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    actions = ["detach-door", "attach-big_wheel", "attach-figurine", "attach-roof"]
    (tmp_path / "Assembly101-O_action_dict.json").write_text(
        json.dumps({str(number): action for number, action in enumerate(actions)})
    )
    (tmp_path / "train_split.txt").write_text("one\n")
    (tmp_path / "test_split.txt").write_text("two\n")
    (tmp_path / "annotations").mkdir()
    for name, text in TABLES.items():
        (tmp_path / "annotations" / f"{name}.csv").write_text(text)
    return tmp_path


def test_actions_are_verb_and_part_in_the_order_of_the_dictionary(folder: Path) -> None:
    found = read_assembly101_o(folder)
    assert found.vocabulary.steps == (
        "detach-door",
        "attach-big_wheel",
        "attach-figurine",
        "attach-roof",
    )
    assert found.train.names(found.train.sequences[0]) == ("attach-big_wheel", "attach-figurine")


def test_a_test_recording_ends_at_its_first_mistake(folder: Path) -> None:
    [recording] = read_assembly101_o(folder).test
    assert recording.id == "two"
    assert recording.steps == (2, 1)
    assert recording.mistakes == (None, "mistake")


def test_a_missing_folder_names_the_files_expected(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"Assembly101-O_action_dict.json, train_split.txt"):
        read_assembly101_o(tmp_path / "nowhere")


def test_a_missing_table_is_named(folder: Path) -> None:
    (folder / "annotations" / "two.csv").unlink()
    with pytest.raises(MissingDataError, match=r"lacks annotations.two\.csv;"):
        read_assembly101_o(folder)


def test_a_recording_on_both_sides_of_the_split_is_refused(folder: Path) -> None:
    train = (folder / "train_split.txt").read_text()
    with (folder / "test_split.txt").open("a") as split:
        split.write(f"\n{train}")
    with pytest.raises(FormatError, match=r"test_split\.txt: recording .* is in train_split\.txt"):
        read_assembly101_o(folder)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,2,attach,moon,sky,correct,", "line 1: unknown action 'attach-moon'"),
        ("1,2,attach,roof", "line 1: expected start, end, verb, this"),
        ("1,2,attach,roof,cabin,perhaps,", "line 1: expected start, end, verb, this"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(row: str, message: str, folder: Path) -> None:
    path = folder / "annotations" / "one.csv"
    path.write_text(row)
    with pytest.raises(StepgraphError) as caught:
        read_assembly101_o(folder)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_an_action_dictionary_of_another_shape_is_refused(folder: Path) -> None:
    (folder / "Assembly101-O_action_dict.json").write_text("[1]")
    with pytest.raises(FormatError, match="expected an object"):
        read_assembly101_o(folder)


@pytest.mark.real_data
def test_assembly101_o_has_its_published_size(data: Path) -> None:
    found = read_assembly101_o(data / "assembly101")
    assert len(found.vocabulary) == 86
    assert (len(found.train), sum(map(len, found.train)), len(found.train.seen)) == (135, 970, 59)
    assert (len(found.test), sum(map(len, found.test))) == (182, 677)
    assert not any(recording.has_mistakes for recording in found.train)
    for recording in found.test:
        assert recording.mistakes is not None
        assert recording.mistakes[-1] == "mistake"
        assert not any(recording.mistakes[:-1])


WHOLE = "nusar-2021_action_both_9011-b06b_9011_user_id_2021-02-01_154253"


def test_whole_recordings_keep_all_their_labels_and_tell_who_assembled_what(folder: Path) -> None:
    for path in (folder / "annotations").iterdir():
        path.unlink()
    (folder / "annotations" / f"{WHOLE}.csv").write_text(TABLES["two"])
    (folder / "test_split.txt").write_text(f"{WHOLE}\n")
    found = read_assembly101(folder)
    (recording,) = found.demonstrations
    assert found.demonstrations.names(recording) == (
        "attach-big_wheel",
        "detach-door",
        "attach-big_wheel",
    )
    assert recording.mistakes == (None, "mistake", "correction")
    assert found.makers == {WHOLE: Maker("9011", "b06")}
    assert found.splits["test"] == {WHOLE}


def test_where_a_name_has_two_people_the_first_one_counts(folder: Path) -> None:
    for path in (folder / "annotations").iterdir():
        path.unlink()
    name = WHOLE.replace("_9011_", "_9095_")
    (folder / "annotations" / f"{name}.csv").write_text(TABLES["one"])
    assert read_assembly101(folder).makers[name].subject == "9011"


def test_a_name_that_does_not_tell_who_assembled_what_is_refused(folder: Path) -> None:
    with pytest.raises(FormatError, match=r"one\.csv: its name does not tell"):
        read_assembly101(folder)


def test_a_folder_without_tables_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="there are no tables"):
        read_assembly101(tmp_path)


def test_a_line_of_a_split_that_is_no_file_name_is_a_missing_table(folder: Path) -> None:
    (folder / "train_split.txt").write_text("x" * 5000)
    with pytest.raises(MissingDataError, match=r"lacks annotations.x"):
        read_assembly101_o(folder)
