"""Weighted edges between key-steps, before anybody decides which of them count.

A `WeightedAdjacency` is the paper's matrix Z with the names that belong to it. This is the
one place that says what its indices mean: row = a step, column = a precondition of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import GraphError
from stepgraph.sequences import Vocabulary

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WeightedAdjacency:
    """How strongly each key-step needs each other one.

    Parameters
    ----------
    vocabulary
        The n steps; with START and END they are the n + 2 nodes.
    matrix
        ``matrix[i, j]`` is the weight of the edge from step i to its precondition j, by node
        number. It is copied and made read-only.
    threshold
        Edges weigh more than this; None for the paper's 1 / number of nodes.

    Raises
    ------
    GraphError
        If it is no matrix of numbers or has another shape, or a weight is negative or not
        finite.
    """

    vocabulary: Vocabulary
    matrix: Matrix
    threshold: float | None = None

    def __post_init__(self) -> None:
        try:
            matrix = np.array(self.matrix, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise GraphError(f"the weights are no matrix of numbers ({error})") from None
        size = len(self.vocabulary) + 2
        if matrix.shape != (size, size):
            raise GraphError(
                f"the weights have shape {matrix.shape}; expected {(size, size)}: "
                f"{len(self.vocabulary)} steps, START and END"
            )
        broken = ~np.isfinite(matrix)
        if broken.any():
            row, column = np.argwhere(broken)[0]
            raise GraphError(
                f"the weight of {self.vocabulary.name(int(row))!r} needing "
                f"{self.vocabulary.name(int(column))!r} is {matrix[row, column]}; "
                f"expected a finite number ({int(broken.sum())} such weights)"
            )
        if (matrix < 0).any():
            row, column = np.argwhere(matrix < 0)[0]
            raise GraphError(
                f"the weight of {self.vocabulary.name(int(row))!r} needing "
                f"{self.vocabulary.name(int(column))!r} is {matrix[row, column]:g}; "
                "expected 0 or more"
            )
        matrix.setflags(write=False)
        object.__setattr__(self, "matrix", matrix)

    # Copies and pickles of an array can be written to; made anew, they cannot.
    def __reduce__(self) -> tuple[Any, ...]:
        return WeightedAdjacency, (self.vocabulary, self.matrix, self.threshold)

    def weight(self, step: str, precondition: str) -> float:
        """Return the weight of the edge from a step to its precondition."""
        return float(self.matrix[self.vocabulary.node(step), self.vocabulary.node(precondition)])

    def without(self, steps: tuple[str, ...]) -> WeightedAdjacency:
        """Return the same weights with some steps left out."""
        kept = [node for node, name in enumerate(self.vocabulary.nodes) if name not in steps]
        names = tuple(name for name in self.vocabulary.steps if name not in steps)
        return WeightedAdjacency(Vocabulary(names), self.matrix[np.ix_(kept, kept)], self.threshold)
