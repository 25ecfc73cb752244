"""What else changes in a graph when somebody states that an edge must be there, or never may."""

from __future__ import annotations

from collections.abc import Sequence

from stepgraph.graph import Edge, TaskGraph

NAMED = 5
"""So many edges are named."""


def consequences(without: TaskGraph, stated: TaskGraph) -> tuple[str, ...]:
    """Say what statements took away or brought beside the edges that they name.

    Parameters
    ----------
    without
        The graph learned without the statements.
    stated
        The graph learned with them, from the same recordings.

    Examples
    --------
    >>> from stepgraph.graph import Constraints
    >>> chain = {"grease": ["heat"], "fry": ["grease"]}
    >>> without = TaskGraph.from_preconditions(chain)
    >>> never = Constraints(never=[("fry", "heat")])
    >>> told = {"grease": ["heat"], "fry": []}
    >>> consequences(without, TaskGraph.from_preconditions(told, constraints=never))
    ("stated so, there goes too: 'fry' needs 'grease', as 'grease' needs 'heat'",)
    """
    never = frozenset(stated.constraints.never)
    lost = [edge for edge in _gone(without, stated) if edge not in never]
    brought = [edge for edge in _gone(stated, without) if edge not in stated.constraints.required]
    notes = []
    if lost:
        notes.append(f"stated so, there goes too: {_named(lost, stated, never)}")
    if brought:
        notes.append(f"stated so, there comes too: {_named(brought, stated)}")
    return tuple(notes)


def _gone(before: TaskGraph, after: TaskGraph) -> list[Edge]:
    """Return the edges between steps of one graph whose order another one does not have."""
    return [
        (step, needed)
        for step in before.steps
        for needed in before.preconditions_of(step)
        if step not in after.steps or needed not in after.all_preconditions_of(step)
    ]


def _named(edges: Sequence[Edge], graph: TaskGraph, never: frozenset[Edge] = frozenset()) -> str:
    said = [
        f"{step!r} needs {needed!r}{_reason(step, needed, graph, never)}"
        for step, needed in edges[:NAMED]
    ]
    more = len(edges) - NAMED
    return "; ".join(said) + (f"; {more} more" if more > 0 else "")


def _reason(step: str, needed: str, graph: TaskGraph, never: frozenset[Edge]) -> str:
    """Return what would bring back an edge that somebody ruled out; empty if nothing would."""
    for other in graph.all_preconditions_of(needed):
        if (step, other) in never:
            return f", as {needed!r} needs {other!r}"
    return ""
