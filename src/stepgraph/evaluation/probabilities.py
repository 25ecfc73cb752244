"""The quality of probabilities: their calibration and their ranking.

Of the claims with a probability of 80 %, 80 % should be right. Wrong entries should have higher
scores than right ones, at every threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import SettingError

BINS = 10


class Bin(NamedTuple):
    """The claims in one range of probabilities.

    Parameters
    ----------
    said
        The mean of their probabilities.
    right
        The share of them that is right.
    members
        Number of claims.
    """

    said: float
    right: float
    members: int


def reliability(probabilities: Sequence[float], right: Sequence[bool]) -> tuple[Bin, ...]:
    """Return claims in ten bins of equal width, by probability, without empty bins.

    Parameters
    ----------
    probabilities
        The probability given to each claim, from 0 to 1.
    right
        Whether each was right.

    Raises
    ------
    SettingError
        If the numbers of both differ, or a probability is not from 0 to 1.

    Examples
    --------
    >>> reliability([0.91, 0.99, 0.35], [True, False, False])
    (Bin(said=0.35, right=0.0, members=1), Bin(said=0.95, right=0.5, members=2))
    """
    if len(probabilities) != len(right):
        raise SettingError(
            f"{len(probabilities)} probabilities and {len(right)} truths; expected as many of both"
        )
    members: list[list[int]] = [[] for _ in range(BINS)]
    for number, probability in enumerate(probabilities):
        if not 0 <= probability <= 1:
            raise SettingError(f"a probability is {probability!r}; expected a number from 0 to 1")
        members[min(int(probability * BINS), BINS - 1)].append(number)
    return tuple(
        Bin(
            sum(probabilities[number] for number in bin_) / len(bin_),
            sum(bool(right[number]) for number in bin_) / len(bin_),
            len(bin_),
        )
        for bin_ in members
        if bin_
    )


def calibration_error(probabilities: Sequence[float], right: Sequence[bool]) -> float:
    """Return the expected calibration error: the mean distance of probability and share right.

    Each bin of `reliability` counts by its members.

    Examples
    --------
    >>> calibration_error([0.5, 0.5, 1.0], [True, False, True])
    0.0
    """
    bins = reliability(probabilities, right)
    total = sum(bin_.members for bin_ in bins)
    return (
        sum(bin_.members * abs(bin_.said - bin_.right) for bin_ in bins) / total if total else 0.0
    )


def brier_score(probabilities: Sequence[float], right: Sequence[bool]) -> float:
    """Return the mean squared distance between probabilities and truths."""
    pairs = list(zip(probabilities, right, strict=True))
    return sum((said - bool(true)) ** 2 for said, true in pairs) / len(pairs) if pairs else 0.0


def average_precision(
    wrong: Sequence[bool] | NDArray[np.bool_], scores: Sequence[float] | NDArray[np.float64]
) -> float:
    """Return the area under the curve of precision over recall.

    Entries with equal scores are one point of the curve, so their order does not matter. The
    average precision of constant scores is the share of wrong entries.

    Parameters
    ----------
    wrong
        Whether each entry is wrong.
    scores
        The score of each entry; the higher, the more probably wrong.

    Raises
    ------
    SettingError
        If no entry is wrong, or the numbers of scores and entries differ.

    Examples
    --------
    >>> average_precision([True, False, True], [0.9, 0.5, 0.1])
    0.8333333333333333
    >>> average_precision([True, False, True], [1, 1, 1])
    0.6666666666666666
    """
    if len(wrong) != len(scores):
        raise SettingError(f"{len(scores)} scores for {len(wrong)} entries; expected as many")
    total = int(np.count_nonzero(wrong))
    if not total:
        raise SettingError("none of the entries is wrong; average precision needs one that is")
    marks, values = np.asarray(wrong, dtype=bool), np.asarray(scores, dtype=float)
    order = np.argsort(-values, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(values[order])), len(values) - 1)
    found = np.cumsum(marks[order])[ends]
    return float(np.cumsum(np.diff(found, prepend=0) / total * found / (ends + 1))[-1])
