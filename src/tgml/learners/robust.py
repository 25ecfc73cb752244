"""Robust: an order learned from people who err, and how far to trust each of them.

Every pair of steps is of one of three kinds: the first needs the second, the second needs the
first, or the two are free and follow a habit of their own. Every recording has an error rate, the
chance that it shows an ordered pair the wrong way round. Both are learned from each other by
expectation maximisation: what most recordings agree on says who errs, and who errs says which
recordings to believe. A step that was skipped says nothing about its pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tgml.adjacency import WeightedAdjacency
from tgml.learners.base import Learned
from tgml.learners.knowledge import InformedLearner
from tgml.learners.partial_order import best_order, closure, without
from tgml.learners.settings import check_number
from tgml.repetitions import without_repetitions
from tgml.sequences import Demonstrations

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]
Float32 = NDArray[np.float32]

HABITS = (np.arange(10) + 0.5) / 10
"""The habits that a free pair may have: how often its first step comes first."""
LARGEST_SCORE = 8.0
"""Beyond these log odds a pair is as good as certain; it must not outvote all others."""


@dataclass(frozen=True)
class Robust(InformedLearner):
    """A mixture model of pairs, with an error rate for each recording.

    Parameters
    ----------
    free
        How probable it is, before anything is seen, that two steps are free; the two orders
        share the rest.
    errors, successes
        How many pairs each recording is taken to have shown the wrong and the right way round
        before it is looked at.
    rounds
        At most so many rounds of expectation maximisation.
    """

    name: ClassVar[str] = "robust"

    free: float = 0.5
    errors: float = 0.5
    successes: float = 20.0
    rounds: int = 60

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("free", "errors", "successes"):
            check_number(name, getattr(self, name), low=0.0, above=True)

    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:
        """Learn the order of one procedure; the seed matters for random repetitions."""
        words = demonstrations.vocabulary
        size = len(words.nodes)
        free = [
            without_repetitions(_only(demonstrations, number), self.repetitions, seed=seed)
            for number in range(len(demonstrations))
        ]
        sequences = [steps for each in free for steps in each.sequences]
        owner = [number for number, each in enumerate(free) for _ in each.sequences]
        shown = _shown(sequences, size)
        rates = self._error_rates(shown)
        trust = capacity(rates)
        probability = self._pairs(shown, rates, trust)
        constraints = self.constraints(words)
        order = best_order(_log_odds(probability, shown.max(axis=0) > 0))
        adjacent = _adjacent(sequences, trust, size)
        order = without(order, ~(adjacent | self.supported(words)))
        order = closure(constraints.apply(order, probability))
        matrix = np.where(order, probability, 0.0)
        for edge in constraints.must:
            matrix[edge] = 1.0
        matrix[1:, 0] = 1.0
        notes = dict.fromkeys(note for each in free for note in each.notes)
        careless = [
            f"recording {demonstrations.sequences[owner[place]].id!r} shows about "
            f"{100 * rates[place]:.0f} % of the ordered pairs the wrong way round and counts "
            f"{100 * trust[place]:.0f} %"
            for place in np.argsort(-rates, kind="stable")
            if trust[place] < 0.5
        ]
        return Learned(
            WeightedAdjacency(words, matrix),
            (*notes, *careless),
            {"error_rate": float(rates.mean()), "careless": float((trust < 0.5).sum())},
        )

    def _error_rates(self, shown: Float32) -> Matrix:
        """Return the error rate of each sequence."""
        reverse = np.ascontiguousarray(shown.transpose(0, 2, 1))
        right, wrong = (array.reshape(len(shown), -1) for array in (shown, reverse))
        rates = np.full(len(shown), self.errors / (self.errors + self.successes))
        for _ in range(self.rounds):
            ordered = self._pairs(shown, rates, np.ones(len(shown))).astype(np.float32).ravel()
            errors = (wrong @ ordered).astype(np.float64)
            pairs = errors + right @ ordered
            before = rates
            rates = (self.errors + errors) / (self.errors + self.successes + pairs)
            rates = np.clip(rates, 5e-4, 0.45)
            if np.abs(rates - before).max() < 1e-6:
                break
        return rates

    def _pairs(self, shown: Float32, rates: Matrix, trust: Matrix) -> Matrix:
        """Return how probable it is that each step needs each other one.

        Parameters
        ----------
        shown
            ``shown[r, i, j]``: whether sequence r shows j before i.
        rates, trust
            The error rate of each sequence, and how much it counts.
        """
        size = shown.shape[1]
        flat = shown.reshape(len(shown), -1)

        def evidence(chances: Matrix) -> Matrix:
            """Return the log chance of what was shown, if j comes before i with these chances."""
            before = (trust * np.log(chances)).astype(np.float32) @ flat
            after = (trust * np.log1p(-chances)).astype(np.float32) @ flat
            return np.asarray(
                before.reshape(-1, size, size) + after.reshape(-1, size, size).transpose(0, 2, 1),
                dtype=np.float64,
            )

        # An error shows a pair in either order: half of a rate's pairs are right by chance.
        ordered = evidence(1 - rates[None])[0]
        habits = evidence((1 - 2 * rates) * HABITS[:, None] + rates)
        undecided = np.logaddexp.reduce(habits, axis=0) - np.log(len(HABITS))
        needs = ordered + np.log((1 - self.free) / 2)
        total = np.logaddexp(np.logaddexp(needs, needs.T), undecided + np.log(self.free))
        together = (shown.sum(axis=0) + shown.sum(axis=0).T) > 0
        probability: Matrix = np.where(together, np.exp(needs - total), 0.0)
        return probability


def capacity(rates: Matrix) -> Matrix:
    """Return how much a pair is worth that a recording shows: the capacity of its channel in bits.

    A recording that never errs counts in full, one that errs every other time not at all. Errors
    come in clusters around the step that is out of place, so the pairs of a careless recording
    are worth less than their error rate says on its own.

    Examples
    --------
    >>> capacity(np.array([0.0005, 0.11, 0.5])).round(2)
    array([0.99, 0.5 , 0.  ])
    """
    worth: Matrix = 1 + rates * np.log2(rates) + (1 - rates) * np.log2(1 - rates)
    return worth


def _only(demonstrations: Demonstrations, number: int) -> Demonstrations:
    return Demonstrations(demonstrations.vocabulary, (demonstrations.sequences[number],))


def _shown(sequences: Sequence[tuple[int, ...]], size: int) -> Float32:
    """Return for each sequence which step came before which."""
    shown = np.zeros((len(sequences), size, size), dtype=np.float32)
    for number, steps in enumerate(sequences):
        later, earlier = np.tril_indices(len(steps), -1)
        nodes = np.array(steps)
        shown[number, nodes[later], nodes[earlier]] = 1.0
    return shown


def _adjacent(sequences: Sequence[tuple[int, ...]], trust: Matrix, size: int) -> BoolMatrix:
    """Return which pairs a trustworthy recording shows directly one after the other."""
    adjacent = np.zeros((size, size), dtype=bool)
    for steps, worth in zip(sequences, trust, strict=True):
        if worth >= 0.5:
            adjacent[list(steps[1:]), list(steps[:-1])] = True
    return adjacent


def _log_odds(probability: Matrix, shown: BoolMatrix) -> Matrix:
    """Return the log odds of each pair; 0 where nothing is known of it.

    A pair that was only ever shown in one order is kept in it where the odds are even, as they
    are after a single recording.
    """
    known = np.clip(probability, 1e-12, 1 - 1e-12)
    odds = np.clip(np.log(known) - np.log1p(-known), -LARGEST_SCORE, LARGEST_SCORE)
    odds = np.where(shown & ~shown.T, np.maximum(odds, 0.01), odds)
    return np.where(shown | shown.T, odds, 0.0)
