"""How many recordings a method needs and how much noise it bears, on random procedures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.generators import Noise, draw_demonstrations
from benchmarks.generators.problems import SIZES, draw_procedures, note_on_procedures
from benchmarks.graphs.edge_rows import ANCHORED_COLUMN, compared
from benchmarks.harness import (
    BenchmarkResult,
    Column,
    Request,
    Row,
    choose_rows,
    compute_rows,
    percent,
    timed,
)
from stepgraph.drawing.charts import Point, Series, line_chart
from stepgraph.errors import SettingError
from stepgraph.evaluation import compare_edges, macro_average, mean_interval
from stepgraph.evaluation.controls import CONTROLS, uncontradicted
from stepgraph.graph import TaskGraph
from stepgraph.learners import LEARNERS, get_learner
from stepgraph.postprocess import to_graph
from stepgraph.sequences import Demonstrations

COUNTS = (1, 2, 4, 8, 16, 32, 64)
"""Numbers of clean recordings."""
RATES = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
"""Rates of errors."""
NOISY_COUNT = 16
"""How many recordings there are where noise varies."""

ASKING = tuple(name for name, entry in LEARNERS.items() if entry.reads_names)
"""Methods that go by what a step's name means; the names here mean nothing."""
KNOWING = "uncontradicted"
CONTROL_NAMES = (*CONTROLS, KNOWING)


@dataclass(frozen=True)
class Condition:
    """One place on a curve.

    Parameters
    ----------
    name
        Which curve: 'demonstrations' or 'noise'.
    x
        Where on it.
    demonstrations
        The recordings of all procedures.
    """

    name: str
    x: float
    demonstrations: tuple[Demonstrations, ...]


def run(request: Request) -> BenchmarkResult:
    """Learn random procedures from more and more recordings, and from worse and worse ones.

    By default all methods that need no endpoint are run, and all controls; the seeds say how many
    procedures of each size are drawn.
    """
    chosen = _choose(request.methods)
    truths = draw_procedures(request.seeds)
    conditions = _conditions(truths)
    found, left_out = compute_rows(
        chosen, lambda method: _rows(method, conditions, truths), request
    )
    rows = _compared([row for some in found for row in some])
    parts = [
        _part(
            "demonstrations",
            f"F1 in percent on {len(truths)} random procedures, by the number of clean recordings",
            rows,
            [*left_out, *_notes_on_procedures(request.seeds)],
        ),
        _part(
            "noise",
            f"F1 in percent on {len(truths)} random procedures, {NOISY_COUNT} recordings each, by "
            "the share of errors",
            rows,
            [_note_on_noise()],
        ),
    ]
    return BenchmarkResult(
        "synthetic",
        f"{len(truths)} random procedures of {SIZES[0]} to {SIZES[-1]} steps: how many recordings "
        "methods need, and how much noise they bear",
        rows,
        COLUMNS,
        [note for part in parts for note in part.notes],
        charts={name: chart for part in parts for name, chart in part.charts.items()},
        parts=parts,
    )


def _choose(methods: Sequence[str] | None) -> list[str]:
    usable = (name for name, entry in LEARNERS.items() if not entry.needs_files)
    every = [*(name for name in usable if name not in ASKING), *CONTROL_NAMES]
    for name in methods or ():
        if name in ASKING:
            raise SettingError(
                f"the method {name!r} goes by what step names mean, and those of random procedures "
                f"mean nothing; expected one of {', '.join(every)}"
            )
    return choose_rows(methods, every)


def _conditions(truths: Sequence[TaskGraph]) -> list[Condition]:
    # The fewer recordings are the first of the more, and noise disturbs the same orders at
    # every rate: curves differ by what they are about, not by luck.
    clean = [draw_demonstrations(truth, max(COUNTS), seed) for seed, truth in enumerate(truths)]
    conditions = [
        Condition(
            "demonstrations",
            count,
            tuple(replace(given, sequences=given.sequences[:count]) for given in clean),
        )
        for count in COUNTS
    ]
    conditions += [
        Condition(
            "noise",
            rate,
            tuple(
                draw_demonstrations(truth, NOISY_COUNT, seed, noise=Noise.mixed(rate))
                for seed, truth in enumerate(truths)
            ),
        )
        for rate in RATES
    ]
    return conditions


Learn = Callable[[Sequence[Demonstrations], Sequence[TaskGraph]], list[TaskGraph]]


def _learn(method: str) -> Learn:
    """Return what makes a method's graphs; only a control that knows them looks at the truths."""
    if method == KNOWING:
        return lambda given, truths: [
            uncontradicted(*pair) for pair in zip(given, truths, strict=True)
        ]
    if method in CONTROLS:
        return lambda given, truths: [CONTROLS[method](one) for one in given]  # noqa: ARG005
    learner = get_learner(method)
    return lambda given, truths: [  # noqa: ARG005
        to_graph(row[0].adjacency).graph for row in learner.learn_many(given)
    ]


