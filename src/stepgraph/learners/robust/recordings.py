"""Recordings without repetition, equal ones counted once, with what each of them stands for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stepgraph.repetitions import Repetitions, without_repetitions
from stepgraph.sequences import Demonstrations

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
