"""Windows of frames to train on: each ends somewhere in a recording, and its last frames count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from stepgraph.recognise.frames import FrameRecording
from stepgraph.recognise.settings import RecogniserSettings

NOT_COUNTED = -100
"""The label of frames that the loss does not look at, as torch's cross-entropy knows it."""


@dataclass(frozen=True)
class Batch:
    """Windows side by side.

    Parameters
    ----------
    frames
        (windows, frames, width); shorter ones are filled up with zeros behind their end, where a
        causal network cannot see them.
    labels
        (windows, frames); `NOT_COUNTED` for all but the latest frames of each window.
    """

    frames: Tensor
    labels: Tensor


def window_ends(
    lengths: Sequence[int], settings: RecogniserSettings, rng: np.random.Generator | None = None
) -> list[tuple[int, int]]:
    """Return where windows end: pairs of a recording and a frame, the frame excluded.

    The ends of each recording's windows are `stride` apart, from a first one that is drawn anew
    for each epoch, so that in the long run all frames are looked at. The last frame always is.

    Parameters
    ----------
    lengths
        How many frames each recording has.
    settings
        The stride.
    rng
        Where chance comes from; None for the first window to end after one stride.

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
    """Return the windows of one epoch, shuffled; only those of one batch are held at a time."""
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
