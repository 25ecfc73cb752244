"""From weights to a task graph: threshold, no cycles, nothing implied, START and END connected.

Each stage of the paper's post-processing (appendix, 'Graph Post-processing') is one function
here, polynomial in the number of steps. Nothing is repaired in silence: the result carries
every edge that a stage removed or added, with its reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import repeat
from numbers import Real
from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import SettingError
from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.adjacency import Matrix, WeightedAdjacency

BoolMatrix = NDArray[np.bool_]


class Reason(StrEnum):
    """Why post-processing removed or added an edge."""

    IMPOSSIBLE = "a step cannot need itself or END, and START needs nothing"
    CYCLE = "weakest edge of a cycle"
    RELAXED = "the only precondition beside START, dropped by the relaxed variant"
    IMPLIED = "follows from other edges"
    NEEDS_NOTHING = "the step needs nothing else, so it follows START"
    NEEDED_BY_NOBODY = "no other step needs it, so END does"

    @property
    def adds(self) -> bool:
        """Whether edges are added for this reason, and not removed."""
        return self in (Reason.NEEDS_NOTHING, Reason.NEEDED_BY_NOBODY)


class Change(NamedTuple):
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
        The learned weight.
    """

    step: str
    precondition: str
    added: bool
    reason: Reason
    weight: float

    def __str__(self) -> str:
        verb = "added" if self.added else "removed"
        return f"{verb} '{self.step}' needs '{self.precondition}': {self.reason}"


@dataclass(frozen=True)
class PostProcessed:
    """A task graph, and the changes between the thresholded weights and it.

    Parameters
    ----------
    steps, edges, weights
        The parts of the graph; an edge without a learned weight has none.
    changes
        The edges removed and added.
    procedure
        Its name.
    """

    steps: tuple[str, ...]
    edges: tuple[Edge, ...]
    weights: Mapping[Edge, float]
    changes: tuple[Change, ...]
    procedure: str = ""

    @cached_property
    def graph(self) -> TaskGraph:
        """The task graph."""
        return TaskGraph(self.steps, self.edges, procedure=self.procedure, weights=self.weights)


