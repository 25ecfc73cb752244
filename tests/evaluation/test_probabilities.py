from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import SettingError
from stepgraph.evaluation import average_precision, brier_score, calibration_error, reliability

claims = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50)


@given(claims)
def test_bins_hold_every_claim_once_and_the_error_lies_between_0_and_1(
    found: list[tuple[float, bool]],
) -> None:
    said, right = zip(*found, strict=True)
    assert sum(bin_.members for bin_ in reliability(said, right)) == len(found)
    assert 0 <= calibration_error(said, right) <= 1
    assert 0 <= brier_score(said, right) <= 1


def test_saying_certain_of_what_is_never_right_is_as_wrong_as_can_be() -> None:
    assert calibration_error([1.0, 1.0], [False, False]) == 1
    assert brier_score([1.0, 1.0], [False, False]) == 1


def test_over_and_under_confidence_do_not_cancel_across_bins() -> None:
    assert calibration_error([0.9, 0.1], [False, True]) == pytest.approx(0.9)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(wrong: float) -> None:
    with pytest.raises(SettingError, match="a probability is"):
        reliability([wrong], [True])


def test_another_number_of_truths_is_refused() -> None:
    with pytest.raises(SettingError, match="1 probabilities and 2 truths"):
        reliability([0.5], [True, False])


ENTRIES = st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=1, max_size=12).filter(
    lambda entries: any(wrong for wrong, _ in entries)
)


@given(ENTRIES, st.randoms(use_true_random=False))
def test_the_order_of_equal_scores_does_not_matter(
    entries: list[tuple[bool, int]], rng: object
) -> None:
    shuffled = list(entries)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    first = average_precision([w for w, _ in entries], [s for _, s in entries])
    assert first == pytest.approx(
        average_precision([w for w, _ in shuffled], [s for _, s in shuffled])
    )
    assert 0 < first <= 1 + 1e-12


def test_all_that_is_wrong_on_top_is_perfect() -> None:
    assert average_precision([False, True, True], [0.1, 0.8, 0.9]) == 1


def test_scores_that_say_nothing_have_the_base_rate() -> None:
    assert average_precision([True, False, False, False], [3, 3, 3, 3]) == 0.25


@pytest.mark.parametrize(
    ("wrong", "scores", "message"),
    [([False], [1.0], "none of the entries"), ([True], [1.0, 2.0], "2 scores for 1")],
)
def test_what_has_no_answer_is_refused(
    wrong: list[bool], scores: list[float], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        average_precision(wrong, scores)


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 1000)), min_size=1, unique_by=lambda p: p[1]
    ).filter(lambda pairs: any(wrong for wrong, _ in pairs))
)
def test_without_ties_it_is_the_mean_precision_at_each_wrong_entry(
    entries: list[tuple[bool, int]],
) -> None:
    falling = sorted(entries, key=lambda pair: -pair[1])
    precisions = [
        sum(wrong for wrong, _ in falling[: place + 1]) / (place + 1)
        for place, (wrong, _) in enumerate(falling)
        if wrong
    ]
    wrong, scores = zip(*entries, strict=True)
    assert average_precision(wrong, scores) == pytest.approx(sum(precisions) / len(precisions))


@given(st.lists(st.booleans(), min_size=1).filter(any))
def test_equal_scores_get_what_chance_gets(wrong: list[bool]) -> None:
    found = average_precision(np.array(wrong), np.ones(len(wrong)))
    assert found == pytest.approx(sum(wrong) / len(wrong))
