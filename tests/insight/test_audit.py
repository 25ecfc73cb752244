"""Which recordings are wrong, and where."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.errors import InputError
from stepgraph.insight import AuditedRecording, Slip, audit
from stepgraph.insight.audit import MISPLACED, blame, misplaced_probabilities
from stepgraph.procedures import load_procedure
from stepgraph.sequences import Demonstrations
from tests.strategies import annotated_demonstrations

USUAL = {f"good {number}": list("abcdefgh") for number in range(8)}


def audited(odd: str, usual: dict[str, list[str]] = USUAL) -> AuditedRecording:
    found = audit(Demonstrations.from_steps(usual | {"odd": list(odd)}))
    assert found.recordings[0].id == "odd"
    return found.recordings[0]


@settings(deadline=None, max_examples=50)
@given(annotated_demonstrations())
def test_every_recording_is_judged_and_marks_are_not_looked_at(given_ones: Demonstrations) -> None:
    found = audit(given_ones)
    assert {entry.id for entry in found.recordings} == {r.id for r in given_ones}
    bare = tuple(replace(r, mistakes=None, skipped=()) for r in given_ones)
    assert audit(replace(given_ones, sequences=bare)) == found
    lengths = {recording.id: len(recording) for recording in given_ones}
    for entry in found.recordings:
        assert len(entry.misplaced) == lengths[entry.id]
        assert 0 <= entry.reliability <= 1
        assert min(entry.out_of_order, entry.skipped, entry.repeated) >= 0
        assert all(0 <= finding.probability <= 1 for finding in entry.findings)


def test_a_step_done_too_late_is_pointed_at_with_the_evidence() -> None:
    finding = audited("bcdefgah").findings[0]
    assert (finding.slip, finding.step, finding.position) == (Slip.MISPLACED, "a", 7)
    assert finding.evidence.startswith("done after 'b', which came later in 8 of 9 recordings")


def test_a_skipped_step_is_named() -> None:
    (finding,) = audited("abcefgh").findings
    assert (finding.slip, finding.step, finding.position) == (Slip.SKIPPED, "d", None)
    assert finding.evidence == "never done; 8 of 9 recordings do it"


def test_a_repeated_step_is_pointed_at() -> None:
    (finding,) = audited("abcdebfgh").findings
    assert (finding.slip, finding.step, finding.position) == (Slip.REPEATED, "b", 6)
    assert finding.evidence == "done again; 1 of 9 recordings with it repeats it"


def test_a_step_that_nobody_else_does_is_pointed_at() -> None:
    (finding,) = audited("abcdxefgh").findings
    assert (finding.slip, finding.step, finding.position) == (Slip.FOREIGN, "x", 5)
    assert finding.evidence == "none of the other 8 recordings does it"


def test_what_nobody_else_does_is_never_out_of_order() -> None:
    """Its place is nowhere: the pairs that it breaks are those of no other recording."""
    pancakes = load_procedure("pancakes").demonstrations
    named = {one.id: pancakes.names(one) for one in pancakes}
    odd, steps = next(iter(named.items()))
    for place in range(len(steps) + 1):
        longer = (*steps[:place], "sing", *steps[place:])
        found = audit(Demonstrations.from_steps(named | {odd: longer}))
        (entry,) = (entry for entry in found.recordings if entry.id == odd)
        assert entry.misplaced[place] == 0
        assert Slip.FOREIGN in {one.slip for one in entry.findings if one.step == "sing"}


def test_what_equal_recordings_do_is_done_by_others() -> None:
    usual = Demonstrations.from_steps(USUAL | {"odd": list("abcdxefgh")})
    twice = replace(usual.sequences[-1], weight=2.0)
    found = audit(replace(usual, sequences=(*usual.sequences[:-1], twice)))
    assert not any(entry.findings for entry in found.recordings if entry.id == "odd")


def test_what_half_of_the_recordings_leave_out_or_repeat_is_no_slip() -> None:
    mixed = {str(number): list("abcde" if number % 2 else "abdeb") for number in range(10)}
    assert not any(entry.findings for entry in audit(Demonstrations.from_steps(mixed)).recordings)


@pytest.mark.parametrize("odd", ["stuvwxyz", "abstuvwx", "hgfedcba"])
def test_a_recording_of_another_procedure_is_flagged(odd: str) -> None:
    found = audit(Demonstrations.from_steps(USUAL | {"odd": list(odd)}))
    assert [entry.id for entry in found.recordings if entry.other_procedure] == ["odd"]
    assert found.notes == ("probably of another procedure: 'odd'; take them out and audit again",)


def test_one_recording_alone_is_not_contradicted() -> None:
    found = audit(Demonstrations.from_steps(["abc"]))
    assert not found.recordings[0].findings
    assert found.notes[0].startswith("one recording alone")


def test_equal_recordings_have_nothing_against_them() -> None:
    found = audit(Demonstrations.from_steps(["abcd"] * 6))
    assert not any(entry.findings or entry.other_procedure for entry in found.recordings)
    assert found.notes == ("all 6 recordings are the same: nothing speaks against any",)


def test_recordings_that_share_no_step_are_not_judged() -> None:
    found = audit(Demonstrations.from_steps(["abc", "def", "ghi"]))
    assert not any(entry.findings and entry.other_procedure for entry in found.recordings)
    assert found.notes == ("no two recordings share a step: nothing can be said of any",)


def test_ten_thousand_steps_in_one_recording_are_audited() -> None:
    found = audited("abcdefgh" * 1250)
    assert found.repeated == pytest.approx(8, abs=1)


def test_ten_thousand_different_steps_are_refused_in_one_sentence() -> None:
    names = [f"step {number}" for number in range(10_000)]
    with pytest.raises(InputError, match="10,000 different steps; expected 300 or fewer"):
        audit(Demonstrations.from_steps([names]))


def test_without_a_broken_pair_nothing_is_out_of_place() -> None:
    found = misplaced_probabilities(np.zeros((4, 4)))
    assert np.allclose(found, MISPLACED, atol=1e-6)
    assert np.allclose(blame(np.zeros((4, 4)), found), 0)


def test_one_step_moved_far_is_one_mistake() -> None:
    broken = np.zeros((5, 5))
    broken[0, 1:] = 0.9
    moved = misplaced_probabilities(broken)
    assert moved[0] > 0.9
    assert moved[1:].max() < 0.2
    assert blame(broken, moved).argmax() == 0


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_they_are_probabilities_and_do_not_depend_on_numbering(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    broken = np.triu(rng.random((size, size)), 1)
    moved = misplaced_probabilities(broken)
    assert ((moved >= 0) & (moved <= 1)).all()
    part = blame(broken, moved)
    assert ((part >= 0) & (part <= 1)).all()
    mixed = rng.permutation(size)
    assert np.allclose(misplaced_probabilities(broken[np.ix_(mixed, mixed)]), moved[mixed])
