"""What learners are told beside the recordings: a prior graph, must and never edges, step names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import GraphError, SettingError
from stepgraph.graph import Edge, TaskGraph
from stepgraph.learners.base import Learner
from stepgraph.learners.constraints import Constraints
from stepgraph.learners.step_names import may_belong_together
from stepgraph.sequences import Vocabulary

BoolMatrix = NDArray[np.bool_]


@dataclass(frozen=True)
class InformedLearner(Learner):
    """A learner that can be told what people know.

    Parameters
    ----------
    prior
        What somebody thinks the graph is: complete or not, right or wrong.
    must
        Edges (step, precondition) that the result has to imply, whatever the recordings say.
    never
        Edges that it may not imply.
    names
        Whether step names count where no prior graph is given: pairs whose names share a content
        word are kept, and so are pairs of which a name says nothing, such as 'A7'.
    """

    prior: TaskGraph | None = None
    must: tuple[Edge, ...] = ()
    never: tuple[Edge, ...] = ()
    names: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prior is not None and not isinstance(self.prior, TaskGraph):
            raise SettingError(f"prior is {self.prior!r}; expected a TaskGraph")
        for name in ("must", "never"):
            given = getattr(self, name)
            edges = (given,) if isinstance(given, str) else tuple(given)
            if not all(isinstance(edge, tuple | list) and len(edge) == 2 for edge in edges):
                raise SettingError(
                    f"{name} is {given!r}; expected pairs (step, precondition), as in "
                    f"{name}=[('mix', 'crack egg')]"
                )
            object.__setattr__(self, name, tuple((a, b) for a, b in edges))

    @property
    def source(self) -> str:
        """What support for a pair comes from, in words."""
        return "the prior" if self.prior is not None else "a shared word in their names"

    def constraints(self, words: Vocabulary) -> Constraints:
        """Return the must and never edges in node numbers."""
        return Constraints.of(words, self.must, self.never)

    def supported(self, words: Vocabulary) -> BoolMatrix:
        """Return which pairs the prior orders, or whose names share a word.

        Raises
        ------
        GraphError
            If the prior knows none of the steps.
        """
        size = len(words.nodes)
        supported = np.zeros((size, size), dtype=bool)
        if self.prior is not None:
            foreign = [step for step in self.prior.steps if step not in words]
            if len(foreign) == len(self.prior.steps) and foreign:
                raise GraphError(
                    f"none of the prior's {len(foreign)} steps is in the recordings, such as "
                    f"{foreign[0]!r}; is it the prior of another procedure?"
                )
            for step in self.prior.steps:
                for needed in self.prior.all_preconditions_of(step):
                    if step in words and needed in words:
                        supported[words.node(step), words.node(needed)] = True
        elif self.names:
            for row, one in enumerate(words.steps, start=1):
                for column, other in enumerate(words.steps, start=1):
                    supported[row, column] = row != column and may_belong_together(one, other)
        return supported
