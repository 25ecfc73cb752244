"""Precision, recall and F1 over the edges of a graph (paper, appendix 'Evaluation Measures')."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from stepgraph.errors import GraphError
from stepgraph.graph import Edge, TaskGraph


@dataclass(frozen=True)
class EdgeScores:
    """How a graph's edges agree with those of a known graph, START and END included.

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
