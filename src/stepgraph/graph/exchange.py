"""A graph as a matrix or a networkx graph, and back.

The methods of `TaskGraph` that come here load numpy and networkx; nothing else about a graph does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import GraphError
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.graph.attributes import StepAttributes
from stepgraph.graph.edges import Edge
from stepgraph.sequences import END, START, Vocabulary


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
"""What a node tells of its step, where it is so."""


def networkx_of(
    nodes: Iterable[str],
    edges: Iterable[Edge],
    weights: Mapping[Edge, float],
    attributes: Mapping[str, StepAttributes],
    procedure: str,
) -> nx.DiGraph:
    """Return a networkx graph; edges go from a step to its precondition."""
    graph = nx.DiGraph(procedure=procedure)
    for node in nodes:
        about = attributes.get(node)
        graph.add_node(node, **{mark: True for mark in _MARKS if getattr(about, mark, False)})
    for edge in edges:
        graph.add_edge(*edge, **({"weight": weights[edge]} if edge in weights else {}))
    return graph


def content_of_networkx(graph: nx.DiGraph) -> dict[str, Any]:
    """Return the arguments of a `TaskGraph` with what a networkx graph has of it.

    That is nodes, edges and weights, and which steps are marked optional or repeatable.

    Raises
    ------
    GraphError
        If it is undirected, or may have several edges between the same nodes.
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
    # GraphML may say once what holds for every node that says nothing itself.
    usual = graph.graph.get("node_default", {})
    found = {}
    for node, about in graph.nodes(data=True):
        optional, repeatable = (about.get(mark, usual.get(mark)) is True for mark in _MARKS)
        if (optional or repeatable) and str(node) not in (START, END):
            found[str(node)] = StepAttributes(optional=optional, repeatable=repeatable)
    return found
