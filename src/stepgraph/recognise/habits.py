"""How a recogniser errs: what frames with known truth tell of its key-steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from stepgraph.errors import SettingError
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Confusion, FrameSmoother
from stepgraph.monitoring.edits import edit_score
from stepgraph.recognise.frames import segments
from stepgraph.recognise.stream import smoother_at


@dataclass(frozen=True, eq=False)
class FrameHabits:
    """What frames with known truth tell of a recogniser.

    Parameters
    ----------
    smoother
        What makes key-steps of its frames.
    confusion
        How these key-steps err.
    edit_score
        How alike they and the true segments are, from 0 to 1, mean over recordings.
    """

    smoother: FrameSmoother
    confusion: Confusion
    edit_score: float


def measure_frames(
    frames: Sequence[tuple[Sequence[str], NDArray[Any]]],
    classes: Sequence[str],
    background: str | None = None,
) -> FrameHabits:
    """Measure how the frames of a recogniser become key-steps, and how these err.

    For the confusion and the edit score, each recording is smoothed with the pace of the others,
    where there are others.

    Parameters
    ----------
    frames
        For each recording the true class of each frame, and the probabilities that the
        recogniser gave: (frames, classes).
    classes
        All classes.
    background
        The class that is no step, if there is one.

    Examples
    --------
    >>> import numpy as np
    >>> shares = np.repeat([[0.9, 0.1], [0.2, 0.8]], 20, axis=0)
    >>> frames = [(["egg"] * 20 + ["mix"] * 20, shares)] * 2
    >>> measure_frames(frames, ["egg", "mix"]).edit_score
    1.0
    """
    names = tuple(classes)
    pairs = [(true, [names[n] for n in shares.argmax(axis=1)]) for true, shares in frames]
    told = []
    for place, (true, shares) in enumerate(frames):
        others = [pair for other, pair in enumerate(pairs) if other != place] or pairs
        announced = _fitted(others, names).smooth_shares(shares.tolist())
        found = tuple(segment.step for segment in announced if segment.step != background)
        told.append((segments(true, background), found))
    return FrameHabits(
        _fitted(pairs, names),
        Confusion.estimate(told, [name for name in names if name != background]),
        sum(edit_score(true, found) for true, found in told) / len(told),
    )


def confusion_for(confusion: Confusion, graph: TaskGraph) -> Confusion:
    """Return a recogniser's confusion for the steps of a graph.

    What it takes for a step that the graph does not have counts as missed, as the monitor is
    not told of it as one of its steps. A step that the recogniser does not know is never seen.

    Parameters
    ----------
    confusion
        As the recogniser's training wrote it, maybe of more or fewer steps than the graph has.
    graph
        The graph.

    Raises
    ------
    SettingError
        If they have no step in common.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg"]})
    >>> own = confusion_for(Confusion.even(["egg", "mix", "fry"], 0.3), graph)
    >>> own.steps, round(own.seen[0][0], 2), round(own.missed[0], 2)
    (('egg', 'mix'), 0.8, 0.15)
    """
    place = {step: number for number, step in enumerate(confusion.steps)}
    known = [step for step in graph.steps if step in place]
    if not known:
        raise SettingError(
            f"none of the graph's {len(graph.steps)} steps is one that the recogniser tells apart, "
            f"such as {confusion.steps[0]!r}; expected a graph of the same procedure"
        )
    seen = tuple(
        tuple(
            confusion.seen[place[done]][place[found]] if done in place and found in place else 0.0
            for found in graph.steps
        )
        for done in graph.steps
    )
    made_up = [confusion.made_up[place[step]] if step in place else 0.0 for step in graph.steps]
    total = sum(made_up)
    shares = tuple(share / total for share in made_up) if total else ()
    return Confusion(graph.steps, seen, confusion.spurious * (total or 1.0), shares)


def _fitted(
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]], classes: tuple[str, ...]
) -> FrameSmoother:
    found = FrameSmoother.fitted(pairs, classes)
    return smoother_at(classes, found.duration, found.accuracy, found.correlation)
