"""The probability that one step needs another, and that an edge is right.

Logistic regressions weigh the evidence for a pair, one for each place that a pair can have in the
learned order. ``tools/fit_confidence.py`` fits their weights on random procedures with known
graphs, careful and careless demonstrators, and habits of all strengths.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph.adjacency import reduction
from stepgraph.learners.robust.demonstrators import Demonstrators, Recordings
from stepgraph.learners.robust.search import pair_log_odds, toggled

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]

LARGEST = 10.0
"""The cap of log odds and gains."""
MOST_COUNTED = 24.0
"""Largest number of recordings in the fit; more count as this many."""
TRIALS = 100_000_000
"""Maximum number of pairs of places to visit for the gains of single pairs."""


class Place(StrEnum):
    """Where a pair stands in the learned order."""

    DIRECT = "direct"
    """In it, and it follows from no other pair: an edge."""
    IMPLIED = "implied"
    """In it, and it follows from others."""
    ABSENT = "absent"
    """Not in it, either way."""
    REVERSED = "reversed"
    """In it the other way round."""


WEIGHTS: Mapping[str, tuple[float, ...]] = {
    Place.DIRECT: (5.583, 2.598, 0.401, -2.667, -0.171, 0.340, 1.072),
    Place.IMPLIED: (3.163, 1.628, 0.000, -0.899, -1.394, -0.517, 0.294),
    Place.ABSENT: (5.599, 0.812, 0.237, -0.867, -1.095, 0.259, 1.751),
    Place.REVERSED: (-0.878, 0.000, 0.000, -0.025, -1.685, 0.000, 2.283),
    "edge": (3.773, 2.838, 0.357, -2.870, -0.285, 0.710, 0.491),
}
"""The weights of `features`, in its order. ``edge`` is for direct pairs: it gives the probability
that the pair is an edge of the true graph, not only implied by it."""


class Confidence(NamedTuple):
    """Probabilities, row = step, column = precondition.

    Parameters
    ----------
    pairs
        The probability that the step needs the other one, directly or through others.
    edges
        The probability that it needs it directly; only for edges of the learned order.
    """

    pairs: Matrix
    edges: Matrix


def confidence(recordings: Recordings, people: Demonstrators, order: BoolMatrix) -> Confidence:
    """Return the probability of each pair and each edge.

    Parameters
    ----------
    recordings
        The recordings.
    people
        The model of the demonstrators, fitted to the order.
    order
        The learned order, closed.
    """
    found = features(recordings, people, order)
    pairs = np.zeros(order.shape)
    for place, where in places(order).items():
        pairs[where] = _probability(found[where], WEIGHTS[place])
    together = recordings.before + recordings.before.T > 0
    # For steps that no recording shows together, the order is the only evidence.
    pairs = np.where(together, pairs, np.where(order, 0.5, 0.0))
    edges = np.minimum(_probability(found, WEIGHTS["edge"]), pairs)
    return Confidence(pairs, np.where(reduction(order), edges, 0.0))


def places(order: BoolMatrix) -> dict[Place, BoolMatrix]:
    """Return the pairs in each place of a closed order."""
    direct = reduction(order)
    itself = np.eye(len(order), dtype=bool)
    return {
        Place.DIRECT: direct,
        Place.IMPLIED: order & ~direct,
        Place.ABSENT: ~order & ~order.T & ~itself,
        Place.REVERSED: order.T.copy(),
    }


def features(recordings: Recordings, people: Demonstrators, order: BoolMatrix) -> Matrix:
    """Return the evidence for and against each pair: seven numbers a pair.

    They are: 1; the log odds of the pair on its own; its gain in the log likelihood of the
    recordings; the logarithms of 1 + the number of recordings that show it, that show its reverse,
    and that show it directly one after the other (steps out of turn count little); and the
    logarithm of the mean error rate. The second, third and sixth are 0 for pairs that stand the
    other way round.
    """
    size = recordings.size
    adjacent = people.adjacent(order)
    held = np.zeros((size, size))
    for steps, slips, weight in zip(
        people.sequences, people.slips(order), people.weights, strict=True
    ):
        nodes, sound = np.array(steps), 1 - slips[: len(steps)]
        later, earlier = np.tril_indices(len(steps), -1)
        held[nodes[later], nodes[earlier]] += weight * sound[later] * sound[earlier]
    rates = np.clip(people.rates, 5e-4, 0.45)
    everywhere = Recordings(size, people.sequences, people.weights, (), ())
    odds = np.clip(pair_log_odds(everywhere, rates), -LARGEST, LARGEST)
    gains = np.clip(_gains(recordings, people, order), -LARGEST, LARGEST)
    mean_rate = float(np.average(rates, weights=people.weights))
    forward = ~order.T
    found = [
        np.ones((size, size)),
        odds * forward,
        gains,
        np.log1p(np.minimum(held, MOST_COUNTED)),
        np.log1p(np.minimum(held.T, MOST_COUNTED)),
        np.log1p(np.minimum(adjacent, MOST_COUNTED)) * forward,
        np.full((size, size), np.log(mean_rate)),
    ]
    return np.stack(found, axis=-1)


def _gains(recordings: Recordings, people: Demonstrators, order: BoolMatrix) -> Matrix:
    """Return the gain in log likelihood of each pair that can enter or leave on its own."""
    gains = np.zeros(order.shape)
    base = people.log_likelihood(order)
    trials = TRIALS // people.cost
    for step, needed in np.argwhere(
        reduction(order) | ((recordings.before > 0) & ~order & ~order.T)
    ):
        changed = toggled(order, step, needed)
        if changed is None:
            continue
        trials -= 1
        if trials < 0:
            break
        change = people.log_likelihood(changed) - base
        gains[step, needed] = -change if order[step, needed] else change
    return gains


def _probability(found: Matrix, weights: tuple[float, ...]) -> Matrix:
    probability: Matrix = 1 / (1 + np.exp(-np.clip(found @ np.array(weights), -30, 30)))
    return probability
