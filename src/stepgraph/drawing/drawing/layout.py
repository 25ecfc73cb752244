"""Where everything goes: boxes in layers and the curves between them.

The picture becomes a graph of sizes in the DOT language, an engine lays it out, and its answer
becomes coordinates as SVG has them, with y growing downwards.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepgraph.drawing.dot import RANKDIR, Direction, check_direction
from stepgraph.drawing.drawing.effort import plan_effort
from stepgraph.drawing.drawing.engines import Engine
from stepgraph.drawing.drawing.picture import Arrow

_INCH = 72.0
_HEAD = 8.0
Point = tuple[float, float]


@dataclass(frozen=True)
class Route:
    """The way of an arrow.

    Parameters
    ----------
    points
        Where it begins, then three points for each piece of a Bezier curve.
    tip
        The point of its head, on the border of the precondition's box.
    """

    points: tuple[Point, ...]
    tip: Point


@dataclass(frozen=True)
class Layout:
    """The places of a picture's parts.

    Parameters
    ----------
    width, height
        Of the whole.
    centres
        The middle of each box.
    routes
        The way of each arrow.
    """

    width: float
    height: float
    centres: tuple[Point, ...]
    routes: tuple[Route, ...]


def lay_out(
    sizes: Sequence[tuple[float, float]],
    arrows: Sequence[Arrow],
    engine: Engine,
    direction: Direction = "BT",
) -> Layout:
    """Return where the parts of a picture go.

    Parameters
    ----------
    sizes
        The width and height of each box, START's first and END's last.
    arrows
        The edges between them.
    engine
        Who does it.
    direction
        Where the procedure runs: from the bottom to the top, or from left to right.

    Raises
    ------
    SettingError
        If there is no such direction.
    """
    check_direction(direction)
    routed, limits = plan_effort(len(sizes), arrows)
    settings = f"rankdir={RANKDIR[direction]}, nodesep=0.3, ranksep=0.45"
    settings += f", {limits}" if limits else ""
    given = {place: arrows[place] for place in routed}
    answer = json.loads(engine.lay_out(_as_dot(sizes, given, settings)))
    width, height = (float(number) for number in answer["bb"].split(",")[2:])
    places = {
        node["name"]: _point(node["pos"], height) for node in answer["objects"] if "pos" in node
    }
    routes: dict[int, Route] = {
        int(edge["id"]): _route(edge["pos"], height) for edge in answer.get("edges", ())
    }
    centres = tuple(places[f"n{node}"] for node in range(len(sizes)))
    for place, arrow in enumerate(arrows):
        if place not in routes:
            routes[place] = _straight(
                (centres[arrow.step], sizes[arrow.step]),
                (centres[arrow.precondition], sizes[arrow.precondition]),
            )
    return Layout(width, height, centres, tuple(routes[place] for place in range(len(arrows))))


def _as_dot(
    sizes: Sequence[tuple[float, float]], arrows: Mapping[int, Arrow], settings: str
) -> str:
    lines = [
        "digraph {",
        f"graph [{settings}];",
        'node [shape=box, fixedsize=true, label=""];',
        "edge [arrowsize=0.8];",
    ]
    for node, (width, height) in enumerate(sizes):
        oval = ", shape=ellipse" if node in (0, len(sizes) - 1) else ""
        size = f"width={width / _INCH:.4f}, height={height / _INCH:.4f}"
        lines.append(f"n{node} [{size}{oval}];")
    lines.append("{ rank=sink; n0; }")
    lines.append(f"{{ rank=source; n{len(sizes) - 1}; }}")
    for place, arrow in arrows.items():
        lines.append(f"n{arrow.step} -> n{arrow.precondition} [id={place}];")
    return "\n".join([*lines, "}", ""])


def _point(text: str, height: float) -> Point:
    x, y = text.split(",")
    return float(x), height - float(y)


def _route(text: str, height: float) -> Route:
    # "e,x,y" is the point of the head; splines after the first have none of their own.
    words = text.split(";")[0].split()
    points = tuple(_point(word, height) for word in words if word.count(",") == 1)
    tips = [_point(word[2:], height) for word in words if word.startswith("e,")]
    return Route(points, tips[0] if tips else points[-1])


def _straight(begin: tuple[Point, Point], end: tuple[Point, Point]) -> Route:
    """Return the straight way between two boxes, each given by its middle and its size."""
    (here, own), (there, other) = begin, end
    first, tip = _border(here, own, there), _border(there, other, here)
    length = math.dist(first, tip)
    share = max(length - _HEAD, 0.0) / length if length else 0.0
    base = (first[0] + share * (tip[0] - first[0]), first[1] + share * (tip[1] - first[1]))
    return Route((first, first, base, base), tip)


def _border(middle: Point, size: Point, towards: Point) -> Point:
    """Return where the line from the middle of a box to a point leaves the box."""
    across, along = towards[0] - middle[0], towards[1] - middle[1]
    shares = [half / abs(way) for half, way in ((size[0] / 2, across), (size[1] / 2, along)) if way]
    share = min([*shares, 1.0])
    return middle[0] + share * across, middle[1] + share * along
