"""What a benchmark returns: rows of figures, how to show them, and where they were measured."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stepgraph._version import __version__

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """One column of the table that a terminal shows.

    Parameters
    ----------
    title
        Its heading.
    cell
        Makes the text of a row's cell.
    """

    title: str
    cell: Callable[[Row], str]


@dataclass(frozen=True)
class BenchmarkResult:
    """The outcome of a benchmark.

    Parameters
    ----------
    benchmark
        Its name.
    title
        What was measured on what, in one line.
    rows
        One entry a method, with ``method`` and its figures; fractions lie between 0 and 1.
    columns
        How to show the rows.
    notes
        What a reader must know to judge the figures.
    environment
        Where they were measured.
    charts
        Pictures of the figures for a page, as SVG text by name.
    parts
        The results that this one is made of, where it is made of several.
    table_rows
        What `columns` show, one entry a line, where that is not `rows` themselves: rows of a
        curve, say, are points, and a table shows a curve on one line.
    """

    benchmark: str
    title: str
    rows: Sequence[Row]
    columns: Sequence[Column]
    notes: Sequence[str] = ()
    environment: Mapping[str, Any] = field(default_factory=lambda: environment())
    charts: Mapping[str, str] = field(default_factory=dict)
    table_rows: Sequence[Row] | None = None
    parts: Sequence[BenchmarkResult] = ()

    def table(self) -> list[list[str]]:
        """Return the table's cells, one list a line; `columns` hold the headings."""
        rows = self.rows if self.table_rows is None else self.table_rows
        return [[column.cell(row) for column in self.columns] for row in rows]

    def content(self) -> dict[str, Any]:
        """Return the result as plain JSON values: every figure, no picture."""
        return {
            "benchmark": self.benchmark,
            "title": self.title,
            "rows": [dict(row) for row in self.rows],
            "notes": list(self.notes),
            "environment": dict(self.environment),
        }

    def to_json(self) -> str:
        """Return the result as JSON text: every figure, no picture."""
        return json.dumps(self.content(), indent=2, ensure_ascii=False) + "\n"


def environment() -> dict[str, Any]:
    """Return what the machine and its software are."""
    versions = {}
    for name in ("numpy", "networkx", "scipy", "torch"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "stepgraph": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "packages": versions,
    }


def percent(value: float | None, half_width: float | None = None) -> str:
    """Return a fraction as a percentage with one decimal, with its interval where given."""
    if value is None:
        return ""
    text = f"{100 * value:.1f}"
    return text if half_width is None else f"{text} ± {100 * half_width:.1f}"
