"""Attributes of steps: optional or not, repeatable or not, and which steps go together.

A step may be left out or repeated by a slip, more often in some recordings than in others, or by a
habit of the step. `habit_probabilities` compares the two models: under slips the chance belongs to
the recording, under a habit to the step. Expectation maximisation learns each from the other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph.evidence import StepAttributes
from stepgraph.insight.choices import FoundChoice, Relations, always_done
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
"""Possible frequencies of a habit, all equally probable: at least once in ten times."""
ROUNDS = 100
ENTRIES = 4_000_000
"""Chances or entries of recordings computed at a time; this bounds the memory."""


@dataclass(frozen=True, eq=False)
class Tally:
    """The steps of each recording: one row a recording, one column a step.

    Parameters
    ----------
    nodes, names
        The node number and the name of each column.
    done
        Whether the step is done.
    again
        Whether it is done more than once, unless that is marked as a mistake.
    excused
        Whether an annotator marked it as skipped by mistake.
    marked
        Whether an annotator marked every repetition as a mistake.
    before
        For each repeated node, the counts of the nodes directly before a repetition.
    weights
        Number of recordings behind each.
    """

    nodes: tuple[int, ...]
    names: tuple[str, ...]
    done: BoolMatrix
    again: BoolMatrix
    excused: BoolMatrix
    marked: BoolMatrix
    before: dict[int, Counter[int]]
    weights: Matrix

    @cached_property
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
    names = tuple(map(demonstrations.vocabulary.name, nodes))
    return Tally(nodes, names, done, again, excused & ~done, wrong & ~again, before, weights)


def every_step(recordings: Sequence[KeyStepSequence]) -> tuple[Numbers, Numbers]:
    """Return the recording number and the node of every step done, in order."""
    lengths = [len(recording) for recording in recordings]
    nodes = np.fromiter(
        chain.from_iterable(recording.steps for recording in recordings), dtype=np.int64
    )
    return np.repeat(np.arange(len(lengths)), lengths), nodes


def habit_probabilities(happened: BoolMatrix, possible: BoolMatrix, weights: Matrix) -> Matrix:
    """Return the probability that each step has a habit.

    Parameters
    ----------
    happened
        ``happened[r, s]``: whether the event happened to step s in recording r.
    possible
        Whether it could have happened; impossible events do not count.
    weights
        The weight of each recording.

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
    """Return the probability of each step's habit, given the chances of slips.

    With a habit the event happens by the habit or by a slip. Where it did not happen, both models
    have no slip, which cancels out. So only events that happened need the chances of slips.
    """
    slips, chances = did @ by_mistake, could @ by_mistake
    happened, missed = weights @ did, weights @ could - weights @ did
    # The chance of a slip, from all other steps: the step itself must not count, because the chance
    # has to explain it.
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


MAX_REPEATED_AFTER = 5
"""Maximum number of steps to list after which a step is repeated."""
RARE = 0.5
"""A step that a smaller share of the recordings does is optional."""


def step_attributes(
    counted: Tally, choices: Sequence[FoundChoice], found: Relations, weights: Matrix
) -> list[StepAttributes]:
    """Return the attributes of every step that some recording shows, in the order of the tally.

    A step is optional if leaving it out is more probably a habit of its own than a slip of those
    who left it out, or if most leave it out; and repeatable if doing it again is a habit. See
    `habit_probabilities`. A step that an annotator marked as skipped by mistake, or one marked as
    done wrongly when it is done again, is a slip for certain and says nothing of habits. Neither
    does a step that was left out because another alternative of its choice was taken.

    Parameters
    ----------
    counted
        Which recording does which step.
    choices
        The choices found.
    found
        How steps go together.
    weights
        The weight of each recording, by the trust in it.
    """
    done, words = counted.done, counted.names
    shares = (counted.weights @ done) / math.fsum(counted.weights)
    repeats = (counted.weights @ counted.again) / (counted.weights @ done)
    core = {step for choice in choices for own in choice.core for step in own}
    chosen = core | {step for choice in choices for own in choice.others for step in own}
    excused = counted.excused.copy()
    excused[:, sorted(chosen)] = True
    always = always_done(done | counted.excused, weights, found.slips, found.together) >= 0
    optional = is_habit(~done, ~excused, weights) | (shares < RARE) | ~always
    optional[sorted(chosen)] = True
    optional[sorted(core)] = False
    repeatable = is_habit(counted.again, done & ~counted.marked, weights)
    goes_with = _going_with(choices, found, optional)

    def of(place: int, node: int) -> StepAttributes:
        often = counted.before[node].most_common(MAX_REPEATED_AFTER) if repeatable[place] else ()
        return StepAttributes(
            # Sums of fractions may miss 1 by rounding.
            done=min(float(shares[place]), 1.0),
            optional=bool(optional[place]),
            repeated=min(float(repeats[place]), 1.0),
            repeatable=bool(repeatable[place]),
            repeated_after=tuple(words[counted.column[other]] for other, _ in often),
            goes_with=tuple(words[other] for other in goes_with.get(place, ())),
        )

    return [of(place, node) for place, node in enumerate(counted.nodes)]


def _going_with(
    choices: Sequence[FoundChoice], found: Relations, optional: BoolMatrix
) -> dict[int, list[int]]:
    """Return the steps that go with each step, unless a choice or the graph says so already.

    What has to be done goes with everything, and nothing optional goes with it: else that would
    have to be done, too. Doing a step of an alternative makes the rest of it due. With the context
    of a choice go all alternatives, of which one is then taken.
    """
    may_bring = optional.copy()
    may_bring[[step for choice in choices for own in choice.core for step in own]] = True
    brings = (found.brings > 0) & np.outer(may_bring, optional)
    for choice in choices:
        for core, others in zip(choice.core, choice.others, strict=True):
            brings[np.ix_((*core, *others), core)] = False
            if choice.context is not None:
                brings[choice.context, core] = True
    return {
        int(step): np.flatnonzero(brings[step]).tolist()
        for step in np.flatnonzero(brings.any(axis=1))
    }


def all_do_all_once(demonstrations: Demonstrations) -> bool:
    """Return whether every recording shows every step of the vocabulary, and shows it once."""
    number = len(demonstrations.vocabulary)
    return all(
        len(recording.steps) == number and len(set(recording.steps)) == number
        for recording in demonstrations.sequences
    )


def is_habit(happened: BoolMatrix, possible: BoolMatrix, weights: Matrix) -> BoolMatrix:
    """Return the steps with a habit; none if it never happened."""
    if not happened.any():
        return np.zeros(happened.shape[1], dtype=bool)
    return habit_probabilities(happened, possible, weights) > 0.5
