"""The mistakes in recordings: every slip that the other recordings contradict.

If a recording shows a pair against the order, at least one of the two steps is out of place, and
most steps are not. A mean-field approximation gives the posterior probability that each step is out
of place: a soft version of the smallest set of steps whose removal restores the order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

import numpy as np
from numpy.typing import NDArray

from stepgraph.insight.attributes import Tally, habit_probabilities, tally
from stepgraph.insight.reliability import Judgement, judge
from stepgraph.sequences import Demonstrations, expect_demonstrations

Matrix = NDArray[np.float64]

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
    """

    id: str
    reliability: float
    out_of_order: float
    skipped: float
    repeated: float
    misplaced: tuple[float, ...]
    findings: tuple[Finding, ...]
    other_procedure: str = ""

    @property
    def slips(self) -> float:
        """The expected number of slips."""
        return self.out_of_order + self.skipped + self.repeated


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
    skipping = 1 - habit_probabilities(~counted.done, np.ones_like(counted.done), counted.weights)
    repeating = 1 - habit_probabilities(counted.again, counted.done, counted.weights)
    foreign = _of_another_procedure(judged, counted)
    found = [
        _audited(demonstrations, judged, counted, number, skipping, repeating, foreign[number])
        for number in range(len(demonstrations))
    ]
    ranked = sorted(found, key=lambda entry: (not entry.other_procedure, -entry.slips))
    return Audit(demonstrations.procedure, tuple(ranked), tuple(_notes(demonstrations, foreign)))


def _audited(
    demonstrations: Demonstrations,
    judged: Judgement,
    counted: Tally,
    number: int,
    skipping: Matrix,
    repeating: Matrix,
    foreign: str,
) -> AuditedRecording:
    recording = demonstrations.sequences[number]
    name = demonstrations.vocabulary.name
    first = judged.sequences[number]
    total = counted.weights.sum()
    does = counted.weights @ counted.done
    column = counted.column
    alone = [total > 1 and does[column[node]] <= 1 for node in first]
    broken = np.triu(judged.confidence[np.ix_(first, first)], 1)
    # A step that no other recording shows has no usual place.
    broken[alone], broken[:, alone] = 0.0, 0.0
    moved = misplaced_probabilities(broken)
    probabilities = dict(zip(first, map(float, blame(broken, moved)), strict=True))
    doing_again = counted.weights @ counted.again
    findings = []
    seen: set[int] = set()
    misplaced = []
    for position, node in enumerate(recording.steps, start=1):
        place = column[node]
        if node in seen:
            misplaced.append(0.0)
            if repeating[place] >= POINTED_AT:
                share = f"{doing_again[place]:g} of {_recordings(does[place])}"
                evidence = f"done again; {share} with it {_verb(doing_again[place], 'repeat')} it"
                findings.append(
                    Finding(Slip.REPEATED, name(node), position, repeating[place], evidence)
                )
            continue
        seen.add(node)
        misplaced.append(probabilities[node])
        if probabilities[node] >= POINTED_AT:
            evidence = _against(demonstrations, judged, first, node)
            findings.append(
                Finding(Slip.MISPLACED, name(node), position, probabilities[node], evidence)
            )
        elif total > 2 and does[place] <= 1 and not foreign:
            evidence = f"none of the other {total - 1:g} recordings does it"
            findings.append(Finding(Slip.FOREIGN, name(node), position, 0.5, evidence))
    lacking = [
        place
        for place in range(len(counted.nodes))
        if not counted.done[number, place] and does[place] > total / 2
    ]
    for place in lacking:
        if skipping[place] >= POINTED_AT:
            evidence = f"never done; {does[place]:g} of {_recordings(total)} do it"
            findings.append(
                Finding(Slip.SKIPPED, name(counted.nodes[place]), None, skipping[place], evidence)
            )
    return AuditedRecording(
        recording.id,
        judged.reliability[number],
        max(float(moved.sum()) - MISPLACED * len(first), 0.0),
        float(sum(skipping[place] for place in lacking)),
        float(repeating[counted.again[number]].sum()),
        tuple(misplaced),
        tuple(findings),
        foreign,
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


def _of_another_procedure(judged: Judgement, counted: Tally) -> list[str]:
    """Return, for each recording, why it looks like another procedure; empty if it does not."""
    count = len(judged.sequences)
    if count < 3:
        return [""] * count
    shared = _shared(counted)
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


def _shared(counted: Tally) -> list[float]:
    """Return the median share of steps that each recording has in common with the others.

    For two recordings it is the share of the shorter one, so that many skips count little.
    """
    done = counted.done.astype(np.float64)
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
