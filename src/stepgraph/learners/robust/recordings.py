"""Recordings as the robust learner reads them: numbered by place, equal ones counted once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stepgraph.repetitions import Repetitions, without_repetitions
from stepgraph.sequences import Demonstrations, Vocabulary

Float32 = NDArray[np.float32]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Recordings:
    """The distinct sequences of a procedure.

    Parameters
    ----------
    size
        How many nodes the procedure has, START and END counted.
    sequences
        Node numbers in the order done, each at most once; no two are equal.
    weights
        How many recordings each stands for.
    owners
        For each demonstration the places of its sequences; more than one where its repetitions
        allow several readings.
    notes
        What was done to repeated steps, in words. Equal sequences are kept once with the weight of
        all, which loses nothing and is not told.
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
    def before(self) -> Matrix:
        """How many recordings show j before i: ``before[i, j]``."""
        flat = self.shown.reshape(len(self.sequences), -1)
        counted = self.weights @ flat.astype(np.float64)
        return np.asarray(counted.reshape(self.size, self.size))


def by_place(demonstrations: Demonstrations) -> tuple[Demonstrations, NDArray[np.intp]]:
    """Return recordings with their steps numbered from early to late ones.

    Where a search looks at pairs in the order of their numbers, it ends at another order if steps
    are numbered otherwise. Steps come by their mean place, then by how often they are done and
    how often before and after the others. Those that are alike in all of this stay as they were.

    Parameters
    ----------
    demonstrations
        The recordings.

    Returns
    -------
    tuple
        The recordings, and for each of the given nodes its new number.

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
