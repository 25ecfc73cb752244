from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.errors import MissingExtraError, SettingError
from stepgraph.evaluation import Interval, mean_interval

VALUES = st.lists(st.floats(0, 1).map(lambda value: round(value, 6)), min_size=2, max_size=10)


def test_five_runs_worked_out_by_hand() -> None:
    pytest.importorskip("scipy")
    # Mean 3, deviations -2 to 2: variance 10 / 4, standard error sqrt(2.5 / 5) = 0.70711.
    # Student's t with 4 degrees of freedom at 0.95, from a table: 2.13185.
    interval = mean_interval([1, 2, 3, 4, 5])
    assert interval.mean == 3
    assert interval.half_width == pytest.approx(2.13185 * 0.70711, abs=1e-4)


@given(VALUES, st.sampled_from([0.5, 0.9, 0.95]))
@settings(deadline=None)  # the first example imports scipy
def test_it_is_the_t_interval_of_scipy(values: list[float], confidence: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    interval = mean_interval(values, confidence)
    if len(set(values)) == 1:
        assert interval == Interval(values[0], 0.0)
        return
    low, high = stats.t.interval(
        confidence, len(values) - 1, loc=sum(values) / len(values), scale=stats.sem(values)
    )
    assert interval.mean - interval.half_width == pytest.approx(low, abs=1e-9)
    assert interval.mean + interval.half_width == pytest.approx(high, abs=1e-9)


@given(st.floats(0, 1), st.integers(1, 9))
def test_equal_values_have_an_interval_of_nothing(value: float, count: int) -> None:
    assert mean_interval([value] * count) == Interval(value, 0.0)


@given(VALUES)
@settings(deadline=None)  # the first example imports scipy
def test_more_confidence_needs_a_wider_interval(values: list[float]) -> None:
    pytest.importorskip("scipy")
    narrow, wide = mean_interval(values, 0.5), mean_interval(values, 0.99)
    assert narrow.half_width < wide.half_width or len(set(values)) == 1


@pytest.mark.parametrize("confidence", [0, 1, 90, -0.5, float("nan")])
def test_a_confidence_that_is_no_share_is_refused(confidence: float) -> None:
    with pytest.raises(SettingError, match="expected a number between 0 and 1"):
        mean_interval([1, 2], confidence)


def test_without_scipy_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(MissingExtraError, match=r"stepgraph\[stats\]"):
        mean_interval([1, 2])
    assert mean_interval([2, 2]).half_width == 0
