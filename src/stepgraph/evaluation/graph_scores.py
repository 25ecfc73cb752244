"""The quality of a graph: its edges against a known graph, and the fit of sequences.

Precision, recall and F1 over edges follow the paper's appendix 'Evaluation Measures'.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from stepgraph.errors import GraphError, UnknownNameError
from stepgraph.graph import Edge, TaskGraph
from stepgraph.learners.tgml.stopping import sequence_accuracy
from stepgraph.repetitions import Repetitions, without_repetitions
from stepgraph.sequences import END, Demonstrations


@dataclass(frozen=True)
class EdgeScores:
    """The agreement of a graph's edges with those of a known graph, including START and END.

    Parameters
    ----------
    common, spurious, missing
        Edges in both graphs, only in the learned one, only in the known one.
    precision, recall, f1
        The measures; 0 where they would divide by nothing.
    """

    common: tuple[Edge, ...]
    spurious: tuple[Edge, ...]
    missing: tuple[Edge, ...]
    precision: float
    recall: float
    f1: float


def compare_edges(graph: TaskGraph, truth: TaskGraph) -> EdgeScores:
    """Score a graph against the known graph of the same procedure.

    Steps that the graph lacks count by their missing edges.

    Parameters
    ----------
    graph
        The graph to judge.
    truth
        The known graph.

    Raises
    ------
    GraphError
        If the graph has steps that the known graph does not know.

    Examples
    --------
    >>> truth = TaskGraph.from_preconditions({"mix": ["egg", "milk"]})
    >>> guess = TaskGraph.from_preconditions({"mix": ["egg"], "egg": ["milk"]})
    >>> scores = compare_edges(guess, truth)
    >>> scores.precision, scores.recall
    (0.75, 0.6)
    """
    foreign = [step for step in graph.steps if step not in truth.vocabulary]
    if foreign:
        shown = ", ".join(map(repr, foreign[:3])) + (" ..." if len(foreign) > 3 else "")
        raise GraphError(
            f"{len(foreign)} of the {len(graph.steps)} steps are not in the known graph: {shown}; "
            "both graphs must be of the same procedure, with the same step names"
        )
    found, known = set(graph.edges), set(truth.edges)
    common = tuple(edge for edge in graph.edges if edge in known)
    precision = len(common) / len(found) if found else 0.0
    recall = len(common) / len(known) if known else 0.0
    return EdgeScores(
        common=common,
        spurious=tuple(edge for edge in graph.edges if edge not in known),
        missing=tuple(edge for edge in truth.edges if edge not in found),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if common else 0.0,
    )


def macro_average(scores: Sequence[EdgeScores]) -> tuple[float, float, float]:
    """Return the means of precision, recall and F1: every procedure counts the same."""
    return (
        fmean(score.precision for score in scores),
        fmean(score.recall for score in scores),
        fmean(score.f1 for score in scores),
    )


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
