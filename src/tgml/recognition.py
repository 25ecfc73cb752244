"""From video to verdicts: a recogniser trained and measured, its frames as key-steps.

`train_recogniser` trains on some recordings and measures on others; `KeyStepStream` turns frames
into key-steps as they come, for `tgml.monitoring` to judge. Both never look ahead.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tgml.errors import SettingError
from tgml.evaluation.frames import FrameScores, score_frames
from tgml.files import make_folder, write_texts
from tgml.frames import FrameRecording, segments
from tgml.graph import TaskGraph
from tgml.learners.base import Progress, no_progress
from tgml.monitoring import Confusion, FrameSmoother
from tgml.monitoring.edits import edit_score

if TYPE_CHECKING:
    from tgml.learners.recogniser import Fitted, Recogniser, RecogniserSettings

HELD_OUT = 0.2
"""Which share of the recordings is held out where nothing is said."""
PATIENCE = 0.15
"""For which share of a mean duration a step must lead by its probability to be announced."""


@dataclass(frozen=True)
class KeyStep:
    """A key-step that a recogniser announced.

    Parameters
    ----------
    step
        Its name.
    frame
        At which frame it was announced, from 1 on.
    """

    step: str
    frame: int


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


class KeyStepStream:
    """Turns the frames of one recording into key-steps as they come.

    Parameters
    ----------
    recogniser
        Who looks at the frames.
    smoother
        What makes key-steps of its classes; by default one with the pace that was measured when
        the recogniser was trained.
    """

    def __init__(self, recogniser: Recogniser, smoother: FrameSmoother | None = None) -> None:
        self._recogniser = recogniser
        self._frames = recogniser.start()
        self._smoother = (smoother or smoother_of(recogniser)).fresh()

    def observe(self, features: NDArray[Any]) -> KeyStep | None:
        """Take in the next frame; return a key-step that has now begun, or None.

        Raises
        ------
        FormatError
            If the frame does not have the features that the recogniser was trained on.
        """
        step = self._smoother.observe_shares(self._frames.observe(features).tolist())
        if step is None or step == self._recogniser.background:
            return None
        return KeyStep(step, self._frames.frame)


def smoother_of(recogniser: Recogniser) -> FrameSmoother:
    """Return a smoother with the pace that was measured when a recogniser was trained."""
    if recogniser.pace is None:
        return FrameSmoother(recogniser.classes)
    pace = recogniser.pace
    return _smoother(recogniser.classes, pace.duration, pace.accuracy, pace.correlation)


def key_steps(recogniser: Recogniser, recording: FrameRecording) -> Iterator[KeyStep]:
    """Return the key-steps of a recording, each as soon as its frames have been seen.

    Raises
    ------
    FormatError
        If the recording does not have the features that the recogniser was trained on.
    """
    recogniser.check(recording)
    stream = KeyStepStream(recogniser)
    for frame in range(len(recording)):
        step = stream.observe(recording.block(frame, frame + 1)[0])
        if step is not None:
            yield step


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
    from tgml.learners.recogniser import Design, RecogniserSettings, fit_recogniser
    from tgml.learners.recogniser.recogniser import Pace

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


@dataclass(frozen=True, eq=False)
class FrameHabits:
    """What frames with known truth tell of a recogniser.

    Parameters
    ----------
    smoother
        What makes key-steps of its frames.
    confusion
        How these key-steps err.
    edit_score
        How alike they and the true segments are, from 0 to 1, mean over recordings.
    """

    smoother: FrameSmoother
    confusion: Confusion
    edit_score: float


def measure_frames(
    frames: Sequence[tuple[Sequence[str], NDArray[Any]]],
    classes: Sequence[str],
    background: str | None = None,
) -> FrameHabits:
    """Measure how the frames of a recogniser become key-steps, and how these err.

    For the confusion and the edit score, each recording is smoothed with the pace of the others,
    where there are others.

    Parameters
    ----------
    frames
        For each recording the true class of each frame, and the probabilities that the
        recogniser gave: (frames, classes).
    classes
        All classes.
    background
        The class that is no step, if there is one.

    Examples
    --------
    >>> shares = np.repeat([[0.9, 0.1], [0.2, 0.8]], 20, axis=0)
    >>> frames = [(["egg"] * 20 + ["mix"] * 20, shares)] * 2
    >>> measure_frames(frames, ["egg", "mix"]).edit_score
    1.0
    """
    names = tuple(classes)
    pairs = [(true, [names[n] for n in shares.argmax(axis=1)]) for true, shares in frames]
    told = []
    for place, (true, shares) in enumerate(frames):
        others = [pair for other, pair in enumerate(pairs) if other != place] or pairs
        announced = _fitted(others, names).smooth_shares(shares.tolist())
        found = tuple(segment.step for segment in announced if segment.step != background)
        told.append((segments(true, background), found))
    return FrameHabits(
        _fitted(pairs, names),
        Confusion.estimate(told, [name for name in names if name != background]),
        sum(edit_score(true, found) for true, found in told) / len(told),
    )


def confusion_for(confusion: Confusion, graph: TaskGraph) -> Confusion:
    """Return a recogniser's confusion for the steps of a graph.

    What it takes for a step that the graph does not have counts as missed, as the monitor is
    not told of it as one of its steps. A step that the recogniser does not know is never seen.

    Parameters
    ----------
    confusion
        As the recogniser's training wrote it, maybe of more or fewer steps than the graph has.
    graph
        The graph.

    Raises
    ------
    SettingError
        If they have no step in common.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg"]})
    >>> own = confusion_for(Confusion.even(["egg", "mix", "fry"], 0.3), graph)
    >>> own.steps, round(own.seen[0][0], 2), round(own.missed[0], 2)
    (('egg', 'mix'), 0.8, 0.15)
    """
    place = {step: number for number, step in enumerate(confusion.steps)}
    known = [step for step in graph.steps if step in place]
    if not known:
        raise SettingError(
            f"none of the graph's {len(graph.steps)} steps is one that the recogniser tells apart, "
            f"such as {confusion.steps[0]!r}; expected a graph of the same procedure"
        )
    seen = tuple(
        tuple(
            confusion.seen[place[done]][place[found]] if done in place and found in place else 0.0
            for found in graph.steps
        )
        for done in graph.steps
    )
    made_up = [confusion.made_up[place[step]] if step in place else 0.0 for step in graph.steps]
    total = sum(made_up)
    shares = tuple(share / total for share in made_up) if total else ()
    return Confusion(graph.steps, seen, confusion.spurious * (total or 1.0), shares)


def save_frames(
    recordings: Sequence[FrameRecording],
    folder: str | Path,
    kinds: Sequence[str],
    *,
    labels: str = "labels",
) -> tuple[Path, ...]:
    """Write recordings as `readers.features` reads them: a folder for each kind of feature.

    Parameters
    ----------
    recordings
        The recordings.
    folder
        Where the folders go.
    kinds
        What the folder of each kind is called.
    labels
        What the folder of the labels is called, where they are known.

    Returns
    -------
    tuple
        The folders of the features.
    """
    files: dict[Path, str | bytes] = {}
    for recording in recordings:
        arrays = dict(zip(kinds, recording.features, strict=True))
        if recording.labels is not None:
            arrays[labels] = recording.labels
        for kind, values in arrays.items():
            content = io.BytesIO()
            np.save(content, values, allow_pickle=False)
            files[make_folder(Path(folder) / kind) / f"{recording.id}.npy"] = content.getvalue()
    write_texts(files)
    return tuple(Path(folder) / kind for kind in kinds)


def _fitted(
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]], classes: tuple[str, ...]
) -> FrameSmoother:
    found = FrameSmoother.fitted(pairs, classes)
    return _smoother(classes, found.duration, found.accuracy, found.correlation)


def _smoother(
    classes: Sequence[str], duration: float, accuracy: float, correlation: float
) -> FrameSmoother:
    return FrameSmoother(
        classes,
        duration=duration,
        accuracy=accuracy,
        patience=max(1, round(PATIENCE * duration)),
        correlation=correlation,
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
