"""What to record next: pairs of steps that the recordings leave open, and an order for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import InputError
from stepgraph.graph import NO_CONSTRAINTS, Choice, Constraints, Edge, TaskGraph
from stepgraph.graph.adjacency import closure, reduction
from stepgraph.insight.evidence import one_order
from stepgraph.insight.reliability import Judgement, judge
from stepgraph.insight.rules import with_rules
from stepgraph.sequences import Demonstrations, expect_demonstrations

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]

RELUCTANCE = 0.8
"""The cost of a useless question, as a share of the value of an answer."""
SEEN = 0.05
"""The trust in recordings from which an order counts as shown."""
MAX_STEPS = 200
"""Maximum number of steps; orders of more take too long to compare."""
SURE = 0.9
"""Probability from which a learned choice needs no question."""
MAX_QUESTIONS = 10
"""Default maximum number of questions."""
UNKNOWN = 0.25
"""Prior probability that a step needs another."""
CANDIDATES = 200
"""Maximum number of pairs without an edge to consider, the most doubtful first."""
EXACT = 8
"""Maximum number of steps for the exact search of the best order."""
ROUNDS = 20
"""Maximum number of rounds of moving single steps to better places."""


@dataclass(frozen=True)
class Question:
    """A pair of steps that the recordings leave open.

    Parameters
    ----------
    first, second
        No recording shows `first` before `second`, or none shows both.
    seen
        Number of recordings that show the other order.
    probability
        The probability that `first` needs `second`, from the recordings that could have done it
        first.
    edges
        Number of edges that the answer would change.
    decides
        Number of open pairs that follow from this one and from nothing else, so that one recording
        can decide them all.
    """

    first: str
    second: str
    seen: float
    probability: float
    edges: int
    decides: int

    def __str__(self) -> str:
        pairs = "pair" if self.decides == 1 else "pairs"
        edges = "edge of the graph depends" if self.edges == 1 else "edges of the graph depend"
        if not self.seen:
            fact = f"Nobody has done both '{self.first}' and '{self.second}'"
        else:
            fact = f"Nobody has done '{self.second}' after '{self.first}'"
        return (
            f"{fact}: one recording that does would decide {self.decides} {pairs}; "
            f"{self.edges} {edges} on it."
        )


@dataclass(frozen=True)
class Advice:
    """What to record next.

    Parameters
    ----------
    procedure
        The name of the procedure.
    questions
        The pairs whose answer would change the graph most, best first.
    order
        The order to ask the next person for: whenever several steps can be done, do the one that
        comes first here. Empty if nothing is worth asking for.
    shows
        The open pairs that this order shows for the first time, the first step of each before the
        second, if all of it can be done.
    open_pairs
        Number of pairs that no recording shows in both orders and that are worth a question.
    left_open
        The open pairs that the order does not show; without an order, those that no question is
        about either: a recording that shows them probably cannot be made.
    pairs
        Number of pairs of steps.
    notes
        Sentences about the limits of the advice.
    """

    procedure: str
    questions: tuple[Question, ...]
    order: tuple[str, ...]
    shows: tuple[tuple[str, str], ...]
    open_pairs: int
    left_open: tuple[tuple[str, str], ...]
    pairs: int
    notes: tuple[str, ...] = ()

    @property
    def decides(self) -> int:
        """Number of open pairs that the order decides."""
        return len(self.shows)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, each question with its sentence."""
        content = asdict(self) | {"decides": self.decides}
        for entry, question in zip(content["questions"], self.questions, strict=True):
            entry["sentence"] = str(question)
        return content


