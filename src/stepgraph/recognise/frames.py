"""Recordings of video frames: the features and the label of each frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import FormatError, SettingError

Labels = NDArray[np.intp]
"""For each frame the number of its class, from 0 on."""
HELD_OUT = 0.2
"""The share of recordings held out by default."""


@dataclass(frozen=True, eq=False)
class FrameRecording:
    """The frames of one recording.

    Parameters
    ----------
    id
        The name of the recording.
    features
        An array of (frames, width) for each kind of feature; they may be mapped from files.
    labels
        For each frame the number of its class, from 0 on; None where it is not known.

    Raises
    ------
    FormatError
        If there are no features, or their lengths or shapes do not fit.

    Examples
    --------
    >>> recording = FrameRecording("1", (np.ones((5, 2)), np.zeros((5, 1))))
    >>> len(recording), recording.widths, recording.block(3, 9).shape
    (5, (2, 1), (2, 3))
    """

    id: str
    features: tuple[NDArray[Any], ...]
    labels: Labels | None = None

    def __post_init__(self) -> None:
        if not self.features:
            raise FormatError(f"recording {self.id!r} has no features; expected one kind or more")
        for values in self.features:
            if values.ndim != 2 or not values.size:
                raise FormatError(
                    f"recording {self.id!r}: features of shape {values.shape}; expected "
                    "(frames, width), none of them 0"
                )
        lengths = [len(values) for values in self.features]
        if self.labels is not None:
            lengths.append(len(self.labels))
        if len(set(lengths)) > 1:
            what = " and ".join(map(str, lengths))
            raise FormatError(f"recording {self.id!r}: {what} frames; expected as many everywhere")

    def __len__(self) -> int:
        return len(self.features[0])

    @property
    def widths(self) -> tuple[int, ...]:
        """The width of each kind of feature."""
        return tuple(values.shape[1] for values in self.features)

    def block(self, first: int, stop: int) -> NDArray[np.float32]:
        """Return a range of frames, all kinds of features side by side."""
        parts = [np.asarray(values[first:stop], dtype=np.float32) for values in self.features]
        return np.concatenate(parts, axis=1)


def segments(frames: Sequence[str], background: str | None = None) -> tuple[str, ...]:
    """Return each run of equal frames once; a run of the background is no segment.

    Examples
    --------
    >>> segments(["mix", "mix", "none", "mix", "pour"], background="none")
    ('mix', 'mix', 'pour')
    """
    return tuple(step for step, _ in groupby(frames) if step != background)


def hold_out(
    recordings: Sequence[FrameRecording], share: float = HELD_OUT, *, seed: int = 0
) -> tuple[tuple[FrameRecording, ...], tuple[FrameRecording, ...]]:
    """Split whole recordings into those to train on and those held out.

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
