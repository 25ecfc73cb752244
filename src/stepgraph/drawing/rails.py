"""The rails at the left of a drawing, as text.

A rail starts at its step's row, keeps its column and ends at the row of the last step that
needs it. At a step's row one horizontal line gathers the rails of its preconditions; a rail
which that line merely crosses stays a plain vertical line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stepgraph.layout.order import Needs, last_rows
from stepgraph.layout.tracks import Tracks, choose_columns


class Glyphs(NamedTuple):
    """The characters of a drawing, each one column wide.

    ``goes_on`` and ``ends`` are joins: the characters for a rail at the left end, in the
    middle and at the right end of a horizontal line.
    """

    step: str
    terminus: str
    rail: str
    line: str
    goes_on: str
    ends: str


UNICODE = Glyphs("●", "○", "│", "─", "├┼┤", "╰┴╯")
ASCII = Glyphs("*", "o", "|", "-", "+++", "'''")


@dataclass(frozen=True)
class Rails:
    """The rails of a drawing.

    Parameters
    ----------
    rows
        The rails at each row.
    below
        The rails that pass the further lines of each row, where its name needs some.
    width
        How many columns of a terminal the widest of them can take.
    """

    rows: tuple[str, ...]
    below: tuple[str, ...]
    width: int


def draw_rails(
    order: Sequence[int], needs: Needs, tracks: Tracks, glyphs: Glyphs = UNICODE
) -> Rails:
    r"""Draw the rails for nodes in an order.

    Parameters
    ----------
    order
        All nodes, each behind those that it needs.
    needs
        For each node the nodes that it needs.
    tracks
        The tracks of these nodes in this order.
    glyphs
        The characters to draw with.

    Examples
    --------
    >>> from stepgraph.layout.tracks import lay_tracks
    >>> order, needs = [0, 2, 1, 3, 4], [[], [0], [0], [1], [2, 3]]
    >>> print("\n".join(draw_rails(order, needs, lay_tracks(order, needs)).rows))
    ○
    ├─●
    ● │
    ● │
    ○─╯
    """
    column_of_track = choose_columns(tracks)
    last = last_rows(order, needs)
    held: set[int] = set()  # the columns with a rail
    rows: list[str] = []
    below: list[str] = []
    for row, node in enumerate(order):
        own = column_of_track[tracks.of[node]]
        joined = {column_of_track[tracks.of[needed]]: last[needed] == row for needed in needs[node]}
        glyph = glyphs.step if 0 < row < len(order) - 1 else glyphs.terminus
        rows.append(_row(tracks.width, held, joined, own, glyphs, glyph))
        held.difference_update(column for column, ends in joined.items() if ends)
        if last[node] >= 0:
            held.add(own)
        below.append(
            " ".join(glyphs.rail if column in held else " " for column in range(tracks.width))
        )
    return Rails(tuple(rows), tuple(below), 2 * tracks.width - 1)


def _row(
    width: int, held: set[int], joined: dict[int, bool], own: int, glyphs: Glyphs, node: str
) -> str:
    left, right = min((*joined, own)), max((*joined, own))
    cells = []
    for column in range(width):
        if column == own:
            cell = node
        elif column in joined:
            joins = glyphs.ends if joined[column] else glyphs.goes_on
            cell = joins[(column > left) + (column == right)]
        elif column in held:
            cell = glyphs.rail
        else:
            cell = glyphs.line if left < column < right else " "
        cells.append(cell + (glyphs.line if left <= column < right else " "))
    return "".join(cells).rstrip()
