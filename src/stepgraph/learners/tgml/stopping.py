"""When Direct Optimization stops: row by row, or by the sequence accuracy of whole graphs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from enum import StrEnum

import networkx as nx
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stepgraph.learners.tgml.row_adam import RowAdam


class Stopping(StrEnum):
    """When Direct Optimization stops."""

    ROWS = "rows"
    """Each row of Z rests once it agrees with every sequence; stop when all rest."""
    PAPER = "paper"
    """25 epochs after the sequence accuracy last improved, from 0.95 on."""
    NEVER = "never"
    """After the last epoch."""


class RowRule(ABC):
    """Tells an optimizer which rows may move, and remembers when each model had none left.

    Parameters
    ----------
    optimizer
        The optimizer of the scores: (models, procedures, nodes, nodes).
    """

    def __init__(self, optimizer: RowAdam) -> None:
        self._optimizer = optimizer
        scores = optimizer.scores
        self.finished_at = torch.zeros(scores.shape[:2], dtype=torch.int64, device=scores.device)
        """The epoch before which each model had finished; 0 while it has not."""

    @abstractmethod
    def observe(self, epoch: int, Z: Tensor) -> Tensor:
        """Return which models have finished: (models, procedures)."""

    def _move_only(self, moving: Tensor, epoch: int) -> Tensor:
        """Let only some rows move in this epoch; return which models have none left."""
        finished = ~moving.any(-1)
        self.finished_at.masked_fill_(finished & (self.finished_at == 0), epoch)
        self._optimizer.moving = moving
        return finished


class RowsAtRest(RowRule):
    """Stops each row of Z on its own, once it agrees with every sequence.

    The likelihood term of Eq. 6 falls apart into the rows of Z, and a row has reached its
    maximum when all its weight lies on steps that always come first. From there on only the
    contrastive term moves it, and Adam enlarges that term's small gradient to full steps,
    which pile the row's weight onto few columns. So a row rests as soon as its thresholded
    preconditions come before the step in every sequence; docs/decisions/0002 has the figures.

    Parameters
    ----------
    optimizer
        The optimizer of the scores.
    always
        (procedures, nodes, nodes): whether j comes before i in every sequence with i.
    thresholds
        (procedures,): the weight above which an edge counts.
    """

    def __init__(self, optimizer: RowAdam, always: Tensor, thresholds: Tensor) -> None:
        super().__init__(optimizer)
        self._never_wrong = always
        self._thresholds = thresholds[:, None, None]

    def observe(self, epoch: int, Z: Tensor) -> Tensor:
        """Return which models have all rows at rest."""
        wrong = (self._thresholds < Z) & ~self._never_wrong
        return self._move_only(wrong.any(-1), epoch)


class SequenceAccuracyPlateau(RowRule):
    """Stops a model when its sequence accuracy no longer improves, as the paper does.

    Parameters
    ----------
    optimizer
        The optimizer of the scores.
    sequences
        For each procedure its sequences.
    sizes
        For each procedure its number of nodes.
    thresholds
        (procedures,): the weight above which an edge counts.
    target
        The accuracy from which on stopping is allowed; it counts only while the graph is
        acyclic.
    patience
        How many epochs to wait for an improvement.
    """

    def __init__(
        self,
        optimizer: RowAdam,
        sequences: Sequence[Sequence[tuple[int, ...]]],
        sizes: Sequence[int],
        thresholds: Tensor,
        *,
        target: float,
        patience: int,
    ) -> None:
        super().__init__(optimizer)
        self._sequences = sequences
        self._sizes = sizes
        self._thresholds = thresholds[:, None, None]
        self._target = target
        self._patience = patience
        self._best = np.full(tuple(optimizer.scores.shape[:2]), -1.0)
        self._best_at = np.zeros(tuple(optimizer.scores.shape[:2]), dtype=np.int64)
        self._finished = np.zeros(tuple(optimizer.scores.shape[:2]), dtype=bool)

    def observe(self, epoch: int, Z: Tensor) -> Tensor:
        """Return which models have waited long enough."""
        edges = (self._thresholds < Z).cpu().numpy()
        for model, procedure in zip(*(~self._finished).nonzero(), strict=True):
            size = self._sizes[procedure]
            graph = edges[model, procedure, :size, :size]
            accuracy = sequence_accuracy(graph, self._sequences[procedure])
            best = self._best[model, procedure]
            if accuracy > best and accuracy >= self._target and _is_acyclic(graph):
                self._best[model, procedure] = accuracy
                self._best_at[model, procedure] = epoch
            elif best >= 0 and epoch - self._best_at[model, procedure] >= self._patience:
                self._finished[model, procedure] = True
        moving = torch.from_numpy(~self._finished).to(Z.device)[..., None].expand(Z.shape[:3])
        return self._move_only(moving, epoch)


class NeverStop(RowRule):
    """Goes on to the last epoch."""

    def observe(self, epoch: int, Z: Tensor) -> Tensor:  # noqa: ARG002
        """Return that no model has finished."""
        return torch.zeros(Z.shape[:2], dtype=torch.bool, device=Z.device)


def _is_acyclic(edges: NDArray[np.bool_]) -> bool:
    graph = nx.from_numpy_array(edges, create_using=nx.DiGraph)
    return bool(nx.is_directed_acyclic_graph(graph))


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
        Node numbers 1 to n without repetition, without START and END.

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
        came = np.count_nonzero(edges[nodes[:, :, None], nodes[:, None, :]] & earlier, axis=2)
        share = came / np.maximum(needed, 1)[nodes]
        share[:, 0] = needed[0] == 0
        total += float(share.sum()) / nodes.shape[1]
        count += len(group)
    return total / count
