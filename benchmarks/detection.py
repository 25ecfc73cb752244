"""How well mistakes are detected: precision, recall, F1, average precision and false alarms.

Truths and scores come as one list per recording, as recordings are what is sampled: intervals are
bootstrapped over them, never over single steps.

`score_flags` follows the published protocol of online mistake detection (paper, section 4.3, after
PREGO). A test recording ends at its first mistake: its last segment is the mistake, all others are
correct. Recognised segments are judged alike, whatever the recogniser made of the recording: the
last one it saw is the mistake. Segments of all recordings count together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import InputError, SettingError
from stepgraph.evaluation.probabilities import average_precision

RESAMPLES = 1000
"""Number of bootstrap samples of an interval."""


@dataclass(frozen=True)
class DetectionScores:
    """How well flags agree with mistakes.

    Parameters
    ----------
    precision, recall, f1
        The measures; 0 where they would divide by nothing.
    average_precision
        The mean precision over all mistakes, going down the scores; equal scores count
        together.
    true_alarms, false_alarms, missed
        Steps flagged rightly, flagged wrongly, and mistakes not flagged.
    """

    precision: float
    recall: float
    f1: float
    average_precision: float
    true_alarms: int
    false_alarms: int
    missed: int


def score_detection(
    truths: Sequence[Sequence[bool]], scores: Sequence[Sequence[float]], threshold: float
) -> DetectionScores:
    """Score flags over all steps of all recordings.

    Parameters
    ----------
    truths
        For each recording, whether each step is a mistake.
    scores
        For each recording, how sure a detector is of each step being one.
    threshold
        The score from which a step counts as flagged.

    Raises
    ------
    SettingError
        If truths and scores are not of the same shape.

    Examples
    --------
    >>> scores = score_detection([[True, False], [True]], [[0.9, 0.2], [0.1]], 0.5)
    >>> scores.precision, scores.recall, round(scores.average_precision, 3)
    (1.0, 0.5, 0.833)
    """
    pairs = _pairs(truths, scores)
    flagged = [wrong for wrong, score in pairs if score >= threshold]
    true_alarms = sum(flagged)
    mistakes = sum(wrong for wrong, _ in pairs)
    precision = true_alarms / len(flagged) if flagged else 0.0
    recall = true_alarms / mistakes if mistakes else 0.0
    return DetectionScores(
        precision,
        recall,
        f1_of(true_alarms, len(flagged) - true_alarms, mistakes - true_alarms),
        average_precision(*zip(*pairs, strict=True)) if mistakes else 0.0,
        true_alarms,
        len(flagged) - true_alarms,
        mistakes - true_alarms,
    )


def false_alarms_at_recall(
    truths: Sequence[Sequence[bool]], scores: Sequence[Sequence[float]], recall: float
) -> int | None:
    """Return how many false alarms the highest threshold with at least this recall raises.

    Parameters
    ----------
    truths, scores
        As for `score_detection`. Steps with a score of 0 are never flagged.
    recall
        The share of mistakes to find, above 0.

    Returns
    -------
    int or None
        None where no threshold above 0 reaches the recall.

    Examples
    --------
    >>> false_alarms_at_recall([[True, False, True]], [[0.9, 0.5, 0.2]], 1.0)
    1
    """
    pairs = _pairs(truths, scores)
    mistakes = sum(wrong for wrong, _ in pairs)
    found = alarms = 0
    for score, group in _falling(pairs):
        if score <= 0 or not mistakes:
            return None
        found += sum(group)
        alarms += len(group) - sum(group)
        if found >= recall * mistakes:
            return alarms
    return None


def bootstrap_f1(
    truths: Sequence[Sequence[bool]],
    scores: Sequence[Sequence[float]],
    threshold: float,
    *,
    confidence: float = 0.9,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the percentile interval of F1 over recordings drawn anew with replacement.

    Parameters
    ----------
    truths, scores, threshold
        As for `score_detection`.
    confidence
        The share of drawings that lie within the interval.
    seed
        The same seed gives the same interval.
    """
    if not 0 < confidence < 1:
        raise SettingError(f"the confidence is {confidence}; expected a number between 0 and 1")
    _pairs(truths, scores)
    counts = np.array(
        [
            (
                sum(wrong and score >= threshold for wrong, score in zip(*recording, strict=True)),
                sum(score >= threshold for score in recording[1]),
                sum(recording[0]),
            )
            for recording in zip(truths, scores, strict=True)
        ]
    )
    draws = np.random.default_rng(seed).integers(len(counts), size=(RESAMPLES, len(counts)))
    true_alarms, flagged, mistakes = counts[draws].sum(axis=1).T
    total = flagged + mistakes
    f1 = np.where(total > 0, 2 * true_alarms / np.maximum(total, 1), 0.0)
    low, high = np.quantile(f1, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def f1_of(true_alarms: int, false_alarms: int, missed: int) -> float:
    """Return F1 from counts; 0 where nothing was found.

    Examples
    --------
    >>> f1_of(1, 0, 2)
    0.5
    """
    return 2 * true_alarms / (2 * true_alarms + false_alarms + missed) if true_alarms else 0.0


def _pairs(
    truths: Sequence[Sequence[bool]], scores: Sequence[Sequence[float]]
) -> list[tuple[bool, float]]:
    if list(map(len, truths)) != list(map(len, scores)):
        raise SettingError(
            f"{len(truths)} recordings with {sum(map(len, truths))} steps are to be scored by "
            f"{len(scores)} with {sum(map(len, scores))}; expected a score for each step"
        )
    return [
        (bool(wrong), float(score))
        for recording in zip(truths, scores, strict=True)
        for wrong, score in zip(*recording, strict=True)
    ]


def _falling(pairs: Sequence[tuple[bool, float]]) -> list[tuple[float, list[bool]]]:
    """Return the truths by score, the highest first."""
    order = sorted(pairs, key=lambda pair: -pair[1])
    return [
        (score, [wrong for wrong, _ in group])
        for score, group in groupby(order, key=lambda pair: pair[1])
    ]


@dataclass(frozen=True)
class ClassScores:
    """Scores of one class, correct or mistake; 0 where a measure divides by nothing."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class MistakeScores:
    """How well mistakes were told apart from correct segments.

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
    """Score what a detector flagged, one list of flags for each recording.

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
    depend on each other, so drawing them one by one would make the interval too narrow.

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


def detection_figures(found: DetectionScores, f1_interval: tuple[float, float]) -> dict[str, float]:
    """Return how well mistakes were found, with the interval of F1, as part of a row."""
    return {
        "precision": found.precision,
        "recall": found.recall,
        "f1": found.f1,
        "f1_low90": f1_interval[0],
        "f1_high90": f1_interval[1],
        "average_precision": found.average_precision,
    }
