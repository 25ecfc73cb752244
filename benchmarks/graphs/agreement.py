"""Where Direct Optimization ends at the intersection order, and where it does not.

Both give the same graph where every recording shows every step. Where steps are left out they part:
to the loss, a recording with a step but without another says that the one does not need the other.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.datasets.captaincook4d import read_recipes
from benchmarks.datasets.directory import data_directory, missing_file
from benchmarks.graphs.captaincook4d import read_unfiltered
from benchmarks.harness import (
    BenchmarkResult,
    Column,
    Request,
    choose_rows,
    compute_rows,
)
from stepgraph.graph import Edge, TaskGraph
from stepgraph.learners import get_learner
from stepgraph.postprocess import to_graph
from stepgraph.sequences import END, START, Demonstrations

NO_STEPS = ("action_start", "action_end")
"""What 50 Salads calls the time before and after the salad."""
ROWS = {
    "captaincook4d": "CaptainCook4D without order errors",
    "captaincook4d-unfiltered": "CaptainCook4D, mistakes included",
    "50salads": "50 Salads",
    "50salads-complete": "50 Salads, recordings with every step",
}


def run(request: Request) -> BenchmarkResult:
    """Learn with Direct Optimization and with the intersection order, and compare the edges."""
    chosen = choose_rows(request.methods, ROWS, kind="data set")
    directory = data_directory(request.data)
    rows, notes = compute_rows(chosen, lambda name: _row(name, directory, request.seeds), request)
    return BenchmarkResult(
        "agreement",
        "edges that Direct Optimization and the intersection order have in common, both with their "
        "defaults",
        rows,
        COLUMNS,
        [
            *notes,
            "left out: recordings that lack a step which another one of the procedure shows",
            (
                "edges are summed over procedures, of seed 0; equal: graphs that are the "
                "intersection order's, edge by edge, over procedures and seeds"
            ),
        ],
    )


def _row(name: str, directory: Path, seeds: int) -> dict[str, Any]:
    given = _read(name, directory)
    exact = [
        to_graph(row[0].adjacency).graph for row in get_learner("intersection").learn_many(given)
    ]
    learned = get_learner("do").learn_many(given, seeds=range(seeds))
    graphs = [[to_graph(result.adjacency).graph for result in row] for row in learned]
    row: dict[str, Any] = {
        "method": name,
        "about": ROWS[name],
        "procedure_count": len(given),
        "recordings": sum(map(len, given)),
        "left_out": sum(map(_incomplete, given)),
    }
    first = [own[0] for own in graphs]
    for prefix, edges in (("", _all), ("step_", _between_steps)):
        pairs = [(edges(do), edges(other)) for do, other in zip(first, exact, strict=True)]
        row |= {
            f"{prefix}edges_do": sum(len(do) for do, _ in pairs),
            f"{prefix}edges_intersection": sum(len(other) for _, other in pairs),
            f"{prefix}edges_common": sum(len(do & other) for do, other in pairs),
        }
    pairs_of_graphs = zip(graphs, exact, strict=True)
    row["graphs_equal"] = sum(graph == other for own, other in pairs_of_graphs for graph in own)
    row["graphs"] = sum(map(len, graphs))
    row["runs"] = seeds
    return row


def _read(name: str, directory: Path) -> Sequence[Demonstrations]:
    if name == "captaincook4d":
        return read_recipes(directory).demonstrations
    if name == "captaincook4d-unfiltered":
        return read_unfiltered(directory).demonstrations
    salads = read_salads(directory)
    if name == "50salads-complete":
        every = {step for steps in salads.values() for step in steps}
        salads = {key: steps for key, steps in salads.items() if set(steps) == every}
    return [Demonstrations.from_steps(salads, procedure="salad")]


def read_salads(directory: Path) -> dict[str, list[str]]:
    """Return the steps of 50 Salads' recordings, without the time before and after them.

    Raises
    ------
    MissingDataError
        If the file is not there.
    """
    path = directory / "50salads" / "50salads.csv"
    if not path.is_file():
        raise missing_file(path, "50 Salads' segments, with the columns 'recording' and 'step'")
    salads: dict[str, list[str]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if row["step"] not in NO_STEPS:
                salads.setdefault(row["recording"], []).append(row["step"])
    return salads


def _incomplete(given: Demonstrations) -> int:
    every = len(given.seen)
    return sum(len(set(recording.steps)) < every for recording in given)


def _all(graph: TaskGraph) -> set[Edge]:
    return set(graph.edges)


def _between_steps(graph: TaskGraph) -> set[Edge]:
    return {edge for edge in graph.edges if not {START, END} & set(edge)}


COLUMNS = (
    Column("data", lambda row: str(row["about"])),
    Column("recordings", lambda row: str(row["recordings"])),
    Column("left out", lambda row: str(row["left_out"])),
    Column(
        "edges: do / intersection / both",
        lambda row: f"{row['edges_do']} / {row['edges_intersection']} / {row['edges_common']}",
    ),
    Column(
        "between steps",
        lambda row: (
            f"{row['step_edges_do']} / {row['step_edges_intersection']} / "
            f"{row['step_edges_common']}"
        ),
    ),
    Column("equal", lambda row: f"{row['graphs_equal']} of {row['graphs']}"),
)