def advise(
    demonstrations: Demonstrations,
    *,
    most: int = MAX_QUESTIONS,
    constraints: Constraints = NO_CONSTRAINTS,
) -> Advice:
    """Find which pairs of steps the recordings leave open, and what to record to decide them.

    A pair is open if trusted recordings show it in one order only, and few had the chance to show
    the other. No recording can prove that one step needs another, but it grows more probable with
    each recording that could have shown the other order and did not. Marks of annotators do not
    count.

    Parameters
    ----------
    demonstrations
        The recordings so far.
    most
        Maximum number of questions.
    constraints
        Edges that need no question, such as those of a graph (`TaskGraph.constraints`): required
        edges, with all that follows from them, and ruled-out edges. Steps that no recording shows
        do not count.

    Raises
    ------
    InputError
        If there are too many different steps to compare them all, or the constraints contradict
        each other.

    Examples
    --------
    >>> found = advise(Demonstrations.from_steps([["boil", "grind", "pour"]]))
    >>> found.order
    ('pour', 'grind', 'boil')
    >>> print(found.questions[0])
    Nobody has done 'boil' after 'grind': one recording that does would decide 2 pairs; 3 edges of \
the graph depend on it.
    """
    expect_demonstrations(demonstrations, "advise")
    if len(demonstrations.seen) > MAX_STEPS:
        raise InputError(
            f"{len(demonstrations.seen):,} different steps; advice is given for {MAX_STEPS} or "
            "fewer, as every pair of them may be asked about"
        )
    constraints = constraints.among(demonstrations.vocabulary.steps)
    judged = judge(demonstrations, constraints)
    steps, notes = _steps(demonstrations)
    counts = judged.before[np.ix_(steps, steps)]
    order = judged.order[np.ix_(steps, steps)]
    shown, passed_up = _shown_and_passed_up(judged, steps, order)
    needs = _needs(passed_up)
    # asked[i, j]: nobody has shown i before j, which is shown[j, i].
    asked = (shown.T < SEEN) & ~np.eye(len(steps), dtype=bool)
    name = demonstrations.vocabulary.name
    place = {name(node): number for number, node in enumerate(steps)}
    certain = _certain(order, _places(place, constraints.required))
    asked &= ~certain
    for pair in _places(place, constraints.never):
        asked[pair] = False
    choices = _choices(demonstrations, constraints)
    for pair in _places(place, _apart(choices)):
        asked[pair] = False
    gain = np.where(asked, 1 - needs - RELUCTANCE * needs, 0.0)
    open_ = asked & (gain > 0)
    wanted = most_telling_order(gain, certain) if open_.any() else ()
    other_ways = _other_ways(choices, wanted, place)
    wanted = tuple(number for number in wanted if name(steps[number]) not in other_ways)
    shows = [pair for pair in combinations(wanted, 2) if open_[pair]]
    if not shows:
        wanted = ()  # no order shows the open pairs without steps that probably cannot be done
    found = sorted(_questions(order, needs, open_), key=lambda entry: -entry[0])
    asked_for = [] if wanted else [(first, second) for _, first, second, *_ in found]
    left = _left_open(open_, wanted, asked_for)
    alike = one_order(demonstrations)
    if alike and demonstrations.total_weight > 1:
        notes = [*notes, f"{alike}; if that is a habit, only a recording in another order shows it"]
    return Advice(
        demonstrations.procedure,
        tuple(
            Question(
                name(steps[first]),
                name(steps[second]),
                float(counts[first, second]),
                float(needs[first, second]),
                edges,
                rest,
            )
            for _, first, second, edges, rest in found[:most]
        ),
        tuple(name(steps[number]) for number in wanted),
        tuple((name(steps[first]), name(steps[second])) for first, second in shows),
        int(np.triu(open_ | open_.T).sum()),
        tuple((name(steps[first]), name(steps[second])) for first, second in left),
        len(steps) * (len(steps) - 1) // 2,
        tuple(notes),
    )


def _choices(demonstrations: Demonstrations, constraints: Constraints) -> tuple[Choice, ...]:
    """Return the choices that recordings surely show or somebody stated."""
    seen = [demonstrations.vocabulary.name(node) for node in sorted(demonstrations.seen)]
    stated = Constraints(one_of=constraints.one_of).among(seen)
    found = with_rules(demonstrations, TaskGraph(seen, [], constraints=stated)).choices
    return tuple(
        choice
        for choice in found
        if choice.evidence is None or (choice.evidence.probability or 0.0) >= SURE
    )


def _apart(choices: Sequence[Choice]) -> list[Edge]:
    """Return the pairs of steps that nobody should do both of."""
    return [
        (first, second)
        for choice in choices
        for one, other in permutations(choice.alternatives, 2)
        for first in one
        for second in other
    ]


def _other_ways(
    choices: Sequence[Choice], wanted: Sequence[int], place: dict[str, int]
) -> set[str]:
    """Return the steps of all alternatives but the one that comes first in an order of places."""
    left_out: set[str] = set()
    for choice in choices:
        chosen = [number for number in wanted if number in {place.get(s) for s in choice.steps}]
        for steps in choice.alternatives:
            if chosen and chosen[0] not in {place.get(step) for step in steps}:
                left_out |= set(steps)
    return left_out


