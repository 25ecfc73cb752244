"""Habits told from slips."""

from __future__ import annotations

import numpy as np

from tgml.insight.slips import habit_probabilities


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
