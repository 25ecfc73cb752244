"""A picture as SVG: names measured and wrapped, boxes, arrows and the legend.

All styles are attributes, without ids or scripts, so any number of drawings fit on one page and
every SVG program shows them. Each picture includes a description in words.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from stepgraph.drawing.fonts import FONT_FAMILY, carried_font
from stepgraph.drawing.picture import RULES, Arrow, Box, Picture, Stroke
from stepgraph.drawing.placement import Placement, Point, Route
from stepgraph.drawing.svg import element, number, plain, write
from stepgraph.drawing.themes import Theme
from stepgraph.formats.drawn_rules import DrawnRule
from stepgraph.layout.text import printable, wrap

_FONT_SIZE = 13.0
_MARK_SIZE = 10.5
_LINE = 17.0
_MARK_LINE = 14.0
_LINES = 6
_COLUMNS = 24
_PADDING = (12.0, 8.0)
_END_PADDING = (20.0, 11.0)  # START and END are ovals
_LEAST_BOX_WIDTH = 64.0
_INSET = 3.5
"""The distance between the two outlines of a repeatable step."""

_MARGIN = 18.0
_TITLE_SIZE = 16.0
_TITLE_LINE = 24.0
_LEGEND_SIZE = 12.0
_LEGEND_LINE = 22.0
_SAMPLE = 38.0
_LEAST_WIDTH = 300.0
_CORNER = 6.0
_OPTIONAL_DASH = "5 3"
_WORD_SIZE = 11.5
_WORD_HEIGHT = 20.0
_WORD_PADDING = 7.0
_POINT = 9.0
"""The length of the pointed ends of the word of a choice."""


@dataclass(frozen=True)
class Label:
    """The lines of a box, and the room that they take.

    Parameters
    ----------
    lines
        The name, wrapped; a name of more than six lines ends with an ellipsis.
    mark
        The line below them, such as ``"optional"``; empty for none.
    width, height
        Of the box.
    """

    lines: tuple[str, ...]
    mark: str
    width: float
    height: float


def measure(box: Box) -> Label:
    """Return the label of a box.

    Parameters
    ----------
    box
        The box.
    """
    lines = tuple(line for part in box.name.split("\n") for line in wrap(printable(part), _COLUMNS))
    if len(lines) > _LINES:
        lines = (*lines[: _LINES - 1], lines[_LINES - 1][: _COLUMNS - 1].rstrip() + "…")
    mark = " · ".join(box.marks)
    font = carried_font()
    widest = max(font.width(mark, _MARK_SIZE), *(font.width(line, _FONT_SIZE) for line in lines))
    height = _LINE * len(lines) + (_MARK_LINE if mark else 0.0)
    across, along = _END_PADDING if box.is_end else _PADDING
    if box.repeatable:
        across, along = across + _INSET, along + _INSET
    return Label(lines, mark, max(widest + 2 * across, _LEAST_BOX_WIDTH), height + 2 * along)


def measure_word(rule: DrawnRule) -> Point:
    """Return the width and height of the word of a rule.

    Parameters
    ----------
    rule
        The rule.
    """
    width = carried_font().width(rule.word, _WORD_SIZE) + 2 * _WORD_PADDING
    return (width + 2 * _POINT if rule.kind == "choice" else width), _WORD_HEIGHT


def paint(picture: Picture, labels: Sequence[Label], placement: Placement, theme: Theme) -> str:
    """Return a drawing as SVG text.

    Parameters
    ----------
    picture, labels, placement
        The picture, its labels, and the places of its parts.
    theme
        The colours.
    """
    titles = _title_lines(picture.title, placement.width)
    legend = _legend(picture, theme, max(placement.width, _LEAST_WIDTH))
    inner = max(placement.width, _LEAST_WIDTH, *(width for width, _ in legend), 0.0)
    inner = max(inner, *(carried_font().width(line, _TITLE_SIZE) for line in titles), 0.0)
    top = _MARGIN + _TITLE_LINE * len(titles) + (8.0 if titles else 0.0)
    below = top + placement.height + (14.0 if legend else 0.0)
    width = inner + 2 * _MARGIN
    height = below + _LEGEND_LINE * len(legend) + _MARGIN
    left = _MARGIN + (inner - placement.width) / 2
    parts = [element("title", plain(picture.title or "Task graph"))]
    parts.append(element("desc", plain(describe(picture))))
    if theme.style:
        parts.append(element("style", theme.style))
    parts.append(element("rect", width=width, height=height, fill=theme.paper))
    for place, line in enumerate(titles):
        y = _MARGIN + _TITLE_LINE * place + _TITLE_SIZE
        parts.append(
            write(line, width / 2, y, font_size=_TITLE_SIZE, text_anchor="middle", **_way(line))
        )
    drawn = [
        *(
            _arrow(*pair, picture, theme)
            for pair in zip(picture.arrows, placement.routes, strict=True)
        ),
        *(
            _box(node, box, labels[node], placement.centres[node], theme)
            for node, box in enumerate(picture.boxes)
        ),
        *(
            _rule(rule, middle, ties, theme)
            for rule, middle, ties in zip(
                picture.rules, placement.words, placement.ties, strict=True
            )
        ),
    ]
    shift = f"translate({number(left)} {number(top)})"
    parts.append(element("g", "\n", "\n".join(drawn), "\n", transform=shift))
    for place, (_, row) in enumerate(legend):
        shift = f"translate({number(_MARGIN)} {number(below + _LEGEND_LINE * (place + 0.5))})"
        parts.append(element("g", row, transform=shift, font_size=_LEGEND_SIZE))
    return (
        element(
            "svg",
            "\n",
            "\n".join(parts),
            "\n",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {number(width)} {number(height)}",
            width=width,
            height=height,
            role="img",
            class_="stepgraph-drawing",
            font_family=FONT_FAMILY,
            font_size=_FONT_SIZE,
            fill=theme.ink,
        )
        + "\n"
    )


def describe(picture: Picture) -> str:
    """Return a picture in words: its summary, the preconditions of each step, and the rules.

    Parameters
    ----------
    picture
        The picture.
    """
    names = [printable(box.name) for box in picture.boxes]
    needs: dict[int, list[str]] = {}
    for arrow in picture.arrows:
        kind = "" if arrow.stroke.part == "edge" else f" ({arrow.stroke.part})"
        needs.setdefault(arrow.step, []).append(f"'{names[arrow.precondition]}'{kind}")
    sentences = [picture.summary] if picture.summary else []
    for step, box in enumerate(picture.boxes):
        about = f" ({', '.join(box.marks)})" if box.marks else ""
        if step in needs:
            sentences.append(f"'{names[step]}'{about} needs {', '.join(needs[step])}.")
    sentences += [f"{rule.about[:1].upper()}{rule.about[1:]}." for rule in picture.rules]
    return " ".join(sentences)


def _title_lines(title: str, width: float) -> tuple[str, ...]:
    if not title:
        return ()
    columns = max(int(max(width, _LEAST_WIDTH) / (0.62 * _TITLE_SIZE)), 20)
    return wrap(printable(title), columns, 3)


def _way(line: str) -> dict[str, str]:
    """Return the writing direction of a line, where it is from right to left."""
    for character in line:
        match unicodedata.bidirectional(character):
            case "L":
                return {}
            case "R" | "AL":
                return {"direction": "rtl"}
    return {}


def _line_look(stroke: Stroke, theme: Theme) -> dict[str, str | float]:
    look: dict[str, str | float] = {
        "stroke": getattr(theme, stroke.part),
        "stroke_width": stroke.width,
    }
    if stroke.dash:
        look["stroke_dasharray"] = stroke.dash
        look["stroke_linecap"] = "round" if stroke.dash.startswith("0") else "butt"
    return look


def _box(node: int, box: Box, label: Label, centre: Point, theme: Theme) -> str:
    look: dict[str, str | float] = {
        "fill": theme.end_box if box.is_end or box.done else theme.box,
        "stroke": theme.outline,
        "stroke_width": 1.2,
    }
    if box.optional:
        look["stroke_dasharray"] = _OPTIONAL_DASH
    if box.stroke is not None:
        look |= _line_look(box.stroke, theme)
    about = f" ({', '.join(box.marks)})" if box.marks else ""
    title = f"{box.name}{about}" + (f": {box.about}" if box.about else "")
    parts = [element("title", plain(title))]
    parts.append(_outline(box, label, centre, look))
    if box.repeatable:
        parts.append(_outline(box, label, centre, look, inset=_INSET))
    written = _LINE * len(label.lines) + (_MARK_LINE if label.mark else 0.0)
    # The baseline of a line lies a little above its lower end.
    base = centre[1] - written / 2 + 0.5 * _LINE + 0.36 * _FONT_SIZE
    for place, line in enumerate(label.lines):
        parts.append(write(line, centre[0], base + _LINE * place, **_way(line)))
    if label.mark:
        under = base + _LINE * len(label.lines) - 1.5
        parts.append(write(label.mark, centre[0], under, font_size=_MARK_SIZE, fill=theme.faint))
    kind = "end" if box.is_end else "step"
    return element("g", *parts, class_=kind, data_node=str(node), text_anchor="middle")


def _outline(
    box: Box, label: Label, centre: Point, look: dict[str, str | float], inset: float = 0.0
) -> str:
    across, along = label.width / 2 - inset, label.height / 2 - inset
    if box.is_end:
        return element("ellipse", cx=centre[0], cy=centre[1], rx=across, ry=along, **look)
    size = {"width": 2 * across, "height": 2 * along, "rx": _CORNER - inset / 2}
    return element("rect", x=centre[0] - across, y=centre[1] - along, **size, **look)


def _arrow(arrow: Arrow, route: Route, picture: Picture, theme: Theme) -> str:
    points = [f"{number(x)} {number(y)}" for x, y in route.points]
    path = f"M{points[0]}C{' '.join(points[1:])}"
    names = picture.boxes[arrow.step].name, picture.boxes[arrow.precondition].name
    about = f" ({arrow.about})" if arrow.about else ""
    parts = [
        element("title", plain(f"'{names[0]}' needs '{names[1]}'{about}")),
        element("path", d=path, fill="none", **_line_look(arrow.stroke, theme)),
        _head(route.points[-1], route.tip, arrow.stroke, theme),
    ]
    ends = f"{arrow.step} {arrow.precondition}"
    return element("g", *parts, class_="edge", data_edge=ends, **_opacity(arrow.stroke))


def _rule(rule: DrawnRule, middle: Point, ties: Sequence[Route], theme: Theme) -> str:
    stroke, _ = RULES[rule.kind]
    colour = getattr(theme, stroke.part)
    parts = [element("title", plain(rule.about))]
    for node, tie in zip(rule.nodes, ties, strict=True):
        points = [f"{number(x)} {number(y)}" for x, y in tie.points]
        path = f"M{points[0]}C{' '.join(points[1:])}"
        has_head = rule.step not in (None, node)
        if not has_head:
            path += f"L{number(tie.tip[0])} {number(tie.tip[1])}"
        parts.append(element("path", d=path, fill="none", **_line_look(stroke, theme)))
        if has_head:
            parts.append(_head(tie.points[-1], tie.tip, stroke, theme))
    if rule.kind == "choice":
        across, along = (side / 2 for side in measure_word(rule))
        corners = [(-across, 0), (_POINT - across, -along), (across - _POINT, -along)]
        corners += [(-x, -y) for x, y in corners]
        outline = " ".join(f"{number(middle[0] + x)},{number(middle[1] + y)}" for x, y in corners)
        look = {"fill": theme.paper, "stroke": colour, "stroke_width": stroke.width}
        parts.append(element("polygon", points=outline, **look))
    base = middle[1] + 0.36 * _WORD_SIZE
    parts.append(
        write(rule.word, middle[0], base, font_size=_WORD_SIZE, fill=colour, text_anchor="middle")
    )
    tied = " ".join(map(str, rule.nodes))
    return element("g", *parts, class_=f"rule {rule.kind.replace('_', '-')}", data_rule=tied)


def _opacity(stroke: Stroke) -> dict[str, float]:
    # Set it on the line and on the head, not on a group: renderers paint each group on a layer of
    # its own, which takes three times as long for a large picture.
    if stroke.opacity == 1:
        return {}
    return {"stroke_opacity": stroke.opacity, "fill_opacity": stroke.opacity}


def _head(base: Point, tip: Point, stroke: Stroke, theme: Theme) -> str:
    length = math.dist(base, tip)
    if length == 0:
        return ""
    half = 2.6 + 0.5 * stroke.width
    across = (-(tip[1] - base[1]) / length * half, (tip[0] - base[0]) / length * half)
    corners = (
        tip,
        (base[0] + across[0], base[1] + across[1]),
        (base[0] - across[0], base[1] - across[1]),
    )
    points = " ".join(f"{number(x)},{number(y)}" for x, y in corners)
    return element("polygon", points=points, fill=getattr(theme, stroke.part))


def _legend(picture: Picture, theme: Theme, width: float) -> list[tuple[float, str]]:
    """Return the legend's rows, each with its width."""
    items: list[tuple[str, str]] = [
        (_line_sample(stroke, theme), text) for stroke, text in picture.legend
    ]
    if any(box.optional for box in picture.boxes):
        items.append((_box_sample(theme, optional=True), "can be left out"))
    if any(box.repeatable for box in picture.boxes):
        items.append((_box_sample(theme, repeatable=True), "can be done again"))
    rows: list[tuple[float, list[str]]] = []
    for sample, text in items:
        room = _SAMPLE + carried_font().width(text, _LEGEND_SIZE)
        begin = rows[-1][0] + 20.0 if rows else 0.0
        if not rows or begin + room > width:
            rows.append((0.0, []))
            begin = 0.0
        written = write(text, _SAMPLE, 0.36 * _LEGEND_SIZE, fill=theme.ink)
        shift = f"translate({number(begin)} 0)"
        rows[-1][1].append(element("g", sample, written, transform=shift))
        rows[-1] = (begin + room, rows[-1][1])
    written_rows = [(room, "".join(parts)) for room, parts in rows]
    if picture.note:
        room = carried_font().width(picture.note, _LEGEND_SIZE)
        written_rows.append((room, write(picture.note, 0, 0.36 * _LEGEND_SIZE, fill=theme.ink)))
    return written_rows


def _line_sample(stroke: Stroke, theme: Theme) -> str:
    look = {**_line_look(stroke, theme), **_opacity(stroke)}
    return element("line", x1=0, y1=0, x2=_SAMPLE - 8, y2=0, **look)


def _box_sample(theme: Theme, *, optional: bool = False, repeatable: bool = False) -> str:
    look: dict[str, str | float] = {
        "fill": theme.box,
        "stroke": theme.outline,
        "stroke_width": 1.2,
    }
    if optional:
        look["stroke_dasharray"] = _OPTIONAL_DASH
    inner = element("rect", x=5.5, y=-4.5, width=19, height=9, rx=2, **look) if repeatable else ""
    return element("rect", x=2, y=-8, width=26, height=16, rx=4, **look) + inner
