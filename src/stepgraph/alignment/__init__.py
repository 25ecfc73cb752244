"""Alignment: the cheapest explanation of a recording by a task graph.

`align` finds which steps of a recording stay in place, which are skipped and which are inserted.
It is exact and takes polynomial time, where process mining searches; graphs with choices, undoing
or steps that go with others need a search, too. `conformance` aligns all recordings of a log and
returns fitness and precision. Nothing here needs torch.
"""

from __future__ import annotations

from collections.abc import Iterable

from stepgraph.alignment.aligner import Aligner
from stepgraph.alignment.conformance import Conformance, conformance
from stepgraph.alignment.moves import KINDS, Alignment, Costs, Kind, Move, explain_alignment
from stepgraph.graph import TaskGraph
from stepgraph.sequences import step_names

__all__ = [
    "KINDS",
    "Aligner",
    "Alignment",
    "Conformance",
    "Costs",
    "Kind",
    "Move",
    "align",
    "conformance",
    "explain_alignment",
]


def align(graph: TaskGraph, steps: Iterable[str], *, costs: Costs | None = None) -> Alignment:
    """Return the cheapest explanation of a recording by a graph; see `Aligner`.

    Parameters
    ----------
    graph
        The graph.
    steps
        Step names in the order done; they may repeat, and the graph may lack them.
    costs
        The costs of moves; by default 1 for a skipped or inserted step.

    Raises
    ------
    InputError
        If `graph` is not a graph, or `steps` are not names.
    UnknownNameError
        If a cost is for a step that the graph does not have.
    GraphError
        If the rules of the graph are against each other: no order finishes it.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"drink": ["pour"]})
    >>> align(graph, ["drink", "pour"]).cost
    2.0
    """
    aligner = Aligner(graph, costs)
    return aligner.align(step_names(steps, aligner.graph.vocabulary))
