"""Whether the probabilities of edges and pairs mean what they say, beside weights that do not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.datasets.captaincook4d import read_recipes
from benchmarks.datasets.directory import data_directory
from benchmarks.generators import draw_problems
from benchmarks.graphs.captaincook4d import read_unfiltered
from benchmarks.harness import (
    BenchmarkResult,
    Column,
    MissingDataError,
    Request,
    Row,
    choose_rows,
    percent,
)
from stepgraph.drawing.charts import Point, Series, line_chart
from stepgraph.errors import UnavailableError
from stepgraph.evaluation import brier_score, calibration_error, reliability
from stepgraph.graph import TaskGraph
from stepgraph.learners import Learned, get_learner
from stepgraph.postprocess import to_graph
from stepgraph.sequences import END, START, Demonstrations

METHODS = ("robust", "do")
FIRST_SEED = 1_000
"""Robust's probabilities were fitted on procedures of other seeds."""
PROBLEMS_A_SEED = 40
"""How many random procedures are drawn for each seed that the user asks for."""

Problem = tuple[Demonstrations, TaskGraph]


def run(request: Request) -> BenchmarkResult:
    """Compare what methods say of their edges with how many of them are right."""
    chosen = choose_rows(request.methods, METHODS)
    rows: list[dict[str, Any]] = []
    notes = []
    sets = []
    for name in ("synthetic", "captaincook4d", "captaincook4d-unfiltered"):
        try:
            sets.append((name, _problems(name, request.data, request.seeds)))
        except MissingDataError as error:
            notes.append(f"{name} was left out: {error}")
    runs = list(itertools.product(sets, chosen))
    for done, ((name, problems), method) in enumerate(runs):
        request.progress(done, len(runs), f"{method} on {name}")
        try:
            rows += _rows(name, method, problems)
        except UnavailableError as error:
            notes.append(f"{method} was left out: {error}")
    request.progress(len(runs), len(runs), "done")
    return BenchmarkResult(
        "calibration",
        "what is said of edges and pairs against how many are right: the expected calibration "
        "error in ten bins",
        rows,
        COLUMNS,
        [
            *notes,
            (
                f"synthetic: {PROBLEMS_A_SEED * request.seeds} random procedures of seeds from "
                f"{FIRST_SEED} on, with habits and errors of all kinds; robust's probabilities "
                "were fitted on 400 others of the same kind"
            ),
            (
                "edges: of the learned graph between steps, right if the known graph has them; "
                "pairs: every two steps that some recording shows, right if the known graph "
                "orders them so"
            ),
            "do: its raw weights, as if they were probabilities; it gives none for pairs",
            "constant: the Brier score of saying the share that is right of every claim",
        ],
        charts={name: _chart(name, rows) for name, _ in sets},
    )


def _problems(name: str, data: str | Path | None, seeds: int) -> list[Problem]:
    if name == "synthetic":
        drawn = draw_problems(range(FIRST_SEED, FIRST_SEED + PROBLEMS_A_SEED * seeds))
        return [(problem.demonstrations, problem.truth) for problem in drawn]
    directory = data_directory(data)
    recipes = read_recipes(directory) if name == "captaincook4d" else read_unfiltered(directory)
    return list(zip(recipes.demonstrations, recipes.truths, strict=True))


def _rows(name: str, method: str, problems: Sequence[Problem]) -> Iterator[dict[str, Any]]:
    learned = get_learner(method).learn_many([given for given, _ in problems])
    claims = [
        claim
        for (given, truth), results in zip(problems, learned, strict=True)
        for claim in _claims(results[0], given, truth)
    ]
    for kind in ("edges", "pairs"):
        said = [min(probability, 1.0) for of, probability, _ in claims if of == kind]
        true = [right for of, _, right in claims if of == kind]
        if not said:
            continue
        share = sum(true) / len(true)
        yield {
            "method": method,
            "data": name,
            "of": kind,
            "count": len(said),
            "mean_probability": sum(said) / len(said),
            "share_right": share,
            "calibration_error": calibration_error(said, true),
            "brier": brier_score(said, true),
            "brier_constant": share * (1 - share),
            "bins": [list(bin_) for bin_ in reliability(said, true)],
        }


def _claims(
    learned: Learned, given: Demonstrations, truth: TaskGraph
) -> Iterator[tuple[str, float, bool]]:
    """Return what was learned of each edge and each pair, and whether it is so."""
    known = set(truth.edges)
    for edge, weight in to_graph(learned.adjacency).graph.weights.items():
        if START not in edge and END not in edge:
            yield "edges", weight, edge in known
    if learned.confidence is None:
        return
    together = {
        pair
        for recording in given
        for pair in itertools.permutations(set(given.names(recording)), 2)
    }
    needs = {step: set(truth.all_preconditions_of(step)) for step in truth.steps}
    for step, other in sorted(together):
        yield "pairs", learned.confidence.weight(step, other), other in needs.get(step, ())


def _chart(name: str, rows: Sequence[Row]) -> str:
    series = [
        Series(
            f"{row['method']}, {row['of']}",
            [Point(100 * said, 100 * right) for said, right, _ in row["bins"]],
        )
        for row in rows
        if row["data"] == name
    ]
    ideal = Series("as it should be", [Point(0, 0), Point(100, 100)], muted=True)
    return line_chart(
        [*series, ideal],
        title=f"How many are right of what is said to be so sure: {name}",
        x_label="said (%)",
        y_label="right (%)",
        y_range=(0, 100),
    )


COLUMNS = (
    Column("data", lambda row: str(row["data"])),
    Column("method", lambda row: str(row["method"])),
    Column("of", lambda row: str(row["of"])),
    Column("count", lambda row: f"{row['count']:,}"),
    Column("said", lambda row: percent(row["mean_probability"])),
    Column("right", lambda row: percent(row["share_right"])),
    Column("ECE", lambda row: f"{row['calibration_error']:.3f}"),
    Column("Brier", lambda row: f"{row['brier']:.3f}"),
    Column("constant", lambda row: f"{row['brier_constant']:.3f}"),
)
