"""Nodes in an order in which each comes after what it needs, and why there may be none."""

from __future__ import annotations

from collections.abc import Sequence, Set
from graphlib import CycleError, TopologicalSorter


def in_order(needs: Sequence[Set[int]], dependents: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes, each after those that it needs; not all of them if there is a cycle.

    Parameters
    ----------
    needs
        For each node the nodes that it needs.
    dependents
        For each node the nodes that need it.

    Examples
    --------
    >>> in_order([{1}, set(), {0}], [[2], [0], []])
    [1, 0, 2]
    >>> in_order([{1}, {0}, set()], [[1], [0], []])
    [2]
    """
    waiting = [len(columns) for columns in needs]
    order = [node for node, number in enumerate(waiting) if not number]
    for node in order:  # it grows on the way
        for other in dependents[node]:
            waiting[other] -= 1
            if not waiting[other]:
                order.append(other)
    return order


def a_cycle(needs: Sequence[Set[int]]) -> list[int]:
    """Return nodes of which each needs the next, and the last the first.

    Raises
    ------
    ValueError
        If there is no cycle.

    Examples
    --------
    >>> a_cycle([{1}, {0}, set()])
    [0, 1]
    """
    try:
        TopologicalSorter(dict(enumerate(needs))).prepare()
    except CycleError as error:
        # graphlib lists the cycle from precondition to dependent, first node repeated.
        return list(reversed(error.args[1][1:]))
    raise ValueError("no node needs itself through others")
