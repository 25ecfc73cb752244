"""Why a step needs another one in a learned graph, or why it does not."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

from stepgraph.errors import InputError
from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.graph.evidence import PROBABLE, EdgeEvidence
from stepgraph.insight.evidence import edge_evidence
from stepgraph.learners.robust.learner import KEPT
from stepgraph.learners.step_names import may_belong_together
from stepgraph.repetitions import first_occurrences
from stepgraph.sequences import Demonstrations


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
    if _is_required(graph, edge) or edge in graph.constraints.never:
        shown = replace(shown, probability=None)  # what was stated is not a matter of chance
    return f"{_verdict(demonstrations, graph, edge, shown)}: {shown.told()}"


def _is_required(graph: TaskGraph, edge: Edge) -> bool:
    return edge in graph.constraints.required and edge in graph.edges


def _verdict(
    demonstrations: Demonstrations, graph: TaskGraph, edge: Edge, shown: EdgeEvidence
) -> str:
    step, needed = edge
    if step not in graph.steps or needed not in graph.steps:
        return f"{step!r} does not need {needed!r}, as the graph has not both"
    if _is_required(graph, edge):
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
    return f"{step!r} does not need {needed!r}{_reason(demonstrations, graph, edge, shown)}"


def _reason(
    demonstrations: Demonstrations, graph: TaskGraph, edge: Edge, shown: EdgeEvidence
) -> str:
    """Return why an edge is absent, as far as it can be known; empty where it cannot."""
    chosen = graph.provenance.settings
    if edge in graph.constraints.never:
        return ", as stated"
    if not shown.held + shown.broken:
        return ", as nobody has done both"
    if graph.provenance.threshold is not None:
        return ", with this threshold"
    limit = chosen.get("least_probable")
    if shown.probability is not None:
        if isinstance(limit, int | float) and shown.probability < limit:
            return f", as that is less probable than {limit:g}"
        if shown.probability < KEPT:
            return ", as that is not probable"
    elif shown.broken:
        return ", as the order is not always the same"
    if _may_be_chance(demonstrations, graph, edge, chosen):
        return ", as nobody did the two one right after the other"
    if isinstance(limit, int | float):
        return ", beside what 'least_probable' rules out ('stepgraph methods robust' says more)"
    for name, said in (("never", graph.constraints.never), ("must", graph.constraints.required)):
        if said:
            return f", beside what {name!r} says"
    if shown.probability is None:
        return ""
    low = shown.probability < PROBABLE
    return ", as that is not probable" if low else ", as other edges fit the recordings better"


def _may_be_chance(
    demonstrations: Demonstrations, graph: TaskGraph, edge: Edge, chosen: Mapping[str, object]
) -> bool:
    """Return whether a method that wants more than an order was shown no more than that."""
    step, needed = edge
    if graph.provenance.method not in ("robust", "fusion") or chosen.get("prior"):
        return False
    if chosen.get("names", True) and may_belong_together(step, needed):
        return False
    node = demonstrations.vocabulary.node
    pair = (node(needed), node(step))
    orders = (first_occurrences(recording.steps) for recording in demonstrations)
    return not any(pair in itertools.pairwise(order) for order in orders)
