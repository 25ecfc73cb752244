"""Sets of nodes as whole numbers, one bit a node: what a node waits for, and what it leads to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set


def waits_for(
    needs: Sequence[Set[int]], optional: Set[int], order: Iterable[int]
) -> tuple[int, ...]:
    """Return for each node the bits of what must be done before it.

    These are the nodes that it needs, START left out; in the place of one that may be left out
    stands what that one waits for.

    Parameters
    ----------
    needs
        For each node the nodes that it needs.
    optional
        The nodes that may be left out.
    order
        All nodes, each after those that it needs.

    Examples
    --------
    >>> [bin(bits) for bits in waits_for([set(), {0}, {1}, {2}], {2}, range(4))]
    ['0b0', '0b0', '0b10', '0b10']
    """
    masks = [0] * len(needs)
    for row in order:
        for column in needs[row]:
            masks[row] |= masks[column] if column in optional else (1 << column if column else 0)
    return tuple(masks)


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
