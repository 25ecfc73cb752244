"""When Direct Optimization stops: row by row, or by the sequence accuracy of whole graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]


class Stopping(StrEnum):
    """When Direct Optimization stops."""

    ROWS = "rows"
    """Each row of Z rests once it agrees with every sequence; stop when all rest.

    The likelihood term of Eq. 6 falls apart into the rows of Z, and a row has reached its maximum
    when all its weight lies on steps that always come first. From there on only the contrastive
    term moves it, and Adam enlarges that term's small gradient to full steps, which pile the row's
    weight onto few columns. So a row rests as soon as its thresholded preconditions come before the
    step in every sequence; docs/decisions/0002 has the figures.
    """
    PAPER = "paper"
    """Stop when the sequence accuracy of the whole graph exceeds a target and no longer improves.
    """
    NEVER = "never"
    """Stop after the last epoch."""


class GraphRule(Protocol):
    """Decides whether the training of one graph is over."""

    def finished(self, epoch: int, Z: Matrix) -> bool:
        """Return whether to stop after an epoch, counted from 1, with these weights.

        Epoch 0 is before the first one.
        """


class SequenceAccuracyPlateau:
    """Stops when the sequence accuracy no longer improves, as the paper's released code does.

    Epochs count only if their graph is acyclic and its accuracy above the target. An accuracy that
    equals the best one so far starts the wait anew, unless it is 1 and cannot improve.

    Parameters
    ----------
    sequences
        The sequences to measure the accuracy on; steps may repeat.
    graph_of
        Maps an epoch and its weights to edges, row = step, column = precondition; None for a graph
        with a cycle.
    target
        The accuracy to exceed.
    patience
        How many epochs to wait for a better one; 0 stops at once.
    """

    def __init__(
        self,
        sequences: Sequence[Sequence[int]],
        graph_of: Callable[[int, Matrix], BoolMatrix | None],
        *,
        target: float,
        patience: int,
    ) -> None:
        self._sequences, self._graph_of = sequences, graph_of
        self._target, self._patience = target, patience
        self._best, self._waited = -1.0, 0

    def finished(self, epoch: int, Z: Matrix) -> bool:
        """Return whether the accuracy has not improved for `patience` epochs."""
        edges = self._graph_of(epoch, Z) if epoch else None
        if edges is None:
            return False
        accuracy = sequence_accuracy(edges, self._sequences)
        if accuracy <= self._target:
            return False
        if accuracy >= self._best and not accuracy == self._best == 1:
            self._best, self._waited = accuracy, 0
        else:
            self._waited += 1
        return self._waited >= self._patience


def sequence_accuracy(edges: NDArray[np.bool_], sequences: Iterable[Sequence[int]]) -> float:
    """Return the paper's Sequence Accuracy (appendix, 'Early Stopping').

    For each step of a sequence, the share of its preconditions that came before it; 1 where
    neither exist (START), 0 where a step has none though something came before it. Averaged
    over the steps, START and END included, then over the sequences.

    Parameters
    ----------
    edges
        Which preconditions each node has: row = step, column = precondition.
    sequences
        Node numbers 1 to n, without START and END. A repeated step is judged each time, by all
        that came before.

    Examples
    --------
    >>> chain = np.eye(4, k=-1, dtype=bool)  # START <- 1 <- 2 <- END
    >>> sequence_accuracy(chain, [(1, 2)])
    1.0
    >>> sequence_accuracy(chain, [(2, 1)])
    0.75
    """
    size = len(edges)
    by_length: dict[int, list[tuple[int, ...]]] = {}
    for steps in sequences:
        by_length.setdefault(len(steps), []).append((0, *steps, size - 1))
    needed = edges.sum(axis=1)
    total, count = 0.0, 0
    for group in by_length.values():
        nodes = np.array(group)
        earlier = np.tri(nodes.shape[1], k=-1, dtype=bool)
        same = nodes[:, :, None] == nodes[:, None, :]
        first = ~(same & earlier).any(axis=2)
        met = edges[nodes[:, :, None], nodes[:, None, :]] & earlier & first[:, None, :]
        came = np.count_nonzero(met, axis=2)
        share = came / np.maximum(needed, 1)[nodes]
        share[:, 0] = needed[0] == 0
        total += float(share.sum()) / nodes.shape[1]
        count += len(group)
    return total / count
