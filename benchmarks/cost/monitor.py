"""How long the monitor takes for a step, and whether that stays so over a long stream."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import mean, median
from typing import Any

from benchmarks.generators import random_procedure
from benchmarks.generators.rules import with_rules
from benchmarks.harness import BenchmarkResult, Column, Request, measure_rows
from stepgraph.graph import TaskGraph, connect_ends
from stepgraph.graph.rules import rules_in_words
from stepgraph.monitoring import Monitor

SESSIONS = 200
STREAM = 100_000
WINDOW = 10_000
NOTES = (
    (
        "sessions: each step once, half of the sessions after what it needs and half shuffled, "
        "with times; the mean time for a step"
    ),
    "all read: the same with every attribute of each verdict read as well",
    "monitor-flat: steps at random; the last 10,000 of 100,000 against the first 10,000",
)


def run(request: Request) -> BenchmarkResult:
    """Measure the times."""
    measures: dict[str, Callable[[], dict[str, Any]]] = {
        "monitor-25": lambda: _sessions(dense_graph(25, 0.2), "under 10"),
        "monitor-25-rules": lambda: _sessions(graph_with_rules(), "under 10"),
        "monitor-90-dense": lambda: _sessions(dense_graph(90, 0.5), "under 50"),
        "monitor-flat": _flat,
    }
    rows, notes = measure_rows(measures, request)
    title = "The monitor: microseconds for a step"
    return BenchmarkResult("monitor", title, rows, COLUMNS, [*notes, *NOTES])


def dense_graph(steps: int, density: float) -> TaskGraph:
    """Return a graph in which each pair of steps is an edge with a given probability."""
    rng = random.Random(0)
    names = [f"step {number}" for number in range(1, steps + 1)]
    pairs = [
        (later, earlier)
        for place, later in enumerate(names)
        for earlier in names[:place]
        if rng.random() < density
    ]
    return TaskGraph(names, connect_ends(names, pairs))


def graph_with_rules() -> TaskGraph:
    """Return a graph of 25 steps with three choices, three undoings and two pairs together."""
    plain = random_procedure(18, width=6, density=0.7, seed=0)
    return with_rules(plain, choices=3, undoings=3, together=2, seed=0)


def _sessions(graph: TaskGraph, must: str) -> dict[str, Any]:
    steps = len(graph.steps)
    plain: list[float] = []
    worst: list[float] = []
    rules = f", {count} rules" if (count := len(rules_in_words(graph))) else ""
    for number, order in enumerate(_orders(graph)):
        plain.append(_time(Monitor(graph), order) / steps)
        if number < SESSIONS // 4:
            worst.append(_time(Monitor(graph), order, read=True) / steps)
    return {
        "about": f"{steps} steps, {len(graph.edges)} edges{rules}, {len(plain)} sessions",
        "microseconds": 1e6 * mean(plain),
        "microseconds_all_read": 1e6 * mean(worst),
        "must": must,
    }


def _orders(graph: TaskGraph) -> Iterator[list[str]]:
    rng = random.Random(0)
    for number in range(SESSIONS):
        order = list(graph.in_order())
        if number % 2:
            rng.shuffle(order)
        yield order


def _flat() -> dict[str, Any]:
    graph = dense_graph(25, 0.2)
    rng = random.Random(0)
    stream = [rng.choice(graph.steps) for _ in range(STREAM)]
    monitor = Monitor(graph)
    times = [
        _time(monitor, stream[first : first + WINDOW], first) / WINDOW
        for first in range(0, STREAM, WINDOW)
    ]
    state = len(json.dumps(monitor.state))
    return {
        "about": f"{STREAM:,} steps at random of 25, one session; "
        f"its state takes {state / 1000:.0f} kB as JSON",
        "microseconds": 1e6 * median(times),
        "ratio": times[-1] / times[0],
        "must": "ratio about 1",
    }


def _time(monitor: Monitor, steps: Sequence[str], start: int = 0, *, read: bool = False) -> float:
    timed = [(step, float(place)) for place, step in enumerate(steps, start=start)]
    began = time.perf_counter()
    if read:
        for step, at in timed:
            monitor.observe(step, at).to_json()
    else:
        for step, at in timed:
            monitor.observe(step, at)
    return time.perf_counter() - began


def _figure(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


COLUMNS = (
    Column("measure", lambda row: str(row["method"])),
    Column("microseconds", lambda row: _figure(row["microseconds"], 1)),
    Column("all read", lambda row: _figure(row.get("microseconds_all_read"), 1)),
    Column("ratio", lambda row: _figure(row.get("ratio"), 2)),
    Column("must be", lambda row: str(row["must"])),
    Column("what", lambda row: str(row["about"])),
)
