"""A task graph drawn as text for a terminal, like ``git log --graph``.

A rail starts at its step's row, keeps its column and ends at the row of the last step that
needs it. At a step's row one horizontal line gathers the rails of its preconditions; a rail
which that line merely crosses stays a plain vertical line. Rules are words at the rows of their
steps.

This module imports only the standard library, so that a drawing appears at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stepgraph.errors import SettingError
from stepgraph.formats.dot import with_attributes
from stepgraph.graph import TaskGraph
from stepgraph.graph.rules import split_undoings
from stepgraph.layout.rails import Needs, Tracks, choose_columns, last_rows, lay_tracks, row_order
from stepgraph.layout.text import columns, pad, printable, shorten, wrap

MINIMUM_WIDTH = 40
_NAME_LINES = 3
# Names need at least this many columns; with less room, the rails are left out.
_NAME_WIDTH = 12
_MARK_WIDTH = 8
# The columns that a rule gives the name of another step.
_RULE_NAME_WIDTH = 24
_GAP = "  "


@dataclass(frozen=True)
class _Row:
    """The texts of one row, ready to be shown."""

    number: str
    mark: str
    name: str
    needs: tuple[str, ...]
    rules: str


def draw(
    graph: TaskGraph,
    *,
    width: int = 100,
    unicode: bool = True,
    marks: Mapping[str, str] | None = None,
) -> list[str]:
    r"""Draw a graph for a terminal, one step a row, each below all of its preconditions.

    Every step opens a rail that runs down to the last step that needs it; at a step's row
    the rails of its direct preconditions join it. The numbers of the preconditions stand at the
    right, and behind them what a step undoes, what goes with it, and what may be done instead of
    it; these stand below the names where they do not fit. If rails leave too little room for the
    names, they are left out, and the last line says so.

    Parameters
    ----------
    graph
        The graph to draw.
    width
        Maximum number of columns, at least 40.
    unicode
        Whether the terminal can show more than ASCII.
    marks
        A short text for some steps, START or END, shown in front of the name.

    Returns
    -------
    list
        The lines, without colours and line ends, none wider than `width`.

    Raises
    ------
    SettingError
        If the width is below 40.
    UnknownNameError
        If a mark is given for a step that the graph does not have.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["crack egg", "add milk"], "fry": ["mix"]})
    >>> print("\n".join(draw(graph)))
    ○       START
    ├─●  1  crack egg
    ● │  2  add milk
    ●─╯  3  mix        ← 1, 2
    ●    4  fry        ← 3
    ○       END        ← 4

    >>> from stepgraph.graph import Choice
    >>> either = TaskGraph.from_preconditions({"accept": ["test"], "reject": ["test"]})
    >>> print("\n".join(draw(either.replace(choices=[Choice([["accept"], ["reject"]])]))))
    ○       START
    ●    1  test
    ├─●  2  accept  ← 1     or 3 reject
    ● │  3  reject  ← 1     or 2 accept
    ○─╯     END     ← 2, 3
    """
    if width < MINIMUM_WIDTH:
        raise SettingError(f"the width is {width} columns; a drawing takes {MINIMUM_WIDTH} or more")
    node_of = graph.vocabulary.node
    needs: list[list[int]] = [[] for _ in graph.vocabulary.nodes]
    for step, precondition in graph.edges:
        needs[node_of(step)].append(node_of(precondition))
    order = row_order(needs)
    rows = _rows(graph, order, needs, marks or {}, unicode=unicode)
    tracks = lay_tracks(order, needs)
    rails_width = 2 * tracks.width - 1
    layout = _Layout(rows, width - rails_width - len(_GAP), unicode=unicode)
    if 2 * rails_width <= width and layout.is_readable:
        return layout.lines(draw_rails(order, needs, tracks, UNICODE if unicode else ASCII))
    layout = _Layout(rows, width, unicode=unicode)
    return [*layout.lines(None), f"(without rails: {tracks.width} would not fit)"]


def _rows(
    graph: TaskGraph,
    order: Sequence[int],
    needs: Sequence[Sequence[int]],
    marks: Mapping[str, str],
    *,
    unicode: bool,
) -> list[_Row]:
    names = graph.vocabulary.nodes
    mark_of = {graph.vocabulary.node(name): mark for name, mark in marks.items()}
    number_of = {node: row for row, node in enumerate(order)}
    ellipsis = "…" if unicode else "..."
    numbered = {}
    for row, node in enumerate(order):
        name = printable(names[node], ascii_only=not unicode)
        numbered[names[node]] = f"{row} {shorten(name, _RULE_NAME_WIDTH, ellipsis)}"
    rules = _rules(graph, numbered)
    rows = []
    for row, node in enumerate(order):
        mark = printable(mark_of.get(node, ""), ascii_only=not unicode)
        rows.append(
            _Row(
                number=str(row) if 0 < row < len(order) - 1 else "",
                mark=shorten(mark, _MARK_WIDTH, ellipsis),
                name=printable(with_attributes(graph, names[node]), ascii_only=not unicode),
                needs=_ranges(sorted(number_of[needed] for needed in needs[node] if needed)),
                rules="; ".join(rules.get(names[node], ())),
            )
        )
    return rows


def _rules(graph: TaskGraph, numbered: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the rules of each step, each the end of a sentence that begins with its name."""

    def listed(steps: Collection[str], own: str = "") -> str:
        *most, last = [text for step, text in numbered.items() if step in steps and step != own]
        return f"{', '.join(most)} and {last}" if most else last

    def spans(steps: Collection[str]) -> str:
        numbers = [place for place, step in enumerate(numbered) if step in steps]
        return " + ".join(_ranges(numbers))

    rules: dict[str, list[str]] = {step: [] for step in graph.steps}
    for choice in graph.choices:
        several = any(len(own) > 1 for own in choice.alternatives)
        some = "at most one of" if choice.optional else "one of"
        every = f"{some} {' or '.join(map(spans, choice.alternatives))}"
        for own in choice.alternatives:
            first = next(step for step in numbered if step in own)
            instead = [f"or {listed(other)}" for other in choice.alternatives if other != own]
            instead += ["or none of them"] if choice.optional else []
            rules[first].append(every if several else ", ".join(instead))
    for undoing, again in split_undoings(graph):
        undone = listed(undoing.undone)
        rules[undoing.step].append(f"undoes {undone}" if again else f"allows {undone} again")
    for step, known in graph.attributes.items():
        if set(known.goes_with) - {step}:
            rules[step].append(f"goes with {listed(known.goes_with, step)}")
    return rules


