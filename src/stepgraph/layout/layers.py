"""A layered layout: nodes in layers, so that every link runs from a layer to a later one.

The layout of Sugiyama, Tagawa and Toda (1981) has three steps. First, each node gets a layer after
all that it needs, so that the links are short. Second, a link that passes layers gets its own
lane in each of them, so that it never crosses a node; the items of each layer are sorted by the
mean place of their neighbours, and the order with the fewest crossings wins. Third, the items
move so that links are as straight as the room allows: the least squares of all distances along
links, layer by layer.

Drawings, BPMN diagrams and Petri nets share this layout. Nodes are numbers; the first one is
START, alone in the first layer, and the last one is END, alone in the last layer.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

Link = tuple[int, int]
"""A line from a node to another one; in a graph, from a precondition to a step that needs it."""

# Number of items that the search for an order and for places may visit, about half a second.
_EFFORT = 200_000
# Number of restarts of the search for an order, and of sweeps without a gain that end it.
_STARTS = 12
_PATIENCE = 8
# Sweeps that move items towards their neighbours, then straight above or below one of them.
_MOST_SWEEPS = 240
_ALIGNING = 8
# The lanes of one link make one line, which should above all be straight.
_NODES, _NODE_AND_LANE, _LANES = 1.0, 2.0, 8.0


class Place(NamedTuple):
    """The place of a node or a lane across its layer.

    ``at`` is its middle; the room from ``low`` to ``high`` is its own.
    """

    at: float
    low: float
    high: float


@dataclass(frozen=True)
class Layout:
    """The places of nodes and lanes.

    Parameters
    ----------
    layer
        The layer of each node, from 0 on.
    nodes
        The place of each node in its layer.
    lanes
        The places of each link in the layers that it passes, from its source to its target;
        empty for a link without lanes.
    width
        The width of the widest layer.
    """

    layer: tuple[int, ...]
    nodes: tuple[Place, ...]
    lanes: Mapping[Link, tuple[Place, ...]]
    width: float


def lay_out(
    sizes: Sequence[float],
    links: Sequence[Link],
    *,
    lane: float,
    shared: bool = False,
    most_lanes: float = math.inf,
) -> Layout:
    """Return the places of nodes and links.

    Parameters
    ----------
    sizes
        The width of each node in its layer, with the room around it.
    links
        The links between different nodes. They may form cycles, as in a comparison of two
        graphs; some of them then run backwards.
    lane
        The width of a lane in its layer.
    shared
        Whether the links of one source share their lanes.
    most_lanes
        Maximum number of lanes; beyond it, the longest links get none.

    Examples
    --------
    >>> layout = lay_out([100] * 4, [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)], lane=20)
    >>> layout.layer
    (0, 1, 1, 2)
    >>> [round(node.at) for node in layout.nodes], round(layout.lanes[0, 3][0].at)
    ([155, 50, 150, 155], 210)
    """
    if not sizes:
        return Layout((), (), {}, 0.0)
    order = _order(len(sizes), links)
    rank = {node: place for place, node in enumerate(order)}
    forward = {link: link if rank[link[0]] < rank[link[1]] else link[::-1] for link in links}
    layer = _layers(order, dict.fromkeys(forward.values()))
    items = _Items(sizes, layer)
    for source, target in _shortest(dict.fromkeys(forward.values()), layer, most_lanes):
        items.connect(source, target, lane, shared=shared)
    rows = _fewest_crossings(items)
    places = _free_room(rows, items.sizes, _straighten(rows, items))
    lanes = {}
    for link, way in forward.items():
        passed = tuple(places[item] for item in items.chains.get(way, ()))
        lanes[link] = passed if link == way else passed[::-1]
    width = max(place.at + size / 2 for place, size in zip(places, items.sizes, strict=True))
    return Layout(tuple(layer), tuple(places[: len(sizes)]), lanes, width)


def _shortest(links: Iterable[Link], layer: Sequence[int], most: float) -> list[Link]:
    """Return the links that get lanes, those that take the fewest first."""
    total = 0
    chosen = []
    for link in sorted(links, key=lambda link: layer[link[1]] - layer[link[0]]):
        total += layer[link[1]] - layer[link[0]] - 1
        if total > most:
            break
        chosen.append(link)
    return chosen


def _free_room(
    rows: Iterable[Sequence[int]], sizes: Sequence[float], middles: Sequence[float]
) -> list[Place]:
    """Return all places, counted from the first one on, with the room up to their neighbours."""
    begin = min(at - size / 2 for at, size in zip(middles, sizes, strict=True))
    end = max(at + size / 2 for at, size in zip(middles, sizes, strict=True)) - begin
    places = [Place(0.0, 0.0, 0.0)] * len(sizes)
    for row in rows:
        starts = [middles[item] - begin - sizes[item] / 2 for item in row]
        stops = [middles[item] - begin + sizes[item] / 2 for item in row]
        for item, low, high in zip(row, (0.0, *stops), (*starts[1:], end), strict=False):
            places[item] = Place(middles[item] - begin, low, high)
    return places


def _order(count: int, links: Iterable[Link]) -> list[int]:
    """Return all nodes, each after those that link to it; a cycle is cut at its first node."""
    before: list[set[int]] = [set() for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    for source, target in dict.fromkeys(links):
        before[target].add(source)
        after[source].append(target)
    waiting = dict.fromkeys(range(count))
    ready = [node for node in range(count) if not before[node]]
    order = []
    while waiting:
        node = ready.pop(0) if ready else next(iter(waiting))
        if node not in waiting:
            continue
        del waiting[node]
        order.append(node)
        for other in after[node]:
            before[other].discard(node)
            if not before[other] and other in waiting:
                ready.append(other)
    # START is always first and END always last.
    first, last = 0, count - 1
    inner = [node for node in order if node not in (first, last)]
    return [first, *inner, last] if count > 1 else [first]


def _layers(order: Sequence[int], links: Iterable[Link]) -> list[int]:
    """Return the layer of each node: after its preconditions, towards the side with more links."""
    before: dict[int, list[int]] = {node: [] for node in order}
    after: dict[int, list[int]] = {node: [] for node in order}
    for source, target in links:
        before[target].append(source)
        after[source].append(target)
    layer = [0] * len(order)
    inner = order[1:-1]
    for node in inner:
        layer[node] = max((layer[other] + 1 for other in before[node]), default=1)
    last = max(layer) + 1
    if len(order) > 1:
        layer[order[-1]] = last
    moved = True
    while moved:
        moved = False
        for step, ahead, behind in ((1, after, before), (-1, before, after)):
            for node in inner:
                while _push(node, step, layer, ahead, behind):
                    moved = True
    # A node with equally many links on both sides goes to the emptiest layer.
    taken = Counter(layer)
    for node in inner:
        if len(after[node]) == len(before[node]):
            low = max((layer[other] + 1 for other in before[node]), default=1)
            high = min((layer[other] - 1 for other in after[node]), default=last - 1)
            taken[layer[node]] -= 1
            layer[node] = min(range(low, high + 1), key=lambda number: taken[number])
            taken[layer[node]] += 1
    return layer


def _push(
    node: int,
    step: int,
    layer: list[int],
    ahead: Mapping[int, Sequence[int]],
    behind: Mapping[int, Sequence[int]],
) -> bool:
    """Move a node, with all nodes in its way, by a layer if that makes links shorter."""
    ends = (0, layer[-1])
    if layer[node] + step in ends:
        return False
    pushed = {node}
    waiting = [node]
    while waiting:
        one = waiting.pop()
        tight = {other for other in ahead[one] if layer[other] == layer[one] + step} - pushed
        if any(layer[other] + step in ends for other in tight):
            return False
        pushed |= tight
        waiting += tight
    gain = sum(
        sum(other not in pushed for other in ahead[one])
        - sum(other not in pushed for other in behind[one])
        for one in pushed
    )
    if gain > 0:
        for one in pushed:
            layer[one] += step
    return gain > 0


class _Items:
    """Nodes and lanes as items of layers, and the links between neighbouring layers."""

    def __init__(self, sizes: Sequence[float], layer: Sequence[int]) -> None:
        self.sizes, self.layer = list(sizes), list(layer)
        self.chains: dict[Link, list[int]] = {}
        self.before: list[dict[int, float]] = [{} for _ in sizes]
        self.after: list[dict[int, float]] = [{} for _ in sizes]
        self._nodes = len(self.sizes)
        self._lanes: dict[tuple[Link | int, int], int] = {}

    def connect(self, source: int, target: int, size: float, *, shared: bool) -> None:
        owner = source if shared else (source, target)
        chain = [
            self._lane(owner, layer, size)
            for layer in range(self.layer[source] + 1, self.layer[target])
        ]
        self.chains[source, target] = chain
        path = [source, *chain, target]
        for one, other in pairwise(path):
            lanes = (one >= self._nodes) + (other >= self._nodes)
            weight = (_NODES, _NODE_AND_LANE, _LANES)[lanes]
            self.after[one][other] = weight
            self.before[other][one] = weight

    def _lane(self, owner: Link | int, layer: int, size: float) -> int:
        if (owner, layer) not in self._lanes:
            self._lanes[owner, layer] = len(self.sizes)
            self.sizes.append(size)
            self.layer.append(layer)
            self.before.append({})
            self.after.append({})
        return self._lanes[owner, layer]


def _fewest_crossings(items: _Items) -> list[list[int]]:
    """Return the items of each layer in an order with few crossings, the best of some searches."""
    starts = [_depth_first(items, backwards=False), _depth_first(items, backwards=True)]
    mixer = random.Random(0)
    best: list[list[int]] = []
    fewest, effort = math.inf, _EFFORT
    for _ in range(_STARTS):
        start = starts.pop(0) if starts else _mixed(items, mixer)
        rows: list[list[int]] = [[] for _ in range(max(items.layer) + 1)]
        for item in start:
            rows[items.layer[item]].append(item)
        found, crossings, effort = _sweep(rows, items, effort)
        if crossings < fewest:
            best, fewest = found, crossings
        if not fewest or effort <= 0:
            break
    return best


def _mixed(items: _Items, mixer: random.Random) -> list[int]:
    # Of all that `random` makes, only these numbers are the same in every version of Python.
    return sorted(range(len(items.sizes)), key=lambda _: mixer.random())


def _sweep(rows: list[list[int]], items: _Items, effort: int) -> tuple[list[list[int]], int, int]:
    """Sort each layer by its neighbours, up and down.

    Return the best order on the way, its crossings, and the effort that is left.
    """
    best, fewest = [list(row) for row in rows], _crossings(rows, items)
    stale = sweep = 0
    while fewest and stale < _PATIENCE and effort > 0:
        forward = sweep % 2 == 0
        beside = items.before if forward else items.after
        numbers = range(1, len(rows)) if forward else range(len(rows) - 2, -1, -1)
        for number in numbers:
            other = rows[number - 1 if forward else number + 1]
            rows[number] = _sorted(rows[number], other, beside, flip=sweep % 4 > 1)
        effort -= len(items.sizes) + _exchange(rows, items, effort)
        crossings = _crossings(rows, items)
        sweep, stale = sweep + 1, stale + 1
        if crossings < fewest:
            best, fewest, stale = [list(row) for row in rows], crossings, 0
    return best, fewest, effort


def _depth_first(items: _Items, *, backwards: bool) -> list[int]:
    """Return all items in the order of a walk along the links, branch after branch."""
    found: dict[int, None] = {}
    along = items.before if backwards else items.after
    waiting = sorted(range(len(items.sizes)), key=lambda item: items.layer[item])
    if not backwards:
        waiting.reverse()
    while waiting:
        item = waiting.pop()
        if item not in found:
            found[item] = None
            waiting.extend(reversed(along[item]))
    return list(found)


def _sorted(
    row: list[int], other: Sequence[int], beside: Sequence[Mapping[int, float]], *, flip: bool
) -> list[int]:
    """Return a layer sorted by the mean rank of its items' neighbours in another layer."""
    rank = {item: (place + 0.5) / len(other) for place, item in enumerate(other)}

    def mean(place: int) -> float:
        near = beside[row[place]]
        if not near:
            return (place + 0.5) / len(row)
        # Round, so that equal means stay equal whatever the order of addition.
        return round(sum(rank[item] for item in near) / len(near), 9)

    means = [mean(place) for place in range(len(row))]
    # Items with the same mean keep their order, or turn it around to try the other one.
    places = sorted(range(len(row)), key=lambda place: (means[place], -place if flip else place))
    return [row[place] for place in places]


