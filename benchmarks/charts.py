"""Dot charts of benchmarks: one line for each group with its name at the left, a dot a series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stepgraph.drawing.chart_parts import (
    BOTTOM,
    FAINT,
    INK,
    LEGEND_LINE,
    LEGEND_SAMPLE,
    PLOT_WIDTH,
    TOP,
    Axis,
    check_finite,
    frame,
    legend,
    legend_width,
    round_ticks,
    series_styles,
)
from stepgraph.drawing.svg import element, label, plain, text_width, write
from stepgraph.errors import SettingError
from stepgraph.layout.text import printable, shorten

LINE = 22.0
"""How far apart the groups are."""
GROUP_COLUMNS = 32


@dataclass(frozen=True)
class Dots:
    """One dot in each group of a chart.

    Parameters
    ----------
    name
        What they are called.
    values
        Where each is; None leaves one out.
    muted
        Whether they stand in the background, as a control does.
    """

    name: str
    values: Sequence[float | None]
    muted: bool = False


def dot_chart(
    groups: Sequence[str],
    series: Sequence[Dots],
    *,
    title: str,
    x_label: str,
    x_range: tuple[float, float],
) -> str:
    """Draw a dot for each group and series; many groups stay readable.

    Parameters
    ----------
    groups
        What the groups are called, from the top down.
    series
        One dot in each group.
    title, x_label
        The words around them.
    x_range
        The ends of the horizontal axis.

    Returns
    -------
    str
        An SVG image, taller for more groups.

    Raises
    ------
    SettingError
        If there is no group or series, one has another number of values than there are groups,
        or a figure is not finite.

    Examples
    --------
    >>> chart = dot_chart(
    ...     ["coffee"], [Dots("do", [88.0])], title="F1", x_label="%", x_range=(0, 100)
    ... )
    >>> "coffee" in chart
    True
    """
    if not groups or not series:
        raise SettingError("a chart needs at least one group and one series")
    for one in series:
        if len(one.values) != len(groups):
            raise SettingError(
                f"the series {one.name!r} has {len(one.values)} values for {len(groups)} groups"
            )
        check_finite(one.name, one.values)
    names = [shorten(printable(group), GROUP_COLUMNS) for group in groups]
    left = 24 + max(map(text_width, names))
    right = left + PLOT_WIDTH
    bottom = TOP + LINE * len(groups)
    axis = Axis(*x_range, left, right, round_ticks(*x_range))
    styles = series_styles([one.muted for one in series])
    parts = []
    for tick in axis.ticks:
        x = axis.at(tick)
        parts.append(element("line", x1=x, y1=TOP, x2=x, y2=bottom, stroke="#e4e4e4"))
        parts.append(write(label(tick), x, bottom + 18, text_anchor="middle", fill=FAINT))
    for row, name in enumerate(names):
        y = TOP + LINE * (row + 0.5)
        parts.append(write(name, left - 10, y + 4, text_anchor="end", fill=INK))
        parts.append(element("line", x1=left, y1=y, x2=right, y2=y, stroke="#cccccc"))
        for one, style in zip(series, styles, strict=True):
            value = one.values[row]
            if value is not None:
                words = element("title", plain(f"{groups[row]}, {one.name}: {label(value)}"))
                parts.append(element("g", words, style.mark(axis.at(value), y, size=4.5)))
    samples = [style.mark(LEGEND_SAMPLE / 2, 0) for style in styles]
    called = [one.name for one in series]
    low = max(bottom, TOP + LEGEND_LINE * len(series))
    parts += legend(called, samples, [TOP + 8.0] * len(series), right + 14, low)
    return frame(
        right + 14 + legend_width(called) + 12,
        low + BOTTOM,
        (left, right),
        (title, x_label, ""),
        _in_words(groups, series, x_label),
        parts,
    )


def _in_words(groups: Sequence[str], series: Sequence[Dots], x_label: str) -> str:
    """Return every figure in words, for people who cannot see the chart."""
    lines = [f"{x_label}."]
    for one in series:
        pairs = zip(groups, one.values, strict=True)
        figures = "; ".join(
            f"{group}: {label(value)}" for group, value in pairs if value is not None
        )
        lines.append(f"{one.name}: {figures}.")
    return " ".join(lines)
