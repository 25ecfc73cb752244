"""What tests of graphs share."""

from __future__ import annotations

from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes


def same(one: TaskGraph, other: TaskGraph) -> bool:
    """Return whether two graphs agree also in what equality leaves out."""
    return (one, one.steps, one.procedure, dict(one.weights)) == (
        other,
        other.steps,
        other.procedure,
        dict(other.weights),
    )


def with_optional(*optional: str) -> TaskGraph:
    """Return a chain a, b, c, d with d also needing x; some steps may be left out."""
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["c", "x"]})
    return graph.replace(attributes={step: StepAttributes(optional=True) for step in optional})
