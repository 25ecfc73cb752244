"""Steps that go together and steps that exclude each other, from which recordings do which.

Two rules are weighed for each pair of steps: whoever does the first also does the second, and
whoever does the first does not do the second. Under a rule only slips go against it, with one rate
for steps left out and another for steps done needlessly, each learned from all pairs, the former
also from what everybody does. Without a rule the second step follows a rate of its own, or is as
frequent as in the other recordings. `relations` compares the two.

A choice is a group of exclusive steps, of which every recording takes one, or at most one. Its
alternatives may be several steps that go together, and it may arise only for those who do a certain
step, its *context*. `find_choices` compares a choice with steps that are done independently, and
lets each alternative cost as much as naming it among all steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]

PRIOR = math.log(9)
"""Prior log odds against a rule for a pair of steps, and for a step that everybody does."""
MOST_OMISSIONS = 0.25
"""Upper bound of the rate of steps that are left out although they have to be done."""
SLIP = 0.05
"""First guess and upper bound of the rate of slips: one in twenty chances."""
ROUNDS = 50
UNDECIDED = 0.2
"""Largest share of recordings that take none or several alternatives of a choice."""
FEWEST = 2
"""Minimum number of recordings that take each alternative of a choice."""


class Relations(NamedTuple):
    """The log odds of rules; for pairs row = the step done, column = the other one.

    Parameters
    ----------
    brings
        Whoever does the row's step does the column's.
    excludes
        Whoever does the row's step does not do the column's.
    always
        Everybody does the step; where steps go together, all of them.
    slips
        The rate of slips: of steps left out that had to be done.
    together
        Steps that several recordings leave out together, and that go with each other otherwise.
    """

    brings: Matrix
    excludes: Matrix
    always: Matrix
    slips: float
    together: Sequence[Sequence[int]]


@dataclass(frozen=True)
class FoundChoice:
    """A choice, in the columns of the recordings' table.

    Parameters
    ----------
    core
        For each alternative the steps that whoever takes it does.
    others
        For each alternative the steps that only those who take it do, though not all of them.
    context
        The step with which the choice arises; None if everybody has it.
    optional
        Whether those who have it may take none.
    held
        Number of recordings that take each alternative alone.
    broken
        Number of recordings with the context that take several, or none unless it is optional.
    probability
        The probability of the choice.
    """

    core: tuple[tuple[int, ...], ...]
    others: tuple[tuple[int, ...], ...]
    context: int | None
    optional: bool
    held: tuple[float, ...]
    broken: float
    probability: float


def relations(done: BoolMatrix, weights: Matrix) -> Relations:
    """Return how steps go together and exclude each other.

    Parameters
    ----------
    done
        ``done[r, s]``: whether recording r does step s.
    weights
        Number of recordings behind each.

    Examples
    --------
    >>> done = np.array([[1, 1, 0], [0, 0, 1]] * 10, dtype=bool)
    >>> found = relations(done, np.ones(20))
    >>> (found.brings > 0).astype(int).tolist(), (found.excludes > 0).astype(int).tolist()
    ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], [[0, 0, 1], [0, 0, 1], [1, 1, 0]])
    """
    counted = done.astype(np.float64)
    both = counted.T @ (weights[:, None] * counted)
    alone, total = both.diagonal(), float(weights.sum())
    varying = alone < total - 1e-9
    apart = np.maximum(alone[:, None] - both, 0.0)
    kept = np.stack([both, apart])
    against = kept[::-1]
    without = np.stack(
        [_without_rule(both, apart, alone, total), _without_rule(apart, both, total - alone, total)]
    )
    # What everybody does says nothing about the recordings in which it is done.
    possible = np.outer(varying, varying) & (alone > 0)[:, None] & ~np.eye(len(alone), dtype=bool)
    most = np.array([MOST_OMISSIONS, SLIP]).reshape(2, 1, 1)
    # The rules of one recording stand or fall together: they count as one chance for the bound.
    slips, least = most, 1 / (1 / SLIP + total)
    for _ in range(ROUNDS):
        ruled = np.where(possible, _probability(log_rule(kept, against, slips) - without), 0.0)
        everybody = _probability(always_done(done, weights, float(slips[0].item())))
        before = slips
        number = (ruled * against).sum(axis=(1, 2), keepdims=True)
        chances = (ruled * (kept + against)).sum(axis=(1, 2), keepdims=True)
        number[0] += everybody @ (total - alone)
        chances[0] += everybody.sum() * total
        slips = np.clip((SLIP + number) / (1 + chances), least, most)
        if np.abs(slips - before).max() < 1e-6:
            break
    brings, excludes = np.where(possible, log_rule(kept, against, slips) - without, -np.inf)
    slip = float(slips[0].item())
    together = [
        own
        for own in blocks(brings, varying)
        if len(own) > 1 and total - weights @ done[:, own].any(axis=1) >= FEWEST
    ]
    return Relations(brings, excludes, always_done(done, weights, slip, together), slip, together)


def blocks(brings: Matrix, varying: BoolMatrix) -> list[list[int]]:
    """Return the steps that some recordings leave out, those that go with each other together."""
    related = (brings > 0) & (brings.T > 0)
    return [own for own in _components(related) if varying[own[0]]]


def _probability(log_odds: Matrix) -> Matrix:
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -50, 50))))


def always_done(
    done: BoolMatrix, weights: Matrix, slips: float, together: Sequence[Sequence[int]] = ()
) -> Matrix:
    """Return the log odds that everybody does a step but for slips, rather than by habit.

    Parameters
    ----------
    done, weights
        As for `relations`.
    slips
        The rate of slips.
    together
        Steps that recordings leave out together: they have one habit, but a slip is needed for
        each of them.
    """
    number = weights @ done
    missing = weights.sum() - number
    odds = np.asarray(log_rule(number, missing, slips) - log_beta(number, missing) + PRIOR)
    for own in together:
        some = weights @ done[:, own].any(axis=1)
        each = log_rule(number[own], missing[own], slips).sum()
        odds[own] = each - log_beta(some, weights.sum() - some) + PRIOR
    return odds


def log_rule(kept: Matrix, against: Matrix, slips: float | Matrix) -> Matrix:
    """Return the log probability of recordings that keep a rule and that go against it.

    Slips are as frequent as they are, up to their rate.
    """
    rate = np.minimum(against / np.maximum(kept + against, 1e-300), slips)
    rare = np.maximum(rate, 1e-300)
    return np.asarray(kept * np.log1p(-rate) + against * np.log(rare))


def _without_rule(kept: Matrix, against: Matrix, second: Matrix, total: float) -> Matrix:
    """Return the same without the rule, and with its prior against it.

    Parameters
    ----------
    kept, against
        Number of recordings with the first step that keep the rule, and that do not.
    second
        Number of all recordings that do as the rule says of the second step.
    total
        Number of recordings.
    """
    chances = kept + against
    usual = (np.maximum(second[None, :] - kept, 0.0) + 0.5) / (total - chances + 1)
    usual = np.clip(usual, 1e-6, 1 - 1e-6)
    any_rate = log_beta(kept, against)
    as_usual = kept * np.log(usual) + against * np.log1p(-usual)
    unrelated = math.log(len(second))  # each step is related to few others
    return np.asarray(np.logaddexp(any_rate, as_usual + unrelated) - math.log(2) + PRIOR)


def find_choices(done: BoolMatrix, weights: Matrix, found: Relations) -> list[FoundChoice]:
    """Return the choices that recordings show, those with the rarest context first.

    Parameters
    ----------
    done, weights
        As for `relations`.
    found
        What `relations` returns.

    Examples
    --------
    >>> done = np.array([[1, 1, 0, 1], [0, 0, 1, 1]] * 10, dtype=bool)
    >>> (choice,) = find_choices(done, np.ones(20), relations(done, np.ones(20)))
    >>> choice.core, choice.context, choice.held
    (((0, 1), (2,)), None, (10.0, 10.0))
    """
    if not (found.excludes > -PRIOR).any():
        return []
    rows, places = np.unique(done, axis=0, return_inverse=True)
    counts: Matrix = np.bincount(places.ravel(), weights=weights, minlength=len(rows)).astype(float)
    search = _ChoiceSearch(rows, counts, found)
    everywhere = np.ones(len(rows), dtype=bool)
    # What everybody does but for slips is no context.
    sometimes = search.varying & (found.always < 0)
    contexts = [(int(step), rows[:, step]) for step in np.flatnonzero(sometimes)]
    contexts.sort(key=lambda own: (float(counts[own[1]].sum()), own[0]))
    choices: list[FoundChoice] = []
    searches = [(*own, False) for own in contexts]
    for context, among, optional in (
        *searches,
        (None, everywhere, False),
        (None, everywhere, True),
    ):
        while (best := search.best(context, among, optional=optional)) is not None:
            choices.append(best)
    return choices


class _ChoiceSearch:
    """A search for choices among blocks: steps that always go together.

    Parameters
    ----------
    done, weights
        The different rows of the table, and the number of recordings of each.
    found
        How steps go together and exclude each other.
    """

    def __init__(self, done: BoolMatrix, weights: Matrix, found: Relations) -> None:
        self.done, self.weights = done, weights
        self.brings = found.brings > 0
        self.slips = found.slips
        self.varying = np.asarray(~done.all(axis=0))
        self.blocks = blocks(found.brings, self.varying)
        taken = np.stack([done[:, own].any(axis=1) for own in self.blocks], axis=1)
        self.taken = taken
        self.sizes = weights @ taken
        members = np.zeros((len(self.blocks), done.shape[1]))
        for number, own in enumerate(self.blocks):
            members[number, own] = 1.0
        sizes = members.sum(axis=1)
        # A choice that has to be made has enough evidence of its own; its pairs need not be sure.
        self.apart: dict[bool, BoolMatrix] = {
            optional: members @ (np.minimum(found.excludes, found.excludes.T) > least) @ members.T
            > np.outer(sizes, sizes) - 0.5
            for optional, least in ((False, -PRIOR), (True, 0.0))
        }
        self.first = np.array([own[0] for own in self.blocks])
        self.cost = math.log(len(self.blocks) + 1)
        self.free = self.sizes >= FEWEST

    def best(self, context: int | None, among: BoolMatrix, *, optional: bool) -> FoundChoice | None:
        """Return the most probable choice left in a context; its blocks are in no other."""
        total = float(self.weights[among].sum())
        inside = self.free.copy()
        if context is not None:
            inside &= self.brings[self.first, context] & ~self.brings[context, self.first]
        best: tuple[float, list[int]] | None = None
        for start in np.flatnonzero(inside):
            chosen = self._cover(int(start), inside, total, self.apart[optional])
            undecided = total - self.sizes[chosen].sum()
            if len(chosen) > 1 and (optional or undecided <= UNDECIDED * total):
                score = self._log_odds(chosen, among, optional=optional)
                if score > 0 and (best is None or score > best[0] + 1e-9):
                    best = score, chosen
        if best is None:
            return None
        self.free[best[1]] = False
        return self._choice(*best, context, among, optional=optional)

    def _cover(self, start: int, inside: BoolMatrix, total: float, apart: BoolMatrix) -> list[int]:
        """Return blocks that exclude each other, the most frequent ones first."""
        chosen, left = [start], inside & apart[start]
        room = total * (1 + SLIP) - self.sizes[start]
        while (fitting := left & (self.sizes <= room)).any():
            block = int(np.argmax(np.where(fitting, self.sizes, -1.0)))
            chosen.append(block)
            left &= apart[block]
            room -= self.sizes[block]
        return chosen

    def _counts(self, chosen: Sequence[int], among: BoolMatrix) -> tuple[list[float], float, float]:
        """Return how many recordings take each block alone, none, and several."""
        taken, weights = self.taken[among][:, chosen], self.weights[among]
        number = taken.sum(axis=1)
        held = [float(weights[(number == 1) & own].sum()) for own in taken.T]
        return held, float(weights[number == 0].sum()), float(weights[number > 1].sum())

    def _log_odds(self, chosen: Sequence[int], among: BoolMatrix, *, optional: bool) -> float:
        """Return the log odds of a choice, against independent steps and against a mere habit.

        With a habit, recordings go against the choice at any rate, not only by slips.
        """
        held, none, broken = self._counts(chosen, among)
        if optional:
            held.append(none)
        else:
            broken += none
        kept, kinds = math.fsum(held), len(held)
        total = kept + broken
        by_slips = float(log_rule(np.array(kept), np.array(broken), self.slips))
        by_habit = float(log_beta(np.array(kept), np.array(broken)))
        one = math.lgamma(kinds) + sum(math.lgamma(own + 1) for own in held)
        one -= math.lgamma(kept + kinds)
        sizes = np.minimum(self.weights[among] @ self.taken[among][:, chosen], total)
        apart = float(log_beta(sizes, total - sizes).sum())
        many = broken * kinds * math.log(2)  # which of the blocks a slip took
        odds = by_slips + one - many - apart - self.cost * kinds
        return min(odds, by_slips - by_habit)

    def _choice(
        self,
        score: float,
        chosen: Sequence[int],
        context: int | None,
        among: BoolMatrix,
        *,
        optional: bool,
    ) -> FoundChoice:
        held, none, several = self._counts(chosen, among)
        order = sorted(range(len(chosen)), key=lambda place: self.blocks[chosen[place]])
        core = tuple(tuple(self.blocks[chosen[place]]) for place in order)
        leading = [self.brings[:, own].any(axis=1) for own in core]
        single = np.sum(leading, axis=0) == 1
        single[[step for own in core for step in own]] = False
        if context is not None:
            single[context] = False
        others = tuple(tuple(int(step) for step in np.flatnonzero(own & single)) for own in leading)
        return FoundChoice(
            core,
            others,
            context,
            optional,
            tuple(held[place] for place in order),
            several if optional else several + none,
            1 / (1 + math.exp(-min(score, 500.0))),
        )


def _components(related: BoolMatrix) -> Iterator[list[int]]:
    """Yield the connected parts of a symmetric relation, each sorted, by their first member."""
    left = set(range(len(related)))
    while left:
        first = min(left)
        part, waiting = {first}, [first]
        while waiting:
            for other in np.flatnonzero(related[waiting.pop()]).tolist():
                if other not in part:
                    part.add(other)
                    waiting.append(other)
        left -= part
        yield sorted(part)


def log_beta(one: Matrix, other: Matrix) -> Matrix:
    """Return the log probability of sequences of two outcomes, all rates being as likely."""
    together = one + other
    return np.asarray(_log_factorials(one) + _log_factorials(other) - _log_factorials(together + 1))


def _log_factorials(numbers: Matrix) -> Matrix:
    """Return the logarithms of n!, also between whole numbers, by Stirling's series.

    The series is exact to rounding from 10 on; smaller numbers are moved there.
    """
    moved = numbers + 10.0
    factors = numbers + 1.0
    for more in range(2, 11):
        factors = factors * (numbers + more)
    series = 1 / (12 * moved) - 1 / (360 * moved**3) + 1 / (1260 * moved**5)
    stirling = moved * np.log(moved) - moved + np.log(2 * np.pi * moved) / 2 + series
    return np.asarray(stirling - np.log(factors))
