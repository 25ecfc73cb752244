"""Drawings side by side: a truth beside a prediction, or several moments of a procedure.

Each panel is a `Picture` with a heading of its own. Panels stand on one line, so that START is at
the same height in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from stepgraph.drawing import draw_picture
from stepgraph.drawing.fonts import FONT_FAMILY, carried_font
from stepgraph.drawing.picture import (
    COMMON,
    MISSING,
    PLAIN,
    SPURIOUS,
    Arrow,
    Box,
    Picture,
    Stroke,
)
from stepgraph.drawing.svg import element, number, plain, write
from stepgraph.drawing.themes import get_theme
from stepgraph.errors import SettingError
from stepgraph.formats.dot import Direction
from stepgraph.graph import TaskGraph

_TITLE_SIZE = 18.0
_TITLE_LINE = 34.0
_GAP = 24.0
_NOW = Stroke("spurious", 2.8)
_SIZE = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def draw_panels(
    pictures: Sequence[Picture],
    *,
    title: str = "",
    theme: str = "light",
    direction: Direction = "BT",
) -> str:
    """Return pictures side by side as one SVG.

    Parameters
    ----------
    pictures
        The panels, from left to right.
    title
        The heading of the whole; empty for none.
    theme, direction
        As for `stepgraph.drawing.draw_graph`.

    Raises
    ------
    SettingError
        If there is no picture.
    UnknownNameError
        If there is no such theme.
    """
    if not pictures:
        raise SettingError("there is no picture to draw; expected at least one")
    colours = get_theme(theme)
    drawn = [draw_picture(one, theme=theme, direction=direction) for one in pictures]
    sizes = [_size(svg) for svg in drawn]
    top = _TITLE_LINE if title else 0.0
    tallest = max(height for _, height in sizes)
    inner = sum(width for width, _ in sizes) + _GAP * (len(sizes) - 1)
    written = carried_font().width(title, _TITLE_SIZE) + 2 * _GAP if title else 0.0
    width, left = max(inner, written), max(0.0, (written - inner) / 2)
    parts = [element("title", plain(title or " and ".join(one.title for one in pictures)))]
    if colours.style:
        parts.append(element("style", colours.style))
    parts.append(element("rect", width=width, height=top + tallest, fill=colours.paper))
    if title:
        parts.append(write(title, width / 2, 26.0, font_size=_TITLE_SIZE, text_anchor="middle"))
    for svg, (own, height) in zip(drawn, sizes, strict=True):
        place = f'<svg x="{number(left)}" y="{number(top + tallest - height)}" '
        parts.append(svg.strip().replace("<svg ", place, 1))
        left += own + _GAP
    return (
        element(
            "svg",
            "\n",
            "\n".join(parts),
            "\n",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {number(width)} {number(top + tallest)}",
            width=width,
            height=top + tallest,
            role="img",
            class_="stepgraph-drawing",
            font_family=FONT_FAMILY,
            fill=colours.ink,
        )
        + "\n"
    )


def truth_and_prediction(prediction: TaskGraph, truth: TaskGraph) -> tuple[Picture, Picture]:
    """Return the pictures of a truth and of a prediction, to be drawn side by side.

    Edges that the other graph lacks look as in `stepgraph.drawing.draw_comparison`: missing ones
    in the truth, spurious ones in the prediction.

    Parameters
    ----------
    prediction, truth
        Two graphs of the same procedure.
    """
    return (
        _panel("(a) ground truth", truth, prediction, MISSING, "missing from the prediction"),
        _panel("(b) prediction", prediction, truth, SPURIOUS, "spurious, not in the truth"),
    )


def _panel(title: str, graph: TaskGraph, other: TaskGraph, stroke: Stroke, what: str) -> Picture:
    words = graph.vocabulary
    both = set(graph.edges) & set(other.edges)
    boxes = tuple(
        Box(
            name,
            is_end=node in (0, words.end),
            stroke=None if name in other.vocabulary.nodes else stroke,
        )
        for node, name in enumerate(words.nodes)
    )
    arrows = tuple(
        Arrow(
            words.node(step),
            words.node(needed),
            COMMON if (step, needed) in both else stroke,
            "in both" if (step, needed) in both else what,
        )
        for step, needed in graph.edges
    )
    own = len(graph.edges) - len(both)
    legend = ((COMMON, f"in both: {len(both)}"), (stroke, f"{what}: {own}"))
    summary = f"{title}: {len(graph.edges)} edges, {len(both)} in both graphs, {own} {what}."
    return Picture(title, boxes, arrows, legend, summary)


def picture_of_moment(
    graph: TaskGraph, done: Sequence[str], step: str, *, title: str = ""
) -> Picture:
    """Return the part of a graph that decides whether a step may be done now.

    It shows the steps done so far, the step itself and the preconditions that it lacks. Steps that
    are done are coloured and numbered by when they were done first.

    Parameters
    ----------
    graph
        The procedure's graph.
    done
        The steps done so far, in their order.
    step
        The step that is done now, one of the graph's.
    title
        The heading.
    """
    missing = graph.missing_before(step, set(done))
    shown = {*done, step, *missing}
    whole = graph.vocabulary
    kept = [
        name for node, name in enumerate(whole.nodes) if name in shown or node in (0, whole.end)
    ]
    place = {name: number for number, name in enumerate(kept)}
    order = {name: number for number, name in reversed([*enumerate(done, start=1)])}
    boxes = [
        Box(
            name,
            is_end=name in (kept[0], kept[-1]),
            done=name in order,
            mark=f"done: {order[name]}" if name in order else "",
        )
        for name in kept
    ]
    for name in missing:
        boxes[place[name]] = replace(boxes[place[name]], stroke=MISSING, mark="missing")
    boxes[place[step]] = replace(boxes[place[step]], stroke=_NOW, mark="now")
    edges = [edge for edge in graph.edges if edge[0] in place and edge[1] in place]
    arrows = tuple(
        Arrow(place[one], place[other], _edge_stroke(one, other, step, missing))
        for one, other in edges
    )
    return Picture(
        title,
        tuple(boxes),
        arrows,
        ((_NOW, "done now"), (MISSING, "precondition that is missing")),
        f"{step!r} after {', '.join(map(repr, done)) or 'nothing'}; missing: "
        f"{', '.join(map(repr, missing)) or 'nothing'}.",
    )


def _edge_stroke(one: str, other: str, step: str, missing: Collection[str]) -> Stroke:
    return MISSING if one == step and other in missing else PLAIN


def _size(svg: str) -> tuple[float, float]:
    size = _SIZE.search(svg)
    if size is None:
        raise SettingError("this SVG is not a drawing of stepgraph: it has no size")
    width, height = map(float, size.groups())
    return width, height
