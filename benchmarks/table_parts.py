"""Parts that tables of results are made of: cells, and ways to arrange rows.

A table is a function from results to lines of cells, headings first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.graphs.edge_rows import by_f1, difference, low_to_high
from benchmarks.harness import Row
from benchmarks.harness import percent as plain_percent

Results = Mapping[str, Mapping[str, Any]]
Cell = Callable[[Row], str]
Lines = list[list[str]]
Table = Callable[[Results], Lines]


class Missing(LookupError):  # noqa: N818 - it is no error that a result is still to come
    """A benchmark has no result in `docs/results`."""


def unbroken(text: str) -> str:
    """Return a text whose spaces do not break a line."""
    return text.replace(" ", "\u00a0")


def percent(value: float | None, half_width: float | None = None) -> str:
    """Return a fraction as a percentage; the spaces of its interval do not break a line."""
    return unbroken(plain_percent(value, half_width))


def rows_of(results: Results, benchmark: str, **wanted: Any) -> list[Row]:
    """Return the rows of a benchmark that have these values.

    Raises
    ------
    Missing
        If it has no result.
    """
    if benchmark not in results:
        raise Missing(benchmark)
    rows = results[benchmark]["rows"]
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def share(key: str) -> Cell:
    """Return a cell with a fraction as a percentage."""
    return lambda row: percent(row.get(key))


def number(key: str, spec: str = ",") -> Cell:
    """Return a cell with a figure as it is, empty where there is none."""
    return lambda row: "" if row.get(key) is None else format(row[key], spec)


def spread(key: str) -> Cell:
    """Return a cell with a percentage and its interval, where there were several runs."""
    return lambda row: percent(
        row.get(key), row[f"{key}_interval90"] if row["runs"] > 1 and key in row else None
    )


def code(key: str) -> Cell:
    """Return a cell with a name to type."""
    return lambda row: f"`{row[key]}`"


def text(key: str) -> Cell:
    """Return a cell with words."""
    return lambda row: str(row[key])


def several(*cells: Cell, joined: str = " / ") -> Cell:
    """Return a cell with several figures."""
    return lambda row: joined.join(cell(row) for cell in cells)


def against(name: str, *, named: bool = False) -> Cell:
    """Return a cell with the difference to another row and its p, empty where there is none."""

    def cell(row: Row) -> str:
        if name not in row:
            return ""
        said = unbroken(difference(row[name]))
        return f"`{row[name]['method']}`: {said}" if named else said

    return cell


def over_recipes(row: Row) -> str:
    """Return the interval of F1 over recipes."""
    return unbroken(low_to_high(row))


def paper_statistic(row: Row) -> str:
    """Return our value of what the paper prints after its ±, where there were several runs."""
    return unbroken(f"± {percent(row['f1_interval_paper'])}") if "f1_interval_paper" in row else ""


SCORES = several(share("precision"), share("recall"), share("f1"))
EDGES = {"P": share("precision"), "R": share("recall"), "F1": spread("f1")}
INTERVALS = {"over recipes": over_recipes, "paper's ±": paper_statistic}
NEXT = {"next below": against("next_below", named=True)}
ANCHORED = {"to `intersection`": against("against_anchor")}


def listed(
    benchmark: str, columns: Mapping[str, Cell], *, ranked: bool = False, **wanted: Any
) -> Table:
    """Return a table with a line for each row, in the order of the result or by falling F1."""

    def table(results: Results) -> Lines:
        rows = rows_of(results, benchmark, **wanted)
        rows = by_f1(rows) if ranked else rows
        return [list(columns), *([cell(row) for cell in columns.values()] for row in rows)]

    return table


def chosen(
    benchmark: str, corner: str, names: Mapping[str, str], columns: Mapping[str, Cell]
) -> Table:
    """Return a table of some methods under names of ours, in this order."""

    def table(results: Results) -> Lines:
        lines = [[corner, *columns]]
        for method, name in names.items():
            (row,) = rows_of(results, benchmark, method=method)
            lines.append([name, *(cell(row) for cell in columns.values())])
        return lines

    return table


def crossed(
    benchmark: str,
    corner: str,
    down: tuple[str, Mapping[Any, str]],
    across: tuple[str, Mapping[Any, str]],
    cell: Cell,
    **wanted: Any,
) -> Table:
    """Return a table with one key's values down and another's across, and their names.

    A value without any row has no line.
    """

    def table(results: Results) -> Lines:
        lines = [[corner, *across[1].values()]]
        for value, name in down[1].items():
            found = [
                rows_of(results, benchmark, **wanted, **{down[0]: value, across[0]: other})
                for other in across[1]
            ]
            if any(found):
                lines.append([name, *(cell(rows[0]) if rows else "" for rows in found)])
        return lines

    return table


def same(names: Sequence[str]) -> dict[str, str]:
    """Return names that stand for themselves."""
    return {name: f"`{name}`" for name in names}


def ratio(row: Row) -> str:
    """Return a ratio with two figures that count."""
    value = row.get("ratio")
    return "" if value is None else f"{value:,.1f}" if value < 10 else f"{value:,.0f}"


def bound(row: Row) -> str:
    """Return what a time must stay under, where it has a limit."""
    return "" if row["must"] is None else f"under {row['must']:g}"


def curve_table(name: str, title: str, unit: str, factor: float) -> Table:
    """Return a table of one curve of `scaling`."""
    return listed(
        "scaling",
        {title: number("size"), unit: lambda row: f"{factor * row['seconds']:.2f}"},
        method=name,
    )


def formulas(results: Results) -> Lines:
    """Return what `scaling` fitted, as a table of one column."""
    rows_of(results, "scaling")
    said = [
        note
        for note in results["scaling"]["notes"]
        if note.startswith(("a procedure", "a log", "pred"))
    ]
    return [["fitted, and predicted from it"], *([note] for note in said)]
