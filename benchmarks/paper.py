"""The paper's tables, recomputed: each is a benchmark of its own, and this runs them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from benchmarks.graphs import captaincook4d, understanding, unseen
from benchmarks.harness import BenchmarkResult, Request
from stepgraph.errors import UnknownNameError

Run = Callable[[Request], BenchmarkResult]


@dataclass(frozen=True)
class Part:
    """One of the paper's tables.

    Parameters
    ----------
    table
        What it is called.
    run
        What recomputes it.
    rows
        The rows that it can have.
    """

    table: str
    run: Run
    rows: tuple[str, ...]


PARTS = (
    Part(
        "Table 1 and the appendix on scalability, task graph generation",
        captaincook4d.run,
        tuple(captaincook4d.choose_methods(None)),
    ),
    Part(
        "Recipes that nobody has demonstrated, beside the table's language model",
        unseen.run,
        tuple(unseen.ROWS),
    ),
    Part(
        "Table 2, pairwise ordering and future prediction",
        understanding.run,
        tuple(understanding.ROWS),
    ),
)
"""The tables whose benchmarks are part of this one."""


def run(request: Request) -> BenchmarkResult:
    """Recompute every table; with methods named, only their rows."""
    known = dict.fromkeys(row for part in PARTS for row in part.rows)
    for name in request.methods or ():
        if name not in known:
            raise UnknownNameError("method", name, known)
    parts, rows = [], []
    for part in PARTS:
        chosen = (
            None
            if request.methods is None
            else [name for name in request.methods if name in part.rows]
        )
        if chosen == []:
            continue
        result = replace(part.run(replace(request, methods=chosen)), benchmark=part.table)
        parts.append(result)
        rows += [{"table": part.table, **row} for row in result.rows]
    return BenchmarkResult(
        "paper",
        "Differentiable Task Graph Learning (NeurIPS 2024): its tables, recomputed",
        rows,
        parts[0].columns,
        [note for part in parts for note in part.notes],
        parts=parts,
    )
