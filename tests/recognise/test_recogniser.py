from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stepgraph.recognise as home
from stepgraph.errors import FormatError
from stepgraph.learners.networks import read_network, write_network
from stepgraph.recognise import load_recogniser, save_recogniser
from stepgraph.recognise.frames import FrameRecording
from stepgraph.recognise.recogniser import FORMAT, VERSION
from tests.recognise.samples import films, trained


def test_a_stream_gives_what_the_whole_recording_gives() -> None:
    recogniser = trained().recogniser
    recording = films(1, seed=5)[0]
    stream = recogniser.start()
    one_by_one = [stream.observe(frame) for frame in recording.block(0, len(recording))]
    assert stream.frame == len(recording)
    np.testing.assert_allclose(one_by_one, recogniser.shares(recording), atol=1e-5)
    np.testing.assert_allclose(np.sum(one_by_one, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("frame", [0, 17, 60])
def test_frames_to_come_change_nothing(frame: int) -> None:
    recogniser = trained().recogniser
    values = films(1, seed=5)[0].block(0, 80).copy()
    before = recogniser.shares(FrameRecording("1", (values[:, :6], values[:, 6:])))
    values[frame + 1 :] = 100
    after = recogniser.shares(FrameRecording("1", (values[:, :6], values[:, 6:])))
    np.testing.assert_array_equal(before[: frame + 1], after[: frame + 1])
    assert not np.array_equal(before[frame + 1 :], after[frame + 1 :])


def test_the_past_counts() -> None:
    recogniser = trained().recogniser
    recording = films(1, seed=5)[0]
    last = recording.block(59, 60)[0]
    whole = recogniser.shares(recording)[59]
    assert not np.allclose(recogniser.start().observe(last), whole, atol=1e-3)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ones(8), "frame 1 has 8 features; expected 9 numbers"),
        (np.ones((1, 9)), r"frame 1 has shape \(1, 9\)"),
        (np.full(9, np.nan), "frame 1 has a value that is not finite"),
    ],
)
def test_a_frame_that_does_not_fit_is_refused(values: np.ndarray, message: str) -> None:
    stream = trained().recogniser.start()
    with pytest.raises(FormatError, match=message):
        stream.observe(values)
    assert stream.frame == 0


def test_a_recording_of_other_widths_is_refused() -> None:
    with pytest.raises(
        FormatError, match=r"has 4 and 3 features for a frame; .* trained on 6 and 3"
    ):
        trained().recogniser.shares(FrameRecording("1", (np.ones((2, 4)), np.ones((2, 3)))))


def test_without_torch_the_command_that_installs_it_is_said() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; import stepgraph.recognise as home\n"
        "try: home.fit_recogniser\n"
        "except home.MissingExtraError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'stepgraph[torch]'" in ran.stdout


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'fit'"):
        _ = home.fit


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    save_recogniser(trained().recogniser, path)
    return path


def test_a_file_holds_the_whole_recogniser(file: Path) -> None:
    own, read = trained().recogniser, load_recogniser(file)
    for name in ("settings", "classes", "widths", "background", "pace"):
        assert getattr(read, name) == getattr(own, name)
    recording = films(1, seed=5)[0]
    np.testing.assert_array_equal(read.shares(recording), own.shares(recording))


def test_the_same_recogniser_gives_the_same_bytes(file: Path) -> None:
    again = file.with_name("again")
    save_recogniser(load_recogniser(file), again)
    assert again.read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"widths": [6, 4]}, r"the weights 'mean' have shape \(9,\); by its header \(10,\)"),
        ({"widths": []}, "its header lacks or misstates the widths"),
        ({"classes": ["a", "a"]}, "its header lacks or misstates different classes"),
        ({"background": "fog"}, "its header lacks or misstates the background"),
        ({"settings": {}}, "its header lacks or misstates 'design'"),
        ({"settings": []}, "its header lacks or misstates"),
        ({"pace": []}, "its header lacks or misstates"),
        ({"pace": {"enter": 10**400}}, "its header lacks or misstates int too large"),
        ({"widths": [10**12]}, r"safetensors: by its header the network has 24,.* numbers or more"),
        ({"pace": {"duration": float("nan")}}, "no network that stepgraph saved"),
        ({"version": 2}, "version 2 of the format; this stepgraph reads 1"),
        (
            {"format": "stepgraph-transformer"},
            "a 'stepgraph-transformer'; expected a 'stepgraph-recogniser'",
        ),
    ],
)
def test_a_header_that_misstates_is_refused(
    file: Path, change: dict[str, Any], message: str
) -> None:
    header, _ = read_network(file, format=FORMAT, version=VERSION)
    header.update(change)
    kind = {name: header.pop(name) for name in ("format", "version")}
    write_network(trained().recogniser.network, file, **kind, about=header)
    with pytest.raises(FormatError, match=message):
        load_recogniser(file)


def test_a_recogniser_without_a_pace_or_background_can_be_kept(tmp_path: Path) -> None:
    bare = replace(trained().recogniser, pace=None, background=None)
    save_recogniser(bare, tmp_path / "bare")
    read = load_recogniser(tmp_path / "bare")
    assert read.pace is None
    assert read.steps == read.classes
