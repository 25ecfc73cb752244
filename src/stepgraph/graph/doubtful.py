"""Edges that were learned and that are hardly probable."""

from __future__ import annotations

from collections.abc import Container, Iterator

from stepgraph.graph.edges import Edge
from stepgraph.graph.task_graph import TaskGraph

NAMED = 3
"""So many doubtful edges are named, the least probable ones."""


def doubtful(graph: TaskGraph, among: Container[Edge] | None = None) -> Iterator[str]:
    """Yield in words the edges that recordings break and that are improbable.

    What all recordings agree on can be improbable as well, where they are few; `advise` asks.

    Parameters
    ----------
    graph
        A graph with its evidence.
    among
        The edges to look at; by default all.

    Examples
    --------
    >>> from stepgraph.graph.attributes import EdgeEvidence
    >>> graph = TaskGraph(["egg", "mix"], [("mix", "egg")])
    >>> held = EdgeEvidence(3, 1, 0, broken_in=("anna",), probability=0.31)
    >>> list(doubtful(graph.replace(evidence={("mix", "egg"): held})))
    ["doubtful (31 % probable): 'mix' needs 'egg', which 1 of 4 recordings breaks"]
    """
    given = {
        edge: found
        for edge, found in graph.evidence.items()
        if found.doubtful and (among is None or edge in among)
    }
    by_probability = sorted(given, key=lambda edge: given[edge].probability or 0.0)
    for step, needed in by_probability[:NAMED]:
        found = given[step, needed]
        yield (
            f"doubtful ({100 * (found.probability or 0.0):.0f} % probable): {step!r} needs "
            f"{needed!r}, which {found.broken:g} of {found.held + found.broken:g} recordings "
            f"{'breaks' if found.broken == 1 else 'break'}"
        )
    more = len(given) - NAMED
    if more > 0:
        yield f"{more} more {'edge is' if more == 1 else 'edges are'} doubtful"
