"""Attributes of steps: optional or not, repeatable or not, and which choices go together.

Choices go together if the same recordings leave out two steps, or do one instead of the other.
Fisher's exact test decides.

A step may be left out or repeated by a slip, more often in some recordings than in others, or by a
habit of the step. `habit_probabilities` compares the two models: under slips the chance belongs to
the recording, under a habit to the step. Expectation maximisation learns each from the other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph.evidence import StepAttributes
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
        For each repeated node, the counts of the nodes directly before a repetition.
    weights
        Number of recordings behind each.
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


Counts = NDArray[np.int64]

MAX_REPEATED_AFTER = 5
"""Maximum number of steps to list after which a step is repeated."""
LEVEL = 0.05
"""The significance level of all associations together."""
MAX_RELATED = 20
"""Maximum number of related steps of each kind to list for one step, the surest first."""
SMALL_FACTORIALS: Matrix = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, 256)))))
NEGLIGIBLE = 1e-17
"""The relative size below which further terms cannot change a sum."""


def step_attributes(
    demonstrations: Demonstrations, *, reliability: Sequence[float] = ()
) -> dict[str, StepAttributes]:
    """Learn the attributes of every step that some recording shows.

    A step is optional if leaving it out is more probably a habit of its own than a slip of those
    who left it out, and repeatable if the same holds of doing it again; see
    `habit_probabilities`. A step that an annotator marked as skipped by mistake, or one marked as
    done wrongly when it is done again, is a slip for certain and says nothing of habits.

    Parameters
    ----------
    demonstrations
        The recordings.
    reliability
        The trust in each recording, from 0 to 1; by default 1.

    Examples
    --------
    >>> tea = [["boil", "pour"], ["boil", "pour", "add milk", "stir", "add milk", "stir"]] * 6
    >>> found = step_attributes(Demonstrations.from_steps(tea))
    >>> found["boil"].optional, found["add milk"].optional, found["add milk"].left_out_with
    (False, True, ('stir',))
    >>> found["stir"].repeatable, found["stir"].repeated_after
    (True, ('add milk',))
    """
    words = demonstrations.vocabulary
    plain = StepAttributes()  # most steps are done once by everyone
    if _all_do_all_once(demonstrations):
        return dict.fromkeys(words.steps, plain)
    counted = tally(demonstrations)
    done, again, weights = counted.done, counted.again, counted.weights
    trusted = weights * np.array(reliability) if len(reliability) else weights
    optional = _is_habit(~done, ~counted.excused, trusted)
    repeatable = _is_habit(again, done & ~counted.marked, trusted)
    together, instead = related(done, optional, weights)
    shares = (weights @ done) / math.fsum(weights)
    repeats = (weights @ again) / (weights @ done)

    def names(places: Iterable[int]) -> tuple[str, ...]:
        return tuple(words.name(counted.nodes[place]) for place in places)

    def of(place: int, node: int) -> StepAttributes:
        often = counted.before[node].most_common(MAX_REPEATED_AFTER) if repeatable[place] else ()
        return StepAttributes(
            # Sums of fractions may miss 1 by rounding.
            done=min(float(shares[place]), 1.0),
            optional=bool(optional[place]),
            left_out_with=names(together.get(place, ())),
            done_instead=names(instead.get(place, ())),
            repeated=min(float(repeats[place]), 1.0),
            repeatable=bool(repeatable[place]),
            repeated_after=tuple(words.name(other) for other, _ in often),
        )

    special = ((shares < 1) | (repeats > 0)).tolist()
    return {
        words.name(node): of(place, node) if special[place] else plain
        for place, node in enumerate(counted.nodes)
    }


def _all_do_all_once(demonstrations: Demonstrations) -> bool:
    """Return whether every recording shows every step of the vocabulary, and shows it once."""
    number = len(demonstrations.vocabulary)
    return all(
        len(recording.steps) == number and len(set(recording.steps)) == number
        for recording in demonstrations.sequences
    )


def _is_habit(happened: BoolMatrix, possible: BoolMatrix, weights: Matrix) -> BoolMatrix:
    """Return the steps with a habit; none if it never happened."""
    if not happened.any():
        return np.zeros(happened.shape[1], dtype=bool)
    return habit_probabilities(happened, possible, weights) > 0.5


def related(
    done: BoolMatrix, optional: NDArray[np.bool_], weights: Matrix
) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Return the steps left out together with an optional step, and those done instead of it.

    Each optional step is tested against every other step that is not always done, by Fisher's
    exact test in both directions; the level is shared between all tests after Holm.

    Parameters
    ----------
    done
        ``done[r, s]``: whether recording r does step s.
    optional
        Which steps may be left out.
    weights
        Number of recordings behind each.

    Returns
    -------
    tuple
        For each optional step with such relations the steps left out together with it, and the
        steps done instead of it, at most `MAX_RELATED` of each.

    Examples
    --------
    >>> done = np.array([[1, 0, 1], [0, 1, 0]] * 6, dtype=bool)
    >>> related(done, np.ones(3, dtype=bool), np.ones(12))
    ({0: [2], 2: [0]}, {0: [1], 1: [0, 2], 2: [1]})
    """
    varying = np.flatnonzero(~done.all(axis=0))
    if not optional.any():
        return {}, {}
    together = _together(done[:, varying], weights)
    total = round(float(weights.sum()))
    # Two optional steps are tested once, and the result holds for both.
    wanted = optional[varying][:, None] & ~np.eye(len(varying), dtype=bool)
    wanted &= ~np.tril(optional[varying][None, :] & wanted)
    ones, others = wanted.nonzero()
    both, alone = together[ones, others], together.diagonal()
    only, other_only = alone[ones] - both, alone[others] - both
    neither = total - both - only - other_only
    chances = np.concatenate(
        [fisher(both, only, other_only, neither), fisher(only, both, neither, other_only)]
    )
    first, second = np.tile(varying[ones], 2), np.tile(varying[others], 2)
    alike = np.arange(len(chances)) < len(ones)
    order = np.lexsort((alike, second, first, chances))
    passed = chances[order] * np.arange(len(order), 0, -1) <= LEVEL
    with_it: dict[int, list[int]] = {}
    instead: dict[int, list[int]] = {}
    for test in order[np.logical_and.accumulate(passed)].tolist():
        found = with_it if alike[test] else instead
        one, other = int(first[test]), int(second[test])
        for step, partner in ((one, other), (other, one)):
            named = found.setdefault(step, []) if optional[step] else []
            if len(named) < MAX_RELATED:
                named.append(partner)
    return (
        {step: sorted(with_it[step]) for step in sorted(with_it)},
        {step: sorted(instead[step]) for step in sorted(instead)},
    )


