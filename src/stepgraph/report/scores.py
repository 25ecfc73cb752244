"""The figures of a report: scores beside controls, the training curve, reliability of weights."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from stepgraph.drawing.charts import Point, Series, line_chart
from stepgraph.evaluation import compare_edges
from stepgraph.evaluation.controls import first_recording
from stepgraph.graph import TaskGraph
from stepgraph.learners import Curve
from stepgraph.report.relearning import Relearned, percentiles
from stepgraph.sequences import END, START, Demonstrations

# A chart of fewer weighted edges would show only chance.
LEAST_EDGES = 10
_BINS = 4
_NORMAL_90 = 1.6449
_MOST_POINTS = 30
# The methods whose weights are probabilities, so that a chart can show their reliability.
_PROBABLE = ("robust",)


@dataclass(frozen=True)
class ScoreEntry:
    """The scores of a graph against the known one.

    Parameters
    ----------
    name
        The graph: this one, or a control.
    precision, recall, f1
        Over edges, from 0 to 1.
    intervals
        The lower and upper ends for precision, recall and F1 in turn; empty where unknown.
    """

    name: str
    precision: float
    recall: float
    f1: float
    intervals: tuple[tuple[float, float], ...] = ()


def training_chart(curve: Curve) -> str:
    """Return a chart of the training curve, thinned out where there are many rounds.

    Parameters
    ----------
    curve
        The loss of the method, by round.
    """
    count = len(curve.values)
    most = min(count, _MOST_POINTS)
    places = sorted({round(place * (count - 1) / max(most - 1, 1)) for place in range(most)})
    return line_chart(
        [Series("training", [Point(place + 1, curve.values[place]) for place in places])],
        title="Training",
        x_label=curve.rounds,
        y_label=curve.what,
    )


def score_entries(
    graph: TaskGraph,
    truth: TaskGraph,
    demonstrations: Demonstrations | None,
    relearned: Relearned | None,
) -> tuple[ScoreEntry, ...]:
    """Return the scores of a graph and of controls against the known graph, with intervals.

    Parameters
    ----------
    graph, truth
        The graph and the known one.
    demonstrations
        The recordings, for the control that takes the first one as a chain.
    relearned
        The result of learning again, for the interval of the graph itself.
    """
    entries = [
        _score("this graph", graph, truth, () if relearned is None else relearned.intervals),
        _score(
            "control: no order", TaskGraph.from_preconditions(dict.fromkeys(truth.steps, ())), truth
        ),
    ]
    if demonstrations is not None and set(demonstrations.vocabulary.steps) <= set(truth.steps):
        chains = [
            compare_edges(first_recording(replace(demonstrations, sequences=(one,))), truth)
            for one in demonstrations
        ]
        ranges = tuple(
            percentiles([getattr(one, name) for one in chains])
            for name in ("precision", "recall", "f1")
        )
        name = "control: the first recording as a chain"
        chain = first_recording(demonstrations)
        entries.append(_score(name, chain, truth, ranges if len(chains) > 1 else ()))
    return tuple(entries)


def _score(
    name: str, graph: TaskGraph, truth: TaskGraph, ranges: Sequence[tuple[float, float]] = ()
) -> ScoreEntry:
    scores = compare_edges(graph, truth)
    return ScoreEntry(name, scores.precision, scores.recall, scores.f1, tuple(ranges))


def reliability_charts(graph: TaskGraph, truth: TaskGraph) -> Iterator[str]:
    """Draw the share of edges that are in the known graph, by weight, where weights differ.

    Parameters
    ----------
    graph, truth
        The graph with weights, and the known one.
    """
    known = set(truth.edges)
    # Edges of START and END follow from the others, so their weights tell nothing.
    weighed = sorted(
        (weight, edge in known)
        for edge, weight in graph.weights.items()
        if edge[0] != END and edge[1] != START
    )
    if len(weighed) < LEAST_EDGES:
        return
    points = [_right_share(part) for part in _quarters(weighed)]
    if len(points) < 2:
        return
    lines = [Series("edges", points)]
    if graph.provenance.method in _PROBABLE:
        diagonal = [Point(point.x, 100 * point.x) for point in points]
        lines.append(Series("as the weights say", diagonal, muted=True))
    yield line_chart(
        lines,
        title="Edges in the known graph, by weight",
        x_label="mean weight of a quarter of the edges (90 % intervals)",
        y_label="in the known graph (%)",
        y_range=(0.0, 100.0),
    )


def _quarters(weighed: Sequence[tuple[float, bool]]) -> list[list[tuple[float, bool]]]:
    """Return four parts by weight; neighbouring parts of almost equal weight become one."""
    parts: list[list[tuple[float, bool]]] = []
    for bin_ in range(_BINS):
        part = weighed[len(weighed) * bin_ // _BINS : len(weighed) * (bin_ + 1) // _BINS]
        if parts and _mean_weight(parts[-1]) == _mean_weight(part):
            parts[-1] += part
        else:
            parts.append([*part])
    return parts


def _mean_weight(part: Sequence[tuple[float, bool]]) -> float:
    return round(fmean(weight for weight, _ in part), 2)


def _right_share(part: Sequence[tuple[float, bool]]) -> Point:
    right = [is_right for _, is_right in part]
    low, high = _wilson(right)
    return Point(_mean_weight(part), 100 * fmean(right), 100 * low, 100 * high)


def _wilson(right: Sequence[bool]) -> tuple[float, float]:
    """Return Wilson's 90 % interval of a share."""
    count, share, square = len(right), fmean(right), _NORMAL_90**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    spread = share * (1 - share) / count + square / (4 * count**2)
    half = _NORMAL_90 * math.sqrt(spread) / (1 + square / count)
    return max(middle - half, 0.0), min(middle + half, 1.0)
