"""What the tables of times, ratios and growing costs are made of."""

from __future__ import annotations

from table_parts import Lines, Results, Row, Table, listed, number, rows_of


def ratio(row: Row) -> str:
    """Return a ratio with two figures that count."""
    value = row.get("ratio")
    return "" if value is None else f"{value:,.1f}" if value < 10 else f"{value:,.0f}"


def bound(row: Row) -> str:
    """Return what a time must stay under, where something was asked for."""
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
