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
ENTRIES = 4_000_000
"""How many chances are looked at at once; memory stays bounded by it."""


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
    did = happened & possible
    by_habit = np.full(happened.shape[1], HABITUAL)
    for _ in range(ROUNDS):
        before = by_habit
        by_habit = _habits(did, possible, 1 - by_habit, weights)
        if np.abs(by_habit - before).max(initial=0.0) < 1e-6:
            break
    return by_habit


def _habits(did: BoolMatrix, could: BoolMatrix, by_mistake: Matrix, weights: Matrix) -> Matrix:
    """Return how probable each step's habit is, given how probable it is that it has none.

    With a habit it happens by the habit, or else by a slip. Where it did not happen, both models
    hold that there was no slip, and so it cancels out: only where it did happen chances are needed.
    """
    slips, chances = did @ by_mistake, could @ by_mistake
    happened, missed = weights @ did, weights @ could - weights @ did
    # The chance of a slip, as all other steps tell it: what happened to the step itself must not
    # count, as it is what the chance is there to explain.
    crowd = (SLIPS + weights @ slips - by_mistake * happened) / (
        CHANCES + weights @ chances - by_mistake * (happened + missed)
    )
    log_chances = missed * np.log1p(-HABITS[:, None])
    by_slip = np.zeros(len(by_mistake))
    width = max(ENTRIES // (len(HABITS) * max(len(did), 1)), 1)
    for start in range(0, len(by_mistake), width):
        steps, who = did[:, start : start + width].T.nonzero()
        shown, first = np.unique(steps + start, return_index=True)
        own = by_mistake[steps + start]
        rates = PERSON * crowd[steps + start] + slips[who] - own
        rates = np.clip(rates / (PERSON + chances[who] - own), 1e-4, 0.9)
        if len(shown):
            by_slip[shown] = np.add.reduceat(weights[who] * np.log(rates), first)
            rates = HABITS[:, None] + (1 - HABITS[:, None]) * rates
            log_chances[:, shown] += np.add.reduceat(weights[who] * np.log(rates), first, axis=1)
    odds = np.logaddexp.reduce(log_chances) - np.log(len(HABITS)) - by_slip
    odds += np.log(HABITUAL) - np.log1p(-HABITUAL)
    probabilities: Matrix = 1 / (1 + np.exp(-np.clip(odds, -500, 500)))
    return probabilities
