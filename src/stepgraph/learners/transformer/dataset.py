"""The training data of a network: procedures as sequences and embeddings, whole or in part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph.adjacency import closure
from stepgraph.learners.precedence import precedence
from stepgraph.repetitions import Repetitions, without_repetitions
from stepgraph.sequences import Demonstrations

Vectors = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class EmbeddedProcedure:
    """One procedure to learn from.

    Parameters
    ----------
    sequences
        Its sequences in node numbers, without repetition.
    views
        For each key-step its embeddings, (views, features): one for a text, several where videos
        of training recordings show it.
    always
        (nodes, nodes): whether j comes before i in every sequence with i.
    counts
        Number of recordings behind each sequence.
    notes
        Sentences about merged or dropped recordings.
    """

    sequences: tuple[tuple[int, ...], ...]
    views: tuple[Vectors, ...]
    always: NDArray[np.bool_]
    counts: tuple[float, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        demonstrations: Demonstrations,
        views: Sequence[Vectors],
        repetitions: Repetitions,
        seed: int,
    ) -> EmbeddedProcedure:
        """Put a procedure's recordings and embeddings together."""
        free = without_repetitions(demonstrations, repetitions, seed=seed)
        always = precedence(demonstrations, repetitions).always
        return cls(free.sequences, tuple(views), always, free.counts, free.notes)

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.views) + 2

    @cached_property
    def needed(self) -> NDArray[np.bool_]:
        """Which pairs every sequence orders alike; steps that none shows need nothing."""
        shown = {node for steps in self.sequences for node in steps} | {self.size - 1}
        needed = self.always.copy()
        needed[[node for node in range(self.size) if node not in shown]] = False
        needed[:, -1] = False
        np.fill_diagonal(needed, False)
        return needed

    def agrees(self, Z: NDArray[np.float32]) -> bool:
        """Return whether edges above the threshold imply what all sequences share, and no more."""
        edges = 1 / self.size < Z
        shown = self.needed.any(axis=1)
        if (edges[shown] & ~self.needed[shown]).any():
            return False
        return bool((closure(edges & self.needed) >= self.needed).all())

    def drawn(self, rng: np.random.Generator) -> Vectors:
        """Return one embedding for each key-step, drawn from its views: (steps, features)."""
        return np.stack(
            [
                views[0] if len(views) == 1 else views[rng.integers(len(views))]
                for views in self.views
            ]
        )

    def typical(self) -> Vectors:
        """Return the mean of each key-step's embeddings: (steps, features)."""
        return np.stack([views.mean(0) for views in self.views])

    def part(self, rng: np.random.Generator) -> EmbeddedProcedure:
        """Return a procedure of some of the key-steps, with the sequences cut down to them.

        An order restricted to some steps is still an order, so every part is a procedure too.
        """
        count = len(self.views)
        if count <= 2:
            return self
        kept = np.sort(rng.choice(count, int(rng.integers(2, count + 1)), replace=False)) + 1
        number = {int(node): place for place, node in enumerate(kept, start=1)}
        cut = [tuple(number[n] for n in steps if n in number) for steps in self.sequences]
        left = [pair for pair in zip(cut, self.counts, strict=True) if pair[0]]
        if not left:
            return self
        sequences, counts = zip(*left, strict=True)
        nodes = np.array([0, *kept, count + 1])
        views = tuple(self.views[node - 1] for node in kept)
        return EmbeddedProcedure(sequences, views, self.always[np.ix_(nodes, nodes)], counts)
