"""Edges that somebody stated when a graph was learned."""

from __future__ import annotations

from collections.abc import Mapping

from tgml.graph.edges import Edge
from tgml.graph.task_graph import TaskGraph


def stated_edges(graph: TaskGraph) -> frozenset[Edge]:
    """Return the edges of a graph that are in it because somebody said so.

    Parameters
    ----------
    graph
        A graph; its provenance keeps what was stated, as the setting 'must'.

    Examples
    --------
    >>> settings = {"must": [["mix", "egg"], ["mix", "milk"]]}
    >>> graph = TaskGraph(["egg", "mix"], [("mix", "egg")], provenance={"settings": settings})
    >>> stated_edges(graph)
    frozenset({('mix', 'egg')})
    """
    settings = graph.provenance.get("settings")
    must = settings.get("must") if isinstance(settings, Mapping) else None
    if not isinstance(must, (list, tuple)):  # files may hold anything there
        return frozenset()
    edges = frozenset(graph.edges)
    return frozenset(
        (pair[0], pair[1])
        for pair in must
        if isinstance(pair, (list, tuple))
        and all(isinstance(name, str) for name in pair)
        and tuple(pair) in edges
    )
