"""Direct Optimization of many procedures at once, by the rows of Z that still move.

The general loop moves whole matrices. Where a row rests as soon as it agrees with every sequence,
most of what it computes no longer changes; with hundreds of procedures side by side that is most
of its time. Here only moving rows are computed, with the gradient written out (`row_sums`), which
saves what automatic differentiation keeps and copies. It gives what the general loop gives, but
for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stepgraph.learners.base import Progress
from stepgraph.learners.tgml.row_adam import DECAYS, TINY
from stepgraph.learners.tgml.row_sums import (
    Array,
    Denominators,
    Numbers,
    Places,
    Rows,
    contradicted,
    in_turns,
)

CROWDED = 0.65
"""The share of the rows that must still move; below it those at rest are taken out."""
DENSE = 3
"""How many times the entries that its sequences meet the masks of a batch's rows may have."""


class Problem(NamedTuple):
    """One procedure to learn.

    Parameters
    ----------
    sequences
        Node numbers, without START and END and without repetitions.
    scores
        (nodes, nodes): the first scores, so low where an edge is impossible that softmax gives 0.
    """

    sequences: Sequence[Sequence[int]]
    scores: Array


class Descent(NamedTuple):
    """How to go down: settings of `DirectOptimization`."""

    beta: float
    learning_rate: float
    epochs: int
    epsilon: float


def suit_rows(problems: Sequence[Problem]) -> bool:
    """Return whether all sequences fit into masks without much padding."""
    met = sum((len(steps) + 2) ** 2 for problem in problems for steps in problem.sequences)
    rows = sum(len(problem.scores) for problem in problems)
    most = max(len(problem.sequences) for problem in problems)
    return most * rows * max(len(problem.scores) for problem in problems) <= DENSE * met


def optimise_rows(
    problems: Sequence[Problem], descent: Descent, progress: Progress
) -> list[tuple[NDArray[np.float64], int]]:
    """Train until every row is at rest; return Z and the number of epochs of each procedure.

    Parameters
    ----------
    problems
        The procedures.
    descent
        How to train.
    progress
        Told how many epochs are done.
    """
    training = _Training(problems, descent)
    while training.moving.any() and training.epoch < descent.epochs:
        training.step()
        progress(training.epoch, descent.epochs, training.state())
    progress(descent.epochs, descent.epochs, "learned")
    return training.results()


class _Columns(NamedTuple):
    """What is known of each row in training, which is the last dimension."""

    procedure: Numbers
    node: Numbers
    threshold: Array
    scores: Array
    wrong: Array
    """(nodes, rows): 1 where an edge would contradict a sequence, else 0."""
    first: Array
    second: Array
    """Adam's moments."""

    def only(self, rows: Numbers) -> _Columns:
        return _Columns(*(column.take(rows, axis=-1) for column in self))  # type: ignore[arg-type]


