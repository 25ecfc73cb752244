"""Sequence accuracy: how well a graph's preconditions agree with the order of sequences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


def sequence_accuracy(edges: NDArray[np.bool_], sequences: Iterable[Sequence[int]]) -> float:
    """Return the paper's Sequence Accuracy (appendix, 'Early Stopping').

    For each step of a sequence, the share of its preconditions that came before it; 1 where
    neither exist (START), 0 where a step has none though something came before it. Averaged
    over the steps, START and END included, then over the sequences.

    Parameters
    ----------
    edges
        Which preconditions each node has: row = step, column = precondition.
    sequences
        Node numbers 1 to n without repetition, without START and END.

    Examples
    --------
    >>> chain = np.eye(4, k=-1, dtype=bool)  # START <- 1 <- 2 <- END
    >>> sequence_accuracy(chain, [(1, 2)])
    1.0
    >>> sequence_accuracy(chain, [(2, 1)])
    0.75
    """
    size = len(edges)
    by_length: dict[int, list[tuple[int, ...]]] = {}
    for steps in sequences:
        by_length.setdefault(len(steps), []).append((0, *steps, size - 1))
    needed = edges.sum(axis=1)
    total, count = 0.0, 0
    for group in by_length.values():
        nodes = np.array(group)
        earlier = np.tri(nodes.shape[1], k=-1, dtype=bool)
        came = np.count_nonzero(edges[nodes[:, :, None], nodes[:, None, :]] & earlier, axis=2)
        share = came / np.maximum(needed, 1)[nodes]
        share[:, 0] = needed[0] == 0
        total += float(share.sum()) / nodes.shape[1]
        count += len(group)
    return total / count