def _crossings(rows: Sequence[Sequence[int]], items: _Items) -> int:
    """Return the number of crossings of links."""
    total = 0
    for number, row in enumerate(rows[:-1]):
        rank = {item: place for place, item in enumerate(rows[number + 1])}
        seen: list[int] = []
        for item in row:
            ends = [rank[other] for other in items.after[item]]
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _exchange(rows: list[list[int]], items: _Items, effort: int) -> int:
    """Exchange neighbours as long as that removes crossings; return the effort spent."""
    spent = 0
    improved = True
    while improved and spent < effort:
        improved = False
        for number, row in enumerate(rows):
            ranks = [
                {item: place for place, item in enumerate(rows[beside])}
                if 0 <= beside < len(rows)
                else {}
                for beside in (number - 1, number + 1)
            ]
            for place in range(len(row) - 1):
                one, other = row[place], row[place + 1]
                gain = 0
                for rank, ends in zip(ranks, (items.before, items.after), strict=True):
                    ours = [rank[item] for item in ends[one]]
                    theirs = [rank[item] for item in ends[other]]
                    spent += len(ours) * len(theirs) + 1
                    gain += sum((a > b) - (a < b) for a in ours for b in theirs)
                if gain > 0:
                    row[place], row[place + 1] = other, one
                    improved = True
    return spent