def _ranges(numbers: Sequence[int]) -> tuple[str, ...]:
    """Return numbers as texts, three or more in a row as a range."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts: list[str] = []
    for run in runs:
        texts.extend([f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run))
    return tuple(texts)


class _Layout:
    """The columns right of the rails: number, mark, name and needs."""

    def __init__(self, rows: Sequence[_Row], width: int, *, unicode: bool) -> None:
        self._rows = rows
        self._ellipsis = "…" if unicode else "..."
        self._arrow = "← " if unicode else "<- "
        self._number_width = max(len(row.number) for row in rows)
        self._mark_width = max(columns(row.mark) for row in rows)
        taken = self._number_width + len(_GAP)
        if self._mark_width:
            taken += self._mark_width + 1
        self._names_at = taken
        names = max(columns(row.name) for row in rows)
        needs = max((len(", ".join(row.needs)) for row in rows), default=0)
        if needs:
            taken += len(_GAP) + len(self._arrow)
        room = width - taken
        # If there is not enough room for both, the numbers get a third, but at least the width
        # of one number with its comma.
        longest = max((len(item) + 1 for row in rows for item in row.needs), default=0)
        self._needs_width = min(needs, max(longest, room // 3, room - names))
        self._name_width = min(names, room - self._needs_width)
        self.is_readable = self._name_width >= min(names, _NAME_WIDTH)
        # Rules stand at the right if all of them fit there, else below the names.
        rules = max(columns(row.rules) for row in rows)
        self._rules_at = taken + self._name_width + self._needs_width + len(_GAP)
        if self._rules_at + rules > width:
            self._rules_at = 0
            self._rules_width = width - self._names_at - len(_GAP)
            self.is_readable &= self._rules_width >= min(rules, _NAME_WIDTH)

    def lines(self, rails: Rails | None) -> list[str]:
        """Return the lines of all rows, behind the rails if there are any."""
        lines = []
        for position, row in enumerate(self._rows):
            for number, text in enumerate(self._texts(row)):
                if rails is not None:
                    track = (rails.below if number else rails.rows)[position]
                    text = track.ljust(rails.width) + _GAP + text
                lines.append(text.rstrip())
        return lines

    def _texts(self, row: _Row) -> list[str]:
        names = wrap(row.name, self._name_width, _NAME_LINES, self._ellipsis)
        needs = wrap(", ".join(row.needs), self._needs_width) if row.needs else ()
        texts = []
        for line in range(max(len(names), len(needs))):
            text = ("" if line else row.number).rjust(self._number_width) + _GAP
            if self._mark_width:
                text += pad("" if line else row.mark, self._mark_width) + " "
            text += pad(names[line] if line < len(names) else "", self._name_width)
            if line < len(needs):
                arrow = " " * len(self._arrow) if line else self._arrow
                text += _GAP + arrow + needs[line]
            texts.append(text)
        if row.rules and self._rules_at:
            texts[0] = pad(texts[0], self._rules_at) + row.rules
        elif row.rules:
            indent = " " * self._names_at + _GAP
            texts += [indent + line for line in wrap(row.rules, self._rules_width)]
        return texts


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
        The width of the widest row in terminal columns.
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
        All nodes, each after those that it needs.
    needs
        For each node the nodes that it needs.
    tracks
        The tracks of these nodes in this order.
    glyphs
        The characters to draw with.

    Examples
    --------
    >>> from stepgraph.layout.rails import lay_tracks
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
