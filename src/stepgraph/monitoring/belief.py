"""A beam of states: what has probably been done, as seen by a recogniser that errs.

A state says which steps are done, which are skipped and which of these are forgotten. The belief
explains each observation in every way that the recogniser's errors allow, and keeps the most
probable states.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from stepgraph.graph.edges import bits
from stepgraph.monitoring.confusion import Confusion
from stepgraph.monitoring.plan import Plan

BEAM = 32
"""Default number of states to keep."""

HINDSIGHT = 6
"""Number of later observations that can still revise a verdict."""

NEGLIGIBLE = 1e-6
"""Smallest share of the total probability for a state to keep."""


class Guess(NamedTuple):
    """A state that may be the true one.

    Parameters
    ----------
    done, skipped
        The steps done, and the steps that others were done without, as bit masks.
    forgotten
        The skipped steps that the person takes for done, as a bit mask.
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
"""The share of missing steps that never come: skipped, rather than swapped or exchanged with
another."""

_REMEMBERED = (1 << HINDSIGHT) - 1
Key = TypeVar("Key")
Blamed = tuple[int, int, int, bool]
"""A blame without its probability."""
Ranked = TypeVar("Ranked", int, Blamed)
State = tuple[int, int, int, int]
"""A guess without its weight."""
Beam = tuple[Guess, ...]
FIRST: Beam = (Guess(0, 0, 0, 0, 1.0),)


class Blame(NamedTuple):
    """The probable mistake in a step.

    Parameters
    ----------
    probability
        The probability of a mistake.
    step
        The most probable step of those explanations, as a node; 0 where there is none.
    missing
        The missing steps in the most probable explanation, as a mask.
    late
        The steps done before an optional step although they come after it, as a mask.
    early
        Whether some missing step had not been noted before.
    """

    probability: float = 0.0
    step: int = 0
    missing: int = 0
    late: int = 0
    early: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """The probable meaning of an observation.

    Parameters
    ----------
    beam
        The states after it, the most probable first.
    mistake
        The mistake that a step was done without a precondition not noted as missing before, or that
        an optional step came too late.
    noted
        The mistake that a step was done without preconditions that were all noted as missing
        before.
    made_up
        The probability that nothing was done.
    right
        The probability that it was this step, and no mistake.
    repeated
        The probability that it was this step, done again with all that it needs.
    happened
        The most probable true step as a node, or 0 for none.
    """

    beam: Beam
    mistake: Blame
    noted: Blame
    made_up: float
    right: float
    repeated: float
    happened: int


