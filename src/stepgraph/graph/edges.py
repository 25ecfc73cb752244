"""Functions on edges by name and by node number: orders, cycles, reachability.

The parameter `needs` holds, for each node, the nodes that it needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from graphlib import CycleError, TopologicalSorter

from stepgraph.errors import GraphError, UnknownNameError
from stepgraph.sequences import END, START, Vocabulary

Edge = tuple[str, str]
"""A step and its precondition."""


def connect_ends(steps: Iterable[str], edges: Iterable[Edge]) -> list[Edge]:
    """Connect steps that need nothing to START, and END to steps that nothing needs.

    Parameters
    ----------
    steps
        The step names.
    edges
        Pairs (step, precondition).

    Returns
    -------
    list
        The original edges, then the added ones.
    """
    given = list(edges)
    needing = {step for step, _ in given}
    needed = {precondition for _, precondition in given}
    added: list[Edge] = []
    for step in steps:
        if step not in needing:
            added.append((step, START))
        if step not in needed:
            added.append((END, step))
    return given + added


def edge_nodes(vocabulary: Vocabulary, step: str, precondition: str) -> tuple[int, int]:
    """Return the node numbers of an edge's ends.

    Raises
    ------
    GraphError
        If one of them is unknown, START needs something, or something needs END.
    """
    try:
        row, column = vocabulary.node(step), vocabulary.node(precondition)
    except UnknownNameError as error:
        raise GraphError(f"the edge {step!r} needing {precondition!r}: {error}") from None
    if row == 0:
        raise GraphError(f"START is said to need {precondition!r}; START comes before everything")
    if column == vocabulary.end:
        raise GraphError(f"{step!r} is said to need END; END comes after everything")
    return row, column


def edge_weight(edge: Edge, value: float) -> float:
    """Return the weight of an edge as a number.

    Raises
    ------
    GraphError
        If it is not a number.
    """
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        step, precondition = edge
        raise GraphError(
            f"the weight of {step!r} needing {precondition!r} is {value!r:.40}; expected a number"
        ) from None


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


def reached(neighbours: Sequence[Sequence[int]], node: int) -> int:
    """Return the bits of all nodes that a node leads to.

    Examples
    --------
    >>> bin(reached([[1], [2], []], 0))
    '0b110'
    """
    mask, stack = 0, [node]
    while stack:
        for other in neighbours[stack.pop()]:
            if not mask >> other & 1:
                mask |= 1 << other
                stack.append(other)
    return mask


def bits(mask: int) -> Iterator[int]:
    """Return the numbers of the bits that are set, lowest first.

    Examples
    --------
    >>> list(bits(0b10110))
    [1, 2, 4]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def find_path(needs: Mapping[str, Iterable[str]], start: str, goal: str) -> list[str]:
    """Return the names on a shortest path along which one step needs another; empty without one.

    A step reaches itself without any edge.

    Examples
    --------
    >>> find_path({"bake": ["mix"], "mix": ["egg", "milk"]}, "bake", "egg")
    ['bake', 'mix', 'egg']
    """
    came_from = {start: start}
    queue = [start]
    for name in queue:  # it grows on the way
        if name == goal:
            path = [goal]
            while path[-1] != start:
                path.append(came_from[path[-1]])
            return path[::-1]
        for other in needs.get(name, ()):
            if other not in came_from:
                came_from[other] = name
                queue.append(other)
    return []
