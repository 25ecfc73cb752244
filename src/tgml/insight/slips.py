"""Habits told from slips: what happens to a step by choice, and what by mistake.

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
"""How many slips all recordings together are taken to have made, in so many chances."""
PERSON = 10.0
"""How many chances of the whole crowd's slips each recording is taken to have had of its own."""
HABITS: Matrix = (np.arange(18) + 2.5) / 20
"""How often a step with a habit may follow it, each as probable: once in ten times at least."""
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
    could = possible.astype(np.float64)
    by_habit = np.full(happened.shape[1], HABITUAL)
    for _ in range(ROUNDS):
        before = by_habit
        by_habit = _habits(did, could, _slips(did, could, 1 - by_habit, weights), weights)
        if np.abs(by_habit - before).max(initial=0.0) < 1e-6:
            break
    return by_habit


def _slips(did: Matrix, could: Matrix, by_mistake: Matrix, weights: Matrix) -> Matrix:
    """Return the chance of a slip, for each recording and step, as all other steps tell it.

    What happened to the step itself must not count: it is what the chance is there to explain.
    """
    slips, chances = did * by_mistake, could * by_mistake
    own_slips = slips.sum(axis=1, keepdims=True) - slips
    own_chances = chances.sum(axis=1, keepdims=True) - chances
    crowd = (SLIPS + weights @ own_slips) / (CHANCES + weights @ own_chances)
    rates: Matrix = (PERSON * crowd + own_slips) / (PERSON + own_chances)
    return np.clip(rates, 1e-4, 0.9)


def _habits(did: Matrix, could: Matrix, slips: Matrix, weights: Matrix) -> Matrix:
    did_not = could - did

    def log_chance(chances: Matrix) -> Matrix:
        found: Matrix = weights @ (did * np.log(chances) + did_not * np.log1p(-chances))
        return found

    # With a habit it happens by the habit, or else by a slip.
    rates = HABITS[:, None, None]
    by_choice = np.logaddexp.reduce(log_chance(rates + (1 - rates) * slips)) - np.log(len(HABITS))
    odds = by_choice - log_chance(slips) + np.log(HABITUAL) - np.log1p(-HABITUAL)
    probabilities: Matrix = 1 / (1 + np.exp(-np.clip(odds, -500, 500)))
    return probabilities
