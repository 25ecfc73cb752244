"""Online mistake detection on Assembly101-O (the paper's Table 3)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tgml.benchmarks import online_mistakes
from tgml.benchmarks.result import BenchmarkResult
from tgml.learners import Progress


def run(
    data: str | Path | None, methods: Sequence[str] | None, seeds: int, progress: Progress
) -> BenchmarkResult:
    """Learn on the training half, flag the mistakes of the test half."""
    return online_mistakes.run("assembly101-o", data, methods, seeds, progress)
