"""Who does what: which recording does which step, and which one again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgml.sequences import Demonstrations

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tally:
    """What each recording does, one row a recording and one column a step that any of them shows.

    Parameters
    ----------
    nodes
        The node number of each column.
    done
        Whether the step is done.
    again
        Whether it is done more than once, as far as nobody marked that as a mistake.
    excused
        Whether an annotator marked it as skipped by mistake.
    marked
        Whether an annotator marked every repetition as a mistake.
    before
        For each node how often which node comes directly before it is done again.
    weights
        How many recordings each stands for.
    """

    nodes: tuple[int, ...]
    done: BoolMatrix
    again: BoolMatrix
    excused: BoolMatrix
    marked: BoolMatrix
    before: dict[int, Counter[int]]
    weights: Matrix

    @property
    def column(self) -> dict[int, int]:
        """The column of each node."""
        return {node: place for place, node in enumerate(self.nodes)}


def tally(demonstrations: Demonstrations, *, marks: bool = True) -> Tally:
    """Count who does what.

    Parameters
    ----------
    demonstrations
        The recordings.
    marks
        Whether to look at what annotators marked.
    """
    nodes = tuple(sorted(demonstrations.seen))
    column = {node: place for place, node in enumerate(nodes)}
    shape = (len(demonstrations), len(nodes))
    done, again, excused, wrong = (np.zeros(shape, dtype=bool) for _ in range(4))
    before: dict[int, Counter[int]] = {node: Counter() for node in nodes}
    for row, recording in enumerate(demonstrations):
        places = [column[node] for node in recording.steps]
        done[row, places] = True
        if len(set(places)) < len(places):
            marked = (recording.mistakes if marks else None) or (None,) * len(recording)
            came: set[int] = set()
            last = 0
            for node, place, mark in zip(recording.steps, places, marked, strict=True):
                if place in came and mark is not None:
                    wrong[row, place] = True
                elif place in came:
                    again[row, place] = True
                    before[node][last] += 1
                came.add(place)
                last = node
        if marks and recording.skipped:
            excused[row, [column[node] for node in recording.skipped if node in column]] = True
    weights = np.array([recording.weight for recording in demonstrations])
    return Tally(nodes, done, again, excused & ~done, wrong & ~again, before, weights)
