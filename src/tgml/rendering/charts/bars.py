"""Groups of bars with whiskers for their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tgml.errors import SettingError
from tgml.rendering.charts.parts import (
    BOTTOM,
    FAINT,
    INK,
    LEFT,
    LEGEND_LINE,
    LEGEND_SAMPLE,
    PLOT_HEIGHT,
    PLOT_WIDTH,
    TOP,
    Axis,
    Look,
    check_finite,
    element,
    figure,
    frame,
    horizontal_grid,
    legend,
    legend_width,
    looks,
    number,
    plain,
    text_width,
    vertical_axis,
    write,
)
from tgml.rendering.text import printable, shorten

GROUP_COLUMNS = 26
_ACROSS, _DOWN = 0.8, 0.6
"""How far a slanted label reaches to the left and down, for each unit of its length."""


@dataclass(frozen=True)
class Bars:
    """One bar in each group of a chart.

    Parameters
    ----------
    name
        What they are called.
    values
        How high each is; None leaves one out.
    half_widths
        How far the interval around each value reaches to both sides.
    muted
        Whether they stand in the background, as a control does.
    """

    name: str
    values: Sequence[float | None]
    half_widths: Sequence[float | None] | None = None
    muted: bool = False


def bar_chart(
    groups: Sequence[str],
    series: Sequence[Bars],
    *,
    title: str,
    y_label: str,
    x_label: str = "",
    y_range: tuple[float, float] | None = None,
) -> str:
    """Draw groups of bars with whiskers for their intervals.

    Parameters
    ----------
    groups
        What the groups are called, from left to right.
    series
        One bar in each group; the point on top of a bar tells its series also in grey.
    title, x_label, y_label
        The words around them.
    y_range
        The ends of the vertical axis; by default round values around 0 and all intervals.

    Returns
    -------
    str
        An SVG image, wider for more bars.

    Raises
    ------
    SettingError
        If there is no group or series, one has another number of values than there are groups,
        or a figure is not finite.

    Examples
    --------
    >>> chart = bar_chart(["coffee"], [Bars("do", [88.0])], title="F1", y_label="%")
    >>> "coffee" in chart
    True
    """
    if not groups or not series:
        raise SettingError("a chart needs at least one group and one series")
    for one in series:
        for values in (one.values, one.half_widths):
            if values is not None and len(values) != len(groups):
                raise SettingError(
                    f"the series {one.name!r} has {len(values)} values for {len(groups)} groups"
                )
            check_finite(one.name, values or ())
    bar = max(5.0, min(26.0, 0.78 * PLOT_WIDTH / (len(groups) * len(series))))
    group_width = max(PLOT_WIDTH / len(groups), bar * len(series) / 0.78)
    labels = _Labels.of(groups, group_width)
    left, base = labels.left, TOP + PLOT_HEIGHT
    right = left + group_width * len(groups)
    reach = [0.0]
    for one in series:
        for value, half in zip(one.values, _halves(one), strict=True):
            if value is not None:
                reach += [value - half, value + half]
    y_axis = vertical_axis(reach, y_range, base)
    styles = looks([one.muted for one in series])
    parts = horizontal_grid(y_axis, left, right)
    zero = y_axis.at(0)
    for place, one in enumerate(series):
        for group, (value, half) in enumerate(zip(one.values, _halves(one), strict=True)):
            if value is not None:
                middle = left + group_width * (group + 0.5) + bar * (place + 0.5 - len(series) / 2)
                words = f"{groups[group]}, {one.name}: {figure(value, value - half, value + half)}"
                parts.append(_bar(styles[place], middle, bar, zero, y_axis, (value, half), words))
    parts.append(element("line", x1=left, y1=zero, x2=right, y2=zero, stroke=FAINT))
    parts += labels.draw(groups, group_width, base)
    samples = [
        element(
            "rect",
            x=LEGEND_SAMPLE / 2 - 8,
            y=-7,
            width=16,
            height=14,
            fill=style.colour,
            fill_opacity=0.35,
        )
        + style.mark(LEGEND_SAMPLE / 2, 0)
        for style in styles
    ]
    names = [one.name for one in series]
    parts += legend(names, samples, [TOP + 8.0] * len(series), right + 14, base)
    return frame(
        right + 14 + legend_width(names) + 12,
        max(base + labels.depth, TOP + LEGEND_LINE * (len(series) - 1)) + BOTTOM,
        (left, right),
        (title, x_label, y_label),
        bars_in_words(groups, series, y_label),
        parts,
    )


def _bar(
    style: Look,
    middle: float,
    width: float,
    zero: float,
    axis: Axis,
    value: tuple[float, float],
    words: str,
) -> str:
    height, half = value
    top = axis.at(height)
    parts = [
        element("title", plain(words)),
        element(
            "rect",
            x=middle - width / 2 + 0.5,
            y=min(top, zero),
            width=width - 1,
            height=abs(zero - top),
            fill=style.colour,
            fill_opacity=0.35,
        ),
    ]
    if half:
        ends = axis.at(height + half), axis.at(height - half)
        parts.append(element("line", x1=middle, y1=ends[0], x2=middle, y2=ends[1], stroke=INK))
    parts.append(style.mark(middle, top, size=min(4, width / 2.5)))
    return element("g", *parts)


@dataclass(frozen=True)
class _Labels:
    """The names below the groups, slanted where they are wider than a group."""

    texts: tuple[str, ...]
    slanted: bool
    left: float
    depth: float

    @classmethod
    def of(cls, groups: Sequence[str], group_width: float) -> _Labels:
        texts = tuple(shorten(printable(name), GROUP_COLUMNS) for name in groups)
        widths = [text_width(text) for text in texts]
        if max(widths) <= group_width:
            return cls(texts, False, LEFT, 0.0)
        # The first names reach beyond the axis; the chart makes room for them.
        over = [_ACROSS * width - group_width * (place + 0.5) for place, width in enumerate(widths)]
        return cls(texts, True, max(LEFT, max(over) + 8), _DOWN * max(widths))

    def draw(self, groups: Sequence[str], group_width: float, base: float) -> list[str]:
        parts = []
        for place, (text, name) in enumerate(zip(self.texts, groups, strict=True)):
            x = self.left + group_width * (place + 0.5)
            if self.slanted:
                where = f"translate({number(x + 4)} {number(base + 16)}) rotate(-37)"
                written = write(text, 0, 0, transform=where, text_anchor="end", fill=INK)
            else:
                written = write(text, x, base + 20, text_anchor="middle", fill=INK)
            full = [element("title", plain(name))] if text != name else []
            parts.append(element("g", *full, written))
        return parts


def _halves(one: Bars) -> list[float]:
    return [half or 0.0 for half in one.half_widths or [None] * len(one.values)]


def bars_in_words(groups: Sequence[str], series: Sequence[Bars], y_label: str) -> str:
    """Return every figure in words, for people who cannot see the chart."""
    lines = [f"{y_label}, with intervals where given."]
    for one in series:
        figures = "; ".join(
            f"{group}: {figure(value, value - half, value + half)}"
            for group, value, half in zip(groups, one.values, _halves(one), strict=True)
            if value is not None
        )
        lines.append(f"{one.name}: {figures}.")
    return " ".join(lines)
