"""A learned graph against a known one, as a row: precision, recall and F1 of its edges."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from benchmarks.harness import Column, percent
from stepgraph.evaluation import compare_edges, macro_average, mean_interval
from stepgraph.graph import TaskGraph

Runs = list[list[TaskGraph]]
"""For each run (a seed), one graph for each procedure."""


def edge_row(
    label: str,
    about: str,
    procedures: Sequence[str],
    runs: Runs,
    truths: Sequence[TaskGraph],
    seconds: float,
) -> dict[str, Any]:
    """Return a row of macro averages over procedures, with the interval over runs.

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
    """
    scores = [
        [compare_edges(graph, truth) for graph, truth in zip(graphs, truths, strict=True)]
        for graphs in runs
    ]
    averages = [macro_average(run) for run in scores]
    interval = mean_interval([f1 for _, _, f1 in averages])
    return {
        "method": label,
        "about": about,
        "precision": fmean(average[0] for average in averages),
        "recall": fmean(average[1] for average in averages),
        "f1": interval.mean,
        "f1_interval90": interval.half_width,
        "runs": len(runs),
        "seconds": seconds,
        "procedures": [
            {
                "procedure": name,
                "precision": fmean(run[number].precision for run in scores),
                "recall": fmean(run[number].recall for run in scores),
                "f1": fmean(run[number].f1 for run in scores),
            }
            for number, name in enumerate(procedures)
        ],
    }


def _paper_cell(row: Any) -> str:
    if "paper" not in row:
        return ""
    paper = row["paper"]
    f1 = percent(paper["f1"], paper["f1_interval90"])
    return f"{percent(paper['precision'])} / {percent(paper['recall'])} / {f1}"


EDGE_COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    Column("precision", lambda row: percent(row["precision"])),
    Column("recall", lambda row: percent(row["recall"])),
    Column(
        "F1 (90 %)",
        lambda row: percent(row["f1"], row["f1_interval90"] if row["runs"] > 1 else None),
    ),
    Column("seconds", lambda row: f"{row['seconds']:.2f}"),
    Column("paper's P / R / F1", _paper_cell),
)
"""How a terminal shows such rows."""
