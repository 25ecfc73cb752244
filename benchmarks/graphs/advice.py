"""How many recordings advice saves: the next one chosen by advice, or left to chance."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.generators import Demonstrator, Noise, disturb, draw_orders
from benchmarks.generators.problems import draw_procedures, note_on_procedures
from benchmarks.harness import BenchmarkResult, Column, Request, Row, choose_rows, percent
from stepgraph.drawing.charts import Point, Series, line_chart
from stepgraph.evaluation import compare_edges, mean_interval
from stepgraph.graph import TaskGraph
from stepgraph.insight import advise
from stepgraph.learners import get_learner
from stepgraph.postprocess import to_graph
from stepgraph.sequences import Demonstrations, KeyStepSequence

COUNTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)
"""After how many recordings a graph is learned; the first is left to chance in either case."""
TARGETS = (0.7, 0.8, 0.9)
LEARNERS = ("robust", "intersection")
CONDITIONS: Mapping[str, Noise] = {
    "clean": Noise(),
    "errors": Noise(Demonstrator.even(0.05)),
}
"""The demonstrators: without errors, or with one at every twentieth step."""
WAYS = ("advised", "random")


def run(request: Request) -> BenchmarkResult:
    """Record random procedures one recording after the other, by advice and at random.

    The methods are learners, by default 'robust' and 'intersection'; the seeds say how many
    procedures there are of each size.
    """
    chosen = choose_rows(request.methods, LEARNERS)
    truths = draw_procedures(request.seeds)
    rows: list[dict[str, Any]] = []
    work = [(condition, way) for condition in CONDITIONS for way in WAYS]
    for done, (condition, way) in enumerate(work):
        request.progress(done, len(work), f"{way}, {condition}")
        recorded = [
            record(truth, way, max(COUNTS), CONDITIONS[condition], seed)
            for seed, truth in enumerate(truths)
        ]
        for name in chosen:
            # An order is all that the exact one can bear: one error takes a pair away for good.
            if condition == "clean" or name != "intersection":
                rows += _rows(name, condition, way, recorded, truths)
    request.progress(len(work), len(work), "done")
    parts = [_part(condition, rows, request.seeds) for condition in CONDITIONS]
    return BenchmarkResult(
        "advice",
        f"{len(truths)} random procedures: recordings needed when advice chooses the next one",
        rows,
        COLUMNS,
        [note for part in parts for note in part.notes],
        charts={name: chart for part in parts for name, chart in part.charts.items()},
        parts=parts,
    )


def record(truth: TaskGraph, way: str, count: int, noise: Noise, seed: int) -> Demonstrations:
    """Record a procedure, each recording after the first chosen by advice or at random.

    Who is asked for an order does, at each moment, the step that stands first in it among those
    that the true graph permits; the errors of both ways come from the same generator.

    Parameters
    ----------
    truth
        The procedure.
    way
        'advised' or 'random'.
    count
        How many recordings.
    noise
        Who shows them.
    seed
        For the orders left to chance, and the errors.
    """
    drawn = draw_orders(truth, count, seed)
    recordings: list[KeyStepSequence] = []
    for number in range(count):
        order: Sequence[int] = drawn[number]
        if way == "advised" and recordings:
            wanted = advise(Demonstrations(truth.vocabulary, tuple(recordings)), most=0).order
            if wanted:
                order = as_far_as_possible(truth, wanted, random.Random(f"{seed} {number}"))
        (recording,) = disturb([order], noise, seed * 1000 + number, steps=len(truth.steps))
        recordings.append(replace(recording, id=str(number + 1)))
    return Demonstrations(truth.vocabulary, tuple(recordings), truth.procedure)


def as_far_as_possible(
    truth: TaskGraph, wanted: Sequence[str], rng: random.Random
) -> tuple[int, ...]:
    """Return a valid order that does at each moment the possible step which stands first.

    Steps that are not in it stand last, in an order of their own.
    """
    rank = {step: place for place, step in enumerate(wanted)}
    rest = [step for step in truth.steps if step not in rank]
    rank |= {step: len(wanted) + place for place, step in enumerate(rng.sample(rest, len(rest)))}
    done: list[str] = []
    while len(done) < len(truth.steps):
        done.append(min(truth.executable(done), key=rank.__getitem__))
    return tuple(truth.vocabulary.node(step) for step in done)


def _rows(
    learner: str,
    condition: str,
    way: str,
    recorded: Sequence[Demonstrations],
    truths: Sequence[TaskGraph],
) -> list[dict[str, Any]]:
    method = get_learner(learner)
    rows = []
    for count in COUNTS:
        given = [replace(one, sequences=one.sequences[:count]) for one in recorded]
        graphs = [to_graph(row[0].adjacency).graph for row in method.learn_many(given)]
        scores = [compare_edges(*pair).f1 for pair in zip(graphs, truths, strict=True)]
        interval = mean_interval(scores)
        rows.append(
            {
                "method": f"{way}, {learner}",
                "condition": condition,
                "x": count,
                "f1": interval.mean,
                "f1_interval90": interval.half_width,
                "procedure_count": len(scores),
            }
        )
    return rows


def _part(condition: str, rows: Sequence[Row], seeds: int) -> BenchmarkResult:
    points = [row for row in rows if row["condition"] == condition]
    lines = [
        {"method": method, "curve": [row for row in points if row["method"] == method]}
        for method in dict.fromkeys(row["method"] for row in points)
    ]
    about = "without errors" if condition == "clean" else "with errors at every twentieth step"
    return BenchmarkResult(
        f"advice: {condition}",
        f"F1 in percent by the number of recordings, {about}; then how many reach an F1",
        points,
        [
            Column("next recording", lambda line: str(line["method"])),
            *(_figure(place, count) for place, count in enumerate(COUNTS)),
            *(_reaches(target) for target in TARGETS),
        ],
        _notes(seeds) if condition == "clean" else (),
        charts={f"advice-{condition}": _chart(condition, lines)} if lines else {},
        table_rows=lines,
    )


def _figure(place: int, count: int) -> Column:
    return Column(str(count), lambda line: percent(line["curve"][place]["f1"]))


def _reaches(target: float) -> Column:
    def cell(line: Row) -> str:
        reached = (row["x"] for row in line["curve"] if row["f1"] >= target)
        return str(next(reached, "-"))

    return Column(f"F1 {100 * target:.0f}", cell)


def _chart(condition: str, lines: Sequence[Row]) -> str:
    return line_chart(
        [
            Series(
                line["method"],
                [
                    Point(
                        row["x"],
                        100 * row["f1"],
                        100 * max(row["f1"] - row["f1_interval90"], 0.0),
                        100 * min(row["f1"] + row["f1_interval90"], 1.0),
                    )
                    for row in line["curve"]
                ],
                muted=line["method"].startswith("random"),
            )
            for line in lines
        ],
        title="The next recording: by advice or at random"
        + ("" if condition == "clean" else ", with errors"),
        x_label="recordings",
        y_label="F1 (%)",
        y_range=(0, 100),
        x_logarithmic=True,
    )


def _notes(seeds: int) -> list[str]:
    return [
        (
            f"{note_on_procedures(seeds)}; intervals (in the figures and the chart) are "
            "Student's t at 90 %"
        ),
        (
            "the first recording is the same in both ways; who is asked for an order does at each "
            "moment the step that stands first in it among those that the true graph permits"
        ),
        "F1 70, 80, 90: the fewest recordings listed with which the mean F1 is that high",
    ]


COLUMNS = (
    Column("next recording", lambda row: str(row["method"])),
    Column("condition", lambda row: str(row["condition"])),
    Column("recordings", lambda row: str(row["x"])),
    Column("F1 (90 %)", lambda row: percent(row["f1"], row["f1_interval90"])),
)
