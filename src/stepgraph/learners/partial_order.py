"""Partial orders as matrices of truth values: row = step, column = what it needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BoolMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float64]


def closure(edges: BoolMatrix) -> BoolMatrix:
    """Return all that follows from acyclic edges."""
    closed = edges.copy()
    for middle in range(len(closed)):
        closed |= closed[:, middle, None] & closed[None, middle, :]
    return closed


def reduction(closed: BoolMatrix) -> BoolMatrix:
    """Return the pairs of a closed order that do not follow from others."""
    paths = closed.astype(np.float32)
    reduced: BoolMatrix = closed & ~(paths @ paths > 0)
    return reduced


def best_order(scores: Matrix) -> BoolMatrix:
    """Return a closed partial order whose pairs have a large sum of scores.

    Pairs enter from the highest score down, each with all that follows from it, if that adds to
    the sum and contradicts nothing; then pairs that follow from no others leave while their own
    score is negative. Repeated until nothing changes. It is a greedy search, not an optimum:
    finding the best order is as hard as any ranking with ties of opinion.

    Parameters
    ----------
    scores
        What a pair adds if it is in the order; negative for what speaks against it.

    Examples
    --------
    >>> best_order(np.array([[0, 0, 0], [2.0, 0, 0], [-1.0, 3.0, 0]])).astype(int)
    array([[0, 0, 0],
           [1, 0, 0],
           [1, 1, 0]])
    """
    size = len(scores)
    order = np.zeros((size, size), dtype=bool)
    itself = np.eye(size, dtype=bool)
    for _ in range(size):
        before = order.copy()
        candidates = np.argwhere((scores > 0) & ~order & ~itself)
        ranked = np.argsort(-scores[tuple(candidates.T)], kind="stable")
        for step, needed in candidates[ranked]:
            if order[step, needed] or order[needed, step]:
                continue
            new = np.outer(order[:, step] | itself[step], order[needed] | itself[needed]) & ~order
            if scores[new].sum() > 0 and not (new & order.T).any():
                order |= new
        order = without(order, (scores < 0) & ~itself)
        if np.array_equal(order, before):
            break
    return order


def without(order: BoolMatrix, unwanted: BoolMatrix) -> BoolMatrix:
    """Return a closed order without the unwanted pairs that follow from no others.

    Taking such a pair out leaves the order closed; new pairs may then follow from no others, so
    it goes on until all that do are wanted.
    """
    order = order.copy()
    while True:
        leaving = reduction(order) & unwanted
        if not leaving.any():
            return order
        order &= ~leaving
