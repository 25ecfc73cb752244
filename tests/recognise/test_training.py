from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FormatError, SettingError
from stepgraph.recognise import RecogniserSettings, fit_recogniser
from stepgraph.recognise.frames import FrameRecording
from stepgraph.recognise.training import NOT_COUNTED, batches, make_batch, window_ends
from tests.recognise.samples import CAMERA, SETTINGS, films, trained


def counting(length: int) -> FrameRecording:
    frames = np.arange(length, dtype=np.float32)[:, None]
    return FrameRecording("1", (frames,), np.arange(length))


def test_only_the_latest_frames_of_a_window_count() -> None:
    settings = RecogniserSettings(window=5, latest=2)
    batch = make_batch([counting(9)], [(0, 8)], settings)
    assert batch.frames[0, :, 0].tolist() == [3, 4, 5, 6, 7]
    assert batch.labels[0].tolist() == [NOT_COUNTED] * 3 + [6, 7]


def test_a_window_at_the_beginning_is_shorter_and_filled_up_behind_its_end() -> None:
    settings = RecogniserSettings(window=5, latest=2)
    batch = make_batch([counting(9)], [(0, 3), (0, 9)], settings)
    assert batch.frames[0, :, 0].tolist() == [0, 1, 2, 0, 0]
    assert batch.labels[0].tolist() == [NOT_COUNTED, 1, 2, NOT_COUNTED, NOT_COUNTED]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(1, 9), st.integers(0, 99))
def test_with_the_default_stride_every_frame_counts_in_every_epoch(
    lengths: list[int], latest: int, seed: int
) -> None:
    settings = RecogniserSettings(window=10, latest=latest)
    counted: set[tuple[int, int]] = set()
    for number, end in window_ends(lengths, settings, np.random.default_rng(seed)):
        counted |= {(number, frame) for frame in range(max(0, end - latest), end)}
    assert counted == {(n, frame) for n, length in enumerate(lengths) for frame in range(length)}


def test_an_epoch_holds_each_window_once_in_another_order() -> None:
    settings = RecogniserSettings(window=4, latest=1, batch=3)
    recordings = [counting(20)]
    rng = np.random.default_rng(0)
    order = [
        int(labels[labels != NOT_COUNTED])
        for batch in batches(recordings, settings, rng)
        for labels in batch.labels
    ]
    assert sorted(order) == list(range(20))
    assert order != sorted(order)


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


def test_progress_is_reported_for_each_epoch() -> None:
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
