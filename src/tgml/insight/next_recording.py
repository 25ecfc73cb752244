"""An order of steps that would tell the most: one to ask somebody for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]

ROUNDS = 20
"""At most so many rounds of moving single steps to where they tell more."""


def most_telling_order(worth: Matrix, certain: BoolMatrix) -> tuple[int, ...]:
    """Return an order of steps that shows what is worth seeing, and obeys what is certain.

    Finding the best order is as hard as any ranking; this one is greedy, then improved by moving
    single steps while that adds anything.

    Parameters
    ----------
    worth
        ``worth[i, j]``: what it is worth to see step i before step j.
    certain
        ``certain[i, j]``: whether i certainly needs j; acyclic and closed.

    Returns
    -------
    tuple
        Rows of the matrices, in the order to do them.

    Examples
    --------
    >>> worth = np.array([[0, 0, 0], [0, 0, 0], [1.0, 1.0, 0]])
    >>> most_telling_order(worth, np.zeros((3, 3), dtype=bool))
    (2, 0, 1)
    """
    size = len(worth)
    gain = worth - worth.T
    waiting = np.ones(size, dtype=bool)
    order: list[int] = []
    while waiting.any():
        possible = waiting & ~(certain & waiting[None, :]).any(axis=1)
        gains = np.where(possible, gain @ waiting, -np.inf)
        step = int(np.argmax(gains))
        order.append(step)
        waiting[step] = False
    for _ in range(ROUNDS):
        if not _improve(order, gain, certain):
            break
    return tuple(order)


def _improve(order: list[int], gain: Matrix, certain: BoolMatrix) -> bool:
    """Move each step to where it adds most; return whether any was moved."""
    moved = False
    for step in list(order):
        at = order.index(step)
        order.remove(step)
        others = np.array(order, dtype=int)
        # What is gained at each place: what comes after it counts for, what comes before against.
        before = np.concatenate([[0.0], np.cumsum(gain[step, others])])
        total = before[-1] - 2 * before
        needs, needed = certain[step, others], certain[others, step]
        first = int(np.flatnonzero(needs)[-1]) + 1 if needs.any() else 0
        last = int(np.flatnonzero(needed)[0]) if needed.any() else len(others)
        best = first + int(np.argmax(total[first : last + 1]))
        if total[best] > total[at] + 1e-9:
            moved = True
            order.insert(best, step)
        else:
            order.insert(at, step)
    return moved
