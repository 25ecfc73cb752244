"""Online mistake detection on Assembly101-O (the paper's Table 3)."""

from __future__ import annotations

from benchmarks import online_mistakes
from benchmarks.asked import Asked
from benchmarks.result import BenchmarkResult


def run(asked: Asked) -> BenchmarkResult:
    """Learn on the training half, flag the mistakes of the test half."""
    return online_mistakes.run("assembly101-o", asked)
