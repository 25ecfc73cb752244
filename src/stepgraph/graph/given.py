"""What is given as a graph, checked where it comes in."""

from __future__ import annotations

from stepgraph.errors import InputError
from stepgraph.graph.task_graph import TaskGraph


def as_graph(came: object, who: str) -> TaskGraph:
    """Return what came, after checking that it is a graph.

    Raises
    ------
    InputError
        If it is something else; the message says who asked for it, and where graphs come from.
    """
    if isinstance(came, TaskGraph):
        return came
    raise InputError(
        f"{who} got {came!r:.80}; expected a TaskGraph, as stepgraph.read_graph(FILE) and "
        "stepgraph.learn(FILE) return"
    )
