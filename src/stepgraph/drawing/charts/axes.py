"""The axes of charts: where values go, and round ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stepgraph.drawing.svg import element, label, write

FAINT, GRID = "#555555", "#e4e4e4"
NEGLIGIBLE = 1e-4
"""Values that differ by less than this share of the largest are drawn as one."""


@dataclass(frozen=True)
class Axis:
    """Where values lie along one side of a chart.

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
        """Return the coordinate of a value; values outside are put to the nearest end."""
        value = min(max(value, self.low), self.high)
        if self.high == self.low:
            return (self.start + self.stop) / 2
        if self.logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)


def round_ticks(low: float, high: float, about: int = 6) -> tuple[float, ...]:
    """Return round values from at most the lowest to at least the highest one.

    Examples
    --------
    >>> round_ticks(3, 97)
    (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)
    """
    size = max(abs(low), abs(high), 1.0)
    if high - low <= NEGLIGIBLE * size:  # as good as one value, which needs some room around it
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
    """Return the figures of ticks: short ones, or with as many digits as tell them apart.

    Examples
    --------
    >>> tick_labels([0.0, 2.5]), tick_labels([31.652, 31.654])
    (['0', '2.5'], ['31.652', '31.654'])
    """
    short = [label(tick) for tick in ticks]
    return short if len(set(short)) == len(short) else [f"{tick:.7g}" for tick in ticks]
