"""The mistakes in recordings: every slip that the other recordings contradict.

If a recording shows a pair against the order, at least one of the two steps is out of place, and
most steps are not. A mean-field approximation gives the posterior probability that each step is out
of place: a soft version of the smallest set of steps whose removal restores the order.

What a recording leaves out or does again is judged by the choices, undoing and steps that go
together that all recordings show; see `stepgraph.insight.duties`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from statistics import median

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph import Choice, Undoing
from stepgraph.insight.attributes import Tally, habit_probabilities, tally
from stepgraph.insight.duties import Duties, find_duties
from stepgraph.insight.reliability import Judgement, judge
from stepgraph.sequences import Demonstrations, expect_demonstrations

Matrix = NDArray[np.float64]
BoolMatrix = NDArray[np.bool_]

POINTED_AT = 0.5
"""Probability from which a slip is reported."""
SHARED = 0.5
"""Minimum share of common steps for a recording of the same procedure."""
LIKE_CHANCE = 0.4
"""The share of broken pairs that chance alone explains."""
ENOUGH_PAIRS = 10
"""Minimum number of ordered pairs for a comparison with chance."""
MISPLACED = 0.1
"""Prior probability that a step is out of place."""
UNEXPLAINED = 0.01
"""The probability of a broken pair although both steps are in place."""
ROUNDS = 200


class Slip(StrEnum):
    """The kinds of slips."""

    MISPLACED = "out of order"
    SKIPPED = "skipped"
    REPEATED = "repeated"
    FOREIGN = "only here"
    OTHER = "other alternative"


@dataclass(frozen=True)
class Finding:
    """A step of a recording that is probably wrong.

    Parameters
    ----------
    slip
        The kind of slip.
    step
        Its name.
    position
        The number of the step in the recording, from 1; None if it was never done.
    probability
        The probability of a mistake.
    evidence
        The evidence of the other recordings, in words.
    """

    slip: Slip
    step: str
    position: int | None
    probability: float
    evidence: str


@dataclass(frozen=True)
class AuditedRecording:
    """The result of an audit for one recording.

    Parameters
    ----------
    id
        The recording's name.
    reliability
        The trust in the recording, from 0 to 1.
    out_of_order, skipped, repeated
        The expected number of such slips: steps that would have to move, beyond the usual share,
        steps missing, and steps done again.
    misplaced
        For each of its steps, the probability of a part in a mistake of order; 0 for repetitions.
    findings
        The probable slips, in the order of the recording, skipped steps last.
    other_procedure
        The reason why it looks like another procedure; empty if it does not.
    other_alternative
        The expected number of steps of an alternative although another one was taken.
    """

    id: str
    reliability: float
    out_of_order: float
    skipped: float
    repeated: float
    misplaced: tuple[float, ...]
    findings: tuple[Finding, ...]
    other_procedure: str = ""
    other_alternative: float = 0.0

    @property
    def slips(self) -> float:
        """The expected number of slips."""
        return self.out_of_order + self.skipped + self.repeated + self.other_alternative


@dataclass(frozen=True)
class Audit:
    """The result of an audit for all recordings of a procedure.

    Parameters
    ----------
    procedure
        The name of the procedure.
    recordings
        The recordings: those of another procedure first, then by their slips, most first.
    notes
        Sentences about the limits of the audit.
    """

    procedure: str
    recordings: tuple[AuditedRecording, ...]
    notes: tuple[str, ...] = ()


def audit(demonstrations: Demonstrations) -> Audit:
    """Find the mistakes in recordings, from the agreement between them.

    Marks of annotators are ignored.

    Parameters
    ----------
    demonstrations
        All recordings of a procedure.

    Raises
    ------
    InputError
        If there are too many different steps to compare them all.

    Examples
    --------
    >>> tea = {str(number): ["boil", "pour", "drink"] for number in range(9)}
    >>> found = audit(Demonstrations.from_steps(tea | {"ben": ["boil", "drink", "pour"]}))
    >>> found.recordings[0].id
    'ben'
    >>> print(found.recordings[0].findings[0].evidence)
    done before 'pour', which came first in 9 of 10 recordings
    """
    expect_demonstrations(demonstrations, "audit")
    judged = judge(demonstrations)
    counted = tally(demonstrations, marks=False)
    evidence = _Evidence.of(judged, counted, find_duties(demonstrations, judged, counted))
    foreign = _of_another_procedure(judged, counted, evidence.duties)
    found = [
        _audited(demonstrations, evidence, number, foreign[number])
        for number in range(len(demonstrations))
    ]
    ranked = sorted(found, key=lambda entry: (not entry.other_procedure, -entry.slips))
    return Audit(demonstrations.procedure, tuple(ranked), tuple(_notes(demonstrations, foreign)))


@dataclass(frozen=True, eq=False)
class _Evidence:
    """What all recordings say, for the audit of each.

    Parameters
    ----------
    judged, counted, duties
        Their order, which of them does which step, and which has to.
    skipping, repeating
        For each step, the probability that leaving it out or doing it again is a slip.
    should
        Number of recordings that should do each step.
    """

    judged: Judgement
    counted: Tally
    duties: Duties
    skipping: Matrix
    repeating: Matrix
    should: Matrix

    @classmethod
    def of(cls, judged: Judgement, counted: Tally, duties: Duties) -> _Evidence:
        should = duties.due | counted.done | ~duties.ruled
        weights = counted.weights
        skipping = 1 - habit_probabilities(~counted.done, should, weights)
        repeating = 1 - habit_probabilities(duties.again, counted.done, weights)
        return cls(judged, counted, duties, skipping, repeating, weights @ should)

    @cached_property
    def total(self) -> float:
        """Number of recordings."""
        return float(self.counted.weights.sum())

    @cached_property
    def does(self) -> Matrix:
        """Number of recordings that do each step."""
        return self.counted.weights @ self.counted.done

    @cached_property
    def repeats(self) -> Matrix:
        """Number of recordings that do each step again although it counts as done."""
        return self.counted.weights @ self.duties.again

    def lacking(self, number: int) -> list[int]:
        """Return the columns of the steps that a recording should do and does not.

        Without a rule that says when a step is due, it should do what most do.
        """
        due = np.where(self.duties.ruled, self.duties.due[number], self.does > self.total / 2)
        found: list[int] = np.flatnonzero(due & ~self.counted.done[number]).tolist()
        return found


def _audited(
    demonstrations: Demonstrations, evidence: _Evidence, number: int, foreign: str
) -> AuditedRecording:
    recording = demonstrations.sequences[number]
    judged, counted, duties = evidence.judged, evidence.counted, evidence.duties
    first = judged.sequences[number]
    alone = [evidence.total > 1 and evidence.does[counted.column[node]] <= 1 for node in first]
    broken = np.triu(judged.confidence[np.ix_(first, first)], 1)
    # A step that no other recording shows has no usual place.
    broken[alone], broken[:, alone] = 0.0, 0.0
    moved = misplaced_probabilities(broken)
    probabilities = dict(zip(first, map(float, blame(broken, moved)), strict=True))
    misplaced, findings = [], []
    seen: set[int] = set()
    for position, node in enumerate(recording.steps):
        place = counted.column[node]
        misplaced.append(0.0 if node in seen else probabilities[node])
        found: tuple[Slip, float, str] | None = None
        if node in seen:
            if position in duties.needless[number] and evidence.repeating[place] >= POINTED_AT:
                found = Slip.REPEATED, float(evidence.repeating[place]), _repeated(evidence, place)
        elif duties.other[number, place]:
            found = Slip.OTHER, *_other(evidence, number, place)
        elif probabilities[node] >= POINTED_AT:
            against = _against(demonstrations, judged, first, node)
            found = Slip.MISPLACED, probabilities[node], against
        elif evidence.total > 2 and evidence.does[place] <= 1 and not foreign:
            others = f"none of the other {evidence.total - 1:g} recordings does it"
            found = Slip.FOREIGN, 0.5, others
        seen.add(node)
        if found is not None:
            slip, probability, words = found
            findings.append(Finding(slip, counted.names[place], position + 1, probability, words))
    skipped = list(_skipped(evidence, number))
    findings += [finding for finding in skipped if finding.probability >= POINTED_AT]
    return AuditedRecording(
        recording.id,
        judged.reliability[number],
        max(float(moved.sum()) - MISPLACED * len(first), 0.0),
        float(sum(finding.probability for finding in skipped)),
        float(evidence.repeating[duties.again[number]].sum()),
        tuple(misplaced),
        tuple(findings),
        foreign,
        sum(finding.probability for finding in findings if finding.slip == Slip.OTHER),
    )


def _repeated(evidence: _Evidence, place: int) -> str:
    again, does = evidence.repeats[place], evidence.does[place]
    share = f"{again:g} of {_recordings(does)}"
    return f"done again; {share} with it {_verb(again, 'repeat')} it"


def _other(evidence: _Evidence, number: int, place: int) -> tuple[float, str]:
    """Return the probability that a step of a second alternative is a slip, and why."""
    counted, duties = evidence.counted, evidence.duties
    choice = next(own for own in duties.choices if counted.names[place] in own.steps)
    taken = _alternatives_taken(counted, choice)
    several = float(counted.weights @ (taken.sum(axis=1) > 1))
    instead = next(
        step
        for step, done, other in zip(
            counted.names, counted.done[number], duties.other[number], strict=True
        )
        if step in choice.steps and done and not other
    )
    share = f"{several:g} of {_recordings(evidence.total)} {_verb(several, 'take')} both"
    return _probability(choice), f"done beside '{instead}', its alternative; {share}"


def _alternatives_taken(counted: Tally, choice: Choice) -> BoolMatrix:
    """Return which recording does a step of which alternative."""
    names = np.array(counted.names)
    return np.stack(
        [counted.done[:, np.isin(names, own)].any(axis=1) for own in choice.alternatives], axis=1
    )


def _probability(rule: Choice | Undoing) -> float:
    known = rule.evidence.probability if rule.evidence else None
    return 1.0 if known is None else known


def _skipped(evidence: _Evidence, number: int) -> Iterator[Finding]:
    """Yield the steps that a recording leaves out, with the probability of a slip."""
    counted, duties = evidence.counted, evidence.duties
    for place in evidence.lacking(number):
        kept, should = evidence.does[place], evidence.should[place]
        whose = "that should do it do" if duties.ruled[place] else "do it"
        words = f"never done; {kept:g} of {_recordings(should)} {whose}"
        name, probability = counted.names[place], float(evidence.skipping[place])
        yield Finding(Slip.SKIPPED, name, None, probability, words)
    for step, undoing in duties.not_redone[number].items():
        words = f"not done again after '{undoing.step}', which undoes it"
        yield Finding(Slip.SKIPPED, step, None, _probability(undoing), words)
    for choice in duties.undecided[number]:
        taken = _alternatives_taken(counted, choice)
        usual, *others = sorted(
            zip(counted.weights @ taken, choice.alternatives, strict=True), key=lambda one: -one[0]
        )
        instead = ", ".join(f"'{steps[0]}'" for _, steps in others)
        one = float(counted.weights @ taken.any(axis=1))
        words = (
            f"never done, nor its alternative {instead}; {one:g} of {_recordings(evidence.total)}"
        )
        yield Finding(
            Slip.SKIPPED, usual[1][0], None, _probability(choice), f"{words} take one of them"
        )


def _against(
    demonstrations: Demonstrations, judged: Judgement, first: Sequence[int], node: int
) -> str:
    """Return the evidence against the place of a step: its most certain broken pairs."""
    at = first.index(node)
    early = [(judged.confidence[node, other], node, other) for other in first[at + 1 :]]
    late = [(judged.confidence[other, node], other, node) for other in first[:at]]
    ranked = sorted((*early, *late), key=lambda entry: -entry[0])
    name = demonstrations.vocabulary.name
    parts: list[str] = []
    for sure, step, needed in ranked[:2]:
        if parts and sure < 0.5:
            break
        held = judged.before[step, needed]
        both = held + judged.before[needed, step]
        if step == node:
            parts.append(
                f"done before '{name(needed)}', which came first in {held:g} of {_recordings(both)}"
            )
        else:
            parts.append(
                f"done after '{name(step)}', which came later in {held:g} of {_recordings(both)}"
            )
    return "; ".join(parts)


def _of_another_procedure(judged: Judgement, counted: Tally, duties: Duties) -> list[str]:
    """Return, for each recording, why it looks like another procedure; empty if it does not."""
    count = len(judged.sequences)
    if count < 3:
        return [""] * count
    shared = _shared(counted, duties.choices)
    # A recording can only be foreign among recordings that belong together.
    together = median(shared) >= SHARED
    reasons = []
    for number, steps in enumerate(judged.sequences):
        reason = ""
        if together and shared[number] < SHARED:
            reason = (
                f"shares {100 * shared[number]:.0f} % of the steps with the other recordings, "
                f"as a rule; they share {100 * median(shared):.0f} % with each other"
            )
        elif together:
            pairs = judged.confidence[np.ix_(steps, steps)]
            broken, held = np.triu(pairs, 1).sum(), np.tril(pairs, -1).sum()
            if broken + held >= ENOUGH_PAIRS and broken >= LIKE_CHANCE * (broken + held):
                reason = (
                    f"{100 * broken / (broken + held):.0f} % of its pairs of steps are against "
                    "the order of the others, as by chance"
                )
        reasons.append(reason)
    return reasons


def _shared(counted: Tally, choices: Sequence[Choice]) -> list[float]:
    """Return the median share of steps that each recording has in common with the others.

    For two recordings it is the share of the shorter one, so that many skips count little. A choice
    counts as one step, whichever alternative was taken.
    """
    chosen = np.isin(np.array(counted.names), [step for own in choices for step in own.steps])
    made = [_alternatives_taken(counted, own).any(axis=1, keepdims=True) for own in choices]
    done = np.hstack([counted.done[:, ~chosen], *made]).astype(np.float64)
    sizes = done.sum(axis=1)
    overlaps = (done @ done.T) / np.minimum(sizes[:, None], sizes[None, :])
    return [
        float(np.median(np.delete(overlaps[number], number))) for number in range(len(overlaps))
    ]


def _notes(demonstrations: Demonstrations, foreign: Sequence[str]) -> Iterator[str]:
    if len(demonstrations) == 1:
        yield "one recording alone cannot be contradicted: nothing can be said against it"
        return
    distinct = {recording.steps for recording in demonstrations}
    if len(distinct) == 1:
        yield f"all {len(demonstrations)} recordings are the same: nothing speaks against any"
    if len(demonstrations.seen) == sum(len(set(recording.steps)) for recording in demonstrations):
        yield "no two recordings share a step: nothing can be said of any"
    elif any(foreign):
        ids = ", ".join(
            f"'{recording.id}'"
            for recording, reason in zip(demonstrations, foreign, strict=True)
            if reason
        )
        yield f"probably of another procedure: {ids}; take them out and audit again"


def _recordings(number: float) -> str:
    return f"{number:g} recording" if number == 1 else f"{number:g} recordings"


def _verb(number: float, verb: str) -> str:
    return f"{verb}s" if number == 1 else verb


def misplaced_probabilities(broken: Matrix) -> Matrix:
    """Return the probability that each step of a recording has to move.

    Parameters
    ----------
    broken
        ``broken[i, j]``: if the recording does step i before step j, the probability that i needs
        j; 0 for all other pairs.

    Examples
    --------
    One step is done before two others that it needs: it is more probably the one.

    >>> broken = np.array([[0, 0.9, 0.9], [0, 0, 0], [0, 0, 0]])
    >>> misplaced_probabilities(broken).round(2)
    array([0.84, 0.14, 0.14])
    """
    cost = -np.log1p(-np.clip(broken, 0, 1) * (1 - UNEXPLAINED))
    cost = cost + cost.T
    prior = np.log(MISPLACED / (1 - MISPLACED))
    found: Matrix = np.full(len(broken), 0.5)
    for _ in range(ROUNDS):
        odds = prior + cost @ (1 - found)
        new = 1 / (1 + np.exp(-np.clip(odds, -500, 500)))
        settled = np.abs(new - found).max(initial=0.0) < 1e-7
        # Moves half of the way, because two steps that blame each other would swing for ever.
        found = (found + new) / 2
        if settled:
            break
    return found


def blame(broken: Matrix, misplaced: Matrix) -> Matrix:
    """Return the probability that each step has a part in a mistake of order.

    It does if one of its pairs is broken and the other step of the pair is not the one that has to
    move. Where two steps changed places, this is true of both, though moving one would do.

    Parameters
    ----------
    broken, misplaced
        The argument and the result of `misplaced_probabilities`.

    Examples
    --------
    >>> broken = np.array([[0, 0.9], [0, 0]])
    >>> blame(broken, misplaced_probabilities(broken)).round(2)
    array([0.6, 0.6])
    """
    either = np.clip(broken + broken.T, 0, 1)
    innocent: Matrix = np.prod(1 - either * (1 - misplaced)[None, :], axis=1)
    return 1 - innocent
