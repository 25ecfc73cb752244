"""The published protocol of online mistake detection (paper, section 4.3, after PREGO).

A test recording ends at its first mistake: its last segment is the mistake, all others are
correct. Recognised segments are judged alike, whatever the recogniser made of the recording:
the last one it saw is the mistake. Segments of all recordings count together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import InputError, SettingError

RESAMPLES = 1000
"""How many times recordings are drawn anew for an interval."""


@dataclass(frozen=True)
class ClassScores:
    """How well one class, correct or mistake, was told; 0 where a measure divides by nothing."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class MistakeScores:
    """How well mistakes were told from correct segments.

    Parameters
    ----------
    found, missed
        Mistakes that were flagged, and that were not.
    false_alarms, passed
        Correct segments that were flagged, and that were not.
    """

    found: int
    missed: int
    false_alarms: int
    passed: int

    @property
    def mistake(self) -> ClassScores:
        """The scores of the class 'mistake'."""
        return _class_scores(self.found, self.false_alarms, self.missed)

    @property
    def correct(self) -> ClassScores:
        """The scores of the class 'correct'."""
        return _class_scores(self.passed, self.missed, self.false_alarms)

    @property
    def f1_average(self) -> float:
        """The mean of both classes' F1: the benchmark's headline."""
        return (self.mistake.f1 + self.correct.f1) / 2


def score_flags(flags: Sequence[Sequence[bool]]) -> MistakeScores:
    """Score what a detector flagged, one list of flags a recording.

    Parameters
    ----------
    flags
        For each recording, for each of its segments, whether it was flagged as a mistake; the
        last segment of each is the mistake.

    Raises
    ------
    InputError
        If there is no recording, or one has no segment.

    Examples
    --------
    >>> scores = score_flags([[False, True], [True, False]])
    >>> scores.found, scores.missed, scores.false_alarms, scores.passed
    (1, 1, 1, 1)
    >>> scores.f1_average
    0.5
    """
    totals = _counts(flags).sum(axis=0)
    return MistakeScores(*(int(total) for total in totals))


def f1_average_interval(
    flags: Sequence[Sequence[bool]], confidence: float = 0.9, *, seed: int = 0
) -> tuple[float, float]:
    """Return the bootstrap interval of the average F1 over recordings.

    Recordings are drawn with replacement, each with all its segments: segments of a recording
    share what the person did, so drawing them one by one would promise too much.

    Parameters
    ----------
    flags
        As for `score_flags`.
    confidence
        The share of the resampled values inside, between 0 and 1.
    seed
        For the draws.

    Raises
    ------
    SettingError
        If the confidence is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise SettingError(f"the confidence is {confidence}; expected a number between 0 and 1")
    counts = _counts(flags)
    draws = np.random.default_rng(seed).multinomial(
        len(counts), [1 / len(counts)] * len(counts), size=RESAMPLES
    )
    found, missed, false_alarms, passed = (draws @ counts).T.astype(float)
    mistake = 2 * found / np.maximum(2 * found + false_alarms + missed, 1)
    correct = 2 * passed / np.maximum(2 * passed + false_alarms + missed, 1)
    tail = (1 - confidence) / 2
    low, high = np.quantile((mistake + correct) / 2, [tail, 1 - tail])
    return float(low), float(high)


def _counts(flags: Sequence[Sequence[bool]]) -> NDArray[np.int64]:
    if not flags:
        raise InputError("there are no recordings to score; expected at least one")
    rows = []
    for number, own in enumerate(flags, start=1):
        if not len(own):
            raise InputError(f"recording {number} has no segments to score; expected at least one")
        found, alarms = int(own[-1]), int(sum(own[:-1]))
        rows.append((found, 1 - found, alarms, len(own) - 1 - alarms))
    return np.array(rows, dtype=np.int64)


def _class_scores(hits: int, wrong: int, missed: int) -> ClassScores:
    return ClassScores(
        hits / (hits + wrong) if hits else 0.0,
        hits / (hits + missed) if hits else 0.0,
        2 * hits / (2 * hits + wrong + missed) if hits else 0.0,
    )
