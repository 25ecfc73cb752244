"""A recogniser trained on some recordings and measured on others, beside controls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import SettingError
from stepgraph.learners.base import Progress, no_progress
from stepgraph.monitoring import Confusion
from stepgraph.recognise.frame_scores import FrameScores, score_frames
from stepgraph.recognise.frames import FrameRecording
from stepgraph.recognise.habits import measure_frames

if TYPE_CHECKING:
    from stepgraph.recognise import Fitted, Recogniser, RecogniserSettings

HELD_OUT = 0.2
"""Which share of the recordings is held out where nothing is said."""


@dataclass(frozen=True, eq=False)
class TrainedRecogniser:
    """A recogniser with what was measured on recordings that it was not trained on.

    Parameters
    ----------
    recogniser
        The recogniser.
    confusion
        How its key-steps err, as the monitor's uncertain mode takes it.
    scores
        Frame scores by name: 'gru', and beside it the controls 'linear' and 'majority'.
    edit_score
        How alike its key-steps and the true segments are, from 0 to 1, mean over recordings.
    fitted
        How the training went.
    held_out
        The recordings that were held out.
    unseen
        The classes that came in no frame of training.
    """

    recogniser: Recogniser
    confusion: Confusion
    scores: Mapping[str, FrameScores]
    edit_score: float
    fitted: Fitted
    held_out: tuple[str, ...]
    unseen: tuple[str, ...] = ()


def hold_out(
    recordings: Sequence[FrameRecording], share: float = HELD_OUT, *, seed: int = 0
) -> tuple[tuple[FrameRecording, ...], tuple[FrameRecording, ...]]:
    """Split recordings into those to train on and those held out, whole recordings each.

    Raises
    ------
    SettingError
        If the share is not between 0 and 1, or there are fewer than two recordings.
    """
    if not 0 < share < 1:
        raise SettingError(f"the share held out is {share}; expected a number between 0 and 1")
    if len(recordings) < 2:
        raise SettingError(
            f"{len(recordings)} recording to train on and hold out; expected two or more"
        )
    count = min(max(1, round(share * len(recordings))), len(recordings) - 1)
    chosen = set(np.random.default_rng([seed, 3]).permutation(len(recordings))[:count].tolist())
    return (
        tuple(r for place, r in enumerate(recordings) if place not in chosen),
        tuple(r for place, r in enumerate(recordings) if place in chosen),
    )


def train_recogniser(
    recordings: Sequence[FrameRecording],
    classes: Sequence[str],
    *,
    settings: RecogniserSettings | None = None,
    background: str | None = None,
    share: float = HELD_OUT,
    seed: int = 0,
    progress: Progress = no_progress,
) -> TrainedRecogniser:
    """Train a recogniser, and measure it on recordings held out, beside controls.

    The held-out recordings say when to stop, how long steps take, and how the recogniser errs.
    For the confusion, each recording's key-steps are made with the pace of the others.

    Parameters
    ----------
    recordings
        Recordings with labels.
    classes
        The names of the classes, label 0 first.
    settings
        How to build and train the network.
    background
        The class that is no step, if there is one.
    share
        Which share of the recordings to hold out.
    seed
        The same seed gives the same recogniser.
    progress
        Told how far it is.

    Raises
    ------
    SettingError
        If the share or the background cannot be used.
    FormatError
        If recordings have no labels, or features of different widths.
    MissingExtraError
        If torch is not installed.
    """
    from stepgraph.recognise import Design, RecogniserSettings, fit_recogniser
    from stepgraph.recognise.recogniser import Pace

    settings = settings or RecogniserSettings()
    names = tuple(classes)
    training, held_out = hold_out(recordings, share, seed=seed)
    fitted = fit_recogniser(
        training,
        held_out,
        names,
        settings=settings,
        background=background,
        seed=seed,
        progress=progress,
    )
    control = fit_recogniser(
        training,
        held_out,
        names,
        settings=replace(settings, design=Design.LINEAR),
        seed=seed,
        progress=lambda done, total, what: progress(done, total, f"linear control: {what}"),
    )
    labels = [_labels(recording) for recording in held_out]
    number = None if background is None else names.index(background)
    seen = [fitted.recogniser.shares(recording) for recording in held_out]
    linear = [control.recogniser.shares(recording) for recording in held_out]
    constant = _majority(training, len(names))
    scores = {
        settings.design.value: score_frames(labels, seen, background=number),
        "linear": score_frames(labels, linear, background=number),
        "majority": score_frames(
            labels, [np.tile(constant, (len(some), 1)) for some in labels], background=number
        ),
    }
    frames = [
        ([names[label] for label in true], shares)
        for true, shares in zip(labels, seen, strict=True)
    ]
    habits = measure_frames(frames, names, background)
    pace = Pace(habits.smoother.duration, habits.smoother.accuracy, habits.smoother.correlation)
    return TrainedRecogniser(
        replace(fitted.recogniser, pace=pace),
        habits.confusion,
        scores,
        habits.edit_score,
        fitted,
        tuple(recording.id for recording in held_out),
        tuple(name for name, often in zip(names, constant, strict=True) if not often),
    )


def _labels(recording: FrameRecording) -> NDArray[np.intp]:
    if recording.labels is None:
        raise SettingError(f"recording {recording.id!r} has no labels; expected some")
    return recording.labels


def _majority(training: Sequence[FrameRecording], classes: int) -> NDArray[np.float64]:
    """Return how often each class was seen in training, the control that looks at nothing."""
    counts: NDArray[np.float64] = np.zeros(classes)
    for recording in training:
        counts += np.bincount(_labels(recording), minlength=classes)
    counts /= counts.sum()
    return counts
