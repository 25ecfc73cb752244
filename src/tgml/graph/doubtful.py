"""Edges that were learned and that are hardly probable."""

from __future__ import annotations

from collections.abc import Iterator

from tgml.graph.edges import Edge
from tgml.graph.task_graph import TaskGraph

PROBABLE = 0.5
"""An edge is doubtful if it is more probable that the step does not need the other one."""
NAMED = 3
"""So many doubtful edges are named, the least probable ones."""


def doubtful(graph: TaskGraph) -> Iterator[str]:
    """Yield in words the edges that recordings break and that are improbable.

    What all recordings agree on can be improbable as well, where they are few; `advise` asks.

    Parameters
    ----------
    graph
        A graph with its evidence.
    """
    given: dict[Edge, float] = {
        edge: found.probability
        for edge, found in graph.evidence.items()
        if found.broken and found.probability is not None and found.probability < PROBABLE
    }
    by_probability = sorted(given, key=given.__getitem__)
    for step, needed in by_probability[:NAMED]:
        found = graph.evidence[step, needed]
        yield (
            f"doubtful ({100 * given[step, needed]:.0f} % probable): {step!r} needs {needed!r}, "
            f"which {found.broken:g} of {found.held + found.broken:g} recordings break"
        )
    if len(given) > NAMED:
        more = len(given) - NAMED
        yield f"{more} more {'edge is' if more == 1 else 'edges are'} doubtful"
