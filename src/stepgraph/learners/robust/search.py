"""The search for an order: a first one from single pairs of steps, then better ones.

Every pair of steps is of one of three kinds: the first needs the second, the second needs the
first, or the two are free and follow a habit of their own. Every recording has an error rate, the
chance that it shows an ordered pair the wrong way round. Expectation maximisation learns both from
each other: the agreement of most recordings shows which ones err, and the error rates show which
ones to believe. A skipped step says nothing about its pairs. From this first order on, pairs enter
and leave while the recordings become more probable.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph.adjacency import reduction
from stepgraph.learners.robust.demonstrators import Demonstrators, Recordings

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]

HABITS = (np.arange(10) + 0.5) / 10
"""The habits that a free pair may have: how often its first step comes first."""
LARGEST_SCORE = 8.0
"""Cap of the log odds, so that no single pair outvotes all others."""
FORBIDDEN = -1e9
"""The score of a forbidden pair, which outvotes all others."""
SUCCESSES = 20.0
"""The prior on each recording: the number of pairs the right way round."""
LEAST_ERROR = 1e-5
"""Smallest error rate, where it is learned from all recordings together."""
ROUNDS = 60
"""Maximum number of rounds of expectation maximisation."""


def first_order(
    recordings: Recordings, errors: float, forbidden: BoolMatrix | None = None
) -> BoolMatrix:
    """Return a closed partial order that the pairs support.

    Parameters
    ----------
    recordings
        The recordings.
    errors
        The prior on each recording: the number of pairs the wrong way round. The lower it is, the
        more contradictions count.
    forbidden
        Pairs that must not be in the order.
    """
    rates = error_rates(recordings, errors)
    odds = pair_log_odds(recordings, rates)
    shown = recordings.before > 0
    # At even odds, as after a single recording, a pair that recordings show in one order only keeps
    # that order.
    odds = np.where(shown & ~shown.T, np.maximum(odds, 0.01), odds)
    scores = np.clip(odds, -LARGEST_SCORE, LARGEST_SCORE)
    return best_order(scores if forbidden is None else np.where(forbidden, FORBIDDEN, scores))


def pair_log_odds(recordings: Recordings, rates: Matrix) -> Matrix:
    """Return the log odds that each step needs each other one; 0 without evidence.

    Each recording counts by the capacity of its channel. Errors come in clusters around a misplaced
    step, so the pairs of a careless recording are worth less than its rate says.
    """
    chance = np.clip(_pairs(recordings, rates, capacity(rates)), 1e-12, 1 - 1e-12)
    together = recordings.before + recordings.before.T > 0
    return np.where(together, np.log(chance) - np.log1p(-chance), 0.0)


def capacity(rates: Matrix) -> Matrix:
    """Return the weight of a pair in a recording: the capacity of its channel in bits.

    A recording that never errs counts in full, one that errs every other time not at all.

    Examples
    --------
    >>> capacity(np.array([0.0005, 0.11, 0.5])).round(2)
    array([0.99, 0.5 , 0.  ])
    """
    worth: Matrix = 1 + rates * np.log2(rates) + (1 - rates) * np.log2(1 - rates)
    return worth


CONTESTED = -7.0
"""Log odds of a pair, about 1 to 1,000, below which recordings with its reverse did not slip."""


def contested(recordings: Recordings) -> BoolMatrix:
    """Return the pairs that recordings show the other way round too often for slips.

    How often people slip is learned from all pairs together: where hardly any pair is ever shown
    the other way round, a few recordings that do so are right.
    """
    odds = pair_log_odds(recordings, error_rates(recordings, None))
    return (odds < CONTESTED) & (recordings.before.T > 0)


def error_rates(recordings: Recordings, errors: float | None) -> Matrix:
    """Return the error rate of each sequence.

    It is the share of its pairs that stand the wrong way round, weighted by the probability that
    they are ordered, with the prior included.

    Parameters
    ----------
    recordings
        The recordings.
    errors
        As for `first_order`; if None, the prior is learned from all recordings together.
    """
    learned = errors is None
    errors = SUCCESSES / 10 if errors is None else errors
    least = LEAST_ERROR if learned else 5e-4
    shown = recordings.shown
    reverse = np.ascontiguousarray(shown.transpose(0, 2, 1))
    right, wrong = (array.reshape(len(shown), -1) for array in (shown, reverse))
    rates = np.full(len(shown), errors / (errors + SUCCESSES))
    for _ in range(ROUNDS):
        ordered = _pairs(recordings, rates, np.ones(len(shown))).astype(np.float32).ravel()
        mistaken = (wrong @ ordered).astype(np.float64)
        pairs = mistaken + right @ ordered
        before = rates
        if learned:
            mean = (1 + recordings.weights @ mistaken) / (10 + recordings.weights @ pairs)
            errors = SUCCESSES * float(mean)
        rates = np.clip((errors + mistaken) / (errors + SUCCESSES + pairs), least, 0.45)
        if np.abs(rates - before).max() < 1e-6:
            break
    return rates


def _pairs(recordings: Recordings, rates: Matrix, trust: Matrix) -> Matrix:
    """Return the probability that each step needs each other one, where recordings show both.

    The prior takes half of all pairs as free.
    """
    size = recordings.size
    flat = recordings.shown.reshape(len(recordings.sequences), -1)
    worth = trust * recordings.weights

    def evidence(chances: Matrix) -> Matrix:
        """Return the log likelihood of the recordings if j comes before i with these chances."""
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


def best_order(scores: Matrix) -> BoolMatrix:
    """Return a closed partial order whose pairs have a large sum of scores.

    Pairs enter from the highest score down, each with all that follows from it, if that adds to the
    sum and contradicts nothing; then pairs that follow from no others leave while their own score
    is negative. Both repeat until nothing changes. This is a greedy search without a guarantee:
    finding the best order is NP-hard.

    Parameters
    ----------
    scores
        The score that a pair adds to the order; negative for evidence against it.

    Examples
    --------
    >>> best_order(np.array([[0, 0, 0], [2.0, 0, 0], [-1.0, 3.0, 0]])).astype(int)
    array([[0, 0, 0],
           [1, 0, 0],
           [1, 1, 0]])
    """
    size = len(scores)
    order = np.zeros((size, size), dtype=bool)
    itself = np.eye(size, dtype=bool)
    for _ in range(size):
        before = order.copy()
        candidates = np.argwhere((scores > 0) & ~order & ~itself)
        ranked = np.argsort(-scores[tuple(candidates.T)], kind="stable")
        for step, needed in candidates[ranked]:
            if order[step, needed] or order[needed, step]:
                continue
            new = np.outer(order[:, step] | itself[step], order[needed] | itself[needed]) & ~order
            if scores[new].sum() > 0 and not (new & order.T).any():
                order |= new
        order = without(order, (scores < 0) & ~itself)
        if np.array_equal(order, before):
            break
    return order


def without(order: BoolMatrix, unwanted: BoolMatrix) -> BoolMatrix:
    """Return a closed order without the unwanted pairs that follow from no others.

    Removing such a pair leaves the order closed. Other pairs may then follow from no others, so
    removal continues until no unwanted one is left.
    """
    order = order.copy()
    while True:
        leaving = reduction(order) & unwanted
        if not leaving.any():
            return order
        order &= ~leaving


EDGE_COST = 0.6
"""Minimum gain in log likelihood of an edge."""
SWEEPS = 6
"""Maximum number of sweeps over all pairs."""
MOST_REVERSED = 0.35
"""Maximum share of recordings against a pair that the search tries."""
BUDGET = 200_000_000
"""Maximum number of pairs of places to visit; with that many recordings, the first order
suffices."""


def ignore_share(share: float) -> None:
    """Ignore the share done."""


class Search:
    """A search for the partial order under which recordings are most probable.

    Parameters
    ----------
    recordings
        The recordings.
    people
        The model of the demonstrators; the search learns its rates and likings.
    forbidden
        Pairs that must not enter the order.
    """

    def __init__(
        self, recordings: Recordings, people: Demonstrators, forbidden: BoolMatrix
    ) -> None:
        before = recordings.before
        both = np.maximum(before + before.T, 1e-12)
        self.people = people
        self.forbidden = forbidden
        self.possible = (before > 0) & (before.T / both <= MOST_REVERSED) & ~forbidden
        self.budget = BUDGET
        self.scores: list[float] = []
        """The score before each sweep over all pairs, and at the end."""

    def improve(
        self, order: BoolMatrix, report: Callable[[float], None] = ignore_share
    ) -> tuple[float, BoolMatrix]:
        """Return the best order that the search reaches from a closed one, and its score.

        Parameters
        ----------
        order
            The first order.
        report
            Called with the share of the maximum work that is done.
        """
        self.people.fit(order, 20)
        for sweep in range(SWEEPS):
            score = self._score(order)
            self.scores.append(score)
            moves = []
            candidates = self._candidates(order)
            for place, (step, needed) in enumerate(candidates):
                report((sweep + place / len(candidates)) / SWEEPS)
                changed = self._toggled(order, step, needed)
                if changed is None:
                    continue
                if self.budget < self.people.cost:
                    break
                gain = self._score(changed) - score
                if gain > 1e-9:
                    moves.append((-gain, step, needed, bool(order[step, needed])))
            before = order
            for _, step, needed, leaves in sorted(moves):
                changed = self._toggled(order, step, needed)
                if changed is None or bool(order[step, needed]) != leaves:
                    continue
                better = self._score(changed)
                if better > score + 1e-9:
                    order, score = changed, better
            self.people.fit(order, 8)
            if order is before:
                break
        self.people.fit(order, 20)
        self.scores.append(self._score(order))
        return self.scores[-1], order

    def _candidates(self, order: BoolMatrix) -> list[tuple[int, int]]:
        entering = np.argwhere(self.possible & ~order & ~order.T)
        leaving = np.argwhere(reduction(order))
        return [(int(step), int(needed)) for step, needed in (*leaving, *entering)]

    def _toggled(self, order: BoolMatrix, step: int, needed: int) -> BoolMatrix | None:
        """Return an order with a pair removed or added; None if it would have a forbidden pair."""
        changed = toggled(order, step, needed)
        return None if changed is None or (changed & self.forbidden).any() else changed

    def _score(self, order: BoolMatrix) -> float:
        self.budget -= self.people.cost
        return self.people.log_likelihood(order) - EDGE_COST * float(reduction(order).sum())


def toggled(order: BoolMatrix, step: int, needed: int) -> BoolMatrix | None:
    """Return a closed order with a pair removed or added; None if that is impossible.

    A pair that follows from others cannot leave, and a pair that contradicts others cannot enter.
    Adding a pair also adds all that follows from it.

    Examples
    --------
    >>> chain = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], dtype=bool)
    >>> toggled(chain, 2, 1).astype(int).tolist()
    [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    >>> toggled(chain, 2, 0) is None, toggled(chain, 0, 2) is None
    (True, True)
    """
    if order[step, needed]:
        if (order[step] & order[:, needed]).any():
            return None
        changed = order.copy()
        changed[step, needed] = False
        return changed
    if order[needed, step]:
        return None
    after, before = order[:, step].copy(), order[needed].copy()
    after[step] = before[needed] = True
    return order | np.outer(after, before)
