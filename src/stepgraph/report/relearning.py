"""A graph's method run again, for its training curve and for intervals around its scores.

A graph records how it was learned. `relearn` runs the same method once more on the recordings for
its training curve, and on recordings drawn from them with replacement (the bootstrap) for
intervals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from stepgraph.errors import StepgraphError
from stepgraph.evaluation import compare_edges
from stepgraph.graph import TaskGraph
from stepgraph.learners import LEARNERS, Curve, Progress, no_progress
from stepgraph.pipeline import LearningOptions, learn_together, learnable
from stepgraph.sequences import Demonstrations, in_words

DRAWS = 100
"""Number of draws for an interval, where learning is quick."""
LEAST_DRAWS = 20
"""Minimum number of draws for an interval."""
# By method, the number of pairs of steps, over all recordings and draws, that take about ten
# seconds.
_WORK = {"robust": 500_000}
_OTHER_WORK = 5_000_000
CONFIDENCE = 0.9
_SEED = 0
# A graph file may name any method; one that uses a network must not run because of a file.
_NEVER_AGAIN = frozenset({"llm"})

Range = tuple[float, float]


@dataclass(frozen=True)
class Relearned:
    """The result of learning again.

    Parameters
    ----------
    about
        A sentence on the run and whether it gave the same graph.
    curve
        The training curve, where the method trains.
    intervals
        Intervals of precision, recall and F1 against the known graph; empty without draws.
    """

    about: str
    curve: Curve | None = None
    intervals: tuple[Range, ...] = ()


def _can_be_learned_again(graph: TaskGraph) -> bool:
    """Return whether a graph records how it was learned, and its method may run again."""
    known = graph.provenance
    if known.method not in LEARNERS or known.method in _NEVER_AGAIN:
        return False
    # Texts among the settings of a slow method name files to read or to write.
    texts = any(isinstance(value, str) for value in known.settings.values())
    return LEARNERS[known.method].quick or not texts


def _graphs(
    procedures: list[Demonstrations], options: LearningOptions, progress: Progress
) -> list[TaskGraph]:
    return [one.graph for one in learn_together(procedures, options, progress=progress)]


def relearn(
    graph: TaskGraph,
    demonstrations: Demonstrations,
    *,
    truth: TaskGraph | None = None,
    draws: int | None = None,
    progress: Progress = no_progress,
) -> Relearned | None:
    """Run the method that a graph was learned with once more.

    Parameters
    ----------
    graph
        The graph; its provenance has the method, the settings and the seed.
    demonstrations
        The recordings to learn from, usually those that the graph was learned from.
    truth
        The known graph, which intervals need.
    draws
        Number of draws for intervals; 0 does not learn again, 1 only for the training curve. By
        default `usual_draws`.
    progress
        Called with the progress.

    Returns
    -------
    Relearned or None
        None without draws, or where the graph does not record how it was learned.
    """
    method = graph.provenance.method
    if not _can_be_learned_again(graph):
        return None
    wanted = usual_draws(method, demonstrations) if draws is None else draws
    if not wanted:
        return None
    stated = graph.constraints.steps
    lacking = [name for name in stated if name not in demonstrations.vocabulary]
    if lacking:
        return Relearned(
            f"The method {method!r} was not run again: no recording shows "
            f"{', '.join(map(repr, lacking))}, which the graph's constraints name."
        )
    try:
        options = LearningOptions.of_graph(graph)
        usable, _ = learnable(demonstrations, options.with_mistakes)
        (same,) = _graphs([usable], options, progress)
        curve = options.learner().training_curve(usable, seed=options.seed)
        about = _about(graph, same, usable, demonstrations) + _without(graph, options)
        if truth is None or wanted < 2:
            if truth is not None and draws is None:
                about += (
                    f" Intervals would take long here and were left out; {DRAWS} draws "
                    f"(draws={DRAWS}, on the command line --again {DRAWS}) compute them."
                )
            return Relearned(about, curve)
        drawn = [_drawn(usable, draw) for draw in range(wanted)]
        learned = _graphs(drawn, options, progress)
        return Relearned(f"{about} Intervals: {wanted} draws.", curve, _intervals(learned, truth))
    except StepgraphError as error:
        return Relearned(f"The method {method!r} could not be run again: {error}")


def usual_draws(method: str, demonstrations: Demonstrations) -> int:
    """Return the default number of draws of a method.

    It is `DRAWS` where that takes seconds, fewer for larger recordings, 1 where even
    `LEAST_DRAWS` would take long, and 0 where learning once takes long.

    Parameters
    ----------
    method
        The method.
    demonstrations
        The recordings to learn from.
    """
    if not LEARNERS[method].quick:
        return 0
    once = max(len(demonstrations.vocabulary) ** 2 * len(demonstrations), 1)
    possible = min(_WORK.get(method, _OTHER_WORK) // once, DRAWS)
    return possible if possible >= LEAST_DRAWS else min(possible, 1)


def _without(graph: TaskGraph, options: LearningOptions) -> str:
    """Return a sentence on stated edges that the method cannot obey, or nothing."""
    dropped = len({*graph.constraints.required, *graph.constraints.never})
    if not dropped or options.constraints.required or options.constraints.never:
        return ""
    return (
        f" The method {options.method!r} takes no constraints: {dropped} stated "
        f"edge{'s' if dropped > 1 else ''} played no part."
    )


def _about(
    graph: TaskGraph,
    same: TaskGraph,
    recordings: Demonstrations,
    given: Demonstrations,
) -> str:
    differing = len(set(graph.edges) ^ set(same.edges))
    found = (
        "the same graph comes out"
        if not differing
        else f"another graph comes out, {differing} edge{'s' if differing > 1 else ''} apart: "
        "what follows is of the method on these recordings"
    )
    number = in_words(recordings.total_weight)
    plural = "" if recordings.total_weight == 1 else "s"
    left_out = in_words(given.total_weight - recordings.total_weight)
    without = f" (without {left_out} with marked mistakes)" if left_out != "0" else ""
    method = graph.provenance.method
    return f"Learned again with {method!r} from {number} recording{plural}{without}, {found}."


def _drawn(recordings: Demonstrations, draw: int) -> Demonstrations:
    """Return the same number of recordings, drawn with replacement."""
    weights = np.array([recording.weight for recording in recordings])
    rng = np.random.default_rng((_SEED, draw))
    counts = rng.multinomial(max(round(weights.sum()), 1), weights / weights.sum())
    kept = tuple(
        replace(recording, weight=float(count))
        for recording, count in zip(recordings, counts.tolist(), strict=True)
        if count
    )
    return replace(recordings, sequences=kept)


def _intervals(learned: list[TaskGraph], truth: TaskGraph) -> tuple[Range, ...]:
    scores = [compare_edges(graph, truth) for graph in learned]
    return tuple(
        percentiles([getattr(one, name) for one in scores])
        for name in ("precision", "recall", "f1")
    )


def percentiles(values: list[float]) -> Range:
    """Return the middle range that holds the share `CONFIDENCE` of the values.

    Examples
    --------
    >>> percentiles([0.5] * 10)
    (0.5, 0.5)
    """
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(values, (tail, 100 - tail), method="nearest").tolist()
    return low, high
