from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepgraph.errors import FileError, FormatError
from stepgraph.recognise.files import read_classes, read_features


def put(folder: Path, **arrays: Any) -> Path:
    folder.mkdir(exist_ok=True)
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", np.asarray(values), allow_pickle=True)
    return folder


@pytest.fixture
def rgb(tmp_path: Path) -> Path:
    return put(tmp_path / "rgb", b=np.ones((4, 3)), a=np.zeros((2, 3), dtype=np.float16))


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    return put(tmp_path / "flow", a=np.full((2, 1), 5), b=np.full((4, 1), 6))


def test_recordings_come_in_the_order_of_their_names_with_all_kinds(rgb: Path, flow: Path) -> None:
    first, second = read_features([rgb, flow])
    assert (first.id, second.id) == ("a", "b")
    assert first.widths == (3, 1)
    assert second.block(0, 1).tolist() == [[1, 1, 1, 6]]
    assert first.labels is None


def test_files_are_mapped_not_loaded(rgb: Path) -> None:
    (recording, _) = read_features([rgb])
    assert isinstance(recording.features[0].base, np.memmap)


@pytest.mark.parametrize(
    "labels",
    [
        [0, 2],
        np.array([0, 2], dtype=np.uint8),
        [[1, 0, 0], [0, 0, 1]],
        [[0.6, 0.3, 0.1], [0.2, 0.3, 0.5]],
        [[True, False, False], [False, False, True]],
    ],
)
def test_labels_are_numbers_one_hot_or_probabilities(tmp_path: Path, labels: Any) -> None:
    features = put(tmp_path / "rgb", a=np.ones((2, 3)))
    truth = put(tmp_path / "labels", a=labels)
    (recording,) = read_features([features], labels=truth, classes=3)
    assert recording.labels is not None
    assert recording.labels.tolist() == [0, 2]


def test_files_named_one_by_one_are_one_recording(rgb: Path, flow: Path) -> None:
    np.save(flow / "flow of b.npy", np.full((4, 2), 7))
    (recording,) = read_features([rgb / "b.npy", flow / "flow of b.npy"])
    assert recording.id == "b"
    assert recording.widths == (3, 2)


def test_a_recording_that_one_folder_lacks_is_named(rgb: Path, flow: Path) -> None:
    (flow / "b.npy").unlink()
    with pytest.raises(FileError, match=r"flow: there is no b\.npy, but .*rgb has one"):
        read_features([rgb, flow])


def test_different_lengths_are_named_with_their_files(rgb: Path, flow: Path) -> None:
    put(flow, b=np.ones((3, 1)))
    with pytest.raises(FormatError, match=r"'b': different numbers of frames: 4 in .*rgb.*, 3 in"):
        read_features([rgb, flow])


def test_different_widths_are_refused(rgb: Path) -> None:
    put(rgb, b=np.ones((4, 2)))
    with pytest.raises(FormatError, match=r"b\.npy: 2 features for a frame; expected 3, as .*a\."):
        read_features([rgb])


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_a_value_that_is_not_finite_is_found_with_its_frame(rgb: Path, value: float) -> None:
    values = np.ones((5000, 3))
    values[4500, 1] = value
    put(rgb, b=values)
    with pytest.raises(FormatError, match=r"b\.npy: frame 4501 has a value that is not finite"):
        read_features([rgb])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (np.ones(3), r"shape \(3,\); expected \(frames, width\)"),
        (np.ones((0, 3)), r"shape \(0, 3\)"),
        (np.array([["a"]]), "values of type .*; expected numbers"),
        (np.array([[{}]], dtype=object), "holds pickled Python objects.*expected a plain array"),
    ],
)
def test_arrays_that_are_no_features_are_refused(rgb: Path, content: Any, message: str) -> None:
    put(rgb, b=content)
    with pytest.raises(FormatError, match=message):
        read_features([rgb])


@pytest.mark.parametrize("keep", [0, 5, 60, 150])
def test_a_truncated_file_is_said_to_be_one(rgb: Path, keep: int) -> None:
    whole = (rgb / "b.npy").read_bytes()
    (rgb / "b.npy").write_bytes(whole[:keep])
    with pytest.raises(FormatError, match=r"b\.npy: "):
        read_features([rgb])


@pytest.mark.parametrize(("old", "new"), [(b"(4, 3)", b"(4, 3,"), (b"'shape'", b"'(shape")])
def test_a_header_that_is_no_python_is_refused(rgb: Path, old: bytes, new: bytes) -> None:
    (rgb / "b.npy").write_bytes((rgb / "b.npy").read_bytes().replace(old, new))
    with pytest.raises(FormatError, match=r"b\.npy: "):
        read_features([rgb])


def test_a_header_that_numpy_warns_of_is_read_in_silence(rgb: Path) -> None:
    content = (rgb / "b.npy").read_bytes()
    (rgb / "b.npy").write_bytes(content.replace(b"}  ", b"} \n", 1))
    assert [len(recording) for recording in read_features([rgb])] == [2, 4]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 3], "frame 2 has the label 3; expected 0 to 2, one of the 3 classes"),
        ([-1, 0], "frame 1 has the label -1"),
        ([0.0, 1.0], r"labels of type float64 and shape \(2,\)"),
        ([[1, 0], [0, 1]], "2 columns; expected 3, one for each class"),
        ([[1, 0, 0], [0, 0, 0]], "frame 2 has the largest value 0 in 3 columns"),
        ([[1, 1, 0], [0, 0, 1]], "frame 1 has the largest value 1 in 2 columns"),
        ([[1, np.nan, 0], [0, 0, 1]], "frame 1 has the largest value nan"),
        ([[1, 1e300, 0], [0, 0, 1]], "frame 1 has the largest value inf"),
    ],
)
def test_labels_outside_the_classes_are_refused(tmp_path: Path, labels: Any, message: str) -> None:
    features = put(tmp_path / "rgb", a=np.ones((2, 3)))
    truth = put(tmp_path / "labels", a=labels)
    with pytest.raises(FormatError, match=message):
        read_features([features], labels=truth, classes=3)


def test_folders_without_arrays_and_other_paths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no features are given"):
        read_features([])
    with pytest.raises(FileError, match=r"no \.npy file in it"):
        read_features([tmp_path])
    with pytest.raises(FileError, match="no such file or folder"):
        read_features([tmp_path / "missing"])
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(FileError, match=r"expected a folder of \.npy files"):
        read_features([tmp_path / "a.txt"])


@pytest.mark.parametrize(
    "content",
    [
        "mix\n\npour \n",
        '["mix", "pour"]',
        '{"0": "mix", "1": "pour"}',
        '{"2": "pour", "1": "mix"}',
        '{"pour": 1, "mix": 0}',
    ],
)
def test_classes_are_lines_or_json(tmp_path: Path, content: str) -> None:
    (tmp_path / "classes").write_text(content)
    assert read_classes(tmp_path / "classes") == ("mix", "pour")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("mix", "1 classes; expected two or more"),
        ("mix\nmix", "the class 'mix' is there twice"),
        ({"0": "mix", "1": "mix", "2": "pour"}, "the class 'mix' is there twice"),
        ({"0": "mix", "2": "pour"}, "have gaps"),
        ({"mix": "a", "pour": 1}, "expected names by number or numbers by name"),
        (["mix", 3], "a class is called 3"),
        (["mix", " "], "a class is called ' '"),
    ],
)
def test_classes_that_say_nothing_clear_are_refused(
    tmp_path: Path, content: Any, message: str
) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    (tmp_path / "classes").write_text(text)
    with pytest.raises(FormatError, match=message):
        read_classes(tmp_path / "classes")
