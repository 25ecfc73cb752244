"""Direct Optimization: the adjacency matrix itself is the model (paper, section 3.2).

A score for every pair of nodes, softmax over each row, the TGML loss, Adam. Several procedures
and seeds train as one batch; those that have finished leave it. Many procedures train by the rows
that still move (`row_training`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stepgraph.errors import SettingError
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.learners.base import Curve, Learned, Learner, Progress, no_progress
from stepgraph.learners.network_training import Epoch, one_thread, train
from stepgraph.learners.precedence import precedence
from stepgraph.learners.robust.learner import without_slips
from stepgraph.learners.settings import check_number, check_whole, one_of
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.loss import TGMLLoss
from stepgraph.learners.tgml.row_adam import RowAdam
from stepgraph.learners.tgml.row_training import Descent, Problem, optimise_rows, suit_rows
from stepgraph.learners.tgml.score_matrix import ScoreMatrix, first_scores
from stepgraph.learners.tgml.stopping import (
    NeverStop,
    RowRule,
    RowsAtRest,
    SequenceAccuracyPlateau,
    Stopping,
    sequence_accuracy,
)
from stepgraph.repetitions import Repetitions, random_occurrences, without_repetitions
from stepgraph.sequences import Demonstrations

MANY_PAIRS = 5_000_000
"""From how many pairs of steps on an epoch is worth more than one thread."""

MANY_PROCEDURES = 10
"""From how many procedures on they train by rows; fewer by the general loop, which takes some
hundredths of a second and can be followed epoch by epoch."""

_Results = dict[tuple[int, int], tuple[NDArray[np.float64], int]]
"""Weights and epochs by model and number of the task."""


@dataclass(frozen=True)
class DirectOptimization(Learner):
    """Gradient descent on the scores of all edges.

    Parameters
    ----------
    repetitions
        Which occurrence counts where a recording repeats a step; 'random' draws anew each
        epoch.
    beta
        The weight of the contrastive term of the loss.
    learning_rate
        Adam's.
    epochs
        At most so many.
    stopping
        When to stop; see `Stopping`.
    target, patience
        For the paper's stopping: the sequence accuracy to reach, and how many epochs to wait
        for a better one.
    epsilon
        Added inside the logarithms.
    spread
        The standard deviation of the first scores is this over the number of nodes. An even
        row of N nodes lies 2 / N above the threshold 1 / N, in proportion, so a spread well
        below 2 lets no edge start out below it.
    protected
        Whether to learn only from recordings in which the robust learner sees no slip.
    device, dtype
        Where and how precisely to compute: any torch device; float32 or float64.
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
    device: str = "cpu"
    dtype: str = "float32"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "stopping", one_of("stopping", self.stopping, Stopping))
        for name in ("beta", "epsilon", "spread", "target"):
            check_number(name, getattr(self, name), low=0.0)
        check_number("learning_rate", self.learning_rate, low=0.0, above=True)
        for name in ("epochs", "patience"):
            check_whole(name, getattr(self, name), low=1)
        if self.dtype not in ("float32", "float64"):
            raise SettingError(f"dtype is {self.dtype!r}; expected float32 or float64")
        try:
            torch.zeros(1, device=self.device)
        except (RuntimeError, AssertionError, TypeError) as error:
            reason = str(error).splitlines()[0]
            raise SettingError(f"device {self.device!r} cannot be used: {reason}") from None

    @property
    def torch_dtype(self) -> torch.dtype:
        """How precisely to compute, as torch knows it."""
        return torch.float32 if self.dtype == "float32" else torch.float64

    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:
        """Learn the weights of one procedure."""
        return self.learn_many([demonstrations], seeds=[seed])[0][0]

    def learn_many(
        self,
        procedures: Sequence[Demonstrations],
        *,
        seeds: Sequence[int] = (0,),
        progress: Progress = no_progress,
        callback: Callable[[Epoch], None] | None = None,
    ) -> list[list[Learned]]:
        """Learn several procedures, each with several seeds, as one batch.

        Parameters
        ----------
        procedures
            The demonstrations of each.
        seeds
            For the first scores, and for the draws of repeated steps.
        progress
            Told how many epochs are done.
        callback
            Told of each epoch, with its loss.
        """
        if self.repetitions is Repetitions.RANDOM and len(seeds) > 1:
            # Each seed draws its own sequences, so seeds cannot share a batch.
            columns = [
                self.learn_many(procedures, seeds=[seed], progress=progress, callback=callback)
                for seed in seeds
            ]
            return [[column[number][0] for column in columns] for number in range(len(procedures))]
        if self.protected:
            procedures = [without_slips(given) for given in procedures]
        tasks = [_Task.of(number, given, self, seeds) for number, given in enumerate(procedures)]
        pairs = sum(len(steps) ** 2 for task in tasks for steps in task.sequences)
        with one_thread(pairs < MANY_PAIRS):
            if len(tasks) >= MANY_PROCEDURES and len(seeds) == 1 and callback is None:
                results = _optimise_many(self, tasks, seeds[0], progress)
            else:
                results = _optimise(self, tasks, seeds, progress, callback)
        return [
            [self._learned(task, *results[model, task.number]) for model in range(len(seeds))]
            for task in tasks
        ]

    def training_curve(self, demonstrations: Demonstrations, *, seed: int = 0) -> Curve:
        """Train on one procedure and return its loss by epoch."""
        losses: list[float] = []
        self.learn_many(
            [demonstrations], seeds=[seed], callback=lambda epoch: losses.append(epoch.loss)
        )
        return Curve("TGML loss", "epoch", tuple(losses))

    def _learned(self, task: _Task, weights: NDArray[np.float64], epochs: int) -> Learned:
        matrix = weights.copy()
        seen = task.demonstrations.seen
        for node in range(1, task.size - 1):
            if node not in seen:
                matrix[node] = 0.0
                matrix[node, 0] = 1.0
        # A row at rest has preconditions, and all of them come first in every sequence.
        at_rest = self.stopping is Stopping.ROWS and epochs < self.epochs
        accuracy = 1.0 if at_rest else sequence_accuracy(matrix > 1 / task.size, task.sequences)
        return Learned(
            WeightedAdjacency(task.demonstrations.vocabulary, matrix),
            task.notes,
            {"epochs": epochs, "sequence_accuracy": accuracy},
        )