def _rows(
    method: str, conditions: Sequence[Condition], truths: Sequence[TaskGraph]
) -> list[dict[str, Any]]:
    learn = _learn(method)
    return [_row(method, learn, condition, truths) for condition in conditions]


def _row(
    method: str, learn: Learn, condition: Condition, truths: Sequence[TaskGraph]
) -> dict[str, Any]:
    seconds, graphs = timed(lambda: learn(condition.demonstrations, truths))
    scores = [compare_edges(*pair) for pair in zip(graphs, truths, strict=True)]
    precision, recall, _ = macro_average(scores)
    interval = mean_interval([score.f1 for score in scores])
    return {
        "method": method,
        "condition": condition.name,
        "x": condition.x,
        "precision": precision,
        "recall": recall,
        "f1": interval.mean,
        "f1_interval90": interval.half_width,
        "procedure_count": len(scores),
        "seconds": seconds,
        "procedures": [
            {"procedure": str(number), "f1": score.f1} for number, score in enumerate(scores)
        ],
    }


def _compared(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the rows with their paired tests, those of each point of a curve among themselves."""
    points: dict[tuple[str, float], list[Row]] = {}
    for row in rows:
        points.setdefault((row["condition"], row["x"]), []).append(row)
    tested = {
        (row["method"], *point): row for point, own in points.items() for row in compared(own)
    }
    found = [tested[row["method"], row["condition"], row["x"]] for row in rows]
    # Scores for each random procedure tell a reader nothing; the tests have used them.
    return [{key: row[key] for key in row if key != "procedures"} for row in found]


def _notes_on_procedures(seeds: int) -> list[str]:
    return [
        f"{note_on_procedures(seeds)}; recordings uniform over the valid orders",
        "intervals are Student's t at 90 % over procedures; methods have their default settings",
        (
            "each point is compared with the next method below and with the intersection order: "
            "the mean difference, and p of a two-sided paired sign-flip test over procedures"
        ),
        "step names say nothing here: methods that read them go by the order alone",
        f"left out, as they go by what names mean: {', '.join(ASKING)}",
        f"{KNOWING} knows the known graph: what recordings leave possible, not a method",
    ]


def _note_on_noise() -> str:
    noise = Noise.mixed(0.1)
    factor = noise.careless.skipped / noise.careful.skipped
    return (
        "a fifth of the errors each: skipped, swapped, exchanged, repeated and inserted steps; "
        f"{noise.careless_share:.0%} of the demonstrators err {factor:g} times as often as the rest"
    )


def _part(condition: str, title: str, rows: Sequence[Row], notes: Sequence[str]) -> BenchmarkResult:
    """Return one curve: its points, and a table of methods by points."""
    points = [row for row in rows if row["condition"] == condition]
    methods = dict.fromkeys(row["method"] for row in points)
    lines = [
        {"method": method, **{row["x"]: row for row in points if row["method"] == method}}
        for method in methods
    ]
    return BenchmarkResult(
        f"synthetic: {condition}",
        title,
        points,
        [
            Column("method", lambda line: str(line["method"])),
            *(_figure_column(condition, x) for x in dict.fromkeys(row["x"] for row in points)),
            Column(
                "seconds",
                lambda line: f"{sum(line[x]['seconds'] for x in line if x != 'method'):.2f}",
            ),
        ],
        notes,
        charts={condition: _chart(condition, points)} if points else {},
        table_rows=lines,
    )


def _figure_column(condition: str, x: Any) -> Column:
    title = f"{x:.0%}" if condition == "noise" else f"{x:g}"
    return Column(title, lambda line: percent(line[x]["f1"]))


def _chart(condition: str, points: Sequence[Row]) -> str:
    noisy = condition == "noise"
    series = [
        Series(
            f"{method} (knows the truth)" if method == KNOWING else method,
            [_point(row, 100 if noisy else 1) for row in points if row["method"] == method],
            muted=method in CONTROL_NAMES,
        )
        for method in dict.fromkeys(row["method"] for row in points)
    ]
    return line_chart(
        series,
        title=f"How much noise methods bear, {NOISY_COUNT} recordings"
        if noisy
        else "How many recordings methods need, without noise",
        x_label="errors, in percent of the steps" if noisy else "recordings",
        y_label="F1 (%)",
        y_range=(0, 100),
        x_logarithmic=not noisy,
    )


def _point(row: Row, scale: float) -> Point:
    low = max(row["f1"] - row["f1_interval90"], 0.0)
    high = min(row["f1"] + row["f1_interval90"], 1.0)
    return Point(scale * row["x"], 100 * row["f1"], 100 * low, 100 * high)


COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    Column("condition", lambda row: str(row["condition"])),
    Column("x", lambda row: f"{row['x']:g}"),
    Column("precision", lambda row: percent(row["precision"])),
    Column("recall", lambda row: percent(row["recall"])),
    Column("F1 (90 %)", lambda row: percent(row["f1"], row["f1_interval90"])),
    ANCHORED_COLUMN,
    Column("seconds", lambda row: f"{row['seconds']:.2f}"),
)
"""How to show every point on a line of its own; the parts show a method on one."""
