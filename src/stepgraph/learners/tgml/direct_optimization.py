"""Direct Optimization: the adjacency matrix itself is the model (paper, section 3.2).

A score for every pair of nodes, softmax over each row, the TGML loss, Adam. All procedures and
seeds train together, by the rows that still move (`descent`), in numpy alone.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph.adjacency import Matrix, WeightedAdjacency
from stepgraph.learners.base import (
    Curve,
    Learned,
    Learner,
    Progress,
    check_number,
    check_whole,
    no_progress,
    one_of,
)
from stepgraph.learners.precedence import precedence
from stepgraph.learners.robust.learner import without_slips
from stepgraph.learners.tgml.descent import Descent, Problem, optimise
from stepgraph.learners.tgml.stopping import SequenceAccuracyPlateau, Stopping, sequence_accuracy
from stepgraph.repetitions import Repetitions, random_occurrences, without_repetitions
from stepgraph.sequences import Demonstrations


@dataclass(frozen=True)
class DirectOptimization(Learner):
    """Gradient descent on the scores of all edges.

    Parameters
    ----------
    repetitions
        Which occurrence of a repeated step counts; 'random' draws anew each epoch.
    beta
        The weight of the contrastive term of the loss.
    learning_rate
        Adam's learning rate.
    epochs
        The largest number of epochs.
    stopping
        When to stop; see `Stopping`.
    target, patience
        For the paper's stopping: the sequence accuracy to reach, and how many epochs to wait
        for a better one; 0 stops at once.
    epsilon
        Added inside the logarithms.
    spread
        The standard deviation of the first scores, times the number of nodes. An even row of N
        nodes lies 2 / N above the threshold 1 / N, in proportion, so a spread well below 2 starts
        every edge above it.
    protected
        Whether to learn only from recordings in which the robust learner sees no slip.
    """

    name: ClassVar[str] = "do"
    seeded: ClassVar[bool] = True

    beta: float = 0.005
    learning_rate: float = 0.1
    epochs: int = 1000
    stopping: Stopping = Stopping.ROWS
    target: float = 0.95
    patience: int = 25
    epsilon: float = 1e-6
    spread: float = 0.1
    protected: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "stopping", one_of("stopping", self.stopping, Stopping))
        for name in ("beta", "epsilon", "spread", "target"):
            check_number(name, getattr(self, name), low=0.0)
        check_number("learning_rate", self.learning_rate, low=0.0, above=True)
        check_whole("epochs", self.epochs, low=1)
        check_whole("patience", self.patience, low=0)

    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:
        """Learn the weights of one procedure."""
        return self.learn_many([demonstrations], seeds=[seed])[0][0]

    def learn_many(
        self,
        procedures: Sequence[Demonstrations],
        *,
        seeds: Sequence[int] = (0,),
        progress: Progress = no_progress,
    ) -> list[list[Learned]]:
        """Learn several procedures, each with several seeds, together.

        Parameters
        ----------
        procedures
            The demonstrations of each.
        seeds
            For the first scores, and for the draws of repeated steps.
        progress
            Called with the number of epochs done.
        """
        believed = [self._believed(demonstrations) for demonstrations in procedures]
        tasks = [_Task(self, demonstrations, seed) for demonstrations in believed for seed in seeds]
        if not tasks:
            return [[] for _ in procedures]
        found = optimise(_problems(tasks), self._descent(), progress)
        learned = [task.learned(*result) for task, result in zip(tasks, found, strict=True)]
        return [learned[start : start + len(seeds)] for start in range(0, len(tasks), len(seeds))]

    def training_curve(self, demonstrations: Demonstrations, *, seed: int = 0) -> Curve:
        """Train on one procedure and return its loss by epoch."""
        losses: list[float] = []
        task = _Task(self, self._believed(demonstrations), seed)
        optimise(_problems([task]), self._descent(), no_progress, losses)
        return Curve("TGML loss", "epoch", tuple(losses))

    def _believed(self, demonstrations: Demonstrations) -> Demonstrations:
        return without_slips(demonstrations) if self.protected else demonstrations

    def _descent(self) -> Descent:
        return Descent(
            self.beta,
            self.learning_rate,
            self.epochs,
            self.epsilon,
            rows_rest=self.stopping is Stopping.ROWS,
            drawn=self.repetitions is Repetitions.RANDOM,
        )


class _Task:
    """One procedure with one seed."""

    def __init__(
        self, learner: DirectOptimization, demonstrations: Demonstrations, seed: int
    ) -> None:
        self._learner, self._demonstrations, self.seed = learner, demonstrations, seed
        self._free = without_repetitions(demonstrations, learner.repetitions, seed=seed)

    @property
    def size(self) -> int:
        """Number of nodes of the procedure."""
        return len(self._demonstrations.vocabulary) + 2

    def problem(self, draws: Matrix) -> Problem:
        """Return the matrix to optimise, from standard normal draws of its size and seed."""
        learner, free = self._learner, self._free
        scores = first_scores(draws, learner.spread)
        rule = None
        if learner.stopping is Stopping.PAPER:
            rule = SequenceAccuracyPlateau(
                free.sequences, target=learner.target, patience=learner.patience
            )
        if learner.repetitions is Repetitions.RANDOM:
            # All but drawn sequences are distinct, so only drawn ones need weights.
            weights = [recording.weight for recording in self._demonstrations]
            return Problem(scores, self._drawn, weights, self._always, rule)
        always = self._always if learner.repetitions is Repetitions.EXPAND else None
        return Problem(scores, lambda _: free.sequences, None, always, rule)

    def learned(self, Z: Matrix, epochs: int) -> Learned:
        """Return the result; a step that no recording shows needs START only."""
        learner, size = self._learner, len(Z)
        for node in range(1, size - 1):
            if node not in self._demonstrations.seen:
                Z[node] = 0.0
                Z[node, 0] = 1.0
        # A row at rest has preconditions, and all of them come first in every sequence.
        at_rest = learner.stopping is Stopping.ROWS and epochs < learner.epochs
        accuracy = 1.0 if at_rest else sequence_accuracy(1 / size < Z, self._free.sequences)
        return Learned(
            WeightedAdjacency(self._demonstrations.vocabulary, Z),
            self._free.notes,
            {"epochs": epochs, "sequence_accuracy": accuracy},
        )

    @cached_property
    def _always(self) -> NDArray[np.bool_]:
        """Whether j comes before i in every sequence with i, whichever occurrences count."""
        return precedence(self._demonstrations, self._learner.repetitions).always

    def _drawn(self, epoch: int) -> list[tuple[int, ...]]:
        rng = random.Random(f"{self.seed}/{epoch}")
        return [random_occurrences(recording.steps, rng) for recording in self._demonstrations]


def _problems(tasks: Sequence[_Task]) -> list[Problem]:
    """Return the matrices to optimise; those of one size and seed begin alike."""
    draws = {
        (size, seed): normal_draws(size * size, seed).reshape(size, size)
        for size, seed in {(task.size, task.seed) for task in tasks}
    }
    return [task.problem(draws[task.size, task.seed]) for task in tasks]


def first_scores(draws: Matrix, spread: float) -> Matrix:
    """Return nearly even scores, minus infinity where an edge is impossible.

    START needs nothing, and nothing needs END or itself.

    Parameters
    ----------
    draws
        (nodes, nodes): standard normal numbers.
    spread
        The standard deviation of the scores, times the number of nodes.
    """
    scores = draws * (spread / len(draws))
    scores[0] = scores[:, -1] = -np.inf
    np.fill_diagonal(scores, -np.inf)
    return scores


def normal_draws(count: int, seed: int) -> Matrix:
    """Return standard normal numbers, the same as torch's generator draws for a seed.

    The paper's code begins from torch's draws, so results can be compared seed by seed without
    torch. Its generator is the Mersenne Twister, of which two words make a number of 53 bits; Box
    and Muller's formula turns eight pairs of these at a time into normal numbers, and the last
    sixteen are drawn anew where they do not fill up.
    """
    filled = max(count, 16)
    drawn = filled + (16 if filled % 16 else 0)
    words = np.random.RandomState(seed % 2**32).randint(0, 2**32, (drawn, 2), dtype=np.uint32)
    joined = (words[:, 0].astype(np.uint64) << np.uint64(32)) | words[:, 1]
    uniform: Matrix = (joined & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53
    whole = filled - filled % 16
    draws = np.concatenate((_box_muller(uniform[:whole]), np.zeros(filled % 16)))
    if filled % 16:
        draws[-16:] = _box_muller(uniform[filled:])
    return draws[:count]


def _box_muller(uniform: Matrix) -> Matrix:
    """Return normal numbers from uniform ones, sixteen by sixteen."""
    one, other = np.moveaxis(uniform.reshape(-1, 2, 8), 1, 0)
    radius, angle = np.sqrt(-2 * np.log(1 - one)), 2 * np.pi * other
    pairs = np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1)
    return pairs.ravel()