def _straighten(rows: Sequence[Sequence[int]], items: _Items) -> list[float]:
    """Return a place for each item where its links are as straight as the order allows."""
    place = [0.0] * len(items.sizes)
    for row in rows:
        at = -sum(items.sizes[item] for item in row) / 2
        for item in row:
            place[item] = at + items.sizes[item] / 2
            at += items.sizes[item]
    both = [{**b, **a} for b, a in zip(items.before, items.after, strict=True)]
    sweeps = min(_MOST_SWEEPS, max(_EFFORT // len(items.sizes), 8))
    for sweep in range(sweeps):
        forward = sweep % 2 == 0
        # The first sweeps carry places from one end to the other, the later ones balance them.
        near = both if sweep >= 4 else items.before if forward else items.after
        for row in rows if forward else reversed(rows):
            _move(row, near, items.sizes, place)
    place = [round(at, 6) for at in place]
    for sweep in range(_ALIGNING):
        # START and END, alone in their layers, stay in the middle of their neighbours.
        for row in rows[1:-1] if sweep % 2 == 0 else reversed(rows[1:-1]):
            _align(row, both, items.sizes, place)
    return place


def _align(
    row: Sequence[int],
    near: Sequence[Mapping[int, float]],
    sizes: Sequence[float],
    place: list[float],
) -> None:
    """Move the items of a layer straight above or below a neighbour, where there is room.

    The weighted median is where the sum of all distances is least; of several such places the
    nearest one above or below a neighbour is taken.
    """
    for number, item in enumerate(row):
        low, high = -math.inf, math.inf
        if number:
            before = row[number - 1]
            low = place[before] + (sizes[before] + sizes[item]) / 2
        if number < len(row) - 1:
            after = row[number + 1]
            high = place[after] - (sizes[after] + sizes[item]) / 2
        wanted = sorted((place[other], weight) for other, weight in near[item].items())
        half = sum(weight for _, weight in wanted) / 2
        medians = []
        passed = 0.0
        for at, weight in wanted:
            if passed <= half <= passed + weight:
                medians.append(at)
            passed += weight
        if medians:
            target = min(medians, key=lambda at: (round(abs(at - place[item]), 6), at))
            place[item] = max(min(target, high), low)


def _move(
    row: Sequence[int],
    near: Sequence[Mapping[int, float]],
    sizes: Sequence[float],
    place: list[float],
) -> None:
    """Move the items of a layer as near to their neighbours as they can be, in their order.

    Items that would overlap become a block, which goes to the mean of its members' best places
    (isotonic regression by pooling adjacent violators).
    """
    blocks: list[list[float]] = []  # wanted place of the first member, weight, members
    offsets = []
    offset = 0.0
    for number, item in enumerate(row):
        offset += sizes[item] / 2 + (sizes[row[number - 1]] / 2 if number else 0.0)
        offsets.append(offset)
        weight = sum(near[item].values())
        if weight:
            wanted = sum(place[other] * share for other, share in near[item].items()) / weight
        else:
            wanted, weight = place[item], 1e-3
        blocks.append([wanted - offset, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            begin, weight, members = blocks.pop()
            total = blocks[-1][1] + weight
            blocks[-1][0] = (blocks[-1][0] * blocks[-1][1] + begin * weight) / total
            blocks[-1][1], blocks[-1][2] = total, blocks[-1][2] + members
    number = 0
    for begin, _, members in blocks:
        for _ in range(int(members)):
            place[row[number]] = begin + offsets[number]
            number += 1
