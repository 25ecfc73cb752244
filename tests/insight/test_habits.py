"""Habits told from slips."""

from __future__ import annotations

import math
from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from stepgraph.insight import habits
from stepgraph.insight.habits import habit_probabilities

Bool = NDArray[np.bool_]
Floats = NDArray[np.float64]


def test_the_same_absence_is_a_habit_among_careful_people_and_a_slip_among_careless() -> None:
    rng = np.random.default_rng(0)
    careful = np.zeros((12, 10), dtype=bool)
    careful[:4, 0] = True
    careless = careful | (rng.random((12, 10)) < 0.3)
    careless[4:, 0] = False
    possible = np.ones((12, 10), dtype=bool)
    assert habit_probabilities(careful, possible, np.ones(12))[0] > 0.9
    assert habit_probabilities(careless, possible, np.ones(12))[0] < 0.5


def test_what_could_not_happen_says_nothing() -> None:
    happened = np.zeros((6, 3), dtype=bool)
    found = habit_probabilities(happened, np.zeros_like(happened), np.ones(6))
    assert np.allclose(found, 0.1)


def test_no_step_gives_no_probability() -> None:
    assert habit_probabilities(np.zeros((3, 0), bool), np.zeros((3, 0), bool), np.ones(3)).size == 0


def plain_round(happened: Bool, possible: Bool, weights: Floats, by_habit: Floats) -> Floats:
    """Return the next probabilities, each chance of each recording and step written out."""
    by_mistake = 1 - by_habit
    recordings, steps = happened.shape
    result = np.zeros(steps)
    for step in range(steps):
        others = [other for other in range(steps) if other != step]
        slips, chances = np.zeros(recordings), np.zeros(recordings)
        for row in range(recordings):
            could = [other for other in others if possible[row, other]]
            chances[row] = sum(by_mistake[other] for other in could)
            slips[row] = sum(by_mistake[other] for other in could if happened[row, other])
        crowd = (0.5 + weights @ slips) / (10 + weights @ chances)
        rates = np.clip((10 * crowd + slips) / (10 + chances), 1e-4, 0.9)

        def log_likelihood(habit: float, rates: Floats = rates, step: int = step) -> float:
            total = 0.0
            for row in range(recordings):
                chance = habit + (1 - habit) * rates[row]
                if possible[row, step]:
                    total += weights[row] * math.log(chance if happened[row, step] else 1 - chance)
            return total

        habits = [log_likelihood((number + 2.5) / 20) for number in range(18)]
        odds = np.logaddexp.reduce(habits) - math.log(18) - log_likelihood(0.0) + math.log(1 / 9)
        result[step] = 1 / (1 + math.exp(-odds))
    return result


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_it_is_the_model_written_out_plainly(seed: int, in_parts: bool) -> None:
    rng = np.random.default_rng(seed)
    shape = (rng.integers(1, 7), rng.integers(1, 6))
    happened = rng.random(shape) < rng.random()
    possible = rng.random(shape) < 0.8
    weights = rng.choice([1.0, 0.5, 3.0], shape[0])
    expected = np.full(shape[1], 0.1)
    for _ in range(3):
        expected = plain_round(happened & possible, possible, weights, expected)
    with (
        mock.patch.object(habits, "ROUNDS", 3),
        mock.patch.object(habits, "ENTRIES", 1 if in_parts else 4_000_000),
    ):
        found = habit_probabilities(happened, possible, weights)
    np.testing.assert_allclose(found, expected, atol=1e-5)
