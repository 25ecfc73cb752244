"""How sure means and differences are."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.errors import MissingExtraError, SettingError
from stepgraph.evaluation import (
    Interval,
    PairedTest,
    bootstrap_interval,
    intervals,
    mean_interval,
    paired_test,
    paper_width,
)

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


@given(VALUES, st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_the_order_of_procedures_does_not_matter(values: list[float], random: object) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert bootstrap_interval(values) == bootstrap_interval(shuffled)


@given(VALUES)
@settings(max_examples=20)
def test_an_interval_over_procedures_holds_their_mean_and_lies_within_their_range(
    values: list[float],
) -> None:
    low, high = bootstrap_interval(values)
    assert min(values) - 1e-9 <= low <= sum(values) / len(values) + 1e-9
    assert sum(values) / len(values) - 1e-9 <= high <= max(values) + 1e-9


def test_the_bootstrap_is_that_of_all_resamples() -> None:
    values = (0.0, 0.13, 0.37, 0.52, 1.0)
    means = [np.mean(drawn) for drawn in itertools.product(values, repeat=5)]
    expected = np.percentile(means, [5, 95])
    found = bootstrap_interval(values, resamples=100_000)
    assert list(found) == pytest.approx(expected.tolist(), abs=0.01)


def test_more_procedures_give_a_narrower_interval() -> None:
    few, many = [0.0, 1.0] * 4, [0.0, 1.0] * 40
    assert bootstrap_interval(many).width < bootstrap_interval(few).width / 2


def test_an_interval_of_no_values_is_refused() -> None:
    with pytest.raises(SettingError, match="at least one"):
        bootstrap_interval([])


def test_the_papers_statistic_averages_full_widths() -> None:
    # Of two runs 0 and 1 a resample has the mean 0, 1/2 or 1, a quarter of the time 0 or 1: the
    # 90 % range is all of [0, 1]. The second procedure does not vary.
    assert paper_width([[0.0, 0.7], [1.0, 0.7]]) == pytest.approx((1.0 + 0.0) / 2)


def test_the_papers_statistic_is_wider_than_an_interval_of_the_macro_mean() -> None:
    runs = np.random.default_rng(0).random((5, 24)).tolist()
    macro = [float(np.mean(run)) for run in runs]
    assert paper_width(runs) > 3 * bootstrap_interval(macro).width


def by_enumeration(differences: Sequence[float]) -> float:
    """Return the share of all patterns of signs that lie as far from 0 as the one seen."""
    seen = abs(sum(differences))
    patterns = list(itertools.product((-1, 1), repeat=len(differences)))
    far = [
        abs(sum(sign * each for sign, each in zip(signs, differences, strict=True))) >= seen - 1e-9
        for signs in patterns
    ]
    return sum(far) / len(far)


PAIRS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=9)
"""Values on a coarse grid, so that sums tie."""


@given(PAIRS)
def test_the_exact_test_is_the_enumeration_of_all_signs(pairs: list[tuple[int, int]]) -> None:
    first, second = ([pair[side] / 20 for pair in pairs] for side in (0, 1))
    found = paired_test(first, second)
    differences = [a - b for a, b in zip(first, second, strict=True)]
    assert found.exact
    assert found.p == pytest.approx(by_enumeration(differences))
    assert found.difference == pytest.approx(sum(differences) / len(differences))


@given(PAIRS, st.randoms(use_true_random=False))
def test_exchanging_methods_or_procedures_changes_the_sign_alone(
    pairs: list[tuple[int, int]], random: object
) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = zip(*pairs, strict=True)
    there, back = paired_test(first, second), paired_test(second, first)
    assert (back.difference, back.p) == (-there.difference, there.p)
    assert paired_test(*zip(*shuffled, strict=True)) == there


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_equal_methods_do_not_differ(values: list[float]) -> None:
    assert paired_test(values, values) == PairedTest(0.0, 1.0, exact=True)


def test_procedures_on_which_both_agree_do_not_change_p() -> None:
    some = paired_test([0.9, 0.8, 0.7], [0.8, 0.6, 0.6])
    more = paired_test([0.9, 0.8, 0.7, *[0.5] * 40], [0.8, 0.6, 0.6, *[0.5] * 40])
    assert some.p == more.p == 0.25
    assert more.exact


def test_drawn_signs_come_near_the_exact_test(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.random(14).tolist(), (rng.random(14) - 0.15).tolist()
    exact = paired_test(first, second)
    monkeypatch.setattr(intervals, "EXACT_UP_TO", 13)
    drawn = paired_test(first, second)
    assert not drawn.exact
    assert drawn.p == pytest.approx(exact.p, abs=0.01)
    assert drawn == paired_test(first, second), "the same seed draws the same signs"


def test_drawn_signs_never_say_that_chance_is_excluded() -> None:
    found = paired_test([1.0] * 60, [0.0] * 60)
    assert not found.exact
    assert 0 < found.p < 1e-4


@pytest.mark.parametrize(("first", "second"), [([0.5], [0.5, 0.6]), ([], [])])
def test_values_that_are_no_pairs_are_refused(first: list[float], second: list[float]) -> None:
    with pytest.raises(SettingError, match="as many of both"):
        paired_test(first, second)
