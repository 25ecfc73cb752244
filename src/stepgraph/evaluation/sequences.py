"""How well sequences fit a graph: their accuracy and their likelihood."""

from __future__ import annotations

import math
from collections.abc import Iterable

from stepgraph.errors import UnknownNameError
from stepgraph.graph import TaskGraph
from stepgraph.learners.tgml.stopping import sequence_accuracy
from stepgraph.repetitions import Repetitions, without_repetitions
from stepgraph.sequences import END, Demonstrations


def graph_sequence_accuracy(
    graph: TaskGraph,
    demonstrations: Demonstrations,
    repetitions: Repetitions = Repetitions.FIRST,
) -> float:
    """Return the paper's Sequence Accuracy of a graph on demonstrations.

    Parameters
    ----------
    graph
        The graph; it must know every step of the demonstrations.
    demonstrations
        The recordings.
    repetitions
        Which occurrence counts where a recording repeats a step.
    """
    free = without_repetitions(demonstrations, repetitions)
    node = {number: graph.vocabulary.node(name) for number, name in _seen(demonstrations)}
    sequences = [tuple(node[step] for step in steps) for steps in free.sequences]
    return sequence_accuracy(graph.to_matrix() > 0, sequences)


def sequence_log_likelihood(graph: TaskGraph, steps: Iterable[str]) -> float:
    """Return log P(y | graph) by Eq. 1 and 2: each time one of the executable steps is drawn.

    Parameters
    ----------
    graph
        The graph.
    steps
        Step names in order; END is added.

    Returns
    -------
    float
        The logarithm; -inf for a sequence that breaks the graph, stops before everything END
        needs is done, or repeats a step: none of them can be drawn.

    Raises
    ------
    UnknownNameError
        If the graph does not know a step.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg", "milk"]})
    >>> math.exp(sequence_log_likelihood(graph, ["egg", "milk", "mix"]))
    0.5
    """
    done: list[str] = []
    total = 0.0
    order = tuple(steps)
    for step in order:
        if step not in graph.vocabulary:
            raise UnknownNameError("step", step, graph.steps)
    for step in (*order, END):
        if step in done or graph.missing_before(step, done):
            return -math.inf
        possible = len(graph.executable(done)) + (not graph.missing_before(END, done))
        total -= math.log(possible)
        if step != END:
            done.append(step)
    return total


def _seen(demonstrations: Demonstrations) -> Iterable[tuple[int, str]]:
    return ((node, demonstrations.vocabulary.name(node)) for node in demonstrations.seen)
