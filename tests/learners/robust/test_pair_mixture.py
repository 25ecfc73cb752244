from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from stepgraph.learners.robust.pair_mixture import (
    HABITS,
    SUCCESSES,
    capacity,
    error_rates,
    first_order,
    pair_log_odds,
)
from stepgraph.learners.robust.recordings import Recordings
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations
from tests.strategies import demonstrations as drawn

Matrix = NDArray[np.float64]
DEMONSTRATIONS = drawn(max_steps=5)


def _recordings(*orders: str) -> Recordings:
    return Recordings.of(Demonstrations.from_steps(orders), Repetitions.FIRST, 0)


def test_careful_recordings_count_in_full_and_random_ones_not_at_all() -> None:
    worth = capacity(np.array([0.001, 0.01, 0.1, 0.3, 0.4999]))
    assert (np.diff(worth) < 0).all()
    assert worth[0] > 0.98
    assert worth[-1] == pytest.approx(0, abs=1e-6)


def _needs(recordings: Recordings, rates: Matrix, trust: Matrix) -> Matrix:
    """Return by Bayes, pair by pair, how probable it is that each step needs each other one."""
    needs = np.zeros((recordings.size, recordings.size))
    for i, j in itertools.permutations(range(recordings.size), 2):
        ordered, reverse = 0.25, 0.25  # half of all pairs are free, before anything is seen
        habits = {habit: 0.5 / len(HABITS) for habit in HABITS}
        shown = False
        for steps, rate, worth in zip(
            recordings.sequences, rates, trust * recordings.weights, strict=True
        ):
            if i not in steps or j not in steps:
                continue
            shown = True
            after = steps.index(i) > steps.index(j)
            ordered *= (1 - rate if after else rate) ** worth
            reverse *= (rate if after else 1 - rate) ** worth
            for habit in habits:
                first = habit * (1 - rate) + (1 - habit) * rate  # an error turns the habit round
                habits[habit] *= (first if after else 1 - first) ** worth
        if shown:
            needs[i, j] = ordered / (ordered + reverse + sum(habits.values()))
    return needs


@given(DEMONSTRATIONS, st.data())
@settings(max_examples=30, deadline=None)
def test_the_log_odds_of_a_pair_are_those_of_bayes(
    demonstrations: Demonstrations, data: st.DataObject
) -> None:
    recordings = Recordings.of(demonstrations, Repetitions.FIRST, 0)
    count = len(recordings.sequences)
    rates = np.array(data.draw(st.lists(st.floats(0.01, 0.4), min_size=count, max_size=count)))
    needs = _needs(recordings, rates, capacity(rates))
    chance = np.clip(needs, 1e-12, 1 - 1e-12)
    together = recordings.before + recordings.before.T > 0
    expected = np.where(together, np.log(chance / (1 - chance)), 0.0)
    assert pair_log_odds(recordings, rates) == pytest.approx(expected, abs=1e-3)


@given(DEMONSTRATIONS, st.sampled_from([0.1, 2.0]))
@settings(max_examples=30, deadline=None)
def test_an_error_rate_is_the_share_of_pairs_that_stand_the_wrong_way_round(
    demonstrations: Demonstrations, errors: float
) -> None:
    recordings = Recordings.of(demonstrations, Repetitions.FIRST, 0)
    rates = error_rates(recordings, errors)
    needs = _needs(recordings, rates, np.ones(len(rates)))
    for steps, rate in zip(recordings.sequences, rates, strict=True):
        right = sum(needs[later, earlier] for earlier, later in itertools.combinations(steps, 2))
        wrong = sum(needs[earlier, later] for earlier, later in itertools.combinations(steps, 2))
        expected = (errors + wrong) / (errors + SUCCESSES + right + wrong)
        assert rate == pytest.approx(np.clip(expected, 5e-4, 0.45), abs=1e-4)


def test_a_recording_in_reverse_errs_almost_every_other_time_at_most() -> None:
    rates = error_rates(_recordings(*["abcdefgh"] * 10, "hgfedcba"), errors=0.1)
    assert rates[0] < 0.01
    assert rates[1] == 0.45


def test_a_pair_shown_in_one_order_only_is_kept_in_it_however_few_show_it() -> None:
    order = first_order(_recordings("ab"), errors=0.1)
    assert order[2, 1]
    assert not order[1, 2]


def test_steps_that_nobody_did_both_say_nothing_about_each_other() -> None:
    odds = pair_log_odds(_recordings("ab", "cd"), np.array([0.1, 0.1]))
    assert odds[3, 1] == odds[1, 3] == 0


def test_what_all_show_is_ordered_and_what_differs_is_free() -> None:
    order = first_order(_recordings("abcd", "acbd", "abcd", "acbd"), errors=0.1)
    a, b, c, d = 1, 2, 3, 4
    assert order[b, a]
    assert order[d, b]
    assert order[d, c]
    assert not order[b, c]
    assert not order[c, b]


def test_the_more_errors_are_expected_the_less_a_single_contradiction_counts() -> None:
    recordings = _recordings(*["abcdef"] * 6, "bacdef")
    assert not first_order(recordings, errors=0.1)[2, 1]
    assert first_order(recordings, errors=5.0)[2, 1]
