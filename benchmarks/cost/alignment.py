"""How long it takes to explain recordings by a graph, and whether brute force agrees."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from benchmarks.generators import draw_orders, random_procedure
from benchmarks.harness import BenchmarkResult, Column, Request, measure_rows
from stepgraph.alignment import Aligner, Alignment, Costs
from stepgraph.graph import TaskGraph

RUNS = 3
SMALL = 500
NOTES = (
    (
        "swaps: random procedures, recordings drawn uniformly from their valid orders, then two "
        "steps anywhere exchanged three times in each; the best of three runs, graph laid out anew"
    ),
    (
        "shuffled: one recording of all steps in random order; repeated: of 20 steps, as many "
        "times as said, at random"
    ),
    (
        "brute-force: 5 steps, up to 8 events at random, some unknown, costs at random; every set "
        "of events that could stay is tried"
    ),
)


def run(request: Request) -> BenchmarkResult:
    """Measure the times."""
    measures: dict[str, Callable[[], dict[str, Any]]] = {
        "swaps-100x25": lambda: swaps(25, 100, "under 0.2 s"),
        "swaps-100x100": lambda: swaps(100, 100, ""),
        "shuffled-1000": lambda: _large(1000, 1000, "1 recording of 1,000 steps, shuffled"),
        "repeated-1000": lambda: _large(20, 1000, "1 recording of 1,000 events of 20 steps"),
        "brute-force": _brute_force,
    }
    rows, notes = measure_rows(measures, request)
    title = "Alignment: the cheapest explanation of recordings by a graph"
    return BenchmarkResult("alignment", title, rows, COLUMNS, [*notes, *NOTES])


def swapped_recordings(graph: TaskGraph, count: int, swaps: int, seed: int) -> list[list[str]]:
    """Return valid orders in which two steps anywhere are exchanged some times."""
    rng = random.Random(seed)
    recordings = []
    for order in draw_orders(graph, count, seed):
        names = [graph.vocabulary.name(node) for node in order]
        for _ in range(swaps):
            one, other = rng.sample(range(len(names)), 2)
            names[one], names[other] = names[other], names[one]
        recordings.append(names)
    return recordings


def swaps(steps: int, count: int, must: str) -> dict[str, Any]:
    """Return the time to explain recordings in which steps were exchanged, as a row."""
    graph = random_procedure(steps, width=5, density=0.3, seed=0)
    recordings = swapped_recordings(graph, count, 3, 0)
    seconds, alignments = _timed(graph, recordings)
    return {
        "about": f"{count} recordings of {steps} steps, three arbitrary swaps each",
        "seconds": seconds,
        "cost": sum(alignment.cost for alignment in alignments),
        "must": must,
    }


def _large(steps: int, events: int, about: str) -> dict[str, Any]:
    rng = random.Random(0)
    graph = random_procedure(steps, width=10 if steps > 100 else 4, density=0.5, seed=0)
    recording = (
        rng.sample(graph.steps, steps)
        if steps == events
        else [rng.choice(graph.steps) for _ in range(events)]
    )
    seconds, (alignment,) = _timed(graph, [recording])
    return {"about": about, "seconds": seconds, "cost": alignment.cost, "must": ""}


def _timed(graph: TaskGraph, recordings: list[list[str]]) -> tuple[float, list[Alignment]]:
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        aligner = Aligner(graph)
        alignments = [aligner.align(recording) for recording in recordings]
        times.append(time.perf_counter() - began)
    return min(times), alignments


def _brute_force() -> dict[str, Any]:
    rng = random.Random(0)
    equal = 0
    began = time.perf_counter()
    for seed in range(SMALL):
        graph = random_procedure(5, width=rng.randint(1, 4), density=0.5, seed=seed)
        costs = Costs(rng.randint(0, 4), rng.randint(0, 4), rng.randint(0, 4))
        events = [*graph.steps, "unknown"]
        recording = [rng.choice(events) for _ in range(rng.randint(0, 8))]
        found = Aligner(graph, costs).align(recording).cost
        equal += found == cheapest_by_brute_force(
            graph, recording, costs.done, costs.skipped, costs.inserted
        )
    return {
        "about": f"{equal} of {SMALL} small recordings cost the same by brute force",
        "seconds": time.perf_counter() - began,
        "share_equal": equal / SMALL,
        "must": "all equal",
    }


def cheapest_by_brute_force(
    graph: TaskGraph, recording: Sequence[str], done: float, skipped: float, inserted: float
) -> float:
    """Return the smallest cost over all sets of events that could stay."""
    needs = {step: set(graph.all_preconditions_of(step)) for step in graph.steps}
    known = [place for place, step in enumerate(recording) if step in needs]
    best = float("inf")
    for size in range(min(len(known), len(needs)) + 1):
        for kept in combinations(known, size):
            names = [recording[place] for place in kept]
            if all(
                later != earlier and later not in needs[earlier]
                for earlier, later in combinations(names, 2)
            ):
                cost = (
                    size * done + (len(needs) - size) * skipped + (len(recording) - size) * inserted
                )
                best = min(best, cost)
    return best


COLUMNS = (
    Column("measure", lambda row: str(row["method"])),
    Column("seconds", lambda row: f"{row['seconds']:.3f}"),
    Column("must be", lambda row: str(row["must"])),
    Column("what", lambda row: str(row["about"])),
)
