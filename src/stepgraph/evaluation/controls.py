"""Controls: graphs that need no learning, to compare scores with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from stepgraph.graph import Edge, TaskGraph, connect_ends
from stepgraph.learners.intersection import Intersection
from stepgraph.sequences import Demonstrations

Control = Callable[[Demonstrations], TaskGraph]


def no_order(demonstrations: Demonstrations) -> TaskGraph:
    """Return the graph in which no step needs another."""
    return TaskGraph.from_preconditions(dict.fromkeys(demonstrations.vocabulary.steps, ()))


def first_recording(demonstrations: Demonstrations) -> TaskGraph:
    """Return the first recording as a chain: each step needs the one before it."""
    chain = tuple(dict.fromkeys(demonstrations.names(demonstrations.sequences[0])))
    return TaskGraph.from_preconditions(
        {step: chain[max(place - 1, 0) : place] for place, step in enumerate(chain)}
    )


def uncontradicted(demonstrations: Demonstrations, truth: TaskGraph) -> TaskGraph:
    """Return the known edges that no demonstration contradicts.

    This control knows the answer. Its distance from a perfect score is beyond every method that
    trusts all demonstrations.
    """
    shared = Intersection().learn(demonstrations).adjacency
    steps = shared.vocabulary.steps
    kept: list[Edge] = [
        (step, needed)
        for step, needed in truth.edges
        if step in shared.vocabulary
        and needed in shared.vocabulary
        and shared.weight(step, needed) > 0
    ]
    return TaskGraph(steps, connect_ends(steps, kept))


CONTROLS: Mapping[str, Control] = MappingProxyType(
    {"no-order": no_order, "first-recording": first_recording}
)

__all__ = ["CONTROLS", "Control", "first_recording", "no_order", "uncontradicted"]