@dataclass(frozen=True)
class Belief:
    """A model of how people do a procedure and how a recogniser sees their steps.

    The next step is one of the executable ones, each equally likely, or with `mistake_rate` a
    mistake. Half of the mistakes go on as if a missing step were done; half do any step that is
    left, such as an optional step that should have come before. All repetitions together have the
    probability `mistake_rate`. A step done without k missing ones has half the `mistake_rate` to
    the power of k. A missing step was skipped, or done and not seen. A step reported as skipped
    counts as accomplished, so that only the first step without it is a mistake. A third of the
    missing steps are forgotten; they come later only as any step that is left. Their absence is no
    sign that they were done.

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
            The recogniser's confidence, from 0 to 1. With 1 the step is certain; 0 and None add
            nothing to the observation.
        """
        sure = confidence or 0.0
        likely = self._likelihoods(node, sure)
        made_up = (1 - sure) * self.confusion.spurious
        # A probability of being made up per observation, beside any of the steps.
        made_up *= self.confusion.made_up[node - 1]
        after: dict[State, float] = {}
        masses: dict[int, float] = {}
        mistakes: dict[Blamed, float] = {}
        noted: dict[Blamed, float] = {}
        repeated = 0.0
        for guess in before:
            recent = guess.recent << 1 & _REMEMBERED
            if made_up:
                weight = guess.weight * made_up
                _add(after, (guess.done, guess.skipped, guess.forgotten, recent), weight)
                _add(masses, 0, weight)
            for way in self._explain(guess, likely):
                _add(after, (*way.state, recent | way.new), way.weight)
                _add(masses, way.step, way.weight)
                if way.new or way.missing:
                    blamed = mistakes if way.new else noted
                    _add(blamed, (way.step, way.missing, way.late, way.early), way.weight)
                elif way.step == node and guess.done >> node & 1:
                    repeated += way.weight
        total = sum(masses.values())
        if not total:  # the recogniser never sees this step and never makes it up
            return Reading(pass_over(before), Blame(), Blame(), 1.0, 0.0, 0.0, 0)
        beam = _kept(after, self.beam)
        wrong = sum(weight for blamed, weight in mistakes.items() if blamed[0] == node)
        return Reading(
            beam,
            _blame(mistakes, mistakes_in(beam, 0)),
            _blame(noted, sum(noted.values()) / total),
            masses.get(0, 0.0) / total,
            max(masses.get(node, 0.0) - wrong, 0.0) / total,
            repeated / total,
            _likeliest(masses),
        )

    def unseen(self, steps: int) -> float:
        """Return the probability that steps without any observation were done.

        Either the recogniser missed all of them, or the person stopped before, which is one mistake
        however many steps it leaves out.

        Parameters
        ----------
        steps
            The steps as a mask.
        """
        done = 1 - self.mistake_rate
        for node in bits(steps):
            done *= self.confusion.missed[node - 1]
        return done / (done + self.mistake_rate)

    def _likelihoods(self, node: int, sure: float) -> list[tuple[int, float]]:
        """Return the true steps that the recogniser may take for this one, with likelihoods."""
        real = 1 - (1 - sure) * self.confusion.spurious
        found = []
        for step in self.plan.nodes.values():
            like = (1 - sure) * self.confusion.seen[step - 1][node - 1]
            if step == node:  # as likely as ever, and possible even for a step that is never seen
                like += sure * (self.confusion.seen[step - 1][node - 1] or NEGLIGIBLE)
            if like:
                found.append((step, real * like))
        return found

    def _explain(self, guess: Guess, likely: Iterable[tuple[int, float]]) -> Iterable[_Way]:
        """Return the ways to explain an observation by a true step."""
        plan, rate = self.plan, self.mistake_rate
        accomplished = guess.done | guess.skipped
        believed = accomplished | guess.forgotten
        passed = guess.done | guess.forgotten
        late = plan.late(guess.done)
        executable = max(
            sum(
                not (passed | late) >> node & 1 and not plan.needs[node] & ~believed
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
            absent = plan.needs[step] & ~guess.done
            if guess.done & bit:  # what it needs was done, or noted as skipped, the first time
                same = (guess.done, guess.skipped, guess.forgotten)
                yield _Way(step, weight * again, same, absent, early=False)
                continue
            done, skipped, forgotten = (
                guess.done | bit,
                guess.skipped & ~bit,
                guess.forgotten & ~bit,
            )
            lacking = plan.needs[step] & ~accomplished
            after = plan.needed_by[step] & guess.done if late & bit else 0
            expected = anything if after or guess.forgotten & bit else right
            if not plan.needs[step] & ~believed:
                state = (done, skipped | lacking, forgotten)
                yield _Way(step, weight * expected, state, absent, bool(lacking), after)
                continue
            missing = plan.needs_all[step] & ~believed
            unseen = 1.0
            for node in bits(missing):
                unseen *= self.confusion.missed[node - 1]
            if unseen:
                without = lacking & guess.forgotten
                own = (done | missing, skipped | without, forgotten)
                left = absent & ~missing
                yield _Way(step, weight * unseen * expected, own, left, bool(without), after)
            noted = skipped | lacking
            later = weight * anything
            if not after:
                skip = weight * (rate / 2) ** missing.bit_count() / executable
                gone = (done, noted, forgotten | missing)
                yield _Way(step, skip * FORGOTTEN, gone, absent, early=True)
                later += skip * (1 - FORGOTTEN)
            yield _Way(step, later, (done, noted, forgotten), absent, True, after)


class _Way(NamedTuple):
    """One way to explain an observation: the true step, and the state after it.

    Parameters
    ----------
    step
        The true step as a node.
    weight
        Its probability, before normalisation.
    state
        The steps done, skipped and forgotten after it.
    missing
        The preconditions that were not done.
    early
        Whether some of them had not been noted before.
    late
        The steps done before an optional step although they come after it.
    """

    step: int
    weight: float
    state: tuple[int, int, int]
    missing: int
    early: bool
    late: int = 0

    @property
    def new(self) -> bool:
        """Whether it is a mistake of its own."""
        return self.early or bool(self.late)


def mistakes_in(beam: Beam, ago: int) -> float:
    """Return the probability that an earlier observation was a mistake.

    Parameters
    ----------
    beam
        The states now.
    ago
        0 for the last observation, up to `HINDSIGHT` less one.
    """
    wrong = [guess.weight for guess in beam if guess.recent >> ago & 1]
    return 1.0 if len(wrong) == len(beam) else min(sum(wrong), 1.0)


def revised(beam: Beam, observed: int) -> tuple[tuple[int, float], ...]:
    """Return the last observations: positions and probabilities of a mistake.

    Parameters
    ----------
    beam
        The states now.
    observed
        Number of observations so far.
    """
    return tuple(
        (observed - ago, mistakes_in(beam, ago))
        for ago in reversed(range(min(HINDSIGHT, observed)))
    )


def pass_over(beam: Beam, *, mistake: bool = False) -> Beam:
    """Return the states after an observation that says nothing about them.

    Parameters
    ----------
    beam
        The states before it.
    mistake
        Whether it is a mistake, such as an unknown step.
    """
    after: dict[State, float] = {}
    for guess in beam:
        recent = guess.recent << 1 & _REMEMBERED | mistake
        _add(after, (guess.done, guess.skipped, guess.forgotten, recent), guess.weight)
    return _kept(after, len(beam))


def _kept(after: dict[State, float], beam: int) -> Beam:
    """Return the most probable states with probabilities that sum to 1.

    Dropping states does not change the probability that the last observation was a mistake. The
    best state with a mistake and the best without one stay, and the states of each kind take over
    the probability of those dropped.
    """
    total = sum(after.values())
    order = sorted(after.items(), key=lambda item: (-item[1], item[0]))
    order = [(state, weight / total) for state, weight in order if weight >= NEGLIGIBLE * total]
    kept: list[tuple[State, float]] = []
    for wrong in (0, 1):
        alike = [item for item in order if item[0][-1] & 1 == wrong]
        chosen = [item for item in order[:beam] if item[0][-1] & 1 == wrong] or alike[:1]
        if chosen:
            share = sum(weight for _, weight in alike) / sum(weight for _, weight in chosen)
            kept += [(state, weight * share) for state, weight in chosen]
    kept.sort(key=lambda item: (-item[1], item[0]))
    total = sum(weight for _, weight in kept)
    return tuple(Guess(*state, weight / total) for state, weight in kept)


def _blame(ways: dict[Blamed, float], probability: float) -> Blame:
    return Blame(probability, *_likeliest(ways)) if ways else Blame(probability)


def _likeliest(masses: dict[Ranked, float]) -> Ranked:
    return min(masses, key=lambda key: (-masses[key], key))


def _add(masses: dict[Key, float], key: Key, weight: float) -> None:
    masses[key] = masses.get(key, 0.0) + weight
