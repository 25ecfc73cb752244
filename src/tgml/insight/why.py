"""Why a step needs another one in a learned graph, or why it does not."""

from __future__ import annotations

from collections.abc import Iterable

from tgml.adjacency import WeightedAdjacency
from tgml.attributes import PROBABLE, EdgeEvidence
from tgml.graph import Edge, TaskGraph
from tgml.graph.stated import stated_edges
from tgml.insight.evidence import edge_evidence
from tgml.sequences import Demonstrations, in_words


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

    Examples
    --------
    >>> recordings = Demonstrations.from_steps([["egg", "mix", "bake"], ["egg", "mix", "bake"]])
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg"], "bake": ["mix"]})
    >>> why(recordings, graph, ("bake", "egg"))
    "'bake' needs 'egg', through 'mix': so in 2 of 2 recordings"
    """
    step, needed = edge
    shown = edge_evidence(demonstrations, [edge], confidence)[edge]
    return f"{_verdict(graph, step, needed, shown)}: {_shown(shown)}"


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
        return f"{step!r} needs {needed!r}, through {_listed(through)}"
    if step in graph.all_preconditions_of(needed):
        return f"{step!r} does not need {needed!r}, it is the other way round"
    return f"{step!r} does not need {needed!r}{_reason(shown)}"


def _reason(shown: EdgeEvidence) -> str:
    if not shown.held + shown.broken:
        return ", as nobody has done both"
    if shown.probability is not None and shown.probability < PROBABLE:
        return ", as that is not probable"
    return ", as the order is not always the same" if shown.broken else ""


def _shown(found: EdgeEvidence) -> str:
    both = found.held + found.broken
    if not both:
        return "no recording shows an order"
    noun = "recording" if both == 1 else "recordings"
    said = f"so in {in_words(found.held)} of {in_words(both)} {noun}"
    if found.broken_in:
        more = ", ..." if found.broken > len(found.broken_in[:3]) else ""
        said += f", not in {_listed(found.broken_in[:3])}{more}"
    if found.probability is not None:
        said += f"; {100 * found.probability:.0f} % probable"
    return said


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
