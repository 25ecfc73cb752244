"""Edges by the names of their ends: a step, and a precondition of it."""

from __future__ import annotations

from collections.abc import Iterable

from stepgraph.errors import GraphError, UnknownNameError
from stepgraph.sequences import END, START, Vocabulary

Edge = tuple[str, str]


def connect_ends(steps: Iterable[str], edges: Iterable[Edge]) -> list[Edge]:
    """Add START below each step that needs nothing and END above each that nobody needs.

    Parameters
    ----------
    steps
        The step names.
    edges
        Pairs (step, precondition).

    Returns
    -------
    list
        The edges given, then those added.
    """
    given = list(edges)
    needing = {step for step, _ in given}
    needed = {precondition for _, precondition in given}
    added: list[Edge] = []
    for step in steps:
        if step not in needing:
            added.append((step, START))
        if step not in needed:
            added.append((END, step))
    return given + added


def edge_nodes(vocabulary: Vocabulary, step: str, precondition: str) -> tuple[int, int]:
    """Return the node numbers of an edge's ends.

    Raises
    ------
    GraphError
        If one of them is unknown, START needs something, or something needs END.
    """
    try:
        row, column = vocabulary.node(step), vocabulary.node(precondition)
    except UnknownNameError as error:
        raise GraphError(f"the edge {step!r} needing {precondition!r}: {error}") from None
    if row == 0:
        raise GraphError(f"START is said to need {precondition!r}; START comes before everything")
    if column == vocabulary.end:
        raise GraphError(f"{step!r} is said to need END; END comes after everything")
    return row, column


def edge_weight(edge: Edge, value: float) -> float:
    """Return the weight of an edge as a number.

    Raises
    ------
    GraphError
        If it is none.
    """
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        step, precondition = edge
        raise GraphError(
            f"the weight of {step!r} needing {precondition!r} is {value!r:.40}; expected a number"
        ) from None
