"""A learned graph against a known one, as a row: precision, recall and F1 of its edges.

A row says how sure its F1 is, over procedures and over seeds. `compared` then says of each row
whether it differs from the next and from the intersection order, on the same procedures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean
from typing import Any

from benchmarks.harness import BenchmarkResult, Column, Row, percent
from stepgraph.evaluation import (
    bootstrap_interval,
    compare_edges,
    macro_average,
    mean_interval,
    paired_test,
    paper_width,
)
from stepgraph.graph import TaskGraph

Runs = list[list[TaskGraph]]
"""For each run (a seed), one graph for each procedure."""
ANCHOR = "intersection"
"""The row that all others are compared with: the exact order, which needs no training."""
COMPARISONS = ("next_below", "against_anchor")
"""The comparisons of a row."""
PAPER_FIGURES = ("precision", "recall", "f1", "f1_interval_paper")
"""What a row knows of the paper's."""
INTERVAL_NOTES = (
    (
        "± of F1: half of Student's t interval at 90 % over seeds, none where nothing is drawn; "
        "over recipes: percentile bootstrap of the mean F1 at 90 %, 10,000 resamples"
    ),
    (
        "paper's ±: for each recipe the full width of the 90 % bootstrap range of the mean over "
        "its seeds (1,000 resamples), averaged over recipes; one network for all recipes has the "
        "width of the mean over recipes, as the paper's has"
    ),
)
TEST_NOTE = (
    "p: two-sided paired sign-flip test over recipes, exact up to 32 recipes that differ; not "
    "corrected for the number of rows"
)


def edge_row(
    label: str,
    about: str,
    procedures: Sequence[str],
    runs: Runs,
    truths: Sequence[TaskGraph],
    seconds: float,
    *,
    shared: bool = False,
) -> dict[str, Any]:
    """Return a row of macro averages over procedures, with intervals over procedures and runs.

    Parameters
    ----------
    label, about
        What the row is called, and what it is.
    procedures
        The names of the procedures.
    runs, truths
        The graphs to judge, and the known ones.
    seconds
        How long the graphs took.
    shared
        Whether one network is behind all graphs of a run. The paper's statistic is then that of
        the runs' averages.
    """
    scores = [
        [compare_edges(graph, truth) for graph, truth in zip(graphs, truths, strict=True)]
        for graphs in runs
    ]
    averages = [macro_average(run) for run in scores]
    interval = mean_interval([f1 for _, _, f1 in averages])
    entries: list[dict[str, Any]] = [
        {
            "procedure": name,
            "precision": fmean(run[number].precision for run in scores),
            "recall": fmean(run[number].recall for run in scores),
            "f1": fmean(run[number].f1 for run in scores),
        }
        for number, name in enumerate(procedures)
    ]
    low, high = bootstrap_interval([entry["f1"] for entry in entries])
    row = {
        "method": label,
        "about": about,
        "precision": fmean(average[0] for average in averages),
        "recall": fmean(average[1] for average in averages),
        "f1": interval.mean,
        "f1_interval90": interval.half_width,
        "f1_low90": low,
        "f1_high90": high,
        "runs": len(runs),
        "seconds": seconds,
        "procedures": entries,
    }
    if len(runs) > 1:
        of_recipes = [[score.f1 for score in run] for run in scores]
        row["f1_interval_paper"] = paper_width(
            [[f1] for _, _, f1 in averages] if shared else of_recipes
        )
    return row


def by_f1(rows: Sequence[Row]) -> list[Row]:
    """Return rows by falling F1; of equal ones the intersection order is first."""
    return sorted(rows, key=lambda row: (-round(row["f1"], 9), row["method"] != ANCHOR))


