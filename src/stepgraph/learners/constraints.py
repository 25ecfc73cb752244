"""Edges that a user insists on or rules out, and what has to give way to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import CycleError, InputError
from stepgraph.graph import Edge
from stepgraph.graph.adjacency import Matrix
from stepgraph.sequences import Vocabulary

BoolMatrix = NDArray[np.bool_]


@dataclass(frozen=True)
class Constraints:
    """Must and never edges, in node numbers: (step, precondition).

    Parameters
    ----------
    must
        Edges that the graph has to imply, whatever the recordings say.
    never
        Edges that it may not imply.
    """

    must: tuple[tuple[int, int], ...] = ()
    never: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, vocabulary: Vocabulary, must: Sequence[Edge], never: Sequence[Edge]) -> Constraints:
        """Look the steps up in a vocabulary.

        Raises
        ------
        UnknownNameError
            If there is no such step.
        CycleError
            If must edges need each other.
        InputError
            If a must edge, or several together, imply a never edge.
        """
        required = nx.DiGraph()
        required.add_nodes_from(vocabulary.steps)
        for step, needed in must:
            vocabulary.node(step), vocabulary.node(needed)
            required.add_edge(step, needed)
        try:
            raise CycleError([edge[0] for edge in nx.find_cycle(required)], "the must edges")
        except nx.NetworkXNoCycle:
            pass
        for step, needed in never:
            vocabulary.node(step), vocabulary.node(needed)
            if step in required and needed in required and nx.has_path(required, step, needed):
                path = " needs ".join(map(repr, nx.shortest_path(required, step, needed)))
                raise InputError(
                    f"{step!r} must never need {needed!r}, but the must edges say so: {path}; "
                    "leave one of them out"
                )
        return cls(
            tuple((vocabulary.node(a), vocabulary.node(b)) for a, b in must),
            tuple((vocabulary.node(a), vocabulary.node(b)) for a, b in never),
        )

    def apply(self, edges: BoolMatrix, strength: Matrix) -> BoolMatrix:
        """Return the edges with the constraints obeyed: the weakest edges in their way go.

        Parameters
        ----------
        edges
            An acyclic set of edges: row = step, column = precondition.
        strength
            How much each edge has to be said for it.
        """
        graph = nx.from_numpy_array(edges.astype(np.int64), create_using=nx.DiGraph)
        graph.remove_edges_from(self.never)  # first, so that nothing gives way to a path over them
        for step, needed in self.must:
            self._cut(graph, needed, step, strength)
            graph.add_edge(step, needed)
        for step, needed in self.never:
            self._cut(graph, step, needed, strength)
        obeyed: BoolMatrix = nx.to_numpy_array(graph, nodelist=range(len(edges)), weight=None) > 0
        return obeyed

    def _cut(self, graph: nx.DiGraph, start: int, goal: int, strength: Matrix) -> None:
        """Remove the weakest edge from one path after another until none leads to the goal."""
        insisted = set(self.must)
        while nx.has_path(graph, start, goal):
            path = nx.shortest_path(graph, start, goal)
            loose = [edge for edge in pairwise(path) if edge not in insisted]
            graph.remove_edge(*min(loose, key=lambda edge: (strength[edge], edge)))
