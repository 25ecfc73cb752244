"""An alignment in words: what was moved, skipped, repeated and inserted, and why."""

from __future__ import annotations

from stepgraph.alignment.moves import Alignment, Move
from stepgraph.errors import nearest_names
from stepgraph.graph import TaskGraph


def explain_alignment(graph: TaskGraph, alignment: Alignment) -> tuple[str, ...]:
    """Return a line for everything in a recording that is not as the graph says.

    Parameters
    ----------
    graph
        The graph that the recording was aligned to.
    alignment
        The alignment.

    Examples
    --------
    >>> from stepgraph.alignment import align
    >>> graph = TaskGraph.from_preconditions({"stir": ["pour"], "drink": ["stir"]})
    >>> for line in explain_alignment(graph, align(graph, ["stir", "pour", "sing", "pour"])):
    ...     print(line)
    moved: 'pour' is step 2; 'stir' (step 1), which needs it, came before
    inserted: 'sing' (step 3); the graph has no such step
    moved: 'pour' is step 4; 'stir' (step 1), which needs it, came before
    skipped: 'drink'
    """
    done: dict[str, Move] = {}
    for move in alignment.done:
        done.setdefault(move.step, move)
    optional = set(graph.optional_steps)
    inserted = {move.step for move in alignment.inserted}
    lines = []
    for move in alignment.moves:
        if move.kind == "inserted":
            lines.append(_inserted(graph, move, done, optional))
        elif move.kind == "skipped" and move.step not in inserted | optional:
            lines.append(f"skipped: '{move.step}'")
    return tuple(lines)


def _inserted(graph: TaskGraph, move: Move, done: dict[str, Move], optional: set[str]) -> str:
    where = f"'{move.step}' (step {move.position})"
    if move.step not in graph.vocabulary:
        near = nearest_names(move.step, graph.steps, 1)
        advice = f"; did you mean '{near[0]}'?" if near else ""
        return f"inserted: {where}; the graph has no such step{advice}"
    if move.step in done:
        return f"repeated: {where}; step {done[move.step].position} counts as done"
    reasons = []
    for other in sorted(done.values(), key=lambda kept: kept.position or 0):
        before = (other.position or 0) < (move.position or 0)
        what = f"'{other.step}' (step {other.position})"
        if before and move.step in graph.all_preconditions_of(other.step):
            needs = "comes after" if move.step in optional else "needs"
            reasons.append(f"{what}, which {needs} it, came before")
        elif not before and other.step in graph.all_preconditions_of(move.step):
            needs = "comes after" if other.step in optional else "needs"
            reasons.append(f"{what}, which it {needs}, came after")
    if not reasons:
        return f"inserted: {where}; with these costs that is cheaper than to count it as done"
    more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    return f"moved: '{move.step}' is step {move.position}; {reasons[0]}{more}"
