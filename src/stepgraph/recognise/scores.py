"""The quality of a recogniser: scores of its frames, and errors of its key-steps.

`score_frames` returns accuracy and mean average precision. `measure_frames` smooths labelled
frames into key-steps and measures their errors, for the uncertain monitor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import InputError, SettingError
from stepgraph.evaluation import average_precision
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Confusion
from stepgraph.monitoring.confusion import edit_score
from stepgraph.recognise.frames import Labels, segments
from stepgraph.recognise.smoother import FrameSmoother, smoother_at

Shares = NDArray[np.floating]


@dataclass(frozen=True)
class FrameScores:
    """Scores over all frames of all recordings.

    Parameters
    ----------
    accuracy
        The share of frames whose most probable class is the true one.
    mean_average_precision
        The mean over classes of the average precision of ranking all frames by the class's
        probability; classes that never occur, and the background, are left out.
    frames
        Number of frames.
    """

    accuracy: float
    mean_average_precision: float
    frames: int


def score_frames(
    labels: Sequence[Labels], shares: Sequence[Shares], *, background: int | None = None
) -> FrameScores:
    """Score the probabilities of a recogniser.

    Parameters
    ----------
    labels
        For each recording the true class of each frame.
    shares
        For each recording (frames, classes).
    background
        The class that does not count for the mean average precision.

    Raises
    ------
    InputError
        If there are no frames.

    Examples
    --------
    >>> scores = score_frames([np.array([0, 1])], [np.array([[0.9, 0.1], [0.6, 0.4]])])
    >>> scores.accuracy, scores.mean_average_precision
    (0.5, 1.0)
    """
    if not sum(map(len, labels)):
        raise InputError("there are no frames to score; expected one or more")
    true = np.concatenate(list(labels))
    given = np.concatenate(list(shares))
    found = [
        average_precision(true == number, given[:, number])
        for number in np.unique(true)
        if number != background
    ]
    return FrameScores(
        float((given.argmax(axis=1) == true).mean()),
        float(np.mean(found)) if found else 0.0,
        len(true),
    )


@dataclass(frozen=True, eq=False)
class FrameMeasurements:
    """A smoother fitted to labelled frames, and the errors of its key-steps.

    Parameters
    ----------
    smoother
        Turns frames into key-steps.
    confusion
        The errors of these key-steps.
    edit_score
        Their similarity to the true segments, from 0 to 1, mean over recordings.
    """

    smoother: FrameSmoother
    confusion: Confusion
    edit_score: float


def measure_frames(
    frames: Sequence[tuple[Sequence[str], NDArray[Any]]],
    classes: Sequence[str],
    background: str | None = None,
) -> FrameMeasurements:
    """Fit a smoother to the frames of a recogniser and measure the errors of its key-steps.

    For the confusion and the edit score, each recording is smoothed with the pace of the others,
    where there are others.

    Parameters
    ----------
    frames
        For each recording the true class of each frame, and the recogniser's probabilities:
        (frames, classes).
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
    paired = []
    for place, (true, shares) in enumerate(frames):
        others = [pair for other, pair in enumerate(pairs) if other != place] or pairs
        announced = _fitted(others, names).smooth_shares(shares.tolist())
        found = tuple(segment.step for segment in announced if segment.step != background)
        paired.append((segments(true, background), found))
    return FrameMeasurements(
        _fitted(pairs, names),
        Confusion.estimate(paired, [name for name in names if name != background]),
        sum(edit_score(true, found) for true, found in paired) / len(paired),
    )


def confusion_for(confusion: Confusion, graph: TaskGraph) -> Confusion:
    """Return a recogniser's confusion for the steps of a graph.

    A step recognised as one outside the graph counts as missed, because the monitor never sees
    it. A step that the recogniser does not know is never seen.

    Parameters
    ----------
    confusion
        The confusion from the recogniser's training; its steps may differ from the graph's.
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
