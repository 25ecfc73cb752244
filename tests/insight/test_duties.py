"""What the audit says of recordings with choices, undoing and steps that go together."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from stepgraph.insight import AuditedRecording, Finding, Slip, audit
from stepgraph.insight.attributes import tally
from stepgraph.insight.duties import find_duties
from stepgraph.insight.reliability import judge
from stepgraph.sequences import Demonstrations
from tests.strategies import demonstrations

from .recordings import ACCEPTED, BENCH, REJECTED

CASES = {f"accepted {number}": ACCEPTED for number in range(60)} | {
    f"rejected {number}": REJECTED for number in range(40)
}
TESTED = {f"device {number}": steps for number, steps in enumerate(BENCH * 2)}


def audited(
    usual: dict[str, list[str]], odd: Sequence[str]
) -> tuple[AuditedRecording, list[AuditedRecording]]:
    """Return the audit of an odd recording, and of the usual ones."""
    found = audit(Demonstrations.from_steps(usual | {"odd": list(odd)})).recordings
    (own,) = (entry for entry in found if entry.id == "odd")
    return own, [entry for entry in found if entry.id != "odd"]


def finding(usual: dict[str, list[str]], odd: str) -> Finding:
    """Return the only finding of an odd recording; there is none in the usual ones."""
    own, others = audited(usual, odd.split())
    assert not any(entry.findings or entry.other_procedure for entry in others)
    assert not own.other_procedure
    (found,) = own.findings
    return found


@pytest.mark.parametrize("usual", [CASES, TESTED])
def test_recordings_that_keep_the_rules_have_no_finding(usual: dict[str, list[str]]) -> None:
    found = audit(Demonstrations.from_steps(usual))
    assert not any(entry.findings or entry.other_procedure for entry in found.recordings)
    assert max(entry.slips for entry in found.recordings) < 0.1


def test_a_step_of_the_alternative_that_was_begun_is_lacking() -> None:
    found = finding(CASES, "check reject scrap")
    assert (found.slip, found.step, found.position) == (Slip.SKIPPED, "rework", None)
    assert found.evidence == "never done; 40 of 41 recordings that should do it do"


def test_a_step_of_another_alternative_is_a_slip_of_its_own() -> None:
    found = finding(CASES, "check accept reject pack ship")
    assert (found.slip, found.step, found.position) == (Slip.OTHER, "reject", 3)
    assert found.evidence == "done beside 'accept', its alternative; 1 of 101 recordings takes both"
    own, _ = audited(CASES, ["check", "accept", "reject", "pack", "ship"])
    assert own.other_alternative == pytest.approx(found.probability)
    assert own.skipped == 0
    assert own.slips >= own.other_alternative > 0.5


def test_the_alternative_of_which_less_was_done_is_the_other_one() -> None:
    found = finding(CASES, "check accept reject rework scrap")
    assert (found.slip, found.step) == (Slip.OTHER, "accept")


def test_a_choice_that_was_not_made_is_one_slip() -> None:
    found = finding(CASES, "check")
    assert (found.slip, found.step, found.position) == (Slip.SKIPPED, "accept", None)
    assert found.evidence == (
        "never done, nor its alternative 'reject'; 100 of 101 recordings take one of them"
    )


def test_what_was_undone_and_not_done_again_is_lacking() -> None:
    found = finding(TESTED, "build test repair pack")
    assert (found.slip, found.step, found.position) == (Slip.SKIPPED, "test", None)
    assert found.evidence == "not done again after 'repair', which undoes it"


def test_what_is_done_again_although_nothing_undid_it_is_repeated() -> None:
    found = finding(TESTED, "build test test pack")
    assert (found.slip, found.step, found.position) == (Slip.REPEATED, "test", 3)
    assert found.evidence == "done again; 1 of 41 recordings with it repeats it"


def test_only_the_needless_repetition_is_pointed_at() -> None:
    found = finding(TESTED, "build test repair test test pack")
    assert (found.slip, found.position) == (Slip.REPEATED, 5)


@settings(deadline=None, max_examples=50)
@given(demonstrations(omissions=False, repetitions=False))
def test_without_rules_everything_is_due_and_nothing_is_ruled(given_ones: Demonstrations) -> None:
    counted = tally(given_ones, marks=False)
    found = find_duties(given_ones, judge(given_ones), counted)
    assert not found.ruled.any()
    assert found.due.all()
    assert not found.other.any()
    assert not found.again.any()
    assert not any(found.needless)
    assert not any((*found.undecided, *found.not_redone))


@settings(deadline=None, max_examples=50)
@given(demonstrations(max_recordings=9))
def test_positions_and_columns_of_repetitions_agree(given_ones: Demonstrations) -> None:
    counted = tally(given_ones, marks=False)
    found = find_duties(given_ones, judge(given_ones), counted)
    for row, recording in enumerate(given_ones):
        again = {counted.column[recording.steps[place]] for place in found.needless[row]}
        assert again == set(found.again[row].nonzero()[0].tolist())
        assert not (found.again[row] & ~counted.again[row]).any()
        assert not (found.other[row] & ~counted.done[row]).any()
