from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.detection import (
    MistakeScores,
    bootstrap_f1,
    f1_average_interval,
    false_alarms_at_recall,
    score_detection,
    score_flags,
)
from stepgraph.errors import InputError, SettingError

STEP = st.tuples(st.booleans(), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
RECORDINGS = st.lists(st.lists(STEP, max_size=6), min_size=1, max_size=5)
Split = tuple[list[list[bool]], list[list[float]]]


def split(recordings: list[list[tuple[bool, float]]]) -> Split:
    return (
        [[wrong for wrong, _ in steps] for steps in recordings],
        [[score for _, score in steps] for steps in recordings],
    )


def test_figures_are_those_worked_out_by_hand() -> None:
    truths = [[True, False, True], [False, True]]
    found = score_detection(truths, [[0.9, 0.8, 0.3], [0.1, 0.8]], 0.5)
    assert (found.true_alarms, found.false_alarms, found.missed) == (2, 1, 1)
    assert found.precision == found.recall == found.f1 == pytest.approx(2 / 3)
    # 1 of 1, then the two with 0.8 together: 2 of 3, then 3 of 4.
    assert found.average_precision == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)


def test_scores_that_say_nothing_have_the_share_of_mistakes_as_average_precision() -> None:
    assert (
        score_detection([[True, False, False, False]], [[0.0] * 4], 0.5).average_precision == 0.25
    )


@given(RECORDINGS)
def test_measures_lie_between_0_and_1_and_better_scores_lie_higher(
    recordings: list[list[tuple[bool, float]]],
) -> None:
    truths, scores = split(recordings)
    found = score_detection(truths, scores, 0.5)
    perfect = score_detection(truths, [[float(wrong) for wrong in steps] for steps in truths], 0.5)
    for name in ("precision", "recall", "f1", "average_precision"):
        assert 0 <= getattr(found, name) <= getattr(perfect, name) <= 1


@given(RECORDINGS)
def test_more_recall_costs_no_fewer_false_alarms(
    recordings: list[list[tuple[bool, float]]],
) -> None:
    costs = [false_alarms_at_recall(*split(recordings), recall) for recall in (0.25, 0.5, 1.0)]
    known = [cost for cost in costs if cost is not None]
    assert known == sorted(known)
    assert costs[: len(known)] == known  # what cannot be reached stays out of reach


def test_steps_with_a_score_of_0_are_never_flagged_for_recall() -> None:
    assert false_alarms_at_recall([[True, False]], [[0.0, 0.0]], 0.5) is None


def test_an_interval_holds_the_figure_and_is_the_same_each_time() -> None:
    truths = [[True, False]] * 20
    scores = [[0.9, 0.1]] * 12 + [[0.1, 0.9]] * 8
    low, high = bootstrap_f1(truths, scores, 0.5)
    assert low < score_detection(truths, scores, 0.5).f1 < high
    assert bootstrap_f1(truths, scores, 0.5) == (low, high)
    narrow = bootstrap_f1(truths, scores, 0.5, confidence=0.5)
    assert low < narrow[0] < narrow[1] < high


def test_equal_recordings_have_no_interval() -> None:
    assert bootstrap_f1([[True, False]] * 3, [[1.0, 1.0]] * 3, 0.5) == pytest.approx((2 / 3, 2 / 3))


def test_scores_of_another_shape_are_refused() -> None:
    with pytest.raises(SettingError, match="expected a score for each step"):
        score_detection([[True]], [[0.1, 0.2]], 0.5)
    with pytest.raises(SettingError, match="confidence"):
        bootstrap_f1([[True]], [[0.1]], 0.5, confidence=1)


FLAGS = st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=8)


def test_the_last_segment_is_the_mistake_and_all_others_are_correct() -> None:
    scores = score_flags([[False, False, True], [True, False], [True]])
    assert scores == MistakeScores(found=2, missed=1, false_alarms=1, passed=2)


def test_precision_is_over_what_was_flagged_and_recall_over_what_was_wrong() -> None:
    scores = MistakeScores(found=85, missed=97, false_alarms=9, passed=486)
    assert scores.mistake.precision == pytest.approx(85 / 94)
    assert scores.mistake.recall == pytest.approx(85 / 182)
    assert scores.correct.precision == pytest.approx(486 / 583)
    assert scores.correct.recall == pytest.approx(486 / 495)


def test_a_class_without_a_hit_scores_zero_rather_than_failing() -> None:
    scores = score_flags([[True, False]])
    assert (scores.mistake.f1, scores.correct.f1, scores.f1_average) == (0.0, 0.0, 0.0)


@given(FLAGS)
def test_every_segment_is_counted_once(flags: list[list[bool]]) -> None:
    scores = score_flags(flags)
    assert scores.found + scores.missed == len(flags)
    assert scores.found + scores.missed + scores.false_alarms + scores.passed == sum(
        map(len, flags)
    )


@given(FLAGS)
def test_flagging_the_opposite_turns_hits_into_misses(flags: list[list[bool]]) -> None:
    scores = score_flags(flags)
    opposite = score_flags([[not flag for flag in own] for own in flags])
    assert (opposite.found, opposite.passed) == (scores.missed, scores.false_alarms)


def test_the_interval_is_around_the_score_and_repeatable() -> None:
    flags = [[False, True], [True, False], [False, False, True], [False, False]] * 5
    low, high = f1_average_interval(flags)
    assert low < score_flags(flags).f1_average < high
    assert (low, high) == f1_average_interval(flags)


def test_the_interval_of_equal_recordings_has_no_width() -> None:
    low, high = f1_average_interval([[False, True]] * 4)
    assert low == high == 1.0


def test_nothing_to_score_is_an_error() -> None:
    with pytest.raises(InputError, match="no recordings"):
        score_flags([])
    with pytest.raises(InputError, match="recording 2 has no segments"):
        score_flags([[True], []])
    with pytest.raises(SettingError, match="confidence is 1"):
        f1_average_interval([[True]], 1)