def compared(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return each row with its comparisons: to the next by F1, and to the intersection order.

    Parameters
    ----------
    rows
        Rows of `edge_row` over the same procedures. Comparisons that they have are made anew, so
        rows of several runs can be put together.
    """
    ordered = by_f1(rows)
    below = {row["method"]: other for row, other in pairwise(ordered)}
    anchors = [row for row in rows if row["method"] == ANCHOR]
    found = []
    for row in rows:
        others = {"next_below": below.get(row["method"])}
        if anchors and row["method"] != ANCHOR:
            others["against_anchor"] = anchors[0]
        plain = {key: value for key, value in row.items() if key not in COMPARISONS}
        found.append(
            plain
            | {name: _comparison(row, other) for name, other in others.items() if other is not None}
        )
    return found


def _comparison(row: Row, other: Row) -> dict[str, Any]:
    names = [[entry["procedure"] for entry in one["procedures"]] for one in (row, other)]
    if names[0] != names[1]:
        raise ValueError(
            f"{row['method']} and {other['method']} are not of the same procedures; expected rows "
            "of one benchmark on the same data"
        )
    values = ([entry["f1"] for entry in one["procedures"]] for one in (row, other))
    found = paired_test(*values)
    return {
        "method": other["method"],
        "difference": found.difference,
        "p": found.p,
        "exact": found.exact,
    }


def difference(comparison: Row) -> str:
    """Return a difference in points and its p, as a table shows them.

    Examples
    --------
    >>> difference({"difference": 0.0132, "p": 0.1836})
    '+1.3, p = 0.18'
    >>> difference({"difference": -0.4, "p": 1e-7})
    '-40.0, p < 0.001'
    >>> difference({"difference": 0.0, "p": 1.0})
    '0.0, p = 1'
    """
    points = f"{100 * comparison['difference']:+.1f}"
    points = "0.0" if float(points) == 0 else points
    p = comparison["p"]
    if p < 0.001:
        return f"{points}, p < 0.001"
    shown = f"{p:.3f}" if p < 0.01 else f"{p:.2f}"
    return f"{points}, p = {'1' if shown == '1.00' else shown}"


def _against(name: str, *, named: bool = False) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        if name not in row:
            return ""
        said = difference(row[name])
        return f"{row[name]['method']}: {said}" if named else said

    return cell


def low_to_high(row: Row) -> str:
    """Return the interval over procedures, in percent; empty where a row has none."""
    if "f1_low90" not in row:
        return ""
    return f"{percent(row['f1_low90'])} to {percent(row['f1_high90'])}"


def _paper_cell(row: Row) -> str:
    if "paper" not in row:
        return ""
    paper = row["paper"]
    f1 = percent(paper["f1"], paper["f1_interval_paper"])
    return f"{percent(paper['precision'])} / {percent(paper['recall'])} / {f1}"


FIGURE_COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    Column("P", lambda row: percent(row["precision"])),
    Column("R", lambda row: percent(row["recall"])),
    Column(
        "F1",
        lambda row: percent(row["f1"], row["f1_interval90"] if row["runs"] > 1 else None),
    ),
    Column("over recipes", low_to_high),
    Column("paper's ±", lambda row: percent(row.get("f1_interval_paper"))),
)
"""How a terminal shows a row."""
SECONDS_COLUMN = Column("seconds", lambda row: f"{row['seconds']:.2f}")
PAPER_COLUMN = Column("paper's P / R / F1", _paper_cell)
ANCHORED_COLUMN = Column(f"to {ANCHOR}", _against("against_anchor"))
DIFFERENCE_COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    Column("F1", lambda row: percent(row["f1"])),
    Column("to the next below", _against("next_below", named=True)),
)
"""How a terminal shows what a row's comparisons hold, before that with the intersection order."""


def edge_result(
    benchmark: str,
    title: str,
    rows: Sequence[Row],
    notes: Sequence[str],
    *,
    more: Sequence[Column] = (),
    times: Sequence[Column] = (),
    charts: Mapping[str, str] | None = None,
) -> BenchmarkResult:
    """Return rows as a result of two tables by falling F1: their figures, and their differences.

    Parameters
    ----------
    benchmark, title
        As of the result.
    rows
        The rows, compared.
    notes
        What a reader must know beyond what intervals and tests are.
    more, times
        Columns that the table of figures has beside its own, and those that stand with the
        differences, as a terminal is too narrow for all.
    charts
        As of the result.
    """
    ordered = by_f1(rows)
    figures = BenchmarkResult(
        benchmark,
        title,
        rows,
        (*FIGURE_COLUMNS, *more, *(times if len(rows) == 1 else ())),
        [*notes, *INTERVAL_NOTES],
        charts=charts or {},
        table_rows=ordered,
    )
    if len(rows) == 1:
        return figures
    plain = [{key: row[key] for key in row if key != "procedures"} for row in ordered]
    anchored = any("against_anchor" in row for row in rows)
    differences = BenchmarkResult(
        f"{benchmark}: differences",
        "differences of F1 in points, paired by recipe",
        plain,
        (*DIFFERENCE_COLUMNS, *((ANCHORED_COLUMN,) if anchored else ()), *times),
        [TEST_NOTE],
    )
    return replace(figures, notes=[*figures.notes, TEST_NOTE], parts=(figures, differences))
