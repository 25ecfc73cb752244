"""Prior knowledge that learners take besides recordings: a prior graph, constraints, step names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import GraphError, SettingError
from stepgraph.graph import NO_CONSTRAINTS, Constraints, TaskGraph
from stepgraph.graph.adjacency import Matrix
from stepgraph.learners.base import Learner
from stepgraph.sequences import Vocabulary

BoolMatrix = NDArray[np.bool_]


@dataclass(frozen=True)
class InformedLearner(Learner):
    """A learner that takes prior knowledge.

    Parameters
    ----------
    prior
        A guess at the graph; it may be incomplete or wrong.
    constraints
        Edges that the result must or must not imply, whatever the recordings show.
    names
        Whether step names count without a prior graph. They support pairs whose names share a
        content word, and pairs with a name that says nothing, such as 'A7'.
    """

    prior: TaskGraph | None = None
    constraints: Constraints = NO_CONSTRAINTS
    names: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prior is not None and not isinstance(self.prior, TaskGraph):
            raise SettingError(f"prior is {self.prior!r}; expected a TaskGraph")
        if not isinstance(self.constraints, Constraints):
            raise SettingError(f"constraints is {self.constraints!r}; expected Constraints(...)")

    @property
    def source(self) -> str:
        """The source of support for a pair, for notes."""
        return "the prior" if self.prior is not None else "a shared word in their names"

    def numbered_constraints(self, words: Vocabulary) -> NumberedConstraints:
        """Return the constraints in node numbers."""
        return NumberedConstraints.of(words, self.constraints)

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


@dataclass(frozen=True)
class NumberedConstraints:
    """Edges (step, precondition) that a graph must or must not imply, in node numbers.

    Parameters
    ----------
    must
        Edges that it must imply.
    never
        Edges that it must not imply.
    """

    must: tuple[tuple[int, int], ...] = ()
    never: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, words: Vocabulary, constraints: Constraints) -> NumberedConstraints:
        """Look the steps up in a vocabulary.

        Raises
        ------
        UnknownNameError
            If there is no such step.
        InputError
            If the constraints contradict each other; see `Constraints.check`.
        """
        constraints.check(words.steps)
        node = words.node
        return cls(
            tuple((node(a), node(b)) for a, b in constraints.required),
            tuple((node(a), node(b)) for a, b in constraints.never),
        )

    def apply(self, edges: BoolMatrix, strength: Matrix) -> BoolMatrix:
        """Return the edges that obey the constraints, without the weakest ones in their way.

        Parameters
        ----------
        edges
            An acyclic set of edges: row = step, column = precondition.
        strength
            The evidence for each edge.
        """
        graph = nx.from_numpy_array(edges.astype(np.int64), create_using=nx.DiGraph)
        graph.remove_edges_from(self.never)  # first, so that no path over them displaces edges
        for step, needed in self.must:
            self._cut(graph, needed, step, strength)
            graph.add_edge(step, needed)
        for step, needed in self.never:
            self._cut(graph, step, needed, strength)
        obeyed: BoolMatrix = nx.to_numpy_array(graph, nodelist=range(len(edges)), weight=None) > 0
        return obeyed

    def _cut(self, graph: nx.DiGraph, start: int, goal: int, strength: Matrix) -> None:
        """Remove the weakest edge of each path until no path leads to the goal."""
        required = set(self.must)
        while nx.has_path(graph, start, goal):
            path = nx.shortest_path(graph, start, goal)
            loose = [edge for edge in pairwise(path) if edge not in required]
            graph.remove_edge(*min(loose, key=lambda edge: (strength[edge], edge)))


FUNCTION_WORDS = frozenset(  # as text, which is easy to read and edit
    """a about after again all also an and any are as at away back be been before being between
    but by can do down each every few for from further had has have her his how if in into is it
    its just let more most no nor not now of off on once only onto or other our out over own per
    so some such than that the their them then there these they this those through to together
    too under until up use using very was were when where which while with within without you
    your""".split()  # noqa: SIM905
)
"""Words that say how, when and where, but not what."""

MEASURES = frozenset(
    """centimetre centimeter cm cup dash drop few g gram half hour inch kg kilo l litre liter lb
    min minute ml mm ounce oz piece pinch pound quarter sec second tablespoon tbsp teaspoon third
    time tsp""".split()  # noqa: SIM905
)
"""Words that say how much or how long."""


def content_words(name: str) -> frozenset[str]:
    """Return the words of a step name that say what is done to what.

    Function words, measures, numbers and single or double letters do not count; a plural 's' is
    dropped, so that 'eggs' and 'egg' are one word.

    Examples
    --------
    >>> sorted(content_words("Crack 2 eggs into the bowl"))
    ['bowl', 'crack', 'egg']
    """
    words = set()
    for word in re.findall(r"[^\W\d_]+", name.casefold()):
        single = word[:-1] if word.endswith("s") and not word.endswith("ss") else word
        if len(word) > 2 and not {word, single} & (FUNCTION_WORDS | MEASURES):
            words.add(single)
    return frozenset(words)


def may_belong_together(one: str, other: str) -> bool:
    """Return whether two step names share a content word, or one of them has none to share.

    Names such as 'step 1' and 'A7' say nothing, which does not count against a pair.

    Examples
    --------
    >>> may_belong_together("crack the egg", "whisk the egg")
    True
    >>> may_belong_together("crack the egg", "heat the pan")
    False
    >>> may_belong_together("crack the egg", "A7")
    True
    """
    own, theirs = content_words(one), content_words(other)
    return not own or not theirs or bool(own & theirs)
