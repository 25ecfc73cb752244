"""The parts of charts: axes with round ticks, styles of series, the legend and the frame.

The colours are those of Okabe and Ito, which colour-blind people can tell apart. Dashes and
markers repeat the distinction, for pages printed in grey. Nothing has an id, because the ids of
several charts on one page would clash.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stepgraph.drawing.svg import FONT_SIZE, element, label, number, plain, text_width, write
from stepgraph.errors import SettingError
from stepgraph.layout.text import shorten

FAINT, GRID = "#555555", "#e4e4e4"
NEGLIGIBLE = 1e-4
"""Values that differ by less than this share of the largest are drawn as one."""


@dataclass(frozen=True)
class Axis:
    """The scale along one side of a chart.

    Parameters
    ----------
    low, high
        The values at its ends.
    start, stop
        The coordinates of its ends.
    ticks
        The values to mark.
    logarithmic
        Whether equal ratios, not differences, are equally long.
    """

    low: float
    high: float
    start: float
    stop: float
    ticks: tuple[float, ...]
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Return the coordinate of a value; values outside get the nearest end."""
        value = min(max(value, self.low), self.high)
        if self.high == self.low:
            return (self.start + self.stop) / 2
        if self.logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)


def round_ticks(low: float, high: float, about: int = 6) -> tuple[float, ...]:
    """Return round values that span a range.

    Examples
    --------
    >>> round_ticks(3, 97)
    (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)
    """
    size = max(abs(low), abs(high), 1.0)
    if high - low <= NEGLIGIBLE * size:  # practically one value, which needs some room around it
        low, high = low - 0.5 * size, high + 0.5 * size
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * min((factor for factor in (1, 2, 5, 10) if factor * power >= rough), default=10)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    # Multiplied and rounded, not added up, so that 0.3 is 0.3.
    return tuple(float(f"{place * step:.12g}") for place in range(first, last + 1))


def vertical_axis(
    ends: Sequence[float], given: tuple[float, float] | None, base: float, top: float
) -> Axis:
    """Return the vertical axis: between the ends given, or between round values around all."""
    low, high = given or (min(ends), max(ends))
    ticks = round_ticks(low, high)
    if given is not None:
        ticks = tuple(tick for tick in ticks if low <= tick <= high)
    else:
        low, high = ticks[0], ticks[-1]
    return Axis(low, high, base, top, ticks)


def horizontal_grid(axis: Axis, left: float, right: float) -> list[str]:
    """Return the lines and figures of the vertical axis."""
    parts = []
    for tick, text in zip(axis.ticks, tick_labels(axis.ticks), strict=True):
        y = axis.at(tick)
        parts.append(element("line", x1=left, y1=y, x2=right, y2=y, stroke=GRID, stroke_width=1))
        parts.append(write(text, left - 8, y + 4.5, text_anchor="end", fill=FAINT))
    return parts


def tick_labels(ticks: Sequence[float]) -> list[str]:
    """Return the labels of ticks, with just enough digits to tell them apart.

    Examples
    --------
    >>> tick_labels([0.0, 2.5]), tick_labels([31.652, 31.654])
    (['0', '2.5'], ['31.652', '31.654'])
    """
    short = [label(tick) for tick in ticks]
    return short if len(set(short)) == len(short) else [f"{tick:.7g}" for tick in ticks]


MUTED = "#8a8a8a"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a67c00", "#56b4e9", "#5b3a8c", "#222222")
DASHES = ("", "8 4", "2 3", "10 3 2 3", "5 2", "14 4", "1 4", "6 2 2 2 2 2")
MUTED_DASHES = ("2 2", "6 2", "1 3")
MARKERS = ("circle", "square", "triangle", "diamond", "wedge", "plus", "cross", "bar")


@dataclass(frozen=True)
class SeriesStyle:
    """The look of a series: its colour, dashes and markers.

    Parameters
    ----------
    colour, dash, marker
        Its colour, the dashes of its line, and the shape of its points.
    hollow
        Whether its points are drawn as outlines.
    """

    colour: str
    dash: str
    marker: str
    hollow: bool

    def line(self, points: Iterable[tuple[float, float]], width: float = 2) -> str:
        """Return a line through points."""
        dash = {"stroke_dasharray": self.dash} if self.dash else {}
        return element(
            "polyline",
            points=" ".join(f"{number(x)},{number(y)}" for x, y in points),
            fill="none",
            stroke=self.colour,
            stroke_width=width,
            stroke_linejoin="round",
            **dash,
        )

    def mark(self, x: float, y: float, title: str = "", size: float = 4) -> str:
        """Return a point; a browser shows the title beside the mouse."""
        paint: dict[str, str | float] = {
            "fill": "white" if self.hollow else self.colour,
            "stroke": self.colour if self.hollow else "white",
            "stroke_width": 1.5 if self.hollow else 0.8,
        }
        inside = [element("title", plain(title))] if title else []
        if self.marker == "circle":
            return element("circle", *inside, cx=x, cy=y, r=size, **paint)
        if self.marker in _STROKES:
            paint = {"fill": "none", "stroke": self.colour, "stroke_width": 2}
            strokes = _STROKES[self.marker]
            path = "".join(
                f"M{number(x + size * a)} {number(y + size * b)}"
                f"L{number(x + size * c)} {number(y + size * d)}"
                for a, b, c, d in strokes
            )
            return element("path", *inside, d=path, **paint)
        corners = " ".join(
            f"{number(x + size * right)},{number(y + size * down)}"
            for right, down in _CORNERS[self.marker]
        )
        return element("polygon", *inside, points=corners, **paint)