def _left_open(
    open_: BoolMatrix, wanted: Sequence[int], asked: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the open pairs that no question is about and that no order to ask for shows."""
    left = open_.copy()
    for first, second in asked:
        left[first, second] = False
    at = {number: place for place, number in enumerate(wanted)}
    pairs = {(first, second) for first, second in np.argwhere(left).tolist()}
    shown = {
        (first, second)
        for first, second in pairs
        if first in at and second in at and at[first] < at[second]
    }
    return sorted(
        (first, second)
        for first, second in pairs - shown
        if first < second or (second, first) not in pairs
    )


def _places(place: dict[str, int], edges: Sequence[Edge]) -> list[tuple[int, int]]:
    """Return edges by the places of their steps, without steps that are not in question."""
    return [(place[a], place[b]) for a, b in edges if a in place and b in place]


def _certain(order: BoolMatrix, must: Sequence[tuple[int, int]]) -> BoolMatrix:
    """Return the pairs of a closed order that follow from required edges."""
    certain = np.zeros_like(order)
    itself = np.eye(len(order), dtype=bool)
    for step, needed in must:
        certain |= np.outer(order[:, step] | itself[step], order[needed] | itself[needed])
    return certain


def _steps(demonstrations: Demonstrations) -> tuple[list[int], list[str]]:
    """Return the steps in question, without those of a single recording among many."""
    seen = sorted(demonstrations.seen)
    if len(demonstrations) < 3:
        return seen, []
    doing = dict.fromkeys(seen, 0)
    for recording in demonstrations:
        for node in set(recording.steps):
            doing[node] += 1
    kept = [node for node in seen if doing[node] > 1]
    if not kept:
        return seen, ["no two recordings share a step; are they of one procedure?"]
    left_out = [demonstrations.vocabulary.name(node) for node in seen if doing[node] == 1]
    if not left_out:
        return kept, []
    listed = ", ".join(f"'{step}'" for step in left_out[:5]) + (", ..." if left_out[5:] else "")
    return kept, [f"only one recording does {listed}; left out here"]


def _shown_and_passed_up(
    judged: Judgement, steps: list[int], order: BoolMatrix
) -> tuple[Matrix, Matrix]:
    """Return the trust behind each order of each pair, and behind each missed chance.

    The first matrix counts where the row comes after the column. The second counts where it does so
    although the row could have come first: all its other preconditions, by the order learned so
    far, were done. A recording without that chance says nothing about the pair.
    """
    size = len(steps)
    shown, passed_up = np.zeros((size, size)), np.zeros((size, size))
    column = {node: place for place, node in enumerate(steps)}
    needs = order.astype(np.float32)
    for sequence, trust in zip(judged.sequences, judged.reliability, strict=True):
        at = np.full(size, -1)
        done = [column[node] for node in sequence if node in column]
        at[done] = np.arange(len(done))
        both = (at[:, None] >= 0) & (at[None, :] >= 0)
        later = both & (at[:, None] > at[None, :])
        # The blocking steps: needed, not done yet, and not waiting for the other step.
        blocked = needs @ (later & ~order).astype(np.float32) > 0
        shown += trust * later
        passed_up += trust * (later & ~blocked)
    return shown, passed_up


def _needs(passed_up: Matrix) -> Matrix:
    """Return the probability that one step needs another, given the missed chances.

    Two free steps follow a habit, and any habit is equally likely. Each missed chance makes a habit
    less probable than a need.
    """
    free = 1 - 2 * UNKNOWN
    probability: Matrix = UNKNOWN / (UNKNOWN + free / (passed_up + 1))
    return probability


def _questions(
    order: BoolMatrix, needs: Matrix, asked: BoolMatrix
) -> Iterator[tuple[float, int, int, int, int]]:
    """Yield for each open pair the expected change of the graph, the pair, and what it changes."""
    direct = reduction(order)
    now = _with_ends(direct)
    itself = np.eye(len(order), dtype=bool)
    for first, second in np.argwhere(asked & direct):
        changed = order.copy()
        changed[first, second] = False
        edges = int((_with_ends(reduction(changed)) ^ now).sum())
        without = direct.copy()
        without[first, second] = False
        decides = int((order & ~closure(without) & asked).sum())
        chance = 1 - needs[first, second]
        yield float(chance * edges), int(first), int(second), edges, decides
    free = np.argwhere(asked & ~order & ~order.T)
    likely = np.argsort(-needs[tuple(free.T)], kind="stable")[:CANDIDATES]
    for first, second in free[likely]:
        above = order[:, first] | itself[first]
        changed = order | np.outer(above, order[second] | itself[second])
        edges = int((_with_ends(reduction(changed)) ^ now).sum())
        yield float(needs[first, second] * edges), int(first), int(second), edges, 1


def _with_ends(direct: BoolMatrix) -> BoolMatrix:
    """Return the edges between steps with those to START (last column) and from END (last row)."""
    size = len(direct)
    edges = np.zeros((size + 1, size + 1), dtype=bool)
    edges[:size, :size] = direct
    edges[:size, size] = ~direct.any(axis=1)
    edges[size, :size] = ~direct.any(axis=0)
    return edges


def most_telling_order(worth: Matrix, certain: BoolMatrix) -> tuple[int, ...]:
    """Return an order of steps that shows the most valuable pairs and obeys the certain ones.

    Finding the best order is hard. Up to `EXACT` steps the result is the best; beyond that the
    order is greedy, then improved by moving single steps.

    Parameters
    ----------
    worth
        ``worth[i, j]``: the value of seeing step i before step j.
    certain
        ``certain[i, j]``: whether i certainly needs j; acyclic and closed.

    Returns
    -------
    tuple
        Rows of the matrices, in the order to do them.

    Examples
    --------
    >>> worth = np.array([[0, 0, 0], [0, 0, 0], [1.0, 1.0, 0]])
    >>> most_telling_order(worth, np.zeros((3, 3), dtype=bool))
    (2, 0, 1)
    """
    size = len(worth)
    gain = worth - worth.T
    waiting = np.ones(size, dtype=bool)
    order: list[int] = []
    while waiting.any():
        possible = waiting & ~(certain & waiting[None, :]).any(axis=1)
        gains = np.where(possible, gain @ waiting, -np.inf)
        step = int(np.argmax(gains))
        order.append(step)
        waiting[step] = False
    for _ in range(ROUNDS):
        if not _improve(order, gain, certain):
            break
    if size <= EXACT:
        best = _best(gain, certain)
        if _value(best, gain) > _value(order, gain) + 1e-9:
            return tuple(best)
    return tuple(order)


def _value(order: list[int], gain: Matrix) -> float:
    return float(np.triu(gain[np.ix_(order, order)], 1).sum())


def _best(gain: Matrix, certain: BoolMatrix) -> list[int]:
    """Return the best order of few steps, by dynamic programming over sets of steps."""
    size = len(gain)
    needs = [sum(1 << int(other) for other in np.flatnonzero(row)) for row in certain]
    found: dict[int, tuple[float, list[int]]] = {0: (0.0, [])}
    for done in range(1 << size):
        if done not in found:
            continue
        value, order = found.pop(done)
        if len(order) == size:
            return order
        for step in range(size):
            if done >> step & 1 or needs[step] & ~done:
                continue
            more = value + float(gain[order, step].sum())
            then = done | 1 << step
            if then not in found or more > found[then][0]:
                found[then] = (more, [*order, step])
    raise AssertionError("what is certain is acyclic, so that all can be done")


def _improve(order: list[int], gain: Matrix, certain: BoolMatrix) -> bool:
    """Move each step to its best place; return whether any moved."""
    moved = False
    for step in list(order):
        at = order.index(step)
        order.remove(step)
        others = np.array(order, dtype=int)
        # What is gained at each place: what comes after it counts for, what comes before against.
        before = np.concatenate([[0.0], np.cumsum(gain[step, others])])
        total = before[-1] - 2 * before
        needs, needed = certain[step, others], certain[others, step]
        first = int(np.flatnonzero(needs)[-1]) + 1 if needs.any() else 0
        last = int(np.flatnonzero(needed)[0]) if needed.any() else len(others)
        best = first + int(np.argmax(total[first : last + 1]))
        if total[best] > total[at] + 1e-9:
            moved = True
            order.insert(best, step)
        else:
            order.insert(at, step)
    return moved
