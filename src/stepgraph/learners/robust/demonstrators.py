"""A model of people who err: the probability of their recordings under a partial order.

`Recordings` numbers the steps by place and counts equal recordings once; `Demonstrators` is the
model of the people who made them.

A person draws each next step from the executable ones, in proportion to a liking of each step; or,
with the error rate of the recording, from all steps left. Passing over a step counts against the
first step done without it only: the person then goes on as if it were done. A step that a recording
does not show is skipped and counts against no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph.adjacency import reduction
from stepgraph.repetitions import Repetitions, without_repetitions
from stepgraph.sequences import Demonstrations, Vocabulary

BoolMatrix = NDArray[np.bool_]
Float32 = NDArray[np.float32]
Matrix = NDArray[np.float64]


MANY = 10
"""Number of recordings from which on a step that only one of them shows is rare."""


@dataclass(frozen=True, eq=False)
class Recordings:
    """The distinct sequences of a procedure.

    Parameters
    ----------
    size
        Number of nodes, START and END included.
    sequences
        Node numbers in the order done, each at most once; no two are equal.
    weights
        Number of recordings behind each sequence.
    owners
        For each demonstration the indices of its sequences; several if its repetitions allow
        several readings.
    notes
        Sentences about repeated steps. Merging equal sequences loses nothing and needs no note.
    """

    size: int
    sequences: tuple[tuple[int, ...], ...]
    weights: Matrix
    owners: tuple[tuple[int, ...], ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, demonstrations: Demonstrations, repetitions: Repetitions, seed: int) -> Recordings:
        """Read the recordings of demonstrations."""
        places: dict[tuple[int, ...], int] = {}
        weights: list[float] = []
        owners = []
        for recording in demonstrations:
            alone = Demonstrations(demonstrations.vocabulary, (recording,))
            read = without_repetitions(alone, repetitions, seed=seed)
            own = []
            for steps in read.sequences:
                if steps not in places:
                    places[steps] = len(weights)
                    weights.append(0.0)
                weights[places[steps]] += recording.weight
                own.append(places[steps])
            owners.append(tuple(own))
        return cls(
            len(demonstrations.vocabulary.nodes),
            tuple(places),
            np.array(weights),
            tuple(owners),
            without_repetitions(demonstrations, repetitions, seed=seed).on_repetitions,
        )

    @cached_property
    def shown(self) -> Float32:
        """Whether each sequence shows j before i: ``shown[sequence, i, j]``."""
        shown = np.zeros((len(self.sequences), self.size, self.size), dtype=np.float32)
        for number, steps in enumerate(self.sequences):
            later, earlier = np.tril_indices(len(steps), -1)
            nodes = np.array(steps)
            shown[number, nodes[later], nodes[earlier]] = 1.0
        return shown

    @cached_property
    def rare(self) -> NDArray[np.intp]:
        """The steps that only one of many recordings shows."""
        shown = np.zeros(self.size)
        for steps, weight in zip(self.sequences, self.weights, strict=True):
            shown[list(steps)] += weight
        return np.flatnonzero((shown > 0) & (shown <= 1) & (self.weights.sum() >= MANY))

    @cached_property
    def before(self) -> Matrix:
        """Number of recordings that show j before i: ``before[i, j]``."""
        flat = self.shown.reshape(len(self.sequences), -1)
        counted = self.weights @ flat.astype(np.float64)
        return np.asarray(counted.reshape(self.size, self.size))


def by_place(demonstrations: Demonstrations) -> tuple[Demonstrations, NDArray[np.intp]]:
    """Return recordings with their steps numbered from early to late ones.

    The numbering makes the search independent of the order of the vocabulary. Steps are sorted by
    their mean place, then by how often they occur and how often before and after the others. Ties
    keep their order.

    Parameters
    ----------
    demonstrations
        The recordings.

    Returns
    -------
    tuple
        The recordings, and the new number of each node.

    Examples
    --------
    >>> given = Demonstrations.from_steps(["ba", "bca"], vocabulary=Vocabulary(("a", "b", "c")))
    >>> numbered, new = by_place(given)
    >>> numbered.vocabulary.steps, new.tolist()
    (('b', 'c', 'a'), [0, 3, 1, 2, 4])
    """
    words = demonstrations.vocabulary
    size = len(words.nodes)
    places, weights, before = np.zeros(size), np.zeros(size), np.zeros((size, size))
    for recording in demonstrations:
        order = np.array(tuple(dict.fromkeys(recording.steps)))
        places[order] += recording.weight * (np.arange(len(order)) + 0.5) / len(order)
        weights[order] += recording.weight
        later, earlier = np.tril_indices(len(order), -1)
        before[order[later], order[earlier]] += recording.weight
    # Rounded, so that the order of the recordings does not show in the last digits.
    means = (places / np.maximum(weights, 1e-300)).round(9)
    weights, before = weights.round(9), before.round(9)

    def key(step: int) -> tuple[float, float, list[float], list[float]]:
        return (
            float(means[step]),
            -float(weights[step]),
            sorted(before[step].tolist()),
            sorted(before[:, step].tolist()),
        )

    ranked = sorted(range(1, size - 1), key=key)
    new = np.arange(size)
    new[ranked] = np.arange(1, size - 1)
    moved = tuple(
        replace(
            recording,
            steps=tuple(int(new[step]) for step in recording.steps),
            skipped=tuple(int(new[step]) for step in recording.skipped),
        )
        for recording in demonstrations
    )
    vocabulary = Vocabulary(tuple(words.name(step) for step in ranked))
    return replace(demonstrations, vocabulary=vocabulary, sequences=moved), new


LIKING = 5.0
"""The strength of the prior on likings, as a number of even choices for each step."""

TRUSTED = 0.5
"""Largest probability of being out of turn for a step that counts as in turn."""


class _Choices(NamedTuple):
    """The choices at each place of each recording.

    Parameters
    ----------
    opens
        The first place at which the step is executable.
    in_turn
        Whether the step is executable at its own place.
    rivals
        The sum of the likings of all steps that are executable there.
    """

    opens: NDArray[np.intp]
    in_turn: BoolMatrix
    rivals: Matrix


class Demonstrators:
    """The people behind recordings: their error rates, and how much each step is liked.

    Parameters
    ----------
    sequences
        Node numbers in the order done, each at most once.
    weights
        Number of recordings behind each sequence.
    size
        Number of nodes.
    errors, successes
        The prior on each recording: numbers of steps out of turn and in turn.
    """

    def __init__(
        self,
        sequences: Sequence[tuple[int, ...]],
        weights: Matrix,
        size: int,
        *,
        errors: float,
        successes: float,
    ) -> None:
        self.sequences = tuple(sequences)
        self.weights = weights
        self.errors, self.successes = errors, successes
        self.rates = np.full(len(self.sequences), errors / (errors + successes))
        self.liking = np.ones(size)
        lengths = np.array([len(steps) for steps in self.sequences])
        longest = int(lengths.max())
        self._nodes = np.zeros((len(self.sequences), longest), dtype=np.intp)
        for number, steps in enumerate(self.sequences):
            self._nodes[number, : len(steps)] = steps
        self._places = np.arange(longest)
        self._real = self._places < lengths[:, None]
        self._left = np.where(self._real, lengths[:, None] - self._places, 1)
        self._lengths = lengths
        # START pads the sequences: it is in no pair of an order.
        self._pairs = self._nodes[:, :, None] * size + self._nodes[:, None, :]
        self._later = self._places[None, :] > self._places[:, None]
        self._offsets = (np.arange(len(self.sequences)) * (longest + 1))[:, None]

    @property
    def cost(self) -> int:
        """Number of pairs of places to visit for the likelihood of one order."""
        return self._pairs.size

    def log_likelihood(self, order: BoolMatrix) -> float:
        """Return the log likelihood of the recordings under a closed partial order."""
        turns, slips = self._turns(self._choices(order))
        return float(self.weights @ np.where(self._real, np.log(turns + slips), 0.0).sum(axis=1))

    def slips(self, order: BoolMatrix) -> Matrix:
        """Return the probability that each place of each recording is out of turn."""
        turns, slips = self._turns(self._choices(order))
        return np.where(self._real, slips / (turns + slips), 0.0)

    def adjacent(self, order: BoolMatrix) -> Matrix:
        """Count the recordings that show each pair directly one after the other, both in turn."""
        counts = np.zeros(order.shape)
        for steps, slips, weight in zip(
            self.sequences, self.slips(order), self.weights, strict=True
        ):
            nodes, own = np.array(steps), slips[: len(steps)]
            calm = (own[1:] < TRUSTED) & (own[:-1] < TRUSTED)
            counts[nodes[1:][calm], nodes[:-1][calm]] += weight
        return counts

    def fit(self, order: BoolMatrix, rounds: int) -> None:
        """Learn the error rates and the likings under an order, by expectation maximisation."""
        rows = np.arange(len(self.sequences))[:, None]
        for _ in range(rounds):
            choices = self._choices(order)
            turns, slips = self._turns(choices)
            slipped = np.where(self._real, slips / (turns + slips), 0.0)
            self.rates = np.clip(
                (self.errors + slipped.sum(axis=1))
                / (self.errors + self.successes + self._lengths),
                1e-4,
                0.45,
            )
            chosen = np.where(self._real, 1 - slipped, 0.0) * self.weights[:, None]
            chances = np.zeros((len(rows), len(self._places) + 1))
            np.cumsum(chosen / np.maximum(choices.rivals, 1e-12), axis=1, out=chances[:, 1:])
            open_for = chances[rows, self._places + 1] - chances[rows, choices.opens]
            open_for = np.where(choices.in_turn & self._real, open_for, 0.0)
            count = len(self.liking)
            times = np.bincount(self._nodes.ravel(), weights=chosen.ravel(), minlength=count)
            offers = np.bincount(self._nodes.ravel(), weights=open_for.ravel(), minlength=count)
            self.liking = (LIKING + times) / (LIKING + offers)

    def _choices(self, order: BoolMatrix) -> _Choices:
        # Of each recording: place, place of what it needs; 2 where it needs that directly.
        needs = (order.astype(np.int8) + reduction(order)).ravel().take(self._pairs)
        without = (needs > 1) & self._later
        first_without = np.where(without.any(axis=1), without.argmax(axis=1), len(self._places) + 1)
        # Something needed blocks until it is done, or until someone goes on without it.
        blocks_until = np.minimum(self._places, first_without)
        opens = np.where(needs > 0, (blocks_until + 1)[:, None, :], 0).max(axis=2)
        in_turn = opens <= self._places
        opens = np.where(in_turn, opens, 0)
        liked = self.liking[self._nodes] * (in_turn & self._real)
        starts = np.bincount(
            (self._offsets + opens).ravel(),
            weights=liked.ravel(),
            minlength=liked.size + len(liked),
        ).reshape(len(liked), -1)
        starts[:, 1:] -= liked
        return _Choices(opens, in_turn, starts.cumsum(axis=1)[:, :-1])

    def _turns(self, choices: _Choices) -> tuple[Matrix, Matrix]:
        """Return the chance of each place to be chosen in turn, and out of turn."""
        liked = self.liking[self._nodes] * choices.in_turn
        turns = (1 - self.rates)[:, None] * liked / np.maximum(choices.rivals, 1e-12)
        return turns, self.rates[:, None] / self._left
