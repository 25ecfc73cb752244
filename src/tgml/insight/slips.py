"""Habits told from slips: does something happen to a step by choice, or by mistake?

A step may be left out, or done again. Either somebody slips, as everybody does now and then and
some do often, or it is the step's own habit. Which of the two is a comparison of models: under
slips the chance lies with the recording, under a habit with the step. Both are learned from each
other by expectation maximisation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]

HABITUAL = 0.1
"""How probable it is, before anything is seen, that a step has a habit of its own."""
SLIPS, CHANCES = 0.5, 10.0
"""How many slips each recording is taken to have made, in so many chances, before it is seen."""
HABITS = (np.arange(20) + 0.5) / 20
"""How often a step with a habit may follow it; each is as probable as the others."""
ROUNDS = 100


def habit_probabilities(happened: BoolMatrix, possible: BoolMatrix, weights: Matrix) -> Matrix:
    """Return for each step how probable it is that what happened to it is its habit.

    Parameters
    ----------
    happened
        ``happened[r, s]``: whether it happened to step s in recording r.
    possible
        Whether it could have; what could not says nothing.
    weights
        How much each recording counts.

    Examples
    --------
    >>> left_out = np.zeros((10, 6), dtype=bool)
    >>> left_out[:5, 0] = True
    >>> habit_probabilities(left_out, np.ones_like(left_out), np.ones(10)).round(1)
    array([1., 0., 0., 0., 0., 0.])
    """
    did = (happened & possible).astype(np.float64)
    did_not = (~happened & possible).astype(np.float64)
    slips = np.full(len(happened), SLIPS / CHANCES)
    by_habit = np.full(happened.shape[1], HABITUAL)
    for _ in range(ROUNDS):
        before = by_habit
        by_habit = _habits(did, did_not, slips, weights)
        expected = 1 - by_habit
        made = SLIPS + did @ expected
        slips = made / (CHANCES + (did + did_not) @ expected)
        slips = np.clip(slips, 1e-4, 0.9)
        if np.abs(by_habit - before).max(initial=0.0) < 1e-6:
            break
    return by_habit


def _habits(did: Matrix, did_not: Matrix, slips: Matrix, weights: Matrix) -> Matrix:
    by_mistake = _log_chance(slips, did, did_not, weights)
    # With a habit it happens by the habit, or else by a slip.
    habitual = np.array(
        [_log_chance(rate + (1 - rate) * slips, did, did_not, weights) for rate in HABITS]
    )
    by_choice = np.logaddexp.reduce(habitual, axis=0) - np.log(len(HABITS))
    odds = by_choice - by_mistake + np.log(HABITUAL) - np.log1p(-HABITUAL)
    probabilities: Matrix = 1 / (1 + np.exp(-np.clip(odds, -500, 500)))
    return probabilities


def _log_chance(chances: Matrix, did: Matrix, did_not: Matrix, weights: Matrix) -> Matrix:
    happened: Matrix = (weights * np.log(chances)) @ did
    return happened + (weights * np.log1p(-chances)) @ did_not
