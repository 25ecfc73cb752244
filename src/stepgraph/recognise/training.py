"""Training of a recogniser on windows of frames, with early stopping on held-out recordings.

`fit_recogniser` is the training loop. `train_recogniser` holds recordings out, trains a network
and a linear control, and measures both on the held-out recordings. Only the last frames of each
window count for the loss.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from stepgraph.errors import FormatError, SettingError
from stepgraph.learners.base import Progress, no_progress
from stepgraph.learners.networks import one_thread, train
from stepgraph.monitoring import Confusion
from stepgraph.recognise.frames import HELD_OUT, FrameRecording, hold_out
from stepgraph.recognise.recogniser import BLOCK, FrameNetwork, Pace, Recogniser
from stepgraph.recognise.scores import FrameScores, measure_frames, score_frames
from stepgraph.recognise.settings import Design, RecogniserSettings

NOT_COUNTED = -100
"""The label of frames that the loss ignores, as in torch."""
LARGEST_NORM = 1.0
"""The length to which longer gradients are clipped."""


@dataclass(frozen=True)
class Batch:
    """Windows side by side.

    Parameters
    ----------
    frames
        (windows, frames, width); shorter windows end in zeros, where a causal network cannot see
        them.
    labels
        (windows, frames); `NOT_COUNTED` for all but the latest frames of each window.
    """

    frames: Tensor
    labels: Tensor


def window_ends(
    lengths: Sequence[int], settings: RecogniserSettings, rng: np.random.Generator | None = None
) -> list[tuple[int, int]]:
    """Return the ends of windows as pairs of a recording and a frame, the frame excluded.

    The ends in each recording are `stride` apart. The first one is random in each epoch, so that
    in the long run all frames count. The last frame always counts.

    Parameters
    ----------
    lengths
        Number of frames of each recording.
    settings
        The settings, which have the stride.
    rng
        The random generator; None for a first window that ends after one stride.

    Examples
    --------
    >>> window_ends([5], RecogniserSettings(stride=2))
    [(0, 2), (0, 4), (0, 5)]
    """
    stride = settings.stride or settings.latest
    ends = []
    for number, length in enumerate(lengths):
        first = stride if rng is None else int(rng.integers(1, stride + 1))
        places = [*range(min(first, length), length, stride), length]
        ends += [(number, place) for place in places]
    return ends


def batches(
    recordings: Sequence[FrameRecording],
    settings: RecogniserSettings,
    rng: np.random.Generator,
) -> Iterator[Batch]:
    """Yield the windows of one epoch in shuffled batches, one batch in memory at a time."""
    ends = window_ends([len(recording) for recording in recordings], settings, rng)
    order = rng.permutation(len(ends))
    for first in range(0, len(ends), settings.batch):
        chosen = [ends[place] for place in order[first : first + settings.batch]]
        yield make_batch(recordings, chosen, settings)


def make_batch(
    recordings: Sequence[FrameRecording],
    ends: Sequence[tuple[int, int]],
    settings: RecogniserSettings,
) -> Batch:
    """Return the windows that end at given frames."""
    spans = [(number, max(0, end - settings.window), end) for number, end in ends]
    longest = max(end - first for _, first, end in spans)
    width = sum(recordings[0].widths)
    frames = np.zeros((len(spans), longest, width), dtype=np.float32)
    labels = np.full((len(spans), longest), NOT_COUNTED, dtype=np.int64)
    for row, (number, first, end) in enumerate(spans):
        recording = recordings[number]
        if recording.labels is None:
            raise ValueError(f"recording {recording.id!r} has no labels")
        size = end - first
        counted = min(settings.latest, size)
        frames[row, :size] = recording.block(first, end)
        labels[row, size - counted : size] = recording.labels[end - counted : end]
    return Batch(torch.from_numpy(frames), torch.from_numpy(labels))


@dataclass(frozen=True, eq=False)
class Fitted:
    """A recogniser and its training curve.

    Parameters
    ----------
    recogniser
        The recogniser, with the weights of the best epoch.
    epochs
        Number of epochs.
    best_epoch
        The epoch with the best result on the held-out recordings, from 1 on.
    losses
        The mean loss on the training windows, epoch by epoch.
    held_out_losses
        The mean loss on all frames of the held-out recordings, epoch by epoch.
    """

    recogniser: Recogniser
    epochs: int
    best_epoch: int
    losses: tuple[float, ...]
    held_out_losses: tuple[float, ...]


def fit_recogniser(
    training: Sequence[FrameRecording],
    held_out: Sequence[FrameRecording],
    classes: Sequence[str],
    *,
    settings: RecogniserSettings | None = None,
    background: str | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Fitted:
    """Train a recogniser.

    Parameters
    ----------
    training
        Recordings with labels to learn from.
    held_out
        Recordings with labels that decide when to stop; nothing else is learned from them.
    classes
        The names of the classes, label 0 first.
    settings
        The settings of the network and its training.
    background
        The class that is no step, if there is one.
    seed
        The same seed gives the same weights.
    progress
        Called after each epoch.

    Raises
    ------
    SettingError
        If a set of recordings is empty, or the background is none of the classes.
    FormatError
        If recordings have no labels, or features of different widths.
    """
    settings = settings or RecogniserSettings()
    names = tuple(classes)
    _check(training, held_out, names, background)
    if settings.design is Design.LINEAR:  # earlier frames make no difference
        settings = replace(settings, window=settings.latest)
    widths = training[0].widths
    rng = np.random.default_rng([seed, 1])
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = FrameNetwork(sum(widths), len(names), settings)
        _standardise(network, training)
        optimizer = torch.optim.AdamW(
            network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        cross_entropy = nn.CrossEntropyLoss(ignore_index=NOT_COUNTED)
        best = _Best(network, held_out, settings, progress)

        def loss_of(batch: Batch) -> Tensor:
            scores, _ = network(batch.frames)
            loss: Tensor = cross_entropy(scores.flatten(0, 1), batch.labels.flatten())
            return loss

        losses = train(
            network,
            lambda _: batches(training, settings, rng),
            loss_of,
            optimizer,
            epochs=settings.epochs,
            finished=best.finished,
            largest_norm=LARGEST_NORM,
        )
        if not best.epoch:
            raise SettingError(
                f"training diverged with a learning rate of {settings.learning_rate:g}; expected "
                "finite losses; try a lower rate"
            )
        network.load_state_dict(best.weights)
    recogniser = Recogniser(network.eval(), settings, names, widths, background)
    return Fitted(recogniser, len(losses), best.epoch, tuple(losses), tuple(best.losses))


class _Best:
    """Keeps the best weights on held-out recordings and stops when they no longer improve."""

    def __init__(
        self,
        network: FrameNetwork,
        held_out: Sequence[FrameRecording],
        settings: RecogniserSettings,
        progress: Progress,
    ) -> None:
        self._network, self._held_out = network, held_out
        self._settings, self._progress = settings, progress
        self._loss, self.epoch, self.weights = math.inf, 0, network.state_dict()
        self.losses: list[float] = []
        """The mean loss on the held-out recordings, epoch by epoch."""

    def finished(self, epoch: int, _: float) -> bool:
        """Judge the network after an epoch; return whether its patience is over."""
        self.losses.append(_mean_loss(self._network, self._held_out))
        if self.losses[-1] < self._loss:
            self._loss, self.epoch = self.losses[-1], epoch
            self.weights = copy.deepcopy(self._network.state_dict())
        text = f"epoch {epoch}, held-out loss {self._loss:.3f}"
        self._progress(epoch, self._settings.epochs, text)
        return epoch - self.epoch >= self._settings.patience


def _check(
    training: Sequence[FrameRecording],
    held_out: Sequence[FrameRecording],
    classes: tuple[str, ...],
    background: str | None,
) -> None:
    if not training or not held_out:
        raise SettingError(
            f"{len(training)} recordings to train on and {len(held_out)} held out; expected one "
            "or more of each"
        )
    if background is not None and background not in classes:
        raise SettingError(f"the background {background!r} is none of the {len(classes)} classes")
    for recording in (*training, *held_out):
        if recording.labels is None:
            raise FormatError(f"recording {recording.id!r} has no labels; expected some to learn")
        if recording.widths != training[0].widths:
            raise FormatError(
                f"recording {recording.id!r} has features of widths {recording.widths}; expected "
                f"{training[0].widths}, as {training[0].id!r} has"
            )
        if recording.labels.min() < 0 or recording.labels.max() >= len(classes):
            raise FormatError(
                f"recording {recording.id!r} has labels from {recording.labels.min()} to "
                f"{recording.labels.max()}; expected 0 to {len(classes) - 1}"
            )


def _standardise(network: FrameNetwork, recordings: Sequence[FrameRecording]) -> None:
    """Set the scaling that gives each feature mean 0 and deviation 1 over the training frames."""
    count = 0
    total = np.zeros(network.mean.numel())
    squares = np.zeros(network.mean.numel())
    for recording in recordings:
        for first in range(0, len(recording), BLOCK):
            block = recording.block(first, first + BLOCK).astype(np.float64)
            count += len(block)
            total += block.sum(axis=0)
            squares += (block**2).sum(axis=0)
    mean = total / count
    deviation = np.sqrt(np.maximum(squares / count - mean**2, 0))
    # A constant feature holds no information; dividing by its noise would amplify it.
    deviation[deviation < 1e-6 * np.maximum(np.abs(mean), 1.0)] = 1.0
    network.mean.copy_(torch.from_numpy(mean.astype(np.float32)))
    network.scale.copy_(torch.from_numpy(deviation.astype(np.float32)))


def _mean_loss(network: FrameNetwork, recordings: Sequence[FrameRecording]) -> float:
    """Return the mean loss of a frame over whole recordings, with the state carried on."""
    network.eval()
    total, count = 0.0, 0
    with torch.inference_mode():
        for recording in recordings:
            state = None
            for first in range(0, len(recording), BLOCK):
                frames = torch.from_numpy(recording.block(first, first + BLOCK))
                scores, state = network(frames[None], state)
                assert recording.labels is not None  # noqa: S101 - checked before training
                labels = torch.from_numpy(recording.labels[first : first + BLOCK].astype(np.int64))
                total += float(nn.functional.cross_entropy(scores[0], labels, reduction="sum"))
                count += len(labels)
    return total / count


@dataclass(frozen=True, eq=False)
class TrainedRecogniser:
    """A recogniser with its measurements on held-out recordings.

    Parameters
    ----------
    recogniser
        The recogniser, with its measured pace.
    confusion
        The errors of its key-steps, for the monitor's uncertain mode.
    scores
        Frame scores by name: 'gru', and the controls 'linear' and 'majority'.
    edit_score
        The similarity of its key-steps to the true segments, from 0 to 1, mean over recordings.
    fitted
        The trained network and its training curve.
    held_out
        The held-out recordings.
    unseen
        The classes in no training frame.
    """

    recogniser: Recogniser
    confusion: Confusion
    scores: Mapping[str, FrameScores]
    edit_score: float
    fitted: Fitted
    held_out: tuple[str, ...]
    unseen: tuple[str, ...] = ()


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
    """Train a recogniser, and measure it and controls on held-out recordings.

    The held-out recordings decide when to stop, and give the duration of steps and the errors of
    the recogniser. For the confusion, each recording is smoothed with the pace of the others.

    Parameters
    ----------
    recordings
        Recordings with labels.
    classes
        The names of the classes, label 0 first.
    settings
        The settings of the network and its training.
    background
        The class that is no step, if there is one.
    share
        The share of recordings to hold out.
    seed
        The same seed gives the same recogniser.
    progress
        Called after each epoch.

    Raises
    ------
    SettingError
        If the share or the background cannot be used.
    FormatError
        If recordings have no labels, or features of different widths.
    MissingExtraError
        If torch is not installed.
    """
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
    """Return the share of each class in training: the control that ignores the frames."""
    counts: NDArray[np.float64] = np.zeros(classes)
    for recording in training:
        counts += np.bincount(_labels(recording), minlength=classes)
    counts /= counts.sum()
    return counts
