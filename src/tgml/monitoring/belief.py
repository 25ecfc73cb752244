"""What has probably been done, where the steps that come in may be wrong: a beam of states.

A state says which steps were done, which were skipped and which of these are forgotten. Each
observation is explained in every way that the recogniser's errors allow, and the most probable
states are kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from tgml.monitoring.confusion import Confusion
from tgml.monitoring.plan import Plan, bits

BEAM = 32
"""How many states are kept."""

HINDSIGHT = 6
"""For how many observations a verdict can still be revised by those that follow."""

NEGLIGIBLE = 1e-6
"""States less probable than this share of all are dropped."""


class Guess(NamedTuple):
    """A state that may be the true one.

    Parameters
    ----------
    done, skipped
        The steps done, and those that others were done without, as bit masks.
    forgotten
        The steps that the person takes for done and goes on without, as a bit mask.
    recent
        Which of the last `HINDSIGHT` observations were mistakes, bit 0 for the last one.
    weight
        Its probability.
    """

    done: int
    skipped: int
    forgotten: int
    recent: int
    weight: float


FORGOTTEN = 1 / 3
"""The share of the steps gone on without that are not done later either: skipped, rather than
swapped or exchanged with another."""

_REMEMBERED = (1 << HINDSIGHT) - 1
Key = TypeVar("Key")
State = tuple[int, int, int, int]
"""A guess without its weight."""
Beam = tuple[Guess, ...]
FIRST: Beam = (Guess(0, 0, 0, 0, 1.0),)


@dataclass(frozen=True, slots=True)
class Reading:
    """What an observation probably means.

    Parameters
    ----------
    beam
        The states after it, the most probable first.
    mistake
        The probability that a step was done without something it needs, not known before.
    made_up
        The probability that nothing was done.
    repeated
        The probability that a step was done again, with all that it needs.
    happened
        The most probable true step as a node, or 0 for none.
    missing
        The steps that were missing by the most probable of the explanations that are a
        mistake, as a mask.
    """

    beam: Beam
    mistake: float
    made_up: float
    repeated: float
    happened: int
    missing: int


@dataclass(frozen=True)
class Belief:
    """How people go through a procedure and how their steps are seen.

    The next step is one of the executable ones, each equally likely, or with `mistake_rate` a
    mistake: half of these go on as if something missing had been done, half do anything that is
    left. A missing step was skipped, or done and not seen. What was reported skipped counts as
    accomplished, so that only the first step without it is a mistake. A third of the steps that
    one goes on without are forgotten, and done later only as one does anything that is left: that
    they do not come is no sign that they were done.

    Parameters
    ----------
    plan
        The procedure.
    confusion
        The recogniser's errors, its steps in the order of the plan's.
    mistake_rate
        The share of steps that are mistakes, between 0 and 1.
    beam
        How many states to keep.
    """

    plan: Plan
    confusion: Confusion
    mistake_rate: float
    beam: int = BEAM

    def read(self, before: Beam, node: int, confidence: float | None = None) -> Reading:
        """Explain an observation.

        Parameters
        ----------
        before
            The states before it.
        node
            The step that was recognised.
        confidence
            How sure the recogniser is, from 0 to 1: with 1 the step was certainly this one, with
            0 or None no more is known than that it was recognised.
        """
        sure = confidence or 0.0
        likely = self._likelihoods(node, sure)
        made_up = (1 - sure) * self.confusion.spurious
        # A probability of being made up per observation, beside any of the steps.
        made_up *= self.confusion.made_up[node - 1]
        after: dict[State, float] = {}
        masses: dict[int, float] = {}
        mistakes: dict[int, float] = {}
        repeated = 0.0
        for guess in before:
            recent = guess.recent << 1 & _REMEMBERED
            if made_up:
                weight = guess.weight * made_up
                _add(after, (guess.done, guess.skipped, guess.forgotten, recent), weight)
                _add(masses, 0, weight)
            for step, like, (done, skipped, forgotten), missing in self._explain(guess, likely):
                _add(after, (done, skipped, forgotten, recent | bool(missing)), like)
                _add(masses, step, like)
                if missing:
                    _add(mistakes, missing, like)
                elif guess.done >> step & 1:
                    repeated += like
        total = sum(masses.values())
        if not total:  # the recogniser never sees this step, and never makes it up
            return Reading(pass_over(before), 0.0, 1.0, 0.0, 0, 0)
        return Reading(
            _kept(after, self.beam),
            sum(mistakes.values()) / total,
            masses.get(0, 0.0) / total,
            repeated / total,
            min(masses, key=lambda step: (-masses[step], step)),
            min(mistakes, key=lambda mask: (-mistakes[mask], mask)) if mistakes else 0,
        )

    def unseen(self, node: int) -> float:
        """Return how probably a step that nothing tells about was done all the same."""
        missed = self.confusion.missed[node - 1] * (1 - self.mistake_rate)
        return missed / (missed + self.mistake_rate)

    def _likelihoods(self, node: int, sure: float) -> list[tuple[int, float]]:
        """Return the true steps that may have been recognised as this one, and how likely."""
        real = 1 - (1 - sure) * self.confusion.spurious
        found = []
        for step in self.plan.nodes.values():
            like = (1 - sure) * self.confusion.seen[step - 1][node - 1]
            if step == node:
                like += sure * self.confusion.seen[step - 1][node - 1]
            if like:
                found.append((step, real * like))
        return found

    def _explain(
        self, guess: Guess, likely: Iterable[tuple[int, float]]
    ) -> Iterable[tuple[int, float, tuple[int, int, int], int]]:
        """Return true steps with their weight, the state after them, and what was missing."""
        plan, rate = self.plan, self.mistake_rate
        accomplished = guess.done | guess.skipped
        believed = accomplished | guess.forgotten
        passed = guess.done | guess.forgotten
        executable = max(
            sum(
                not passed >> node & 1 and not plan.needs[node] & ~believed
                for node in plan.nodes.values()
            ),
            1,
        )
        right = (1 - rate) / executable
        again = rate / max(guess.done.bit_count(), 1)
        anything = rate / 2 / max(len(plan.nodes) - guess.done.bit_count(), 1)
        for step, like in likely:
            weight = guess.weight * like
            bit = 1 << step
            if guess.done & bit:  # what it needs was done, or noted as skipped, the first time
                yield step, weight * again, (guess.done, guess.skipped, guess.forgotten), 0
                continue
            done, skipped, forgotten = (
                guess.done | bit,
                guess.skipped & ~bit,
                guess.forgotten & ~bit,
            )
            lacking = plan.needs[step] & ~accomplished
            if not plan.needs[step] & ~believed:
                chance = anything if guess.forgotten & bit else right
                yield step, weight * chance, (done, skipped | lacking, forgotten), lacking
                continue
            missing = plan.needs_all[step] & ~believed
            unseen = 1.0
            for node in bits(missing):
                unseen *= self.confusion.missed[node - 1]
            if unseen:
                without = lacking & guess.forgotten
                own = (done | missing, skipped | without, forgotten)
                yield step, weight * unseen * right, own, without
            skip = weight * (rate / 2) ** missing.bit_count() / executable
            noted = skipped | lacking
            yield step, skip * FORGOTTEN, (done, noted, forgotten | missing), lacking
            later = skip * (1 - FORGOTTEN) + weight * anything
            yield step, later, (done, noted, forgotten), lacking


def mistakes_in(beam: Beam, ago: int) -> float:
    """Return how probably the observation so many observations ago was a mistake.

    Parameters
    ----------
    beam
        The states now.
    ago
        0 for the last observation, up to `HINDSIGHT` less one.
    """
    return min(sum(guess.weight for guess in beam if guess.recent >> ago & 1), 1.0)


def pass_over(beam: Beam) -> Beam:
    """Return the states after an observation that says nothing about them."""
    after: dict[State, float] = {}
    for guess in beam:
        recent = guess.recent << 1 & _REMEMBERED
        _add(after, (guess.done, guess.skipped, guess.forgotten, recent), guess.weight)
    return _kept(after, len(beam))


def _kept(after: dict[State, float], beam: int) -> Beam:
    """Return the most probable states with probabilities that sum to 1."""
    order = sorted(after.items(), key=lambda item: (-item[1], item[0]))[:beam]
    total = sum(weight for _, weight in order)
    order = [(state, weight) for state, weight in order if weight >= NEGLIGIBLE * total]
    total = sum(weight for _, weight in order)
    return tuple(Guess(*state, weight / total) for state, weight in order)


def _add(masses: dict[Key, float], key: Key, weight: float) -> None:
    masses[key] = masses.get(key, 0.0) + weight
