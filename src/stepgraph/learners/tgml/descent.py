"""Direct Optimization's training: gradient descent by Adam on the rows of Z that still move.

Most rows rest long before the last one does, and a row at rest adds a constant to the denominators.
The training adds that constant once, and an epoch computes only the rows that move, of all
procedures and seeds together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stepgraph.learners.base import Progress
from stepgraph.learners.tgml.gradient import Floats, Places, Rows, Sums
from stepgraph.learners.tgml.stopping import GraphRule

CROWDED = 0.65
"""Minimum share of rows that move; below it the training drops the rows at rest."""
DECAYS = (0.9, 0.999)
"""Adam's decay rates of the mean gradient and of its square."""
TINY = 1e-8
"""Adam's constant, added to the root of the mean square."""


class Problem(NamedTuple):
    """One matrix to train.

    Parameters
    ----------
    scores
        (nodes, nodes): the first scores, minus infinity where an edge is impossible.
    sequences
        The sequences of an epoch: node numbers, without START and END and without repetitions.
    weights
        Number of recordings behind each sequence; None if each counts once.
    always
        (nodes, nodes): whether j comes before i in every sequence with i; None to take it from the
        sequences of the first epoch.
    rule
        The stopping rule of the whole matrix if rows do not rest; None for the last epoch.
    """

    scores: Floats
    sequences: Callable[[int], Sequence[Sequence[int]]]
    weights: Sequence[float] | None = None
    always: NDArray[np.bool_] | None = None
    rule: GraphRule | None = None


class Descent(NamedTuple):
    """How to train: settings of `DirectOptimization`.

    Parameters
    ----------
    beta, learning_rate, epochs, epsilon
        The weight of the contrastive term, Adam's step, the maximum number of epochs, and the
        constant inside the logarithms.
    rows_rest
        Whether a row rests once all that it needs comes first in every sequence.
    drawn
        Whether the sequences of each epoch differ.
    """

    beta: float
    learning_rate: float
    epochs: int
    epsilon: float
    rows_rest: bool = True
    drawn: bool = False


def optimise(
    problems: Sequence[Problem],
    descent: Descent,
    progress: Progress,
    losses: list[float] | None = None,
) -> list[tuple[Floats, int]]:
    """Train until nothing moves; return Z and the number of epochs of each problem.

    Parameters
    ----------
    problems
        The matrices to train.
    descent
        How to train.
    progress
        Called with the number of epochs done.
    losses
        A list to append the loss of each epoch to, summed over the problems that still move.
    """
    training = _Training(problems, descent)
    while training.moving.any() and training.epoch < descent.epochs:
        training.step()
        if losses is not None:
            losses.append(training.loss)
        progress(training.epoch, descent.epochs, training.state())
    progress(descent.epochs, descent.epochs, "learned")
    return training.results()


