"""Edges that somebody stated when a graph was learned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from stepgraph.graph.edges import Edge
from stepgraph.graph.task_graph import TaskGraph


def stated_edges(graph: TaskGraph, what: Literal["must", "never"] = "must") -> frozenset[Edge]:
    """Return the edges that are in a graph, or are not, because somebody said so.

    Parameters
    ----------
    graph
        A graph; its provenance keeps what was stated, as the settings 'must' and 'never'.
    what
        Which of the two.

    Examples
    --------
    >>> settings = {"must": [["mix", "egg"], ["mix", "milk"]]}
    >>> graph = TaskGraph(["egg", "mix"], [("mix", "egg")], provenance={"settings": settings})
    >>> stated_edges(graph)
    frozenset({('mix', 'egg')})
    """
    edges = frozenset(graph.edges)
    return frozenset(pair for pair in stated(graph, what) if (pair in edges) == (what == "must"))


def stated(graph: TaskGraph, what: Literal["must", "never"] = "must") -> tuple[Edge, ...]:
    """Return all that somebody said, also what follows from other edges of the graph.

    Parameters
    ----------
    graph, what
        As for `stated_edges`.
    """
    settings = graph.provenance.get("settings")
    said = settings.get(what) if isinstance(settings, Mapping) else None
    if not said or not isinstance(said, (list, tuple)):  # files may hold anything there
        return ()
    return tuple(
        (pair[0], pair[1])
        for pair in said
        if isinstance(pair, (list, tuple))
        and len(pair) == 2
        and all(isinstance(name, str) for name in pair)
    )
