"""The pairwise order of steps, counted over recordings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph.adjacency import Matrix
from stepgraph.repetitions import Repetitions, first_occurrences, last_occurrences
from stepgraph.sequences import Demonstrations

CHUNK_PAIRS = 4_000_000
"""Maximum number of pairs of steps in memory at once."""


@dataclass(frozen=True, eq=False)
class Precedence:
    """How often each step comes before each other step, weighted by recording.

    Parameters
    ----------
    before
        ``before[i, j]``: the number of recordings in which j comes before i, by node number. START
        comes first and END last in every recording.
    recordings
        ``recordings[i]``: the number of recordings that show i.
    together
        ``together[i, j]``: the number of recordings that show both.
    agreed
        Whether j comes before i in every recording that shows both, and at least one does.
    always
        Whether j comes before i in every recording that shows i. For a step that no recording shows
        this is true of every j.
    """

    before: Matrix
    recordings: Matrix
    together: Matrix
    agreed: NDArray[np.bool_]
    always: NDArray[np.bool_]


def precedence(demonstrations: Demonstrations, repetitions: Repetitions) -> Precedence:
    """Count how often each step comes before each other step.

    `repetitions` says which occurrence of a repeated step counts. For 'expand', 'random' and
    'augment', a step comes before another only if its last occurrence comes before the other's
    first.
    """
    return precedence_of(
        [recording.steps for recording in demonstrations],
        demonstrations.vocabulary.end,
        repetitions,
        [recording.weight for recording in demonstrations],
    )


def precedence_of(
    sequences: Iterable[tuple[int, ...]],
    end: int,
    repetitions: Repetitions = Repetitions.FIRST,
    weights: Sequence[float] | None = None,
) -> Precedence:
    """Count the pairwise order in sequences of node numbers.

    Parameters
    ----------
    sequences
        Node numbers 1 to n, without START and END.
    end
        The node number of END.
    repetitions
        As for `precedence`.
    weights
        Number of recordings behind each sequence; by default one.
    """
    sequences = list(sequences)
    weights = [1.0] * len(sequences) if weights is None else weights
    tally = _Tally(end + 1)
    by_length: dict[int, list[tuple[int, ...]]] = {}
    weights_by_length: dict[int, list[float]] = {}
    for steps, weight in zip(sequences, weights, strict=True):
        if repetitions is Repetitions.LAST:
            kept = last_occurrences(steps)
        else:
            kept = first_occurrences(steps)
            if len(kept) < len(steps) and repetitions is not Repetitions.FIRST:
                tally.add_with_repetitions(np.array([0, *steps, end]), weight)
                continue
        by_length.setdefault(len(kept), []).append((0, *kept, end))
        weights_by_length.setdefault(len(kept), []).append(weight)
    for length, group in by_length.items():
        most = max(CHUNK_PAIRS // (length + 2) ** 2, 1)
        for start in range(0, len(group), most):
            part = slice(start, start + most)
            tally.add(np.array(group[part]), np.array(weights_by_length[length][part]))
    return tally.result()


class _Tally:
    """Running counts: weighted, and as exact whole numbers."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._before = np.zeros(size * size)
        self._together = np.zeros((size, size))
        self._recordings = np.zeros(size)
        self._number_before = np.zeros(size * size, dtype=np.int64)
        self._number_together = np.zeros((size, size), dtype=np.int64)
        self._number = np.zeros(size, dtype=np.int64)
        self._contradicted = np.zeros((size, size), dtype=bool)

    def add(self, nodes: NDArray[np.int64], weights: Matrix) -> None:
        """Add sequences of one length without repetition: (sequences, length)."""
        later, earlier = np.tril_indices(nodes.shape[1], -1)
        pairs = (nodes[:, later] * self._size + nodes[:, earlier]).ravel()
        by_pair = np.repeat(weights, len(later))
        self._before += np.bincount(pairs, by_pair, minlength=self._size**2)
        self._number_before += np.bincount(pairs, minlength=self._size**2)
        shown, by_node = nodes.ravel(), np.repeat(weights, nodes.shape[1])
        self._recordings += np.bincount(shown, by_node, minlength=self._size)
        self._number += np.bincount(shown, minlength=self._size)

    def add_with_repetitions(self, nodes: NDArray[np.int64], weight: float) -> None:
        """Add a sequence with repeated steps, which come before others by their last occurrence."""
        first, last = np.full(self._size, -1), np.full(self._size, -1)
        last[nodes] = np.arange(len(nodes))
        first[nodes[::-1]] = np.arange(len(nodes))[::-1]
        shown = np.flatnonzero(first >= 0)
        came = last[None, shown] < first[shown, None]
        pairs = (shown[:, None] * self._size + shown)[came]
        self._before[pairs] += weight
        self._number_before[pairs] += 1
        self._recordings[shown] += weight
        self._number[shown] += 1
        # Pairs in neither order count as shown together, and contradict both orders.
        neither = ~came & ~came.T
        self._together[np.ix_(shown, shown)] += weight * neither
        self._number_together[np.ix_(shown, shown)] += neither
        self._contradicted[np.ix_(shown, shown)] |= neither

    def result(self) -> Precedence:
        """Return the counts."""
        square = (self._size, self._size)
        before, number_before = self._before.reshape(square), self._number_before.reshape(square)
        together = self._together + before + before.T
        number_together = self._number_together + number_before + number_before.T
        np.fill_diagonal(together, 0.0)
        np.fill_diagonal(number_together, 0)
        contradicted = self._contradicted | (number_before.T > 0)
        return Precedence(
            before,
            self._recordings,
            together,
            (number_together > 0) & ~contradicted,
            (number_together == self._number[:, None]) & ~contradicted,
        )
