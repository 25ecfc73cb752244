"""Where the nodes of a flow chart go: in columns, so that every line runs to the right.

A node stands in the column after the last one that it needs. A line that passes columns on its
way gets a lane of its own in each of them, so that it never runs through a box; the lines of one
node share their lanes. Within a column, nodes and lanes are sorted by the mean place of what
they are connected with, which keeps most lines short (Sugiyama, Tagawa and Toda, 1981).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

_SWEEPS = 8

Link = tuple[int, int]
"""A line, from a node to one that comes after it."""

_Item = tuple[int, int]
"""A node, or a lane of it, and the column that it is in."""


@dataclass(frozen=True)
class Layout:
    """Where everything is.

    Parameters
    ----------
    column
        The column of each node, from 0 on.
    height
        How far down the middle of each node is.
    lanes
        How far down each line is in the columns that it passes, from left to right.
    """

    column: tuple[int, ...]
    height: tuple[float, ...]
    lanes: Mapping[Link, tuple[float, ...]]


def lay_out(size: int, links: Sequence[Link], *, row: float, lane: float) -> Layout:
    """Return places for nodes 0 to `size` - 1.

    Parameters
    ----------
    size
        How many nodes there are.
    links
        The lines between them, without a cycle.
    row, lane
        How much height a node and a lane take.

    Examples
    --------
    >>> layout = lay_out(4, [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)], row=100, lane=20)
    >>> layout.column
    (0, 1, 1, 2)
    >>> layout.height, layout.lanes[0, 3]
    ((110.0, 50.0, 150.0, 110.0), (210.0,))
    """
    before: list[list[int]] = [[] for _ in range(size)]
    for source, target in links:
        before[target].append(source)
    column = [0] * size
    for node in TopologicalSorter(dict(enumerate(before))).static_order():
        column[node] = max((column[other] + 1 for other in before[node]), default=0)
    columns = _sorted_columns(size, links, column)
    middle: dict[_Item, float] = {}
    sizes = [
        [row if column[node] == number else lane for node, _ in items]
        for number, items in enumerate(columns)
    ]
    tallest = max(map(sum, sizes), default=0)
    for items, heights in zip(columns, sizes, strict=True):
        top = (tallest - sum(heights)) / 2
        for item, taken in zip(items, heights, strict=True):
            middle[item] = top + taken / 2
            top += taken
    lanes = {
        (source, target): tuple(
            middle[source, passed] for passed in range(column[source] + 1, column[target])
        )
        for source, target in links
    }
    height = tuple(middle[node, column[node]] for node in range(size))
    return Layout(tuple(column), height, lanes)


def _sorted_columns(size: int, links: Sequence[Link], column: Sequence[int]) -> list[list[_Item]]:
    """Return what is in each column, from top to bottom."""
    farthest = list(column)
    for source, target in links:
        farthest[source] = max(farthest[source], column[target] - 1)
    columns: list[list[_Item]] = [[] for _ in range(max(column, default=-1) + 1)]
    for node in range(size):
        columns[column[node]].append((node, column[node]))
    for node in range(size):
        for passed in range(column[node] + 1, farthest[node] + 1):
            columns[passed].append((node, passed))
    left: dict[_Item, list[_Item]] = {item: [] for items in columns for item in items}
    right: dict[_Item, list[_Item]] = {item: [] for items in columns for item in items}
    for node, place in left:
        if place > column[node]:
            left[node, place].append((node, place - 1))
            right[node, place - 1].append((node, place))
    for source, target in links:
        end = (target, column[target])
        left[end].append((source, column[target] - 1))
        right[source, column[target] - 1].append(end)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        order = range(1, len(columns)) if forward else range(len(columns) - 2, -1, -1)
        for number in order:
            beside = columns[number - 1 if forward else number + 1]
            rank = {item: (place + 0.5) / len(beside) for place, item in enumerate(beside)}
            columns[number] = _sorted(columns[number], left if forward else right, rank)
    return columns


def _sorted(
    items: list[_Item], neighbours: Mapping[_Item, list[_Item]], rank: Mapping[_Item, float]
) -> list[_Item]:
    def mean(place: int) -> float:
        near = neighbours[items[place]]
        if not near:
            return (place + 0.5) / len(items)
        return sum(rank[item] for item in near) / len(near)

    return [items[place] for place in sorted(range(len(items)), key=mean)]
