"""From weights to a task graph: threshold, no cycles, nothing implied, START and END connected.

Each stage of the paper's post-processing (appendix, 'Graph Post-processing') is one function
here, polynomial in the number of steps. Nothing is repaired in silence: the result carries
every edge that a stage removed or added, with its reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from graphlib import TopologicalSorter
from numbers import Real

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from tgml.adjacency import Matrix, WeightedAdjacency
from tgml.errors import SettingError
from tgml.graph import TaskGraph

BoolMatrix = NDArray[np.bool_]


class Reason(StrEnum):
    """Why post-processing removed or added an edge."""

    IMPOSSIBLE = "a step cannot need itself or END, and START needs nothing"
    CYCLE = "weakest edge of a cycle"
    RELAXED = "the only precondition beside START, dropped by the relaxed variant"
    IMPLIED = "follows from other edges"
    NEEDS_NOTHING = "the step needs nothing else, so it follows START"
    NEEDED_BY_NOBODY = "no other step needs it, so END does"


@dataclass(frozen=True)
class Change:
    """One edge that post-processing removed or added.

    Parameters
    ----------
    step, precondition
        The edge.
    added
        True for an added edge, False for a removed one.
    reason
        Why.
    weight
        The weight the learner had given it.
    """

    step: str
    precondition: str
    added: bool
    reason: Reason
    weight: float

    def __str__(self) -> str:
        verb = "added" if self.added else "removed"
        return f"{verb} '{self.step}' needs '{self.precondition}': {self.reason.value}"


@dataclass(frozen=True)
class PostProcessed:
    """A task graph and what was changed to get it from the thresholded weights."""

    graph: TaskGraph
    changes: tuple[Change, ...]


def to_graph(
    adjacency: WeightedAdjacency,
    *,
    threshold: float | None = None,
    relaxed: bool = False,
    procedure: str = "",
) -> PostProcessed:
    """Turn weights into a task graph.

    Parameters
    ----------
    adjacency
        The learned weights.
    threshold
        Edges weigh more than this; by default what the learner says, or the paper's 1 / number
        of nodes, START and END counted.
    relaxed
        Whether to use the paper's variant for noisy sequences: a step that needs only START
        and one other step loses the other one.
    procedure
        The name that the graph gets.

    Returns
    -------
    PostProcessed
        An acyclic, transitively reduced graph in which every step lies between START and END,
        and the list of changes.

    Raises
    ------
    SettingError
        If the threshold is not a finite number from 0 on.

    Examples
    --------
    >>> from tgml.sequences import Vocabulary
    >>> weights = np.zeros((4, 4))
    >>> weights[2, 1], weights[1, 2] = 0.9, 0.4  # 'b' needs 'a', and a little the other way
    >>> result = to_graph(WeightedAdjacency(Vocabulary(("a", "b")), weights))
    >>> result.graph.preconditions_of("b")
    ('a',)
    >>> print(result.changes[0])
    removed 'a' needs 'b': weakest edge of a cycle
    """
    size = len(adjacency.vocabulary) + 2
    if threshold is None:
        threshold = 1.0 / size if adjacency.threshold is None else adjacency.threshold
    if not (isinstance(threshold, Real) and np.isfinite(threshold) and threshold >= 0):
        raise SettingError(f"the threshold is {threshold!r}; expected a number from 0 on")
    weights = adjacency.matrix
    changes: list[Change] = []

    def note(edges: Iterable[tuple[int, int]], reason: Reason, *, added: bool = False) -> None:
        nodes = adjacency.vocabulary.nodes
        changes.extend(
            Change(nodes[row], nodes[column], added, reason, float(weights[row, column]))
            for row, column in edges
        )

    above = weights > threshold
    edges = above & _possible(size)
    note(_edges(above & ~edges), Reason.IMPOSSIBLE)

    in_cycles = weakest_in_cycles(edges, weights)
    note(_edges(in_cycles), Reason.CYCLE)
    edges &= ~in_cycles

    if relaxed:
        lone = _lone_preconditions(edges)
        note(_edges(lone), Reason.RELAXED)
        edges &= ~lone

    no_needs = np.flatnonzero(~edges[1:-1].any(axis=1)) + 1
    note(((int(row), 0) for row in no_needs), Reason.NEEDS_NOTHING, added=True)
    edges[no_needs, 0] = True
    unneeded = np.flatnonzero(~edges[:, 1:-1].any(axis=0)) + 1
    note(((size - 1, int(node)) for node in unneeded), Reason.NEEDED_BY_NOBODY, added=True)
    edges[-1, unneeded] = True

    implied = implied_edges(edges)
    note(_edges(implied), Reason.IMPLIED)
    edges &= ~implied

    nodes = adjacency.vocabulary.nodes
    kept = [(nodes[row], nodes[column]) for row, column in _edges(edges)]
    graph = TaskGraph(
        adjacency.vocabulary.steps,
        kept,
        procedure=procedure,
        weights={
            (nodes[row], nodes[column]): float(weights[row, column])
            for row, column in _edges(edges & (weights > 0))
        },
    )
    return PostProcessed(graph, tuple(changes))


def weakest_in_cycles(edges: BoolMatrix, weights: Matrix) -> BoolMatrix:
    """Return the edges that are the weakest of some cycle; without them there is no cycle.

    All edges of a cycle count, the closing one too; of equal weights the earlier in node
    order is the weaker. An edge is the weakest of a cycle exactly if a path of stronger edges
    leads back from its end to its start. The strongest path between all pairs (its weakest
    edge as strong as can be) takes cubic time, whereas the simple cycles may be exponentially
    many.

    Parameters
    ----------
    edges
        Which edges exist.
    weights
        Their weights.
    """
    weakest = np.zeros_like(edges)
    if _is_acyclic(edges):  # as most are; this costs a fraction of the search below
        return weakest
    for component in nx.strongly_connected_components(
        nx.from_numpy_array(edges, create_using=nx.DiGraph)
    ):
        if len(component) == 1:
            continue
        members = np.ix_(sorted(component), sorted(component))
        inside = edges[members]
        rank = np.zeros(inside.shape, dtype=np.int64)
        rows, columns = inside.nonzero()
        by_weight = np.argsort(weights[members][rows, columns], kind="stable")
        rank[rows[by_weight], columns[by_weight]] = np.arange(1, len(by_weight) + 1)
        path = rank.copy()
        for middle in range(len(component)):
            through = np.minimum(path[:, middle, None], path[None, middle, :])
            np.maximum(path, through, out=path)
        weakest[members] = inside & (rank < path.T)
    return weakest


def _is_acyclic(edges: BoolMatrix) -> bool:
    """Return whether taking away nodes that need nothing, again and again, takes all away."""
    left = np.ones(len(edges), dtype=bool)
    while left.any():
        free = left & ~edges[:, left].any(axis=1)
        if not free.any():
            return False
        left &= ~free
    return True


def implied_edges(edges: BoolMatrix) -> BoolMatrix:
    """Return the edges of an acyclic graph that follow from its other edges.

    Removing them is the transitive reduction: what is reachable stays reachable.
    """
    needs: dict[int, list[int]] = {node: [] for node in range(len(edges))}
    for node, column in _edges(edges):
        needs[node].append(column)
    reachable = [0] * len(edges)  # one bit a node
    implied = np.zeros_like(edges)
    for node in TopologicalSorter(needs).static_order():
        own = through_others = 0
        for column in needs[node]:
            own |= 1 << column
            through_others |= reachable[column]
        reachable[node] = own | through_others
        implied[node, [column for column in needs[node] if through_others >> column & 1]] = True
    return implied


def _possible(size: int) -> BoolMatrix:
    possible = ~np.eye(size, dtype=bool)
    possible[0] = False
    possible[:, -1] = False
    return possible


def _lone_preconditions(edges: BoolMatrix) -> BoolMatrix:
    """Return the edges to the one precondition that a step has beside START."""
    lone = edges.copy()
    lone[:, 0] = False
    rows = edges[:, 0] & (lone.sum(axis=1) == 1)
    rows[-1] = False  # END is no step
    lone[~rows] = False
    return lone


def _edges(matrix: BoolMatrix) -> Iterable[tuple[int, int]]:
    rows, columns = matrix.nonzero()
    return zip(rows.tolist(), columns.tolist(), strict=True)
