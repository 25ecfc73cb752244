"""How large each box must be for what is written in it."""

from __future__ import annotations

from dataclasses import dataclass

from stepgraph.drawing.drawing.fonts import carried_font
from stepgraph.drawing.drawing.picture import Box
from stepgraph.layout.text import printable, wrap

FONT_SIZE = 13.0
MARK_SIZE = 10.5
LINE = 17.0
MARK_LINE = 14.0
LINES = 6
_COLUMNS = 24
_PADDING = (12.0, 8.0)
_END_PADDING = (20.0, 11.0)  # START and END are ovals
_LEAST_WIDTH = 64.0
INSET = 3.5
"""How far the second outline of a repeatable step lies inside the first."""


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
        What to write.
    """
    lines = tuple(line for part in box.name.split("\n") for line in wrap(printable(part), _COLUMNS))
    if len(lines) > LINES:
        lines = (*lines[: LINES - 1], lines[LINES - 1][: _COLUMNS - 1].rstrip() + "…")
    mark = " · ".join(box.marks)
    font = carried_font()
    widest = max(font.width(mark, MARK_SIZE), *(font.width(line, FONT_SIZE) for line in lines))
    height = LINE * len(lines) + (MARK_LINE if mark else 0.0)
    across, along = _END_PADDING if box.is_end else _PADDING
    if box.repeatable:
        across, along = across + INSET, along + INSET
    return Label(lines, mark, max(widest + 2 * across, _LEAST_WIDTH), height + 2 * along)
