"""Why a step needs another one in a learned graph, or why it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tgml.adjacency import WeightedAdjacency
from tgml.attributes import PROBABLE, EdgeEvidence
from tgml.errors import InputError
from tgml.graph import Edge, TaskGraph
from tgml.graph.stated import stated_edges
from tgml.insight.evidence import edge_evidence
from tgml.sequences import Demonstrations


def why(
    demonstrations: Demonstrations,
    graph: TaskGraph,
    edge: Edge,
    confidence: WeightedAdjacency | None = None,
) -> str:
    """Say whether a step needs another one, by which edges, and what the recordings show of it.

    Parameters
    ----------
    demonstrations
        The recordings that the graph was learned from.
    graph
        The graph.
    edge
        A step, and what it may need.
    confidence
        How probable it is that each step needs each other one, where the method says so.

    Raises
    ------
    InputError
        If the edge leads from a step to itself.

    Examples
    --------
    >>> recordings = Demonstrations.from_steps([["egg", "mix", "bake"], ["egg", "mix", "bake"]])
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg"], "bake": ["mix"]})
    >>> why(recordings, graph, ("bake", "egg"))
    "'bake' needs 'egg', through 'mix': so in 2 of 2 recordings"
    """
    step, needed = edge
    if step == needed:
        raise InputError(f"why {step!r} needs itself cannot be asked; name two steps")
    shown = edge_evidence(demonstrations, [edge], confidence)[edge]
    if edge in stated_edges(graph) | stated_edges(graph, "never"):
        shown = replace(shown, probability=None)  # what was stated is not a matter of chance
    return f"{_verdict(graph, step, needed, shown)}: {shown.told()}"


def _verdict(graph: TaskGraph, step: str, needed: str, shown: EdgeEvidence) -> str:
    if step not in graph.steps or needed not in graph.steps:
        return f"{step!r} does not need {needed!r}, as the graph has not both"
    if (step, needed) in stated_edges(graph):
        return f"{step!r} needs {needed!r}, as stated"
    if (step, needed) in graph.edges:
        return f"{step!r} needs {needed!r}"
    through = [
        name for name in graph.preconditions_of(step) if needed in graph.all_preconditions_of(name)
    ]
    if through:
        return f"{step!r} needs {needed!r}, through {', '.join(map(repr, through))}"
    if step in graph.all_preconditions_of(needed):
        return f"{step!r} does not need {needed!r}, it is the other way round"
    return f"{step!r} does not need {needed!r}{_reason(graph, (step, needed), shown)}"


def _reason(graph: TaskGraph, edge: Edge, shown: EdgeEvidence) -> str:
    """Return why an edge is absent, as far as it can be known; empty where it cannot."""
    settings = graph.provenance.get("settings")
    chosen = settings if isinstance(settings, Mapping) else {}
    if edge in stated_edges(graph, "never"):
        return ", as stated"
    if not shown.held + shown.broken:
        return ", as nobody has done both"
    if "threshold" in graph.provenance:
        return ", with this threshold"
    limit = chosen.get("least_probable")
    if isinstance(limit, int | float) and shown.probability is not None:
        if shown.probability < limit:
            return f", as that is less probable than {limit:g}"
        return ", beside what 'least_probable' rules out ('tgml methods robust' says more)"
    for name in ("never", "must"):
        if chosen.get(name):
            return f", beside what {name!r} rules out"
    if shown.probability is not None:
        low = shown.probability < PROBABLE
        return ", as that is not probable" if low else ", as other edges fit the recordings better"
    return ", as the order is not always the same" if shown.broken else ""
