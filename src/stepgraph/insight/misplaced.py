"""Which steps of a recording are out of place: the fewest that explain every broken pair.

Where a recording shows a pair against the order, at least one of the two steps is out of place,
and most steps are not. The posterior probability of each step to be the one is found by mean
field: a soft version of the smallest set of steps without which the rest is in order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

MISPLACED = 0.1
"""How probable it is, before anything is seen, that a step is out of place."""
UNEXPLAINED = 0.01
"""How probable it is that an ordered pair is broken though both steps are in their places."""
ROUNDS = 200


def misplaced_probabilities(broken: Matrix) -> Matrix:
    """Return how probable it is that each step of a recording has to move.

    Parameters
    ----------
    broken
        ``broken[i, j]``: where the recording does step i before step j, how probable it is that
        i needs j; 0 for all other pairs.

    Examples
    --------
    One step is done before two others that it needs: it is more probably the one.

    >>> broken = np.array([[0, 0.9, 0.9], [0, 0, 0], [0, 0, 0]])
    >>> misplaced_probabilities(broken).round(2)
    array([0.84, 0.14, 0.14])
    """
    cost = -np.log1p(-np.clip(broken, 0, 1) * (1 - UNEXPLAINED))
    cost = cost + cost.T
    prior = np.log(MISPLACED / (1 - MISPLACED))
    found: Matrix = np.full(len(broken), 0.5)
    for _ in range(ROUNDS):
        odds = prior + cost @ (1 - found)
        new = 1 / (1 + np.exp(-np.clip(odds, -500, 500)))
        settled = np.abs(new - found).max(initial=0.0) < 1e-7
        # Half of the way at a time: two steps that blame each other would swing for ever.
        found = (found + new) / 2
        if settled:
            break
    return found


def blame(broken: Matrix, misplaced: Matrix) -> Matrix:
    """Return how probable it is that each step takes part in a mistake of order.

    It does if one of its pairs is broken and the other step of the pair is not the one that has to
    move. Where two steps changed places, this is true of both, though moving one would do.

    Parameters
    ----------
    broken, misplaced
        What `misplaced_probabilities` takes and gives.

    Examples
    --------
    >>> broken = np.array([[0, 0.9], [0, 0]])
    >>> blame(broken, misplaced_probabilities(broken)).round(2)
    array([0.6, 0.6])
    """
    either = np.clip(broken + broken.T, 0, 1)
    innocent: Matrix = np.prod(1 - either * (1 - misplaced)[None, :], axis=1)
    return 1 - innocent
