"""Graphs as matrices: learned weights, partial orders, 0 and 1, and networkx graphs.

A `WeightedAdjacency` is the paper's matrix Z with the names that belong to it. This module alone
defines its indices: row = step, column = precondition. The conversions of `TaskGraph` live here, so
that nothing else about a graph loads numpy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import GraphError
from stepgraph.graph.edges import Edge
from stepgraph.graph.evidence import StepAttributes
from stepgraph.sequences import END, START, Vocabulary

if TYPE_CHECKING:
    import networkx as nx

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WeightedAdjacency:
    """The weight of each key-step needing each other one.

    Parameters
    ----------
    vocabulary
        The n steps; with START and END they are the n + 2 nodes.
    matrix
        ``matrix[i, j]`` is the weight of the edge from step i to its precondition j, by node
        number. It is copied and made read-only.
    threshold
        Minimum weight of an edge, exclusive; None for the paper's 1 / number of nodes.
    relaxed
        Whether the weights were learned for the paper's variant of post-processing for noisy
        sequences.

    Raises
    ------
    GraphError
        If the matrix is not numeric or has another shape, or a weight is negative or not finite.
    """

    vocabulary: Vocabulary
    matrix: Matrix
    threshold: float | None = None
    relaxed: bool = False

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

    # Copies and pickles of an array are writable; the constructor makes them read-only.
    def __reduce__(self) -> tuple[Any, ...]:
        return WeightedAdjacency, (self.vocabulary, self.matrix, self.threshold, self.relaxed)

    def weight(self, step: str, precondition: str) -> float:
        """Return the weight of the edge from a step to its precondition."""
        return float(self.matrix[self.vocabulary.node(step), self.vocabulary.node(precondition)])

    def without(self, steps: tuple[str, ...]) -> WeightedAdjacency:
        """Return the same weights with some steps left out."""
        kept = [node for node, name in enumerate(self.vocabulary.nodes) if name not in steps]
        names = tuple(name for name in self.vocabulary.steps if name not in steps)
        matrix = self.matrix[np.ix_(kept, kept)]
        return WeightedAdjacency(Vocabulary(names), matrix, self.threshold, self.relaxed)


def closure(edges: BoolMatrix) -> BoolMatrix:
    """Return the transitive closure of acyclic edges."""
    closed = edges.copy()
    for middle in range(len(closed)):
        closed |= closed[:, middle, None] & closed[None, middle, :]
    return closed


def reduction(closed: BoolMatrix) -> BoolMatrix:
    """Return the transitive reduction of a closed order."""
    paths = closed.astype(np.float32)
    reduced: BoolMatrix = closed & ~(paths @ paths > 0)
    return reduced


def matrix_of(needs: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """Return a matrix of 0 and 1 from the node numbers that each node needs."""
    matrix = np.zeros((len(needs), len(needs)))
    for row, columns in enumerate(needs):
        matrix[row, list(columns)] = 1.0
    return matrix


def content_of_matrix(matrix: NDArray[np.float64], steps: Iterable[str]) -> dict[str, Any]:
    """Return the arguments of a `TaskGraph` whose edges are the non-zero entries of a matrix."""
    adjacency = WeightedAdjacency(Vocabulary(tuple(steps)), matrix)
    nodes = adjacency.vocabulary.nodes
    rows, columns = adjacency.matrix.nonzero()
    return {
        "steps": adjacency.vocabulary.steps,
        "edges": [(nodes[row], nodes[column]) for row, column in zip(rows, columns, strict=True)],
    }


_MARKS = ("optional", "repeatable")
"""The node attributes that mark optional and repeatable steps."""


def networkx_of(
    nodes: Iterable[str],
    edges: Iterable[Edge],
    weights: Mapping[Edge, float],
    attributes: Mapping[str, StepAttributes],
    procedure: str,
) -> nx.DiGraph:
    """Return a networkx graph; edges go from a step to its precondition."""
    import networkx as nx

    graph = nx.DiGraph(procedure=procedure)
    for node in nodes:
        about = attributes.get(node)
        graph.add_node(node, **{mark: True for mark in _MARKS if getattr(about, mark, False)})
    for edge in edges:
        graph.add_edge(*edge, **({"weight": weights[edge]} if edge in weights else {}))
    return graph


def content_of_networkx(graph: nx.DiGraph) -> dict[str, Any]:
    """Return the arguments of a `TaskGraph` from a networkx graph.

    It reads nodes, edges and weights, and the marks of optional and repeatable steps.

    Raises
    ------
    GraphError
        If it is undirected or a multigraph.
    """
    if not graph.is_directed() or graph.is_multigraph():
        raise GraphError(f"a networkx.{type(graph).__name__} came; expected a networkx.DiGraph")
    return {
        "steps": [str(node) for node in graph.nodes if str(node) not in (START, END)],
        "edges": [(str(step), str(needed)) for step, needed in graph.edges],
        "weights": {
            (str(step), str(needed)): weight
            for step, needed, weight in graph.edges(data="weight")
            if weight is not None
        },
        "attributes": _attributes(graph),
        "procedure": str(graph.graph.get("procedure", "")),
    }


def _attributes(graph: nx.DiGraph) -> dict[str, StepAttributes]:
    # GraphML may give a default for nodes without a value of their own.
    usual = graph.graph.get("node_default", {})
    found = {}
    for node, about in graph.nodes(data=True):
        optional, repeatable = (about.get(mark, usual.get(mark)) is True for mark in _MARKS)
        if (optional or repeatable) and str(node) not in (START, END):
            found[str(node)] = StepAttributes(optional=optional, repeatable=repeatable)
    return found
