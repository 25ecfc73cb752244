from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import SettingError
from stepgraph.evaluation.detection import bootstrap_f1, false_alarms_at_recall, score_detection

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
