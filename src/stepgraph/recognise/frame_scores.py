"""How well the step of each frame was told: accuracy and mean average precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import InputError

Labels = NDArray[np.intp]
Shares = NDArray[np.floating]


@dataclass(frozen=True)
class FrameScores:
    """Scores over all frames of all recordings.

    Parameters
    ----------
    accuracy
        The share of frames whose most probable class is the true one.
    mean_average_precision
        The mean over classes of the average precision of ranking all frames by the class's
        probability; classes that never occur, and the background, are left out.
    frames
        How many frames there were.
    """

    accuracy: float
    mean_average_precision: float
    frames: int


def score_frames(
    labels: Sequence[Labels], shares: Sequence[Shares], *, background: int | None = None
) -> FrameScores:
    """Score the probabilities that a recogniser gave.

    Parameters
    ----------
    labels
        For each recording the true class of each frame.
    shares
        For each recording (frames, classes).
    background
        The class that does not count for the mean average precision.

    Raises
    ------
    InputError
        If there are no frames.

    Examples
    --------
    >>> scores = score_frames([np.array([0, 1])], [np.array([[0.9, 0.1], [0.6, 0.4]])])
    >>> scores.accuracy, scores.mean_average_precision
    (0.5, 1.0)
    """
    if not sum(map(len, labels)):
        raise InputError("there are no frames to score; expected one or more")
    true = np.concatenate(list(labels))
    given = np.concatenate(list(shares))
    found = [
        average_precision(true == number, given[:, number])
        for number in np.unique(true)
        if number != background
    ]
    return FrameScores(
        float((given.argmax(axis=1) == true).mean()),
        float(np.mean(found)) if found else 0.0,
        len(true),
    )


def average_precision(wanted: NDArray[np.bool_], scores: Shares) -> float:
    """Return the area under precision by recall; frames with equal scores come together.

    Without ties it is the mean precision at each wanted frame; scores that are all equal get
    the share of wanted frames, as chance does.

    Examples
    --------
    >>> average_precision(np.array([True, False, True]), np.array([0.9, 0.8, 0.1]))
    0.8333333333333333
    """
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    last = np.append(np.flatnonzero(np.diff(falling)), len(falling) - 1)
    hits = np.cumsum(wanted[order])[last]
    gained = np.diff(hits, prepend=0)
    return float((hits / (last + 1) * gained).sum() / max(int(wanted.sum()), 1))