@dataclass(frozen=True)
class _Task:
    """One procedure on its way through the optimisation."""

    number: int
    demonstrations: Demonstrations
    size: int
    sequences: tuple[tuple[int, ...], ...]
    notes: tuple[str, ...]
    repetitions: Repetitions

    @classmethod
    def of(
        cls, number: int, given: Demonstrations, learner: DirectOptimization, seeds: Sequence[int]
    ) -> _Task:
        free = without_repetitions(given, learner.repetitions, seed=seeds[0])
        return cls(
            number,
            given,
            len(given.vocabulary) + 2,
            free.sequences,
            free.notes,
            learner.repetitions,
        )

    @cached_property
    def always(self) -> NDArray[np.bool_]:
        """(nodes, nodes): whether j comes before i in every sequence with i."""
        return precedence(self.demonstrations, self.repetitions).always

    def drawn(self, seed: int, epoch: int) -> list[tuple[int, ...]]:
        rng = random.Random(f"{seed}/{epoch}")
        return [random_occurrences(recording.steps, rng) for recording in self.demonstrations]


def _optimise_many(
    learner: DirectOptimization, tasks: list[_Task], seed: int, progress: Progress
) -> _Results:
    """Train by rows what can be trained so, else by the general loop."""
    first = {
        size: first_scores(size, seed, learner.spread, learner.torch_dtype).numpy()
        for size in {task.size for task in tasks}
    }
    problems = [Problem(task.sequences, first[task.size]) for task in tasks]
    by_rows = (
        learner.stopping is Stopping.ROWS
        and learner.repetitions is not Repetitions.RANDOM
        and learner.device == "cpu"
        and learner.epsilon > 0
        and suit_rows(problems)
    )
    if not by_rows:
        return _optimise(learner, tasks, [seed], progress, None)
    descent = Descent(learner.beta, learner.learning_rate, learner.epochs, learner.epsilon)
    trained = optimise_rows(problems, descent, progress)
    return {(0, task.number): result for task, result in zip(tasks, trained, strict=True)}


