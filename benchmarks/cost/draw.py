"""How long a drawing takes: the first one, warm ones of a usual size, and very large ones."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from benchmarks.generators import random_procedure
from benchmarks.harness import BenchmarkResult, Column, Request, measure_rows
from stepgraph.drawing import draw_graph
from stepgraph.drawing.png import to_png
from stepgraph.graph import TaskGraph

REPEATS = 5
SPARSE, DENSE, ALL_PAIRS = "sparse", "dense", "half of all pairs"
NOTES = (
    (
        "the best of five, by the clock and by the processor, which other work on the machine "
        "slows less; a PNG with the SVG that it is made from, at its usual scale"
    ),
    (
        "sparse and dense graphs are random procedures, transitively reduced; in the last ones "
        "half of all pairs of steps are edges, of which those that follow from others are not drawn"
    ),
    "first: a new Python process that imports stepgraph and draws 25 steps",
)
SUFFIXES = {SPARSE: "", DENSE: "-dense", ALL_PAIRS: "-pairs"}
# How many steps a procedure has for each that can be next to it, and which share of its pairs
# depend on each other.
SHAPES = {SPARSE: (40, 0.3), DENSE: (5, 0.9)}
MOST_STEPS = 500
FIRST = (
    "import time; begin = time.perf_counter(); "
    "from stepgraph.drawing import draw_graph; from stepgraph.graph import TaskGraph; "
    "names = [str(n) for n in range(25)]; "
    "graph = TaskGraph.from_preconditions(dict(zip(names[1:], zip(names)))); "
    "draw_graph(graph); print(time.perf_counter() - begin, time.process_time())"
)


def run(request: Request) -> BenchmarkResult:
    """Measure the times."""
    measures: dict[str, Callable[[], dict[str, Any]]] = {
        "first": _first,
    }
    for steps, must in ((25, 0.2), (100, None), (500, 2.0)):
        for kind in (SPARSE, DENSE, ALL_PAIRS) if steps == MOST_STEPS else (SPARSE, DENSE):
            for png in (False, True):
                name = f"{'png' if png else 'svg'}-{steps}{SUFFIXES[kind]}"
                measures[name] = partial(_measure, steps, kind, must, png=png)
    rows, notes = measure_rows(measures, request)
    return BenchmarkResult("draw", "Drawings: seconds for one", rows, COLUMNS, [*notes, *NOTES])


def _first() -> dict[str, Any]:
    ran = [
        subprocess.run([sys.executable, "-c", FIRST], check=True, capture_output=True, text=True)  # noqa: S603 - our own text
        for _ in range(2)
    ]
    times = [[float(number) for number in one.stdout.split()] for one in ran]
    return {
        "about": "25 steps in a chain",
        "seconds": min(clock for clock, _ in times),
        "processor": min(processor for _, processor in times),
        "must": None,
    }


def _measure(steps: int, kind: str, must: float | None, *, png: bool) -> dict[str, Any]:
    graph = _graph(steps, kind)
    draw_graph(graph)
    times = [_time(graph, png) for _ in range(REPEATS)]
    return {
        "about": f"{steps} steps, {len(graph.edges)} edges, {kind}",
        "seconds": min(clock for clock, _ in times),
        "processor": min(processor for _, processor in times),
        "must": must,
    }


def _graph(steps: int, kind: str) -> TaskGraph:
    if kind == ALL_PAIRS:
        rng = random.Random(0)
        names = [f"step {place:03}" for place in range(steps)]
        return TaskGraph.from_preconditions(
            {
                name: [earlier for earlier in names[:place] if rng.random() < 0.5]
                for place, name in enumerate(names)
            }
        )
    width, density = SHAPES[kind]
    return random_procedure(steps, width=max(steps // width, 5), density=density, seed=0)


def _time(graph: TaskGraph, png: bool) -> tuple[float, float]:
    clock, processor = time.perf_counter(), time.process_time()
    svg = draw_graph(graph)
    if png:
        to_png(svg)
    return time.perf_counter() - clock, time.process_time() - processor


def _must(row: Mapping[str, Any]) -> str:
    return "" if row["must"] is None else f"under {row['must']:g}"


COLUMNS = (
    Column("measure", lambda row: str(row["method"])),
    Column("seconds", lambda row: f"{row['seconds']:.3f}"),
    Column("processor", lambda row: f"{row['processor']:.3f}"),
    Column("must be", _must),
    Column("what", lambda row: str(row["about"])),
)
