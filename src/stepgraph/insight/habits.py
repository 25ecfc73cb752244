"""Habits told from slips: what happens to a step by choice, and what by mistake.

`tally` counts which recording does which step, and which it does again. A step may be left out or
repeated because somebody slips, as everybody does now and then and some do often, or because that
is the step's own habit. `habit_probabilities` compares the two models: under slips the chance lies
with the recording, under a habit with the step. Each is learned from the other by expectation
maximisation.
"""

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
HABITUAL = 0.1
"""Prior probability that a step has a habit of its own."""
SLIPS, CHANCES = 0.5, 10.0
"""Prior number of slips of all recordings together, and of chances to slip."""
PERSON = 10.0
"""Prior chances of each recording, with the slips of all recordings together."""
HABITS: Matrix = (np.arange(18) + 2.5) / 20
"""How often a step with a habit follows it, all equally probable: at least once in ten times."""
ROUNDS = 100
ENTRIES = 4_000_000
"""Chances computed at a time; this bounds the memory."""


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
        Whether it is done more than once, unless that is marked as a mistake.
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
    """Count which recording does which step.

    Parameters
    ----------
    demonstrations
        The recordings.
    marks
        Whether to use the marks of annotators.
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


def habit_probabilities(happened: BoolMatrix, possible: BoolMatrix, weights: Matrix) -> Matrix:
    """Return for each step how probable it is that what happened to it is its habit.

    Parameters
    ----------
    happened
        ``happened[r, s]``: whether it happened to step s in recording r.
    possible
        Whether it could have; what could not says nothing.
    weights
        How much each recording counts.

    Examples
    --------
    >>> left_out = np.zeros((10, 6), dtype=bool)
    >>> left_out[:5, 0] = True
    >>> habit_probabilities(left_out, np.ones_like(left_out), np.ones(10)).round(1)
    array([1., 0., 0., 0., 0., 0.])
    """
    did = happened & possible
    by_habit = np.full(happened.shape[1], HABITUAL)
    for _ in range(ROUNDS):
        before = by_habit
        by_habit = _habits(did, possible, 1 - by_habit, weights)
        if np.abs(by_habit - before).max(initial=0.0) < 1e-6:
            break
    return by_habit


def _habits(did: BoolMatrix, could: BoolMatrix, by_mistake: Matrix, weights: Matrix) -> Matrix:
    """Return how probable each step's habit is, given how probable it is that it has none.

    With a habit it happens by the habit, or else by a slip. Where it did not happen, both models
    hold that there was no slip, and so it cancels out: only where it did happen chances are needed.
    """
    slips, chances = did @ by_mistake, could @ by_mistake
    happened, missed = weights @ did, weights @ could - weights @ did
    # The chance of a slip, as all other steps tell it: what happened to the step itself must not
    # count, as it is what the chance is there to explain.
    crowd = (SLIPS + weights @ slips - by_mistake * happened) / (
        CHANCES + weights @ chances - by_mistake * (happened + missed)
    )
    log_chances = missed * np.log1p(-HABITS[:, None])
    by_slip = np.zeros(len(by_mistake))
    width = max(ENTRIES // (len(HABITS) * max(len(did), 1)), 1)
    for start in range(0, len(by_mistake), width):
        steps, who = did[:, start : start + width].T.nonzero()
        shown, first = np.unique(steps + start, return_index=True)
        own = by_mistake[steps + start]
        rates = PERSON * crowd[steps + start] + slips[who] - own
        rates = np.clip(rates / (PERSON + chances[who] - own), 1e-4, 0.9)
        if len(shown):
            by_slip[shown] = np.add.reduceat(weights[who] * np.log(rates), first)
            rates = HABITS[:, None] + (1 - HABITS[:, None]) * rates
            log_chances[:, shown] += np.add.reduceat(weights[who] * np.log(rates), first, axis=1)
    odds = np.logaddexp.reduce(log_chances) - np.log(len(HABITS)) - by_slip
    odds += np.log(HABITUAL) - np.log1p(-HABITUAL)
    probabilities: Matrix = 1 / (1 + np.exp(-np.clip(odds, -500, 500)))
    return probabilities