class _Training:
    """The state of the training before each epoch."""

    def __init__(self, problems: Sequence[Problem], descent: Descent) -> None:
        self._problems, self._descent = problems, descent
        self.epoch = 0
        self._sizes = np.array([len(problem.scores) for problem in problems])
        self._first = np.cumsum(self._sizes**2) - self._sizes**2
        self._trained = np.zeros(int((self._sizes**2).sum()))
        self._finished_at = np.zeros(len(problems), dtype=np.int64)
        self._present = np.arange(len(problems))

        # START's row needs nothing.
        node = np.concatenate([np.arange(1, size) for size in self._sizes])
        self._rows = Rows(self._sizes, np.repeat(self._present, self._sizes - 1), node)
        scores = np.concatenate([problem.scores[1:].ravel() for problem in problems])
        self._sums = Sums(self._drawn(1), self._rows)
        wrong = self._wrong() if descent.rows_rest else np.zeros(len(scores))
        self._entries = _Entries(scores, np.zeros_like(scores), np.zeros_like(scores), wrong)
        self._look()
        self._take_out()

    def state(self) -> str:
        """Return a sentence about the progress."""
        learned = np.count_nonzero(self._finished_at)
        return f"{learned} of {len(self._finished_at)} procedures learned"

    def step(self) -> None:
        """Move each row that is not at rest."""
        if np.count_nonzero(self.moving) < CROWDED * len(self.moving):
            self._take_out()
        self.epoch += 1
        Z, rows = self._Z, self._rows
        if self._descent.drawn and self.epoch > 1:
            self._sums = Sums(self._drawn(self.epoch), rows)
        gradient = self._sums.gradient(Z, self._descent.beta, self._descent.epsilon)
        gradient -= rows.spread(np.add.reduceat(Z * gradient, rows.starts))
        gradient *= Z
        self._move(gradient)
        self._look()

    @property
    def loss(self) -> float:
        """The loss of the remaining problems before the last step."""
        return self._sums.loss(self._descent.beta, self._descent.epsilon)

    def results(self) -> list[tuple[Floats, int]]:
        """Return Z and the number of epochs of each problem."""
        self._put(np.ones(len(self._rows), dtype=bool))
        ended = np.where(self._finished_at > 0, self._finished_at - 1, self._descent.epochs)
        found = np.split(self._trained, self._first[1:])
        return [
            (Z.reshape(size, size), epochs)
            for Z, size, epochs in zip(found, self._sizes, ended.tolist(), strict=True)
        ]

    def _move(self, gradient: Floats) -> None:
        """Let Adam (Kingma and Ba, 2015) move the rows that are not at rest."""
        scores, mean, square, _ = self._entries
        mean += (1 - DECAYS[0]) * (gradient - mean)
        square += (1 - DECAYS[1]) * (gradient**2 - square)
        size = self._descent.learning_rate / (1 - DECAYS[0] ** self.epoch)
        scale = np.sqrt(square / (1 - DECAYS[1] ** self.epoch)) + TINY
        scores -= size * mean / scale * self._rows.spread(self.moving)

    def _look(self) -> None:
        """Update Z, the rows that still move and the problems that are finished."""
        rows = self._rows
        self._Z = rows.softmax(self._entries.scores)
        self.moving = self._finished_at[self._present][rows.problem] == 0
        if self._descent.rows_rest:
            wrong = np.maximum.reduceat(self._Z * self._entries.wrong, rows.starts)
            self.moving &= wrong > 1 / rows.lengths
        if any(problem.rule is not None for problem in self._problems):
            self._ask_rules()
        moves = np.bincount(rows.problem[self.moving], minlength=len(self._present))
        ended = self._present[moves == 0]
        self._finished_at[ended[self._finished_at[ended] == 0]] = self.epoch + 1

    def _ask_rules(self) -> None:
        """Stop all rows of each matrix whose rule says so."""
        for number in np.unique(self._rows.problem[self.moving]).tolist():
            rule = self._problems[self._present[number]].rule
            if rule is not None and rule.finished(self.epoch, self._matrix(number)):
                self.moving &= self._rows.problem != number

    def _matrix(self, number: int) -> Floats:
        """Return Z of a problem whose rows are all present."""
        own = np.flatnonzero(self._rows.problem == number)
        size = len(own) + 1
        Z = np.zeros((size, size))
        start = self._rows.starts[own[0]]
        Z[1:] = self._Z[start : start + (size - 1) * size].reshape(size - 1, size)
        return Z

    def _take_out(self) -> None:
        """Drop the rows at rest and the problems without moving rows."""
        rows = self._rows
        sizes = self._sizes[self._present]
        unfinished = np.zeros(len(sizes), dtype=bool)
        unfinished[rows.problem[self.moving]] = True
        # With newly drawn sequences, the contribution of a row at rest changes.
        staying = unfinished[rows.problem] if self._descent.drawn else self.moving
        self._put(~staying)
        resting = ~staying & unfinished[rows.problem]
        if resting.any():
            at_rest = Rows(sizes, rows.problem[resting], rows.node[resting])
            self._sums.rest(at_rest, self._Z[rows.spread(resting)])
        problems = np.flatnonzero(unfinished)
        number = np.cumsum(unfinished) - 1
        self._present = self._present[problems]
        self._entries = self._entries.only(rows.spread(staying))
        self._Z, self.moving = self._Z[rows.spread(staying)], self.moving[staying]
        self._rows = Rows(sizes[problems], number[rows.problem[staying]], rows.node[staying])
        self._sums = self._sums.only(problems, sizes, self._rows)

    def _drawn(self, epoch: int) -> Places:
        """Return the sequences of an epoch."""
        present = [self._problems[number] for number in self._present.tolist()]
        return Places.of(
            [problem.sequences(epoch) for problem in present],
            [problem.weights for problem in present],
            self._sizes[self._present],
        )

    def _wrong(self) -> Floats:
        """Return 1 for each entry that contradicts a sequence, else 0."""
        always = [problem.always for problem in self._problems]
        known = [matrix[1:].ravel() for matrix in always if matrix is not None]
        if len(known) < len(always):
            return self._sums.contradicted().astype(np.float64)
        return (~np.concatenate(known)).astype(np.float64)

    def _put(self, chosen: NDArray[np.bool_]) -> None:
        """Write rows of Z where they belong."""
        rows = self._rows
        problem = self._present[rows.problem]
        first = self._first[problem] + rows.node * rows.lengths - rows.starts
        where = rows.spread(chosen)
        self._trained[(rows.spread(first) + np.arange(len(where)))[where]] = self._Z[where]


class _Entries(NamedTuple):
    """The state of each entry of the rows that move.

    Parameters
    ----------
    scores
        Their softmax over a row is Z.
    mean, square
        Adam's moments.
    wrong
        1 where an edge would contradict a sequence, else 0.
    """

    scores: Floats
    mean: Floats
    square: Floats
    wrong: Floats

    def only(self, chosen: NDArray[np.bool_]) -> _Entries:
        return _Entries(*(values[chosen] for values in self))