def to_graph(
    adjacency: WeightedAdjacency,
    *,
    threshold: float | None = None,
    relaxed: bool | None = None,
    procedure: str = "",
) -> PostProcessed:
    """Turn weights into a task graph.

    Parameters
    ----------
    adjacency
        The learned weights.
    threshold
        Minimum weight of an edge, exclusive; by default the learner's, or the paper's 1 / number of
        nodes, START and END included.
    relaxed
        Whether to use the paper's variant for noisy sequences: a step that needs only START
        and one other step loses the other one. By default as the weights were learned.
    procedure
        The name of the procedure.

    Returns
    -------
    PostProcessed
        An acyclic, transitively reduced graph in which every step lies between START and END,
        and the list of changes.

    Raises
    ------
    SettingError
        If the threshold is negative or not finite.

    Examples
    --------
    >>> from stepgraph.sequences import Vocabulary
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
    relaxed = adjacency.relaxed if relaxed is None else relaxed
    edges, stages = cleaned(weights, threshold, relaxed=relaxed)

    def named(edges: BoolMatrix) -> tuple[list[str], list[str], list[float]]:
        nodes, (rows, columns) = adjacency.vocabulary.nodes, edges.nonzero()
        steps = [nodes[row] for row in rows.tolist()]
        return steps, [nodes[column] for column in columns.tolist()], weights[edges].tolist()

    changes: list[Change] = []
    for changed, reason in stages:
        if changed.any():
            steps, needed, weight = named(changed)
            changes.extend(map(Change, steps, needed, repeat(reason.adds), repeat(reason), weight))
    steps, needed, weight = named(edges)
    kept = tuple(zip(steps, needed, strict=True))
    return PostProcessed(
        adjacency.vocabulary.steps,
        kept,
        {edge: weight for edge, weight in zip(kept, weight, strict=True) if weight > 0},
        tuple(changes),
        procedure,
    )


def cleaned(
    weights: Matrix, threshold: float, *, relaxed: bool
) -> tuple[BoolMatrix, list[tuple[BoolMatrix, Reason]]]:
    """Return the edges of the graph that weights stand for, and those that each stage changed.

    Parameters
    ----------
    weights
        (nodes, nodes): row = step, column = precondition.
    threshold, relaxed
        As for `to_graph`.
    """
    size = len(weights)
    above = weights > threshold
    edges = above & _possible(size)
    stages = [(above & ~edges, Reason.IMPOSSIBLE)]

    order = _order(_bits(edges))
    if len(order) < size:
        in_cycles = weakest_in_cycles(edges, weights)
        stages.append((in_cycles, Reason.CYCLE))
        edges &= ~in_cycles
        order = _order(_bits(edges))

    if relaxed:
        lone = _lone_preconditions(edges)
        stages.append((lone, Reason.RELAXED))
        edges &= ~lone

    no_needs = np.zeros_like(edges)
    no_needs[1:-1, 0] = ~edges[1:-1].any(axis=1)
    edges |= no_needs
    unneeded = np.zeros_like(edges)
    unneeded[-1, 1:-1] = ~edges[:, 1:-1].any(axis=0)
    edges |= unneeded
    implied = _implied(edges, [*order, size - 1])  # END needs more now, so reduce again
    edges &= ~implied
    stages += [
        (no_needs, Reason.NEEDS_NOTHING),
        (unneeded, Reason.NEEDED_BY_NOBODY),
        (implied, Reason.IMPLIED),
    ]
    return edges, stages


def is_acyclic(edges: BoolMatrix) -> bool:
    """Return whether no step needs itself, directly or through others."""
    return len(_order(_bits(edges))) == len(edges)


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


def implied_edges(edges: BoolMatrix) -> BoolMatrix:
    """Return the edges of an acyclic graph that follow from its other edges.

    Removing them is the transitive reduction: reachable nodes stay reachable.
    """
    order = _order(_bits(edges))
    if len(order) < len(edges):
        raise ValueError("a graph with a cycle has no transitive reduction of its own")
    return _implied(edges, order)


def _implied(edges: BoolMatrix, order: Iterable[int]) -> BoolMatrix:
    """Return the edges that follow from others, given all nodes, each after those it needs."""
    needs = _bits(edges)
    columns: list[list[int]] = [[] for _ in needs]
    for row, column in _edges(edges):
        columns[row].append(column)
    reachable, implied = [0] * len(needs), [0] * len(needs)
    for node in order:
        through_others = 0
        for column in columns[node]:
            through_others |= reachable[column]
        reachable[node] = needs[node] | through_others
        implied[node] = needs[node] & through_others
    return _from_bits(implied)


def _order(needs: Sequence[int]) -> list[int]:
    """Return the nodes, each after those that it needs; not all of them if there is a cycle.

    Parameters
    ----------
    needs
        For each node what it needs, one bit a node.
    """
    order: list[int] = []
    done, left = 0, list(range(len(needs)))
    while left:
        free = [node for node in left if not needs[node] & ~done]
        if not free:
            break
        order += free
        left = [node for node in left if needs[node] & ~done]
        for node in free:
            done |= 1 << node
    return order


def _bits(edges: BoolMatrix) -> list[int]:
    """Return the rows of a matrix as numbers, one bit a column."""
    rows = np.packbits(edges, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in rows]


def _from_bits(rows: Sequence[int]) -> BoolMatrix:
    """Return the square matrix whose rows are these numbers."""
    size = len(rows)
    width = (size + 7) // 8
    packed = np.frombuffer(b"".join(row.to_bytes(width, "little") for row in rows), dtype=np.uint8)
    bits = np.unpackbits(packed.reshape(size, width), axis=1, count=size, bitorder="little")
    return bits.astype(bool)


@lru_cache(maxsize=16)
def _possible(size: int) -> BoolMatrix:
    possible = ~np.eye(size, dtype=bool)
    possible[0] = False
    possible[:, -1] = False
    possible.setflags(write=False)
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
