from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import stepgraph.recognise as home
from stepgraph.errors import FormatError, SettingError
from stepgraph.learners.network_file import read_network, write_network
from stepgraph.recognise import RecogniserSettings, fit_recogniser, load_recogniser, save_recogniser
from stepgraph.recognise.frames import FrameRecording
from stepgraph.recognise.recogniser import FORMAT, VERSION
from tests.recognise.samples import CAMERA, SETTINGS, films, trained


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


def test_a_seed_gives_the_same_weights_and_leaves_torch_alone() -> None:
    quick = RecogniserSettings(embedding=8, hidden=8, window=16, latest=8, epochs=2)
    recordings = films()
    state = torch.get_rng_state()

    def weights(seed: int) -> dict[str, torch.Tensor]:
        fitted = fit_recogniser(
            recordings[:3], recordings[3:4], CAMERA.classes, settings=quick, seed=seed
        )
        return fitted.recogniser.network.state_dict()

    first, again, other = weights(1), weights(1), weights(2)
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not all(torch.equal(first[name], other[name]) for name in first)
    assert torch.equal(torch.get_rng_state(), state)


def test_training_stops_when_held_out_recordings_gain_no_more_and_keeps_the_best() -> None:
    recordings = films()
    settings = RecogniserSettings(
        embedding=8, hidden=8, window=16, latest=8, epochs=30, patience=1, learning_rate=0.5
    )
    fitted = fit_recogniser(recordings[:3], recordings[3:5], CAMERA.classes, settings=settings)
    assert fitted.epochs < 30
    assert fitted.epochs == len(fitted.losses) == len(fitted.held_out_losses)
    assert fitted.held_out_losses[fitted.best_epoch - 1] == min(fitted.held_out_losses)
    assert fitted.epochs - fitted.best_epoch == 1


def test_progress_is_told_of_each_epoch() -> None:
    told = []
    recordings = films()
    quick = RecogniserSettings(embedding=8, hidden=8, window=16, latest=8, epochs=2)
    fit_recogniser(
        recordings[:2],
        recordings[2:3],
        CAMERA.classes,
        settings=quick,
        progress=lambda done, total, what: told.append((done, total, what)),
    )
    assert [(done, total) for done, total, _ in told] == [(1, 2), (2, 2)]


def test_a_feature_that_never_changes_does_no_harm() -> None:
    def widened(recording: FrameRecording) -> FrameRecording:
        constant = np.full((len(recording), 1), 1e6, dtype=np.float32)
        return FrameRecording(recording.id, (*recording.features, constant), recording.labels)

    recordings = [widened(recording) for recording in films()[:4]]
    quick = RecogniserSettings(embedding=8, hidden=8, window=16, latest=8, epochs=2)
    fitted = fit_recogniser(recordings[:3], recordings[3:], CAMERA.classes, settings=quick)
    assert np.isfinite(fitted.recogniser.shares(recordings[3])).all()


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


def test_what_cannot_be_trained_on_is_refused() -> None:
    recordings = films()
    bare = FrameRecording("bare", recordings[0].features)
    with pytest.raises(SettingError, match="3 recordings to train on and 0 held out"):
        fit_recogniser(recordings[:3], [], CAMERA.classes)
    with pytest.raises(FormatError, match="'bare' has no labels"):
        fit_recogniser([bare], recordings[:1], CAMERA.classes)
    with pytest.raises(FormatError, match="has labels from 0 to 5; expected 0 to 2"):
        fit_recogniser(recordings[:1], recordings[1:2], CAMERA.classes[:3])
    with pytest.raises(SettingError, match="the background 'none' is none of the 6 classes"):
        fit_recogniser(recordings[:1], recordings[1:2], CAMERA.classes, background="none")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"design": "lstm"}, "design is 'lstm'; expected one of gru, linear"),
        ({"window": 0}, "window is 0"),
        ({"latest": 200}, "latest is 200, more than the window"),
        ({"stride": 0}, "stride is 0"),
        ({"dropout": 1.0}, "dropout is 1.0; expected a number below 1"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        RecogniserSettings(**settings)  # type: ignore[arg-type]


def test_settings_used_here_are_the_ones_that_were_trained_with() -> None:
    assert trained().recogniser.settings == SETTINGS


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
