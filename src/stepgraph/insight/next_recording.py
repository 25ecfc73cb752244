"""An order of steps that would tell the most: one to ask somebody for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]

EXACT = 8
"""Up to so many steps the best order is found."""
ROUNDS = 20
"""At most so many rounds of moving single steps to where they tell more."""


def most_telling_order(worth: Matrix, certain: BoolMatrix) -> tuple[int, ...]:
    """Return an order of steps that shows what is worth seeing, and obeys what is certain.

    Finding the best order is as hard as any ranking: up to `EXACT` steps it is found, beyond that
    the order is greedy, then improved by moving single steps while that adds anything.

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
    if size <= EXACT:
        best = _best(gain, certain)
        if _value(best, gain) > _value(order, gain) + 1e-9:
            return tuple(best)
    return tuple(order)


def _value(order: list[int], gain: Matrix) -> float:
    return float(np.triu(gain[np.ix_(order, order)], 1).sum())


def _best(gain: Matrix, certain: BoolMatrix) -> list[int]:
    """Return the best order of few steps: of each set of steps the best order to do it in."""
    size = len(gain)
    needs = [sum(1 << int(other) for other in np.flatnonzero(row)) for row in certain]
    found: dict[int, tuple[float, list[int]]] = {0: (0.0, [])}
    for done in range(1 << size):
        if done not in found:
            continue
        value, order = found.pop(done)
        if len(order) == size:
            return order
        for step in range(size):
            if done >> step & 1 or needs[step] & ~done:
                continue
            more = value + float(gain[order, step].sum())
            then = done | 1 << step
            if then not in found or more > found[then][0]:
                found[then] = (more, [*order, step])
    raise AssertionError("what is certain is acyclic, so that all can be done")


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