class _Training:
    """The state of the training before each epoch."""

    def __init__(self, problems: Sequence[Problem], descent: Descent) -> None:
        self._descent = descent
        self.epoch = 0
        sizes = [len(problem.scores) for problem in problems]
        dtype = problems[0].scores.dtype
        self._full = [np.zeros((size, size)) for size in sizes]
        self._finished_at = np.zeros(len(problems), dtype=np.int64)
        self._present = np.arange(len(problems))
        self._places = Places.of([problem.sequences for problem in problems], sizes)
        self._at_rest = np.zeros(self._places.of_node.shape, dtype)

        # START's row needs nothing; the columns beyond a procedure's nodes have weight 0.
        rows = np.array(sizes) - 1
        procedure = np.repeat(self._present, rows)
        node = np.concatenate([np.arange(1, size) for size in sizes])
        scores = np.full((max(sizes), len(procedure)), -np.inf, dtype)
        stop = 0
        for size, problem in zip(sizes, problems, strict=True):
            start, stop = stop, stop + size - 1
            scores[:size, start:stop] = problem.scores[1:].T
        self._columns = _Columns(
            procedure,
            node,
            (1 / np.array(sizes, dtype))[procedure],
            scores,
            contradicted(self._places, procedure, node).astype(dtype),
            np.zeros_like(scores),
            np.zeros_like(scores),
        )
        self._Z, self._room = np.empty_like(scores), np.empty_like(scores)
        self._look()
        self._take_out()

    def state(self) -> str:
        """Return how far it is, in words."""
        learned = np.count_nonzero(self._finished_at)
        return f"{learned} of {len(self._finished_at)} procedures learned"

    def step(self) -> None:
        """Move each row that is not at rest."""
        if np.count_nonzero(self.moving) < CROWDED * len(self.moving):
            self._take_out()
        self.epoch += 1
        Z, den = self._Z, self._denominators
        den.changes[:] = self._at_rest
        self._rows.add_changes(Z, den.changes)
        gradient = self._rows.gradient(den.later(), self._descent.epsilon)
        gradient -= np.multiply(Z, gradient, out=self._room).sum(0)
        gradient *= Z
        self._move(gradient)
        self._look()

    def _move(self, gradient: Array) -> None:
        """Let Adam move the rows that are not at rest."""
        _, _, _, scores, _, first, second = self._columns
        change = np.subtract(gradient, first, out=self._room)
        change *= 1 - DECAYS[0]
        first += change
        squares = np.square(gradient, out=gradient)
        squares *= 1 - DECAYS[1]
        second *= DECAYS[1]
        second += squares
        np.divide(second, 1 - DECAYS[1] ** self.epoch, out=change)
        np.sqrt(change, out=change)
        change += TINY
        np.divide(first, change, out=change)
        change *= self._descent.learning_rate / (1 - DECAYS[0] ** self.epoch)
        change *= self.moving
        scores -= change

    def results(self) -> list[tuple[NDArray[np.float64], int]]:
        """Return Z and the number of epochs of each procedure."""
        self._put(np.arange(len(self.moving)))
        ended = np.where(self._finished_at > 0, self._finished_at - 1, self._descent.epochs)
        return list(zip(self._full, ended.tolist(), strict=True))

    def _look(self) -> None:
        """Find Z, which rows move on, and which procedures have none left."""
        columns = self._columns
        Z = np.subtract(columns.scores, columns.scores.max(0), out=self._Z)
        np.exp(Z, out=Z)
        Z /= Z.sum(0)
        self.moving = np.multiply(Z, columns.wrong, out=self._room).max(0) > columns.threshold
        moves = np.bincount(columns.procedure[self.moving], minlength=len(self._present))
        ended = self._present[moves == 0]
        self._finished_at[ended[self._finished_at[ended] == 0]] = self.epoch + 1
        self._moves = moves

    def _take_out(self) -> None:
        """Go on with the rows that move, and the procedures that have some."""
        rows = np.flatnonzero(~self.moving)
        self._put(rows)
        rows = rows[in_turns(self._columns.procedure[rows])]
        self._rows_of(rows).add_changes(self._Z[:, rows], self._at_rest)

        # Procedures with most rows come first, so that those of each turn stand side by side.
        staying = np.flatnonzero(self._moves)
        staying = staying[np.argsort(-self._moves[staying], kind="stable")]
        self._present, self._moves = self._present[staying], self._moves[staying]
        self._places = self._places.only(staying)
        self._at_rest = self._at_rest.take(staying, axis=2)
        new = np.empty(len(staying) and int(staying.max()) + 1, dtype=np.int64)
        new[staying] = np.arange(len(staying))

        rows = np.flatnonzero(self.moving)
        rows = rows[in_turns(new[self._columns.procedure[rows]])]
        columns = self._columns.only(rows)
        self._columns = columns._replace(procedure=new[columns.procedure])
        self._Z, self.moving = self._Z.take(rows, axis=1), self.moving[rows]
        self._room = np.empty_like(self._Z)
        if len(rows):
            self._rows = self._rows_of(np.arange(len(rows)))
            self._denominators = Denominators(
                self._places, self._descent.beta, self._descent.epsilon, self._Z.dtype
            )

    def _rows_of(self, numbers: Numbers) -> Rows:
        columns = self._columns
        return Rows(self._places, columns.procedure[numbers], columns.node[numbers], self._Z.dtype)

    def _put(self, rows: Numbers) -> None:
        """Write rows of Z where they belong."""
        procedures = self._present[self._columns.procedure[rows]].tolist()
        nodes = self._columns.node[rows].tolist()
        weights = self._Z[:, rows].T.astype(np.float64)
        for procedure, node, row in zip(procedures, nodes, weights, strict=True):
            full = self._full[procedure]
            full[node] = row[: len(full)]
