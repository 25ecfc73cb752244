"""The intersection order: a step needs what came before it in every demonstration.

It is the maximum-likelihood partial order when demonstrations are drawn uniformly from the
valid orders, and the point that Direct Optimization converges to: the exact reference for
every other learner, in one pass over the recordings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tgml.adjacency import WeightedAdjacency
from tgml.learners.base import Learned, Learner
from tgml.learners.precedence import precedence
from tgml.sequences import Demonstrations


@dataclass(frozen=True)
class Intersection(Learner):
    """The order that all demonstrations share.

    Examples
    --------
    >>> from tgml.sequences import Demonstrations
    >>> learned = Intersection().learn(Demonstrations.from_steps(["abc", "acb"]))
    >>> learned.adjacency.weight("b", "a"), learned.adjacency.weight("b", "c")
    (1.0, 0.0)
    """

    name: ClassVar[str] = "intersection"

    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:  # noqa: ARG002
        """Learn the order of one procedure; the seed changes nothing."""
        counts = precedence(demonstrations, self.repetitions)
        matrix = counts.always.astype(np.float64)
        matrix[counts.recordings == 0] = 0.0
        matrix[1:, 0] = 1.0
        return Learned(WeightedAdjacency(demonstrations.vocabulary, matrix))
