"""A person's edits of a graph, and the graph that results from its source and the edits."""

from __future__ import annotations

from dataclasses import dataclass, replace

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import CycleError
from stepgraph.graph import NO_CONSTRAINTS, Constraints, Edge, TaskGraph
from stepgraph.learners.prior_knowledge import NumberedConstraints
from stepgraph.postprocess import implied_edges
from stepgraph.sequences import END, START
from stepgraph.web.studio.graph_source import GraphSource, evidence_for

BoolMatrix = NDArray[np.bool_]
_UNWEIGHTED = 0.5
"""The strength of an edge without a weight, where one of several edges must go."""


@dataclass(frozen=True)
class Edits:
    """A person's edits; edges are pairs (step, precondition).

    Parameters
    ----------
    added, removed
        Edges that the graph has, or lacks, until it is learned again.
    constraints
        Constraints that hold also when the graph is learned again.
    threshold
        The weight above which edges are shown; None for the graph as it was read or learned.
    """

    added: tuple[Edge, ...] = ()
    removed: tuple[Edge, ...] = ()
    constraints: Constraints = NO_CONSTRAINTS
    threshold: float | None = None

    def without(self, edge: Edge) -> Edits:
        """Return the edits without those of one edge."""
        return Edits(
            tuple(other for other in self.added if other != edge),
            tuple(other for other in self.removed if other != edge),
            self.constraints.without(edge),
            self.threshold,
        )


def edits_of(graph: TaskGraph) -> tuple[Edits, tuple[str, ...]]:
    """Return the earlier edits that a graph holds, and notes on marks that no longer hold."""
    constraints, notes = graph.constraints, []
    for optional, marked in ((True, constraints.optional), (False, constraints.mandatory)):
        for step in marked:
            if step in graph.vocabulary and (step in graph.optional_steps) != optional:
                now = "not optional" if optional else "optional"
                notes.append(f"{step!r} was marked otherwise, but is {now} now; it stays {now}")
                constraints = constraints.marked(step, optional=None)
    return Edits(constraints=constraints), tuple(notes)


def derive(source: GraphSource, edits: Edits) -> TaskGraph:
    """Return the graph that results from a source and a person's edits.

    Added and pinned edges stay. Other edges that close a cycle with them or imply a forbidden
    edge go, the weakest first. An edge that follows from others is left out, unless the source
    has it. START and END are connected to steps that an edit leaves without them.

    Parameters
    ----------
    source
        The graph as it was read or learned.
    edits
        The edits.

    Raises
    ------
    CycleError
        If added and pinned edges form a cycle.
    InputError
        If they imply a forbidden edge.
    """
    graph = source.at(edits.threshold)
    words = graph.vocabulary
    size = len(words.nodes)
    inner = np.zeros((size, size), dtype=bool)
    strength = np.full((size, size), _UNWEIGHTED)
    for edge in graph.edges:
        row, column = words.node(edge[0]), words.node(edge[1])
        strength[row, column] = graph.weights.get(edge, _UNWEIGHTED)
        inner[row, column] = edge[0] != END and edge[1] != START
    before = implied_edges(inner)
    edges = inner.copy()
    for step, needed in edits.removed:
        edges[words.node(step), words.node(needed)] = False
    constraints = edits.constraints.among(words.steps)
    wanted = replace(constraints, pinned=(*constraints.pinned, *edits.added))
    edges = NumberedConstraints.of(words, wanted).apply(edges, strength)
    edges &= ~(implied_edges(edges) & ~before)
    nodes = words.nodes
    kept = [(nodes[row], nodes[column]) for row, column in np.argwhere(edges)]
    kept += _ends(graph, edges)
    evidence = {edge: found for edge, found in graph.evidence.items() if edge in set(kept)}
    if source.demonstrations is not None:
        evidence |= evidence_for(source.demonstrations, set(kept) - evidence.keys())
    weights = {edge: weight for edge, weight in graph.weights.items() if edge in set(kept)}
    attributes = constraints.mark(graph.attributes)
    return graph.replace(
        edges=kept,
        weights=weights,
        evidence=evidence,
        attributes=attributes,
        constraints=edits.constraints,
    )


def _ends(graph: TaskGraph, edges: BoolMatrix) -> list[Edge]:
    """Return the edges of START and END, the source's own where no edit affects them."""
    before = set(graph.edges)
    needing = {step for step, needed in before if needed != START}
    needed_by = {needed for step, needed in before if step != END}
    found: list[Edge] = []
    for node, step in enumerate(graph.steps, start=1):
        if not edges[node].any() or ((step, START) in before and step in needing):
            found.append((step, START))
        if not edges[:, node].any() or ((END, step) in before and step in needed_by):
            found.append((END, step))
    if not graph.steps:
        found.append((END, START))
    return found


def path_between(graph: TaskGraph, step: str, needed: str) -> list[str] | None:
    """Return the chain of steps by which a step needs another, or None."""
    network = graph.to_networkx()
    if step not in network or needed not in network:
        return None
    try:
        path: list[str] = nx.shortest_path(network, step, needed)
    except nx.NetworkXNoPath:
        return None
    return path


def check_no_cycle(graph: TaskGraph, step: str, needed: str) -> None:
    """Check that a step may need another.

    Raises
    ------
    CycleError
        If the other one already needs it; the error has the whole cycle.
    """
    if step == needed:
        raise CycleError([step])
    back = path_between(graph, needed, step)
    if back is not None:
        raise CycleError([step, *back[:-1]])
