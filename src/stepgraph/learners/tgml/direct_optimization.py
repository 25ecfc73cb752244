"""Direct Optimization: the adjacency matrix itself is the model (paper, section 3.2).

A score for every pair of nodes, softmax over each row, the TGML loss, Adam. All procedures and
seeds train together, by the rows that still move (`descent`), in numpy alone.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph.adjacency import Matrix, WeightedAdjacency
from stepgraph.learners.base import (
    Curve,
    Learned,
    Learner,
    Preset,
    Progress,
    check_flag,
    check_number,
    check_whole,
    no_progress,
    one_of,
)
from stepgraph.learners.precedence import precedence
from stepgraph.learners.robust.learner import without_slips
from stepgraph.learners.tgml.descent import Descent, Problem, optimise
from stepgraph.learners.tgml.stopping import SequenceAccuracyPlateau, Stopping, sequence_accuracy
from stepgraph.postprocess import cleaned, is_acyclic
from stepgraph.repetitions import (
    Repetitions,
    first_occurrences,
    last_occurrences,
    late_occurrences,
    random_occurrences,
    without_repetitions,
)
from stepgraph.sequences import Demonstrations


class FirstScores(StrEnum):
    """How the scores of edges begin."""

    EVEN = "even"
    """Normal, with a standard deviation of `spread` / number of nodes: nearly even rows."""
    UNIFORM = "uniform"
    """Uniform in [0, 1), as in the paper's released code."""


PAPER = MappingProxyType(
    {
        "beta": 0.005,
        "learning_rate": 0.1,
        "epochs": 1000,
        "stopping": "paper",
        "target": 0.95,
        "patience": 25,
        "epsilon": 1e-6,
        "first_scores": "uniform",
        "auxiliary_token": True,
    }
)
"""The paper's settings for recordings without mistakes, in its Table 4 and its appendix."""
NOISY = MappingProxyType(
    {
        **PAPER,
        "epochs": 1200,
        "patience": 0,
        "repetitions": "augment",
        "relaxed": True,
        "break_cycles_from": 41,
    }
)
"""Its settings for noisy recordings, in its Table 5; the target depends on the data set."""


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
    first_scores
        How scores begin; see `FirstScores`.
    spread
        The standard deviation of even first scores, times the number of nodes. An even row of N
        nodes lies 2 / N above the threshold 1 / N, in proportion, so a spread well below 2 starts
        every edge above it.
    auxiliary_token
        Whether a token stands before START in training, as in the paper's released code. Steps may
        need it, and the weight that they give it is lost.
    relaxed
        Whether to post-process as the paper does for noisy sequences, in its stopping and at the
        end.
    break_cycles_from
        For the paper's stopping: the first epoch in which a graph with a cycle loses it and counts;
        0 for never.
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
    first_scores: FirstScores = FirstScores.EVEN
    spread: float = 0.1
    auxiliary_token: bool = False
    relaxed: bool = False
    break_cycles_from: int = 0
    protected: bool = False

    presets: ClassVar[Mapping[str, Preset]] = MappingProxyType(
        {
            "paper": Preset("CaptainCook4D (Table 4), optimised by Adam", PAPER),
            "paper-epic-tent-o": Preset(
                "EPIC-Tent-O (Table 5 and the released configuration), optimised by Adam",
                {**NOISY, "target": 0.97},
            ),
            "paper-assembly101-o": Preset(
                "Assembly101-O (Table 5 and the released configuration), optimised by Adam",
                {**NOISY, "target": 0.79},
            ),
        }
    )
    departures: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "stopping": "a row at its maximum drifts while others still learn, so each rests alone",
            "first_scores": "a wide spread starts true edges below the threshold and leaves them",
            "repetitions": "a step that is done again needs what it needed the first time",
            "auxiliary_token": "the weight that it takes is missing from true edges",
            "relaxed": "it removes true edges where recordings have no noise",
        }
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "stopping", one_of("stopping", self.stopping, Stopping))
        scores = one_of("first_scores", self.first_scores, FirstScores)
        object.__setattr__(self, "first_scores", scores)
        for name in ("auxiliary_token", "relaxed", "protected"):
            check_flag(name, getattr(self, name))
        for name in ("beta", "epsilon", "spread", "target"):
            check_number(name, getattr(self, name), low=0.0)
        check_number("learning_rate", self.learning_rate, low=0.0, above=True)
        check_whole("epochs", self.epochs, low=1)
        for name in ("patience", "break_cycles_from"):
            check_whole(name, getattr(self, name), low=0)

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
        found = optimise(_problems(self, tasks), self._descent(), progress)
        learned = [task.learned(*result) for task, result in zip(tasks, found, strict=True)]
        return [learned[start : start + len(seeds)] for start in range(0, len(tasks), len(seeds))]

    def training_curve(self, demonstrations: Demonstrations, *, seed: int = 0) -> Curve:
        """Train on one procedure and return its loss by epoch."""
        losses: list[float] = []
        task = _Task(self, self._believed(demonstrations), seed)
        optimise(_problems(self, [task]), self._descent(), no_progress, losses)
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
            drawn=self.repetitions.draws,
        )