def _together(done: BoolMatrix, weights: Matrix) -> Counts:
    """Return the number of recordings that do both of two steps."""
    together = np.zeros((done.shape[1], done.shape[1]))
    most = max(ENTRIES // max(done.shape[1], 1), 1)
    for start in range(0, len(done), most):
        part = done[start : start + most].astype(np.float64)
        together += part.T @ (weights[start : start + most, None] * part)
    return np.rint(together).astype(np.int64)


def fisher(both: Counts, first: Counts, second: Counts, neither: Counts) -> Matrix:
    """Return the chance of at least this many in common, were two things independent.

    Fisher's exact test of tables with two rows and two columns, one-sided.

    Parameters
    ----------
    both, first, second, neither
        How often the two came together, only the first, only the second, and neither.

    References
    ----------
    R. A. Fisher, "On the interpretation of chi-squared from contingency tables, and the
    calculation of P", Journal of the Royal Statistical Society 85 (1922), 87-94.

    Examples
    --------
    >>> fisher(*np.array([[8], [2], [1], [5]])).round(4)
    array([0.0245])
    """
    # Rounded weights may miss their sums by one.
    table = np.maximum(np.array([both, first, second, neither], dtype=np.float64), 0.0)
    together, one, other, none = table
    many = together * table.sum(axis=0) > (together + one) * (together + other)
    # Above the expected number, sum the chances of this number and more. Below it, take 1 minus the
    # chances of all smaller numbers, which are those of the table with its columns exchanged.
    exchanged = np.array([one + 1, together - 1, none - 1, other + 1])
    tail = _tail(np.where(many, table, exchanged))
    return np.clip(np.where(many, tail, 1 - tail), 0.0, 1.0)


def _tail(tables: Matrix) -> Matrix:
    """Return the chance of at least this many in common, for tables with no fewer than expected.

    Each chance follows from the one before by a factor, and they soon become negligible.
    """
    possible: BoolMatrix = np.all(tables >= 0, axis=0)
    cells = tables[:, possible]
    both, first, second, neither = cells
    margins = np.array([both + first, second + neither, both + second, first + neither])
    logs = _log_factorials(margins).sum(axis=0)
    logs -= _log_factorials(cells).sum(axis=0) + _log_factorials(cells.sum(axis=0))
    term, sums = np.ones(len(logs)), np.ones(len(logs))
    going = np.arange(len(logs))
    more = 0
    while len(going):
        factor = (first[going] - more) * (second[going] - more)
        factor /= (both[going] + more + 1) * (neither[going] + more + 1)
        term[going] *= factor
        sums[going] += term[going]
        going = going[term[going] > NEGLIGIBLE * sums[going]]
        more += 1
    found = np.zeros(len(possible))
    found[possible] = np.exp(logs) * sums
    return found


def _log_factorials(numbers: Matrix) -> Matrix:
    """Return the logarithms of n!; of large numbers by Stirling's series, exact to rounding."""
    small = SMALL_FACTORIALS[np.minimum(numbers, len(SMALL_FACTORIALS) - 1).astype(np.int64)]
    n = np.maximum(numbers, 1.0)
    series = 1 / (12 * n) - 1 / (360 * n**3) + 1 / (1260 * n**5)
    stirling = n * np.log(n) - n + np.log(2 * np.pi * n) / 2 + series
    return np.where(numbers < len(SMALL_FACTORIALS), small, stirling)
