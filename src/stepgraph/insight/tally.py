"""Who does what: which recording does which step, and which one again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from stepgraph.sequences import Demonstrations, KeyStepSequence

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]
Numbers = NDArray[np.int64]


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
        For each node that is done again, how often which node comes directly before that.
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
    done, again, excused, wrong = np.zeros((4, *shape), dtype=bool)
    before: dict[int, Counter[int]] = {}
    row_of, node_of = every_step(demonstrations.sequences)
    done[row_of, np.searchsorted(nodes, node_of)] = True
    numbers = np.count_nonzero(done, axis=1).tolist()
    for row, (recording, number) in enumerate(zip(demonstrations, numbers, strict=True)):
        if number < len(recording):
            marked = (recording.mistakes if marks else None) or (None,) * len(recording)
            came: set[int] = set()
            last = 0
            for node, mark in zip(recording.steps, marked, strict=True):
                if node in came and mark is not None:
                    wrong[row, column[node]] = True
                elif node in came:
                    again[row, column[node]] = True
                    before.setdefault(node, Counter())[last] += 1
                came.add(node)
                last = node
        if marks and recording.skipped:
            excused[row, [column[node] for node in recording.skipped if node in column]] = True
    weights = np.array([recording.weight for recording in demonstrations])
    return Tally(nodes, done, again, excused & ~done, wrong & ~again, before, weights)


def every_step(recordings: Sequence[KeyStepSequence]) -> tuple[Numbers, Numbers]:
    """Return for every step done the number of its recording, and its node, in the order done."""
    lengths = [len(recording) for recording in recordings]
    nodes = np.fromiter(
        chain.from_iterable(recording.steps for recording in recordings), dtype=np.int64
    )
    return np.repeat(np.arange(len(lengths)), lengths), nodes
