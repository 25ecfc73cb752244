"""Line charts with bands for intervals, as SVG text.

They need no library and no script, work in grey, and describe every figure for people who cannot
see them. The same figures give the same bytes, and any number of charts fit on one page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stepgraph.drawing.chart_parts import (
    BOTTOM,
    FAINT,
    LEFT,
    LEGEND_LINE,
    LEGEND_SAMPLE,
    PLOT_HEIGHT,
    PLOT_WIDTH,
    TOP,
    Axis,
    SeriesStyle,
    check_finite,
    figure,
    frame,
    horizontal_grid,
    legend,
    legend_width,
    round_ticks,
    series_styles,
    vertical_axis,
)
from stepgraph.drawing.svg import element, label, number, text_width, write
from stepgraph.errors import SettingError


@dataclass(frozen=True)
class Point:
    """A point of a line.

    Parameters
    ----------
    x, y
        Its coordinates.
    low, high
        The interval around y, where there is one.
    """

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Series:
    """A line of a chart.

    Parameters
    ----------
    name
        Its name.
    points
        Its points, from left to right.
    muted
        Whether it is in the background, like a control: grey, without its intervals.
    """

    name: str
    points: Sequence[Point]
    muted: bool = False


def line_chart(
    series: Sequence[Series],
    *,
    title: str,
    x_label: str,
    y_label: str,
    y_range: tuple[float, float] | None = None,
    x_logarithmic: bool = False,
) -> str:
    """Draw lines with bands for their intervals.

    Parameters
    ----------
    series
        The lines. Their names stand on the right, in the order in which the lines end.
    title, x_label, y_label
        The words around them.
    y_range
        The ends of the vertical axis; by default round values around all intervals.
    x_logarithmic
        Whether the horizontal axis is logarithmic; then it is marked at the points.

    Returns
    -------
    str
        An SVG image.

    Raises
    ------
    SettingError
        If there is no series, one has no point, a figure is not finite, or a logarithmic axis
        is to show a value that is not above 0.

    Examples
    --------
    >>> chart = line_chart(
    ...     [Series("do", [Point(1, 40, 30, 50), Point(2, 60, 52, 68)])],
    ...     title="F1", x_label="recordings", y_label="%",
    ... )
    >>> chart.startswith("<svg")
    True
    """
    if not series:
        raise SettingError("a chart needs at least one series")
    for one in series:
        if not one.points:
            raise SettingError(f"the series {one.name!r} has no points")
        for point in one.points:
            check_finite(one.name, (point.x, point.y, point.low, point.high))
    xs = sorted({point.x for one in series for point in one.points})
    if x_logarithmic and xs[0] <= 0:
        raise SettingError(f"a logarithmic axis cannot show {xs[0]:g}; expected values above 0")
    right, base = LEFT + PLOT_WIDTH, TOP + PLOT_HEIGHT
    ticks = tuple(xs) if x_logarithmic or len(xs) <= 8 else round_ticks(xs[0], xs[-1])
    x_axis = Axis(
        min(xs[0], ticks[0]), max(xs[-1], ticks[-1]), LEFT + 16, right - 8, ticks, x_logarithmic
    )
    ends = [
        value
        for one in series
        for point in one.points
        for value in (point.y, point.low, point.high)
        if value is not None
    ]
    y_axis = vertical_axis(ends, y_range, base, TOP)
    styles = series_styles([one.muted for one in series])
    parts = horizontal_grid(y_axis, LEFT, right)
    parts.append(element("line", x1=LEFT, y1=base, x2=right, y2=base, stroke=FAINT))
    for tick in _apart(ticks, x_axis):
        x = x_axis.at(tick)
        parts.append(element("line", x1=x, y1=base, x2=x, y2=base + 5, stroke=FAINT))
        parts.append(write(label(tick), x, base + 20, text_anchor="middle", fill=FAINT))
    parts += [
        _band(one, style, x_axis, y_axis)
        for one, style in zip(series, styles, strict=True)
        if not one.muted and any(point.low is not None for point in one.points)
    ]
    # Controls lie below the methods. The first line is the widest, with the largest points, so
    # that lines that coincide stay visible.
    order = sorted(range(len(series)), key=lambda place: not series[place].muted)
    for place in order:
        parts.append(_line(series[place], styles[place], x_axis, y_axis, place))
    samples = [
        style.line([(0, 0), (LEGEND_SAMPLE, 0)], _width_of(place))
        + style.mark(LEGEND_SAMPLE / 2, 0, size=_size_of(place))
        for place, style in enumerate(styles)
    ]
    names = [one.name for one in series]
    heights = [y_axis.at(one.points[-1].y) for one in series]
    parts += legend(names, samples, heights, right + 14, base)
    width = right + 14 + legend_width(names) + 12
    height = max(base, TOP + LEGEND_LINE * (len(series) - 1)) + BOTTOM
    return frame(
        width,
        height,
        (LEFT, right),
        (title, x_label, y_label),
        _lines_in_words(series, x_label, y_label),
        parts,
    )


def _apart(ticks: Sequence[float], axis: Axis) -> list[float]:
    """Leave out ticks whose labels would touch the one before."""
    kept: list[float] = []
    for tick in ticks:
        room = (text_width(label(tick)) + text_width(label(kept[-1]))) / 2 + 4 if kept else 0
        if not kept or axis.at(tick) - axis.at(kept[-1]) >= room:
            kept.append(tick)
    return kept


def _width_of(place: int) -> float:
    return max(3.2 - 0.4 * place, 1.6)


def _size_of(place: int) -> float:
    return max(5.8 - 0.6 * place, 3.6)


def _band(one: Series, style: SeriesStyle, x_axis: Axis, y_axis: Axis) -> str:
    upper = [(point.x, point.y if point.high is None else point.high) for point in one.points]
    lower = [(point.x, point.y if point.low is None else point.low) for point in one.points]
    corners = [f"{number(x_axis.at(x))},{number(y_axis.at(y))}" for x, y in upper + lower[::-1]]
    return element("polygon", points=" ".join(corners), fill=style.colour, fill_opacity=0.12)


def _line(one: Series, style: SeriesStyle, x_axis: Axis, y_axis: Axis, place: int) -> str:
    places = [(x_axis.at(point.x), y_axis.at(point.y)) for point in one.points]
    marks = [
        style.mark(
            x,
            y,
            f"{one.name}, {label(point.x)}: {figure(point.y, point.low, point.high)}",
            _size_of(place),
        )
        for (x, y), point in zip(places, one.points, strict=True)
    ]
    return element("g", style.line(places, _width_of(place)), *marks)


def _lines_in_words(series: Sequence[Series], x_label: str, y_label: str) -> str:
    lines = [f"{y_label} by {x_label}, with intervals where given."]
    for one in series:
        figures = "; ".join(
            f"{label(point.x)}: {figure(point.y, point.low, point.high)}" for point in one.points
        )
        lines.append(f"{one.name}: {figures}.")
    return " ".join(lines)
