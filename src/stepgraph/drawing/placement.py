"""The places of a drawing's parts: boxes in layers, and the lines between them.

The layers are those of `stepgraph.layout.layers`. A line is a string pulled tight from the middle
of a step to the middle of its precondition, through the free room of its lanes, with rounded
bends. The word of a rule is placed as if it were a small box, so that neither it nor its lines hide
anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from stepgraph.drawing.picture import Arrow
from stepgraph.formats.dot import Direction, check_direction
from stepgraph.formats.drawn_rules import DrawnRule
from stepgraph.layout import layers

_BETWEEN_BOXES = 22.0
_BETWEEN_LAYERS = 34.0
# Where lines run far across, the layers lie further apart, up to this distance.
_MOST_BETWEEN_LAYERS = 70.0
_STEEPNESS = 0.06
_LANE = 14.0
_HEAD = 8.0
_MOST_LANES = 8_000
# Maximum distance of a rounded bend from its corner, on the inside of the bend.
_ROUNDING = 6.0
# Sideways distance of a line with another one in the opposite direction.
_ASIDE = 6.0
# The share of a box's side at which lines begin and end.
_SIDE = 0.8

Point = tuple[float, float]


@dataclass(frozen=True)
class Route:
    """The way of an arrow.

    Parameters
    ----------
    points
        Its beginning, then three points for each piece of a Bezier curve.
    tip
        The point of its head, on the border of the precondition's box.
    """

    points: tuple[Point, ...]
    tip: Point


@dataclass(frozen=True)
class Placement:
    """The places of a picture's parts.

    Parameters
    ----------
    width, height
        The size of the whole.
    centres
        The middle of each box.
    routes
        The way of each arrow.
    words
        The middle of the word of each rule.
    ties
        For each rule the ways from its word to the boxes of `DrawnRule.nodes`.
    """

    width: float
    height: float
    centres: tuple[Point, ...]
    routes: tuple[Route, ...]
    words: tuple[Point, ...] = ()
    ties: tuple[tuple[Route, ...], ...] = ()


class _Gate(NamedTuple):
    """An opening that a line passes, between two places at a distance along the layers."""

    along: float
    low: float
    high: float


def place_parts(
    sizes: Sequence[tuple[float, float]],
    arrows: Sequence[Arrow],
    direction: Direction = "BT",
    *,
    rules: Sequence[DrawnRule] = (),
    word_sizes: Sequence[tuple[float, float]] = (),
) -> Placement:
    """Return the places of a picture's parts.

    Parameters
    ----------
    sizes
        The width and height of each box, START's first and END's last.
    arrows
        The edges between them.
    direction
        The direction of the procedure: from the bottom to the top, or from left to right.
    rules
        The rules whose words are placed between the boxes.
    word_sizes
        The width and height of the word of each rule.

    Raises
    ------
    SettingError
        If there is no such direction.
    """
    check_direction(direction)
    upwards = direction == "BT"
    # END stays last, behind the words of the rules.
    every = [*sizes[:-1], *word_sizes, *sizes[-1:]]
    place_of = [*range(len(sizes) - 1), len(every) - 1]
    word_places = range(len(sizes) - 1, len(every) - 1)
    # Across and along the layers.
    boxes = [(width, height) if upwards else (height, width) for width, height in every]
    links = [(place_of[arrow.precondition], place_of[arrow.step]) for arrow in arrows]
    ordering = [
        (place_of[node], word) if node in rule.after else (word, place_of[node])
        for word, rule in zip(word_places, rules, strict=True)
        for node in {**dict.fromkeys(rule.nodes), **dict.fromkeys(sorted(rule.after))}
    ]
    placed = layers.lay_out(
        [across + _BETWEEN_BOXES for across, _ in boxes],
        [*links, *ordering],
        lane=_LANE,
        most_lanes=_MOST_LANES,
    )
    bands = _bands(boxes, placed)
    length = bands[-1][1]

    def turned(point: Point) -> Point:
        across, along = point[0] - _BETWEEN_BOXES / 2, point[1]
        return (across, length - along) if upwards else (along, across)

    centres = [
        (node.at, sum(bands[layer]) / 2)
        for node, layer in zip(placed.nodes, placed.layer, strict=True)
    ]
    known = set(links)

    def route(source: int, target: int) -> Route:
        """Return the way from the second box to the first."""
        way = _taut(_gates(source, target, placed, bands, boxes))[::-1]
        if (target, source) in known:
            aside = _ASIDE if source < target else -_ASIDE
            way = [(across + aside, along) for across, along in way]
        for node in (target, source):
            way = _from_border(way, boxes[node], oval=node in (0, len(boxes) - 1))[::-1]
        return _route([turned(point) for point in way])

    routes = tuple(route(*link) for link in links)
    ties = tuple(
        tuple(route(place_of[node], word) for node in rule.nodes)
        for word, rule in zip(word_places, rules, strict=True)
    )
    across = placed.width - _BETWEEN_BOXES
    width, height = (across, length) if upwards else (length, across)
    middles = tuple(map(turned, centres))
    words = tuple(middles[word] for word in word_places)
    return Placement(width, height, tuple(middles[at] for at in place_of), routes, words, ties)


def _bands(boxes: Sequence[Point], placed: layers.Layout) -> list[Point]:
    """Return the beginning and end of each layer, with enough room for the lines between."""
    thickness = [0.0] * (max(placed.layer) + 1)
    for (_, along), layer in zip(boxes, placed.layer, strict=True):
        thickness[layer] = max(thickness[layer], along)
    shifts = [0.0] * len(thickness)
    for (source, target), lanes in placed.lanes.items():
        first, last = sorted((placed.layer[source], placed.layer[target]))
        if last - first != len(lanes) + 1:
            continue
        places = [placed.nodes[source].at, *(lane.at for lane in lanes), placed.nodes[target].at]
        if placed.layer[source] > placed.layer[target]:
            places.reverse()
        for layer, (one, other) in enumerate(pairwise(places), start=first):
            shifts[layer] = max(shifts[layer], abs(other - one))
    bands = []
    begin = 0.0
    for thick, shift in zip(thickness, shifts, strict=True):
        bands.append((begin, begin + thick))
        begin += thick + min(_BETWEEN_LAYERS + _STEEPNESS * shift, _MOST_BETWEEN_LAYERS)
    return bands


def _gates(
    source: int,
    target: int,
    placed: layers.Layout,
    bands: Sequence[Point],
    boxes: Sequence[Point],
) -> list[_Gate]:
    """Return the gates of a line from the middle of one box to the middle of another."""
    here, there = placed.layer[source], placed.layer[target]
    forward = there > here
    lanes = placed.lanes.get((source, target)) or placed.lanes.get((target, source), ())[::-1]
    inner: list[_Gate] = []
    if abs(there - here) == len(lanes) + 1:
        inner += _leaving(placed.nodes[source], boxes[source], bands[here], forward=forward)
        passed = range(here + 1, there) if forward else range(here - 1, there, -1)
        for layer, lane in zip(passed, lanes, strict=True):
            for along in bands[layer] if forward else bands[layer][::-1]:
                inner.append(_Gate(along, lane.low, lane.high))
        inner += _leaving(placed.nodes[target], boxes[target], bands[there], forward=not forward)[
            ::-1
        ]
    ends = [
        _Gate(sum(bands[placed.layer[node]]) / 2, placed.nodes[node].at, placed.nodes[node].at)
        for node in (source, target)
    ]
    return [ends[0], *inner, ends[1]]


def _leaving(node: layers.Place, box: Point, band: Point, *, forward: bool) -> list[_Gate]:
    """Return the gates between the middle of a box and the end of its layer."""
    across, along = box
    middle = sum(band) / 2
    border = middle + (along / 2 if forward else -along / 2)
    end = band[1] if forward else band[0]
    half = _SIDE * across / 2
    gates = [_Gate(border, node.at - half, node.at + half)]
    if abs(end - border) > 1.0:
        gates.append(_Gate(end, node.low, node.high))
    return gates


def _taut(gates: Sequence[_Gate]) -> list[Point]:
    """Return the corners of the shortest way through gates, as (across, along)."""
    corners = [(gates[0].low, gates[0].along)]
    at = 0
    while at < len(gates) - 1:
        across, along = corners[-1]
        least, most = -math.inf, math.inf
        leftmost = rightmost = at
        for number in range(at + 1, len(gates)):
            gate = gates[number]
            distance = abs(gate.along - along)
            low, high = (gate.low - across) / distance, (gate.high - across) / distance
            if low > most:
                at = rightmost
                corners.append((gates[at].high, gates[at].along))
                break
            if high < least:
                at = leftmost
                corners.append((gates[at].low, gates[at].along))
                break
            if low >= least:
                least, leftmost = low, number
            if high <= most:
                most, rightmost = high, number
        else:
            at = len(gates) - 1
            corners.append((gates[at].low, gates[at].along))
    return corners


def _from_border(way: Sequence[Point], box: Point, *, oval: bool) -> list[Point]:
    """Return a way that begins in the middle of a box, cut off at the border of the box."""
    (across, along), towards, *others = way
    shares = (
        2 * abs(towards[0] - across) / box[0],
        2 * abs(towards[1] - along) / box[1],
    )
    reach = math.hypot(*shares) if oval else max(shares)
    if reach <= 1.0 + 1e-9 and others:
        return [towards, *others]
    return [_between(way[0], towards, 1 / max(reach, 1.0)), towards, *others]


def _route(way: Sequence[Point]) -> Route:
    """Return a line with rounded corners and room for its head."""
    tip, before = way[-1], way[-2]
    length = math.dist(before, tip)
    base = _between(tip, before, min(_HEAD / length, 1.0) if length else 0.0)
    corners = [*way[:-1], base]
    points = [corners[0]]
    for number in range(1, len(corners) - 1):
        points += _bend(*corners[number - 1 : number + 2])
    points += _straight(points[-1], base)
    return Route(tuple(points), tip)


def _bend(one: Point, corner: Point, other: Point) -> Iterable[Point]:
    """Return a straight piece up to a bend and the rounded bend itself."""
    room = min(math.dist(one, corner), math.dist(corner, other)) / 2
    if not room:
        return ()
    turn = math.atan2(other[1] - corner[1], other[0] - corner[0]) - math.atan2(
        corner[1] - one[1], corner[0] - one[0]
    )
    cut = min(room, 2 * _ROUNDING / max(abs(math.sin(turn / 2)), 1e-9))
    begin = _between(corner, one, cut / math.dist(one, corner))
    end = _between(corner, other, cut / math.dist(corner, other))
    return (
        *_straight(one, begin),
        _between(begin, corner, 2 / 3),
        _between(end, corner, 2 / 3),
        end,
    )


def _straight(one: Point, other: Point) -> tuple[Point, Point, Point]:
    return _between(one, other, 1 / 3), _between(one, other, 2 / 3), other


def _between(one: Point, other: Point, share: float) -> Point:
    return one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])
