"""A first order, from pairs of steps on their own.

Every pair of steps is of one of three kinds: the first needs the second, the second needs the
first, or the two are free and follow a habit of their own. Every recording has an error rate, the
chance that it shows an ordered pair the wrong way round. Both are learned from each other by
expectation maximisation: what most recordings agree on says who errs, and who errs says which
recordings to believe. A step that was skipped says nothing about its pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stepgraph.learners.partial_order import best_order
from stepgraph.learners.robust.recordings import Recordings

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]

HABITS = (np.arange(10) + 0.5) / 10
"""The habits that a free pair may have: how often its first step comes first."""
LARGEST_SCORE = 8.0
"""Beyond these log odds a pair is as good as certain; it must not outvote all others."""
SUCCESSES = 20.0
"""How many pairs each recording is taken to have shown the right way round beforehand."""
ROUNDS = 60
"""Maximum number of rounds of expectation maximisation."""


def first_order(recordings: Recordings, errors: float) -> BoolMatrix:
    """Return a closed partial order that the pairs speak for.

    Parameters
    ----------
    recordings
        What was shown.
    errors
        How many pairs each recording is taken to have shown the wrong way round beforehand:
        the fewer, the more its contradictions count.
    """
    rates = error_rates(recordings, errors)
    odds = pair_log_odds(recordings, rates)
    shown = recordings.before > 0
    # A pair that was only ever shown in one order is kept in it where the odds are even, as they
    # are after a single recording.
    odds = np.where(shown & ~shown.T, np.maximum(odds, 0.01), odds)
    return best_order(np.clip(odds, -LARGEST_SCORE, LARGEST_SCORE))


def pair_log_odds(recordings: Recordings, rates: Matrix) -> Matrix:
    """Return the log odds that each step needs each other one; 0 where nothing was shown.

    Each recording counts by the capacity of its channel: errors come in clusters around the step
    that is out of place, so the pairs of a careless one are worth less than its rate says.
    """
    chance = np.clip(_pairs(recordings, rates, capacity(rates)), 1e-12, 1 - 1e-12)
    together = recordings.before + recordings.before.T > 0
    return np.where(together, np.log(chance) - np.log1p(-chance), 0.0)


def capacity(rates: Matrix) -> Matrix:
    """Return how much a pair is worth that a recording shows: the capacity of its channel in bits.

    A recording that never errs counts in full, one that errs every other time not at all.

    Examples
    --------
    >>> capacity(np.array([0.0005, 0.11, 0.5])).round(2)
    array([0.99, 0.5 , 0.  ])
    """
    worth: Matrix = 1 + rates * np.log2(rates) + (1 - rates) * np.log2(1 - rates)
    return worth


def error_rates(recordings: Recordings, errors: float) -> Matrix:
    """Return the error rate of each sequence.

    It is the share of its pairs that stand the wrong way round, ordered pairs counted by how
    probable they are, those taken to have been seen beforehand included.

    Parameters
    ----------
    recordings
        What was shown.
    errors
        As for `first_order`.
    """
    shown = recordings.shown
    reverse = np.ascontiguousarray(shown.transpose(0, 2, 1))
    right, wrong = (array.reshape(len(shown), -1) for array in (shown, reverse))
    rates = np.full(len(shown), errors / (errors + SUCCESSES))
    for _ in range(ROUNDS):
        ordered = _pairs(recordings, rates, np.ones(len(shown))).astype(np.float32).ravel()
        mistaken = (wrong @ ordered).astype(np.float64)
        pairs = mistaken + right @ ordered
        before = rates
        rates = np.clip((errors + mistaken) / (errors + SUCCESSES + pairs), 5e-4, 0.45)
        if np.abs(rates - before).max() < 1e-6:
            break
    return rates


def _pairs(recordings: Recordings, rates: Matrix, trust: Matrix) -> Matrix:
    """Return how probable it is that each step needs each other one, if both were ever shown.

    Half of all pairs are taken to be free before anything is seen.
    """
    size = recordings.size
    flat = recordings.shown.reshape(len(recordings.sequences), -1)
    worth = trust * recordings.weights

    def evidence(chances: Matrix) -> Matrix:
        """Return the log chance of what was shown, if j comes before i with these chances."""
        before = (worth * np.log(chances)).astype(np.float32) @ flat
        after = (worth * np.log1p(-chances)).astype(np.float32) @ flat
        return np.asarray(
            before.reshape(-1, size, size) + after.reshape(-1, size, size).transpose(0, 2, 1),
            dtype=np.float64,
        )

    needs = evidence(1 - rates[None])[0] - np.log(2)
    habits = evidence((1 - 2 * rates) * HABITS[:, None] + rates)
    undecided = np.logaddexp.reduce(habits, axis=0) - np.log(len(HABITS))
    total = np.logaddexp(np.logaddexp(needs, needs.T), undecided)
    return np.asarray(np.exp(needs - total))
