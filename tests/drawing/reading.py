"""Reads a drawing as a person does, by its lines alone; knows nothing of how it was made."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# Where a character leads: up, down, left, right. A rail that is crossed leads up and down.
LEADS = {
    "│": "ud",
    "─": "lr",
    "├": "udr",
    "┤": "udl",
    "┼": "udlr",
    "╰": "ur",
    "╯": "ul",
    "┴": "ulr",
}
NODES = "●○"


@dataclass
class Reading:
    """What a drawing says: the words that rows begin with, and edges between rows."""

    rows: list[str] = field(default_factory=list)
    edges: set[tuple[int, int]] = field(default_factory=set)
    crossings: int = 0

    @property
    def named_edges(self) -> set[tuple[str, str]]:
        return {(self.rows[step], self.rows[needed]) for step, needed in self.edges}


def read_drawing(lines: list[str]) -> Reading:
    """Follow all rails from the top to the bottom, and fail where one makes no sense."""
    reading = Reading()
    names_at = lines[0].index("START")
    source: dict[int, int] = {}  # the row that the rail in a column comes from
    fresh: int | None = None  # the column of a node just passed, with or without a rail
    for line in lines:
        cells = re.sub(r"\d", " ", line[:names_at].ljust(names_at))
        if (
            fresh is not None
            and cells[fresh] not in NODES
            and "u" not in LEADS.get(cells[fresh], "")
        ):
            del source[fresh]  # nobody needs that row
        fresh = None
        upward = {column for column, cell in enumerate(cells) if "u" in LEADS.get(cell, "")}
        found = [column for column, cell in enumerate(cells) if cell in NODES]
        if not found:
            assert set(cells) <= {"│", " "}, "a further line of a row shows more than rails"
            assert upward == set(source), "a rail begins, or gets lost, without a row"
            continue
        (node,) = found
        assert upward | ({node} & set(source)) == set(source)
        row = len(reading.rows)
        reading.rows.append(line[names_at:].split()[0])
        reading.edges |= {(row, source.pop(node))} if node in source else set()
        for column in _met(cells, node, reading):
            reading.edges.add((row, source[column]))
            if "d" not in LEADS[cells[column]]:
                del source[column]
        source[node] = row
        fresh = node
    assert len(source) <= 1, "a rail runs beyond the last row"
    return reading


def _met(cells: str, node: int, reading: Reading) -> set[int]:
    """Follow the horizontal line to both sides of a node."""
    met = set()
    drawn = {node}
    for step, ahead, back in ((-1, "l", "r"), (1, "r", "l")):
        column = node + step
        while 0 <= column < len(cells) and cells[column] != " ":
            leads = LEADS[cells[column]]
            drawn.add(column)
            if leads == "ud":
                reading.crossings += 1
            elif back not in leads:
                raise AssertionError("a line ends at a character that does not lead back")
            elif "u" in leads:
                met.add(column)
                if ahead not in leads:
                    break
            column += step
    flat = {column for column, cell in enumerate(cells) if set("lr") & set(LEADS.get(cell, ""))}
    assert flat <= drawn, "a line that does not come to the node"
    return met


def read_numbers(lines: list[str], arrow: str = "←") -> list[tuple[str, set[int]]]:
    """Return for each row its first word and the numbers listed at its right."""
    names_at = lines[0].index("START")
    rows: list[tuple[str, set[int]]] = []
    arrow_at = max(line.find(arrow) for line in lines)
    for line in lines:
        head = line[:names_at]
        listed = line[arrow_at:].removeprefix(arrow) if arrow_at >= 0 else ""
        name = line[names_at : arrow_at if arrow_at >= 0 else None].split()
        if re.search(r"\d", head) or line[names_at:].startswith(("START", "END")):
            rows.append((name[0], set()))
        for item in filter(None, (item.strip() for item in listed.split(","))):
            first, _, last = item.partition("-")
            rows[-1][1].update(range(int(first), int(last or first) + 1))
    return rows
