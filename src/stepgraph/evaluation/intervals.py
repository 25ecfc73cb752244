"""Intervals around a mean over repeated runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from stepgraph.errors import MissingExtraError, SettingError


@dataclass(frozen=True)
class Interval:
    """A mean and how far its confidence interval reaches to each side."""

    mean: float
    half_width: float


def mean_interval(values: Sequence[float], confidence: float = 0.9) -> Interval:
    """Return the mean and its Student's t interval, as the paper gives it for its five runs.

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
    if not 0 < confidence < 1:
        raise SettingError(f"the confidence is {confidence}; expected a number between 0 and 1")
    mean = fmean(values)
    if len(values) < 2 or max(values) == min(values):
        return Interval(values[0] if max(values) == min(values) else mean, 0.0)
    try:
        from scipy.stats import t
    except ModuleNotFoundError:
        raise MissingExtraError("an interval over several runs", "stats") from None
    quantile = float(t.ppf(0.5 + confidence / 2, len(values) - 1))
    return Interval(mean, quantile * stdev(values) / math.sqrt(len(values)))
