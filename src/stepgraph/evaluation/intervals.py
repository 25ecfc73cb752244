"""How sure a mean is, over repeated runs and over procedures, and how sure a difference is.

`mean_interval` is about runs: what another seed would change. `bootstrap_interval` is about
procedures: what other recipes would change. `paired_test` asks whether two methods differ on the
same procedures. `paper_width` is the paper's own statistic; it stands beside ours and is neither.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import MissingExtraError, SettingError

CONFIDENCE = 0.9
"""The paper's, and ours."""
RESAMPLES = 10_000
"""Number of resamples of a bootstrap."""
PAPER_RESAMPLES = 1_000
"""Number of resamples of the paper's bootstrap."""
EXACT_UP_TO = 32
"""Number of differing procedures up to which every pattern of signs is counted."""
SIGN_DRAWS = 100_000
"""Number of patterns of signs to draw where there are too many to count."""
TIE = 1e-9
"""Sums closer than this share of their largest value are equal; rounding orders them otherwise."""


@dataclass(frozen=True)
class Interval:
    """A mean and the half-width of its confidence interval."""

    mean: float
    half_width: float


class Range(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """The distance between both ends."""
        return self.high - self.low


@dataclass(frozen=True)
class PairedTest:
    """The difference between two methods on the same procedures.

    Parameters
    ----------
    difference
        The mean of the first method's values minus those of the second.
    p
        The probability of a difference at least as large, either way, if neither were better.
    exact
        Whether all patterns of signs were counted; else they were drawn.
    """

    difference: float
    p: float
    exact: bool


def mean_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Return the mean over runs and its Student's t interval.

    Parameters
    ----------
    values
        One value a run. Equal values, or a single one, have a half-width of 0.
    confidence
        The share of intervals that hold the true mean, between 0 and 1.

    Raises
    ------
    SettingError
        If the confidence is not between 0 and 1.
    MissingExtraError
        If scipy is needed and not installed.

    Examples
    --------
    >>> mean_interval([0.8, 0.8, 0.8])
    Interval(mean=0.8, half_width=0.0)
    """
    _check_confidence(confidence)
    mean = fmean(values)
    if len(values) < 2 or max(values) == min(values):
        return Interval(values[0] if max(values) == min(values) else mean, 0.0)
    try:
        from scipy.stats import t
    except ModuleNotFoundError:
        raise MissingExtraError("an interval over several runs", "stats") from None
    quantile = float(t.ppf(0.5 + confidence / 2, len(values) - 1))
    return Interval(mean, quantile * stdev(values) / math.sqrt(len(values)))


def bootstrap_interval(
    values: Sequence[float],
    confidence: float = CONFIDENCE,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Range:
    """Return the percentile bootstrap interval of a mean over procedures.

    Parameters
    ----------
    values
        One value a procedure; their order does not matter.
    confidence
        The share of intervals that hold the true mean, between 0 and 1.
    resamples
        Number of times that as many procedures are drawn, each put back.
    seed
        The seed of the draws.

    Raises
    ------
    SettingError
        If there are no values, or the confidence is not between 0 and 1.

    Examples
    --------
    >>> bootstrap_interval([0.8, 0.8, 0.8])
    Range(low=0.8, high=0.8)
    """
    _check_confidence(confidence)
    if not values:
        raise SettingError("no values; an interval needs at least one")
    ordered = np.sort(np.asarray(values, dtype=float))
    if ordered[0] == ordered[-1]:
        return Range(float(ordered[0]), float(ordered[0]))
    drawn = np.random.default_rng(seed).integers(len(ordered), size=(resamples, len(ordered)))
    tail = 100 * (1 - confidence) / 2
    low, high = np.percentile(ordered[drawn].mean(axis=1), [tail, 100 - tail])
    return Range(float(low), float(high))


def paper_width(
    runs: Sequence[Sequence[float]],
    confidence: float = CONFIDENCE,
    *,
    resamples: int = PAPER_RESAMPLES,
    seed: int = 0,
) -> float:
    """Return what the paper prints after its +-: the mean full width of intervals over runs.

    Each procedure has a bootstrap interval of the mean over its runs; the statistic averages the
    distances between its two ends. It is no half-width, and it is not about the mean over
    procedures, which varies less. It serves to compare figures with the paper's.

    Parameters
    ----------
    runs
        For each run one value a procedure.
    confidence
        As for `bootstrap_interval`.
    resamples, seed
        As for `bootstrap_interval`; procedures share the draws.

    Examples
    --------
    >>> paper_width([[0.5, 1.0], [0.5, 0.0]])
    0.5
    """
    widths = [
        bootstrap_interval(own, confidence, resamples=resamples, seed=seed).width
        for own in zip(*runs, strict=True)
    ]
    return fmean(widths)


def paired_test(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> PairedTest:
    """Test whether two methods differ, by flipping the signs of their differences.

    If neither is better, a procedure's difference could as well have had the other sign. The test
    counts how many of the patterns of signs give a mean at least as far from 0 as the one seen.
    Procedures on which both agree say nothing and cost nothing. Up to 32 others it counts
    every pattern; for more it draws 100,000, and the one seen counts as one of them.

    Parameters
    ----------
    first, second
        The values of both methods, one a procedure, in the same order.
    seed
        The seed of the draws, where patterns are drawn.

    Raises
    ------
    SettingError
        If the numbers of values differ, or there are none.

    Examples
    --------
    >>> paired_test([0.9, 0.8, 0.7], [0.8, 0.6, 0.7])
    PairedTest(difference=0.1, p=0.5, exact=True)
    """
    if len(first) != len(second) or not first:
        raise SettingError(
            f"{len(first)} and {len(second)} values; expected as many of both, and at least one"
        )
    every = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    # Sorting makes the order of procedures irrelevant, to the draws and to rounding.
    differing = np.sort(every[np.abs(every) > TIE])
    mean = round(math.fsum(differing) / len(every), 12)
    reach = abs(math.fsum(differing)) - TIE * float(np.abs(differing).sum())
    if reach <= 0:
        return PairedTest(mean, 1.0, exact=True)
    if len(differing) <= EXACT_UP_TO:
        return PairedTest(mean, _share_beyond(differing, reach), exact=True)
    rng = np.random.default_rng(seed)
    signs = (rng.choice((-1.0, 1.0), size=len(differing)) for _ in range(SIGN_DRAWS))
    beyond = sum(abs(float(own @ differing)) >= reach for own in signs)
    return PairedTest(mean, (beyond + 1) / (SIGN_DRAWS + 1), exact=False)


def _share_beyond(differences: NDArray[np.float64], reach: float) -> float:
    """Return the share of all patterns of signs whose sum is at least `reach` from 0."""
    # Both halves' sums are listed and their pairs counted by bisection: 2 ** 16 sums, not 2 ** 32.
    half = len(differences) // 2
    left, right = _signed_sums(differences[:half]), np.sort(_signed_sums(differences[half:]))
    above = right.size - np.searchsorted(right, reach - left, side="left")
    below = np.searchsorted(right, -reach - left, side="right")
    return float((above.sum() + below.sum()) / (left.size * right.size))


def _signed_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums - value, sums + value))
    return sums


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise SettingError(f"the confidence is {confidence}; expected a number between 0 and 1")
