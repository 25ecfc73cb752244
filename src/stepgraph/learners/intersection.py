"""The intersection order: a step needs what came before it in every demonstration with both.

It is the maximum-likelihood partial order when demonstrations are drawn uniformly from the valid
orders. Where every demonstration shows every step, Direct Optimization converges to it. It is the
exact reference for every other learner, in one pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.learners.base import Learned, Learner
from stepgraph.learners.precedence import precedence
from stepgraph.sequences import Demonstrations


@dataclass(frozen=True)
class Intersection(Learner):
    """The order that all demonstrations share.

    Examples
    --------
    >>> from stepgraph.sequences import Demonstrations
    >>> learned = Intersection().learn(Demonstrations.from_steps(["abc", "acb"]))
    >>> learned.adjacency.weight("b", "a"), learned.adjacency.weight("b", "c")
    (1.0, 0.0)
    """

    name: ClassVar[str] = "intersection"

    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:  # noqa: ARG002
        """Learn the order of one procedure; the seed changes nothing."""
        counts = precedence(demonstrations, self.repetitions)
        # Skipped steps can cause a cycle; the edge with the fewest recordings breaks it.
        weight = 0.5 + 0.5 * counts.together / demonstrations.total_weight
        matrix = np.where(counts.agreed, weight, 0.0)
        matrix[1:, 0] = 1.0
        return Learned(WeightedAdjacency(demonstrations.vocabulary, matrix))
