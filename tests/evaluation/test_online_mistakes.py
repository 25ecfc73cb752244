from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import InputError, SettingError
from stepgraph.evaluation.online_mistakes import MistakeScores, f1_average_interval, score_flags

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
