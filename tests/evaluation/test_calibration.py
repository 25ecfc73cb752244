from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import SettingError
from stepgraph.evaluation import brier_score, calibration_error, reliability

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
