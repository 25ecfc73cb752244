"""Which choices go together: steps left out in the same recordings, or one instead of another."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]

LEVEL = 0.05
"""The chance that any association at all is named where there is none."""


def related(
    done: BoolMatrix, optional: NDArray[np.bool_], weights: Matrix
) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Return the steps whose absence goes with that of an optional step, and with its presence.

    Each optional step is tested against every other step that is not always done, by Fisher's
    exact test in both directions; the level is shared between all tests after Holm.

    Parameters
    ----------
    done
        ``done[r, s]``: whether recording r does step s.
    optional
        Which steps may be left out.
    weights
        How many recordings each stands for.

    Returns
    -------
    tuple
        For each optional step with such relations the steps left out together with it, and the
        steps done instead of it.

    Examples
    --------
    >>> done = np.array([[1, 0, 1], [0, 1, 0]] * 6, dtype=bool)
    >>> related(done, np.ones(3, dtype=bool), np.ones(12))
    ({0: [2], 2: [0]}, {0: [1], 1: [0, 2], 2: [1]})
    """
    varying = [int(step) for step in np.flatnonzero(~done.all(axis=0))]
    if not optional.any():
        return {}, {}
    place = {step: number for number, step in enumerate(varying)}
    present = done[:, varying].astype(np.float64)
    together = np.rint(present.T @ (weights[:, None] * present)).astype(int)
    total = round(float(weights.sum()))
    tests = sorted(
        (chance, one, other, alike)
        for one in varying
        if optional[one]
        for other in varying
        # Two optional steps are tested once, and the result holds for both.
        if one != other and not (optional[other] and other < one)
        for alike, chance in _tests(together, total, place[one], place[other])
    )
    with_it: dict[int, list[int]] = {}
    instead: dict[int, list[int]] = {}
    for passed, (chance, one, other, alike) in enumerate(tests):
        if chance * (len(tests) - passed) > LEVEL:
            break
        found = with_it if alike else instead
        for step, partner in ((one, other), (other, one)):
            if optional[step]:
                found.setdefault(step, []).append(partner)
    return (
        {step: sorted(with_it[step]) for step in sorted(with_it)},
        {step: sorted(instead[step]) for step in sorted(instead)},
    )


def _tests(
    together: NDArray[np.int64], total: int, one: int, other: int
) -> Iterator[tuple[bool, float]]:
    both, with_one, with_other = together[one, other], together[one, one], together[other, other]
    only, neither = with_one - both, total - with_one - with_other + both
    yield True, fisher(int(both), int(only), int(with_other - both), int(neither))
    yield False, fisher(int(only), int(both), int(neither), int(with_other - both))


def fisher(both: int, first: int, second: int, neither: int) -> float:
    """Return the chance of so many or more in common, were two things independent.

    Fisher's exact test of a table with two rows and two columns, one-sided.

    Parameters
    ----------
    both, first, second, neither
        How often the two came together, only the first, only the second, and neither.

    References
    ----------
    R. A. Fisher, "On the interpretation of chi-squared from contingency tables, and the
    calculation of P", Journal of the Royal Statistical Society 85 (1922), 87-94.

    Examples
    --------
    >>> round(fisher(8, 2, 1, 5), 4)
    0.0245
    """
    # Rounded weights may miss their sums by one.
    cells = [max(cell, 0) for cell in (both, first, second, neither)]
    with_first, with_second = cells[0] + cells[1], cells[0] + cells[2]
    total = sum(cells)

    def choose(n: int, k: int) -> float:
        return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

    ways = choose(total, with_second)
    return min(
        math.fsum(
            math.exp(
                choose(with_first, common) + choose(total - with_first, with_second - common) - ways
            )
            for common in range(cells[0], min(with_first, with_second) + 1)
        ),
        1.0,
    )
