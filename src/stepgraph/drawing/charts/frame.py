"""What is around every chart: its size, its words and its legend.

Nothing needs an id, as ids of charts on one page would clash.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from stepgraph.drawing.svg import FONT_SIZE, element, label, number, plain, text_width, write
from stepgraph.errors import SettingError
from stepgraph.layout.text import shorten

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
    """Return a figure in words, with its interval where it has one."""
    if low is None or high is None or low == high:
        return label(value)
    return f"{label(value)} ({label(low)} to {label(high)})"


def legend_width(names: Iterable[str]) -> float:
    """Return how much room the names of series need beside a chart."""
    widest = max(text_width(shorten(name, LEGEND_COLUMNS)) for name in names)
    return LEGEND_SAMPLE + 8 + widest


def legend(
    names: Sequence[str], samples: Sequence[str], heights: Sequence[float], x: float, bottom: float
) -> list[str]:
    """Return names beside a chart, each with its sample, near a height and never overlapping.

    Parameters
    ----------
    names
        What the series are called.
    samples
        For each an element drawn around the origin, `LEGEND_SAMPLE` wide.
    heights
        The coordinates near which they would like to be.
    x
        Where they begin.
    bottom
        The lowest coordinate that they may take, where there is room.
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
    """Return a whole chart: its size, its words, and what was drawn.

    Parameters
    ----------
    width, height
        Of the chart.
    plot
        The left and right end of the horizontal axis.
    words
        The title and the labels of the horizontal and the vertical axis.
    description
        What the chart shows, for people who cannot see it.
    parts
        What was drawn.
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
