"""MSGI and MSG2: preconditions by inductive logic on what came before a step.

Both are baselines of the paper: MSGI after Sohn et al. (2020), MSG2 after Jang et al. (2023), as
the paper's comparison runs them. For every step, each sequence gives the set of steps before it.
Candidates enter a set one at a time, each time the candidate that gives the set the best score. The
set with the highest score becomes the preconditions. The methods differ only in the score: MSGI
counts how often the members came before the step, MSG2 takes the share.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from stepgraph.graph.adjacency import Matrix, WeightedAdjacency
from stepgraph.learners.base import Learned, Learner, check_number
from stepgraph.learners.precedence import precedence_of
from stepgraph.repetitions import without_repetitions
from stepgraph.sequences import Demonstrations

BoolMatrix = NDArray[np.bool_]


@dataclass(frozen=True)
class InductiveLogic(Learner):
    """What MSGI and MSG2 share.

    Parameters
    ----------
    penalty_step
        The step of the penalty on each member of a set. The penalty starts at 0 and grows until the
        result has no cycle and at most half of all possible edges.
    """

    penalty_step: float = 0.001

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("penalty_step", self.penalty_step, low=0.0, above=True)

    @staticmethod
    @abstractmethod
    def scores(found: Matrix, sequences: Matrix) -> Matrix:
        """Return the score of the k best candidates, for k = 1, 2, ..., without the penalty.

        Parameters
        ----------
        found
            For each step, how often the k most frequent candidates were found, all together.
        sequences
            (steps, 1): how many sequences show each step.
        """

    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:
        """Learn the preconditions of one procedure; the seed matters for random repetitions."""
        free = without_repetitions(demonstrations, self.repetitions, seed=seed)
        counts = precedence_of(free.sequences, demonstrations.vocabulary.end)
        edges, penalty = self._preconditions(
            counts.before[1:-1, 1:-1], np.maximum(counts.recordings[1:-1, None], 1)
        )
        matrix = np.zeros(counts.before.shape)
        matrix[1:-1, 1:-1] = edges
        matrix[1:-1, 0] = ~edges.any(axis=1)
        adjacency = WeightedAdjacency(demonstrations.vocabulary, matrix)
        return Learned(adjacency, free.notes, {"penalty": penalty})

    def _preconditions(self, before: Matrix, sequences: Matrix) -> tuple[BoolMatrix, float]:
        """Return the edges between steps, and the penalty at which they are acyclic."""
        steps = len(before)
        # Whatever the penalty, the candidate found most often scores best: one order serves all.
        order = np.argsort(-before, axis=1, kind="stable")
        found = np.cumsum(np.take_along_axis(before, order, axis=1), axis=1)
        scores = self.scores(found, sequences)
        members = np.arange(1, steps + 1)
        penalty = 0.0
        while True:
            entered = scores - penalty * members
            # Adding stops at the first set that scores -1 or less.
            entered[np.cumsum(entered <= -1, axis=1) > 0] = -np.inf
            best = entered.max(axis=1)
            chosen = np.zeros((steps, steps), dtype=bool)
            at_best = (entered == best[:, None]) & (best >= 1 / steps)[:, None]
            np.put_along_axis(chosen, order, at_best, axis=1)
            edges = _one_way(chosen & ~np.eye(steps, dtype=bool), best)
            if edges.sum() <= steps * (steps - 1) / 2 and _is_acyclic(edges):
                return edges, penalty
            penalty = self._next_penalty(penalty, scores, entered, edges | edges.T | chosen)

    def _next_penalty(
        self, penalty: float, scores: Matrix, entered: Matrix, related: BoolMatrix
    ) -> float:
        """Return the next penalty, in whole steps, at which the edges may change.

        Between two such penalties every step keeps its best set, its place over the threshold and
        its rank among related steps. All of these are linear in the penalty, so their crossings are
        known. Single steps would take a thousand times the number of recordings.
        """
        rows = np.arange(len(scores))
        size = np.argmax(entered, axis=1)  # the smallest of the best sets, less one
        score, members = scores[rows, size], size + 1.0
        tied = (entered == entered.max(axis=1, keepdims=True)).sum(axis=1) > 1
        if tied.any():
            return penalty + self.penalty_step
        smaller = np.arange(len(scores)) < size[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            to_smaller = (score[:, None] - scores) / (
                members[:, None] - np.arange(1, len(scores) + 1)
            )
            to_threshold = (score - 1 / len(scores)) / members
            to_rank = (score[:, None] - score) / (members[:, None] - members)
        crossings = np.concatenate(
            [to_smaller[smaller], to_threshold, to_rank[related & np.isfinite(to_rank)]]
        )
        # At a crossing itself two lines are equal; only the step after it tells them apart.
        ahead = crossings[crossings >= penalty - 1e-12]
        if not len(ahead):
            return penalty + self.penalty_step
        steps = np.ceil((ahead.min() - penalty) / self.penalty_step)
        return float(penalty + max(steps, 1.0) * self.penalty_step)


@dataclass(frozen=True)
class MSGI(InductiveLogic):
    """Multi-task subtask graph inference: a set scores by how often its members were found."""

    name: ClassVar[str] = "msgi"

    @staticmethod
    def scores(found: Matrix, sequences: Matrix) -> Matrix:  # noqa: ARG004
        """Return how often the members were found."""
        return found


@dataclass(frozen=True)
class MSG2(InductiveLogic):
    """Multimodal subtask graph generation: a set scores by the share of its members found."""

    name: ClassVar[str] = "msg2"

    @staticmethod
    def scores(found: Matrix, sequences: Matrix) -> Matrix:
        """Return how often the members were found, of all the times they could have been."""
        share: Matrix = found / (np.arange(1, found.shape[1] + 1) * sequences)
        return share


def _one_way(edges: BoolMatrix, best: Matrix) -> BoolMatrix:
    """Keep one of two opposite edges: that with the higher score, or that of the later step."""
    mutual = edges & edges.T
    number = np.arange(len(best))
    weaker = (best[:, None] < best[None, :]) | (
        (best[:, None] == best[None, :]) & (number[:, None] < number[None, :])
    )
    kept: BoolMatrix = edges & ~(mutual & weaker)
    return kept


def _is_acyclic(edges: BoolMatrix) -> bool:
    return bool(nx.is_directed_acyclic_graph(nx.from_numpy_array(edges, create_using=nx.DiGraph)))
