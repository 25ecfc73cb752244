"""The paper's tables, recomputed: each is a benchmark of its own, and this runs them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tgml.benchmarks import captaincook4d
from tgml.benchmarks.result import BenchmarkResult
from tgml.learners import Progress

PARTS = {"Table 1, task graph generation": captaincook4d.run}
"""What the paper's tables are called, and what recomputes them."""


def run(
    data: str | Path | None, methods: Sequence[str] | None, seeds: int, progress: Progress
) -> BenchmarkResult:
    """Recompute every table whose benchmark exists."""
    parts, rows = [], []
    for table, recompute in PARTS.items():
        part = replace(recompute(data, methods, seeds, progress), benchmark=table)
        parts.append(part)
        rows += [{"table": table, **row} for row in part.rows]
    return BenchmarkResult(
        "paper",
        "Differentiable Task Graph Learning (NeurIPS 2024): its tables, recomputed",
        rows,
        parts[0].columns,
        [note for part in parts for note in part.notes],
        parts=parts,
    )