class _Task:
    """One procedure with one seed."""

    def __init__(
        self, learner: DirectOptimization, demonstrations: Demonstrations, seed: int
    ) -> None:
        self._learner, self._demonstrations, self.seed = learner, demonstrations, seed
        self._free = without_repetitions(demonstrations, learner.repetitions, seed=seed)
        self._extra = int(learner.auxiliary_token)

    @property
    def size(self) -> int:
        """Number of nodes to train, the auxiliary token among them."""
        return len(self._demonstrations.vocabulary) + 2 + self._extra

    def problem(self, draws: Matrix) -> Problem:
        """Return the matrix to optimise, from random first scores of its size and seed."""
        learner = self._learner
        scores = possible_scores(draws)
        if self._extra:
            scores[1, 1:] = -np.inf  # START needs the token alone
        rule = None
        if learner.stopping is Stopping.PAPER:
            rule = SequenceAccuracyPlateau(
                self._judged, self._edges, target=learner.target, patience=learner.patience
            )
        if learner.repetitions.draws:
            # All but drawn sequences are distinct, so only drawn ones need weights.
            weights = [recording.weight for recording in self._demonstrations]
            copies = 3 if learner.repetitions is Repetitions.AUGMENT else 1
            return Problem(scores, self._drawn, weights * copies, self._always, rule)
        always = self._always if learner.repetitions is Repetitions.EXPAND else None
        sequences = self._trained(self._free.sequences)
        return Problem(scores, lambda _: sequences, None, always, rule)

    def learned(self, Z: Matrix, epochs: int) -> Learned:
        """Return the result; a step that no recording shows needs START only."""
        learner, Z = self._learner, Z[self._extra :, self._extra :]
        size = len(Z)
        for node in range(1, size - 1):
            if node not in self._demonstrations.seen:
                Z[node] = 0.0
                Z[node, 0] = 1.0
        # A row at rest has preconditions, and all of them come first in every sequence.
        at_rest = learner.stopping is Stopping.ROWS and epochs < learner.epochs
        accuracy = 1.0 if at_rest else sequence_accuracy(1 / size < Z, self._judged)
        return Learned(
            WeightedAdjacency(self._demonstrations.vocabulary, Z, relaxed=learner.relaxed),
            self._free.notes,
            {"epochs": epochs, "sequence_accuracy": accuracy},
        )

    @cached_property
    def _always(self) -> NDArray[np.bool_]:
        """Whether j comes before i in every sequence with i, whichever occurrences count."""
        always = precedence(self._demonstrations, self._learner.repetitions).always
        if not self._extra:
            return always
        return np.pad(always, ((1, 0), (1, 0)), constant_values=True)

    @cached_property
    def _judged(self) -> Sequence[tuple[int, ...]]:
        """The sequences that sequence accuracy is measured on."""
        if self._learner.repetitions is not Repetitions.AUGMENT:
            return self._free.sequences
        return [*self._first_and_last, *(recording.steps for recording in self._demonstrations)]

    @cached_property
    def _first_and_last(self) -> list[tuple[int, ...]]:
        every = [recording.steps for recording in self._demonstrations]
        return [*map(first_occurrences, every), *map(last_occurrences, every)]

    def _edges(self, epoch: int, Z: Matrix) -> NDArray[np.bool_] | None:
        """Return the graph of an epoch for the paper's stopping; None if it has a cycle."""
        learner, Z = self._learner, Z[self._extra :, self._extra :]
        threshold = 1 / len(Z)
        seen = np.array([0, *sorted(self._demonstrations.seen), len(Z) - 1])
        own = Z[np.ix_(seen, seen)]
        breaks = 0 < learner.break_cycles_from <= epoch
        if not breaks and not is_acyclic(threshold < own):
            return None
        edges = np.zeros(Z.shape, dtype=bool)
        edges[np.ix_(seen, seen)], _ = cleaned(own, threshold, relaxed=learner.relaxed)
        return edges

    def _drawn(self, epoch: int) -> list[tuple[int, ...]]:
        rng = random.Random(f"{self.seed}/{epoch}")
        every = [recording.steps for recording in self._demonstrations]
        if self._learner.repetitions is Repetitions.RANDOM:
            return self._trained([random_occurrences(steps, rng) for steps in every])
        late = [late_occurrences(steps, rng) for steps in every]
        return self._trained([*self._first_and_last, *late])

    def _trained(self, sequences: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Return sequences in the node numbers of the training.

        With an auxiliary token, which takes START's place, START is a step that always comes first.
        """
        if not self._extra:
            return list(sequences)
        return [(1, *(step + 1 for step in steps)) for steps in sequences]


def _problems(learner: DirectOptimization, tasks: Sequence[_Task]) -> list[Problem]:
    """Return the matrices to optimise; those of one size and seed begin alike."""
    draws = {
        (size, seed): _first_draws(learner, size, seed)
        for size, seed in {(task.size, task.seed) for task in tasks}
    }
    return [task.problem(draws[task.size, task.seed]) for task in tasks]


def _first_draws(learner: DirectOptimization, size: int, seed: int) -> Matrix:
    if learner.first_scores is FirstScores.UNIFORM:
        # The released code draws a row and column more, for a token after END.
        drawn = size + learner.auxiliary_token
        return uniform_draws(drawn * drawn, seed).reshape(drawn, drawn)[:size, :size]
    draws: Matrix = normal_draws(size * size, seed).reshape(size, size)
    return draws * (learner.spread / size)


def possible_scores(draws: Matrix) -> Matrix:
    """Return first scores, minus infinity where an edge is impossible.

    START needs nothing, and nothing needs END or itself.

    Parameters
    ----------
    draws
        (nodes, nodes): random numbers.
    """
    scores = draws.copy()
    scores[0] = scores[:, -1] = -np.inf
    np.fill_diagonal(scores, -np.inf)
    return scores


def uniform_draws(count: int, seed: int) -> Matrix:
    """Return uniform numbers in [0, 1), the same as torch's generator draws for a seed.

    They are of single precision: 24 bits of each word of the Mersenne Twister.
    """
    words = np.random.RandomState(seed % 2**32).randint(0, 2**32, count, dtype=np.uint32)
    drawn: Matrix = (words & np.uint32(2**24 - 1)).astype(np.float64) * 2.0**-24
    return drawn


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