_CORNERS = {
    "square": ((-0.95, -0.95), (0.95, -0.95), (0.95, 0.95), (-0.95, 0.95)),
    "triangle": ((0, -1.25), (1.15, 0.85), (-1.15, 0.85)),
    "diamond": ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
    "wedge": ((0, 1.25), (1.15, -0.85), (-1.15, -0.85)),
}
_STROKES = {
    "plus": ((-1.2, 0, 1.2, 0), (0, -1.2, 0, 1.2)),
    "cross": ((-1, -1, 1, 1), (-1, 1, 1, -1)),
    "bar": ((-1.3, 0, 1.3, 0),),
}


def series_styles(muted: Sequence[bool]) -> list[SeriesStyle]:
    """Return a style for each series, those in the background in grey."""
    found = []
    counts = [0, 0]
    for grey in muted:
        place = counts[grey]
        counts[grey] += 1
        if grey:
            dash = MUTED_DASHES[place % len(MUTED_DASHES)]
            found.append(SeriesStyle(MUTED, dash, MARKERS[place % len(MARKERS)], hollow=True))
        else:
            # After the last colour, dashes shift by one and points become outlines.
            turn, own = divmod(place, len(COLOURS))
            dash = DASHES[(own + turn) % len(DASHES)]
            found.append(SeriesStyle(COLOURS[own], dash, MARKERS[own], hollow=turn > 0))
    return found


INK = "#222222"
LEGEND_LINE = 20
LEGEND_SAMPLE = 34
LEGEND_COLUMNS = 34
TOP = 52
LEFT = 66
PLOT_WIDTH = 560
PLOT_HEIGHT = 330
BOTTOM = 58


def figure(value: float, low: float | None, high: float | None) -> str:
    """Return a figure as text, with its interval where it has one."""
    if low is None or high is None or low == high:
        return label(value)
    return f"{label(value)} ({label(low)} to {label(high)})"


def legend_width(names: Iterable[str]) -> float:
    """Return the width of the names of series beside a chart."""
    widest = max(text_width(shorten(name, LEGEND_COLUMNS)) for name in names)
    return LEGEND_SAMPLE + 8 + widest


def legend(
    names: Sequence[str], samples: Sequence[str], heights: Sequence[float], x: float, bottom: float
) -> list[str]:
    """Return names beside a chart, each with its sample near its height, without overlaps.

    Parameters
    ----------
    names
        The names of the series.
    samples
        For each an element drawn around the origin, `LEGEND_SAMPLE` wide.
    heights
        The preferred coordinates.
    x
        The left end.
    bottom
        The lowest coordinate to use, where there is room.
    """
    parts = []
    order = sorted(range(len(names)), key=lambda place: heights[place])
    latest = max(bottom, TOP + LEGEND_LINE * (len(names) - 1))
    free = float(TOP)
    for rank, place in enumerate(order):
        below = len(order) - 1 - rank
        y = max(free, min(heights[place], latest - LEGEND_LINE * below))
        free = y + LEGEND_LINE
        name = write(shorten(names[place], LEGEND_COLUMNS), LEGEND_SAMPLE + 8, 4.5, fill=INK)
        if shorten(names[place], LEGEND_COLUMNS) != names[place]:
            name += element("title", plain(names[place]))
        parts.append(
            element("g", samples[place], name, transform=f"translate({number(x)} {number(y)})")
        )
    return parts


def frame(
    width: float,
    height: float,
    plot: tuple[float, float],
    words: tuple[str, str, str],
    description: str,
    parts: Iterable[str],
) -> str:
    """Return a whole chart from its parts.

    Parameters
    ----------
    width, height
        The size of the chart.
    plot
        The left and right end of the horizontal axis.
    words
        The title and the labels of the horizontal and the vertical axis.
    description
        A description for people who cannot see the chart.
    parts
        The drawn elements.
    """
    title, x_label, y_label = words
    left, right = plot
    middle = TOP + PLOT_HEIGHT / 2
    lines = [
        element("title", plain(title)),
        element("desc", plain(description)),
        element("rect", width=width, height=height, fill="white"),
        write(title, 16, 28, font_size=16, font_weight="600", fill=INK),
        *parts,
        write(x_label, (left + right) / 2, height - 14, text_anchor="middle", fill=INK),
    ]
    if y_label:
        turned = f"translate({number(left - 48)} {number(middle)}) rotate(-90)"
        lines.append(write(y_label, 0, 0, transform=turned, text_anchor="middle", fill=INK))
    chart = element(
        "svg",
        "\n" + "\n".join(lines) + "\n",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        role="img",
        font_family="system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif",
        font_size=FONT_SIZE,
    )
    return chart + "\n"


def check_finite(name: str, values: Iterable[float | None]) -> None:
    """Check that a chart can show the figures of a series."""
    for value in values:
        if value is not None and not math.isfinite(value):
            raise SettingError(f"the series {name!r} holds {value}; expected finite numbers")
