"""How long a drawing takes: the first one, warm ones of a usual size, and a very large one."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tgml.benchmarks.result import BenchmarkResult, Column
from tgml.benchmarks.rows import measure_rows
from tgml.graph import TaskGraph
from tgml.learners import Progress
from tgml.rendering.drawing import draw_graph, to_png
from tgml.synthetic import random_procedure

REPEATS = 5
NOTES = (
    "the best of five, SVG unless said; graphs are random procedures, transitively reduced",
    "first: a new Python process that imports tgml, loads Graphviz and draws 25 steps",
)
FIRST = (
    "import time; begin = time.perf_counter(); "
    "from tgml.rendering.drawing import draw_graph; from tgml.graph import TaskGraph; "
    "names = [str(n) for n in range(25)]; "
    "graph = TaskGraph.from_preconditions(dict(zip(names[1:], zip(names)))); "
    "draw_graph(graph); print(time.perf_counter() - begin)"
)


def run(
    data: str | Path | None,  # noqa: ARG001 - every benchmark is called like this
    methods: Sequence[str] | None,
    seeds: int,  # noqa: ARG001
    progress: Progress,
) -> BenchmarkResult:
    """Measure the times."""
    measures: dict[str, Callable[[], dict[str, Any]]] = {
        "first": _first,
        "svg-25": lambda: _measure(25, 5, "under 0.2"),
        "svg-100": lambda: _measure(100, 8, ""),
        "svg-500": lambda: _measure(500, 12, "under 2"),
        "png-25": lambda: _measure(25, 5, "", png=True),
    }
    rows, notes = measure_rows(measures, methods, progress)
    return BenchmarkResult("draw", "Drawings: seconds for one", rows, COLUMNS, [*notes, *NOTES])


def _first() -> dict[str, Any]:
    ran = [
        subprocess.run([sys.executable, "-c", FIRST], check=True, capture_output=True, text=True)  # noqa: S603 - our own text
        for _ in range(2)
    ]
    return {
        "about": "25 steps in a chain",
        "seconds": min(float(one.stdout) for one in ran),
        "must": "",
    }


def _measure(steps: int, width: int, must: str, *, png: bool = False) -> dict[str, Any]:
    graph = random_procedure(steps, width=width, density=0.3, seed=0)
    draw_graph(graph)
    times = [_time(graph, png) for _ in range(REPEATS)]
    about = f"{steps} steps, {len(graph.edges)} edges"
    return {
        "about": f"{about}, PNG at twice the size" if png else about,
        "seconds": min(times),
        "must": must,
    }


def _time(graph: TaskGraph, png: bool) -> float:
    began = time.perf_counter()
    svg = draw_graph(graph)
    if png:
        to_png(svg)
    return time.perf_counter() - began


COLUMNS = (
    Column("measure", lambda row: str(row["method"])),
    Column("seconds", lambda row: f"{row['seconds']:.3f}"),
    Column("must be", lambda row: str(row["must"])),
    Column("what", lambda row: str(row["about"])),
)