def _optimise(
    learner: DirectOptimization,
    tasks: list[_Task],
    seeds: Sequence[int],
    progress: Progress,
    callback: Callable[[Epoch], None] | None,
) -> _Results:
    """Train all tasks by the general loop."""
    loss = TGMLLoss(learner.beta, learner.epsilon)
    sizes = [task.size for task in tasks]
    model = ScoreMatrix.random(sizes, seeds, learner.spread, learner.torch_dtype)
    model.to(learner.device)
    optimizer = RowAdam(model.scores, learner.learning_rate)
    batches = _Batches(learner, tasks, seeds, model.scores)
    results: _Results = {}
    epoch = 1
    total = len(tasks)
    finished_at: Tensor | None = None

    def tell(report: Epoch) -> None:
        learned = len(results) // len(seeds)
        progress(report.number, learner.epochs, f"{learned} of {total} procedures learned")
        if callback is not None:
            callback(report)

    listener = None if callback is None and progress is no_progress else tell
    while tasks and epoch <= learner.epochs:
        rule = _rule(learner, optimizer, tasks)
        if finished_at is not None:
            rule.finished_at = finished_at
        epoch = train(
            model,
            batches,
            loss,
            optimizer,
            rule,
            epochs=range(epoch, learner.epochs + 1),
            enough=0.25 if learner.stopping is Stopping.ROWS else 1.0,
            callback=listener,
        )
        over = epoch > learner.epochs
        whole = (rule.finished_at > 0).all(dim=0).tolist()
        leaving = [n for n in range(len(tasks)) if over or whole[n]]
        with torch.no_grad():
            Z = model().double().cpu().numpy()
        ended = rule.finished_at.tolist()
        for position in leaving:
            size = tasks[position].size
            for number in range(len(seeds)):
                epochs = ended[number][position] - 1 if ended[number][position] else learner.epochs
                weights = Z[number, position, :size, :size]
                results[number, tasks[position].number] = (weights, epochs)
        staying = [n for n in range(len(tasks)) if n not in set(leaving)]
        tasks = [tasks[n] for n in staying]
        finished_at = rule.finished_at[:, staying]
        if tasks:
            model, optimizer = _keep(model, optimizer, staying, tasks)
            batches.keep(staying, tasks, model.scores)
    progress(learner.epochs, learner.epochs, "learned")
    return results


def _keep(
    model: ScoreMatrix, optimizer: RowAdam, staying: list[int], tasks: list[_Task]
) -> tuple[ScoreMatrix, RowAdam]:
    """Return model and optimizer with only some procedures, their training state included."""
    side = max(task.size for task in tasks)
    scores = model.scores.detach()[:, staying, :side, :side].clone()
    smaller = ScoreMatrix(scores, model.possible[staying, :side, :side])
    return smaller, optimizer.for_part(smaller.scores, staying)


class _Batches:
    """The sequences of each epoch: always the same, or drawn anew where a step is repeated."""

    def __init__(
        self,
        learner: DirectOptimization,
        tasks: list[_Task],
        seeds: Sequence[int],
        scores: Tensor,
    ) -> None:
        self._tasks, self._seed = tasks, seeds[0]
        self._stride, self._device = scores.shape[-1], scores.device
        self._fixed = None
        if learner.repetitions is not Repetitions.RANDOM:
            self._fixed = self._batch([task.sequences for task in tasks])

    def __call__(self, epoch: int) -> SequenceBatch:
        """Return the sequences of an epoch."""
        if self._fixed is not None:
            return self._fixed
        # Only drawn sequences are not made distinct, so only there a weight counts.
        weights = [[recording.weight for recording in task.demonstrations] for task in self._tasks]
        return self._batch([task.drawn(self._seed, epoch) for task in self._tasks], weights)

    def keep(self, staying: list[int], tasks: list[_Task], scores: Tensor) -> None:
        """Go on with some procedures only, for smaller scores."""
        self._tasks, self._stride = tasks, scores.shape[-1]
        if self._fixed is not None:
            self._fixed = self._fixed.part(staying, stride=self._stride)

    def _batch(
        self,
        sequences: Sequence[Sequence[Sequence[int]]],
        weights: Sequence[Sequence[float]] | None = None,
    ) -> SequenceBatch:
        return SequenceBatch(
            sequences,
            [task.size for task in self._tasks],
            stride=self._stride,
            device=self._device,
            weights=weights,
        )


def _rule(learner: DirectOptimization, optimizer: RowAdam, tasks: list[_Task]) -> RowRule:
    sizes = [task.size for task in tasks]
    scores = optimizer.scores
    thresholds = 1.0 / torch.tensor(sizes, dtype=scores.dtype, device=scores.device)
    if learner.stopping is Stopping.PAPER:
        return SequenceAccuracyPlateau(
            optimizer,
            [task.sequences for task in tasks],
            sizes,
            thresholds,
            target=learner.target,
            patience=learner.patience,
        )
    if learner.stopping is Stopping.NEVER:
        return NeverStop(optimizer)
    always = np.ones(tuple(scores.shape[1:]), dtype=bool)
    for number, task in enumerate(tasks):
        always[number, : task.size, : task.size] = task.always
    return RowsAtRest(optimizer, torch.from_numpy(always).to(thresholds.device), thresholds)
