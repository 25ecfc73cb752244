"""How much noise mistake detection bears: the paper's Figure 5, with intervals and controls."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from benchmarks.detection import score_flags
from benchmarks.harness import BenchmarkResult, Column, MissingDataError, Request, Row, percent
from benchmarks.mistakes.detectors.simulation import perturb
from benchmarks.mistakes.online import PAPERS_SEED, choose_methods
from benchmarks.mistakes.online_methods import (
    METHODS,
    SPLITS,
    MistakeSplit,
    Recordings,
    Workshop,
    read_split,
)
from stepgraph.drawing.charts import Point, Series, line_chart
from stepgraph.evaluation import mean_interval

RATES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
"""The probability that a key-step is perturbed."""
MODERATE = 0.2
"""The rate at which the paper states what is lost: 10 to 15 points of the average F1."""
SHOWN = (
    "do-paper",
    "do-paper-1200",
    "do",
    "always-before",
    "next-step",
    "weighed-progress",
    "weighed-steps",
    "weighed-all",
    "unseen-step",
    "position-training",
)
"""The methods that run by default."""

NOTES = (
    (
        "each key-step of the true segments is perturbed with the given probability: a random step "
        "is inserted after it, it is deleted, or it is replaced by a random step, alike often"
    ),
    (
        "the last segment that is left is the mistake, as the protocol has it for recognised "
        "segments; detectors are those for true segments and expect no noise"
    ),
    (
        "every seed draws its own perturbation; intervals are Student's t at 90 % over seeds; "
        "graphs of the paper's preset are those of its seed 42"
    ),
    "lost: points of the average F1 lost at 20 %; the paper loses 10 to 15, labelling not stated",
)


def run(request: Request) -> BenchmarkResult:
    """Perturb the true segments of each data set that is there, more and more."""
    chosen = list(SHOWN) if request.methods is None else choose_methods(request.methods)
    splits, missing = [], []
    for name in SPLITS:
        try:
            splits.append(read_split(name, request.data))
        except MissingDataError as error:
            missing.append(error)
    if not splits:
        raise missing[0]
    parts = []
    total = len(splits) * len(chosen)
    for number, split in enumerate(splits):
        workshop = Workshop(split)
        points = []
        for done, method in enumerate(chosen, start=number * len(chosen)):
            request.progress(done, total, f"{split.title}: {method}")
            points += _points(method, workshop, request.seeds)
        parts.append(_part(split, points, [f"left out: {error}" for error in missing]))
    request.progress(total, total, "done")
    return BenchmarkResult(
        "perturbation",
        "Average F1 of online mistake detection as key-steps are inserted, deleted and replaced",
        [row for part in parts for row in part.rows],
        COLUMNS,
        list(dict.fromkeys(note for part in parts for note in part.notes)),
        charts={name: chart for part in parts for name, chart in part.charts.items()},
        parts=parts,
    )


def _points(method: str, workshop: Workshop, seeds: int) -> list[dict[str, Any]]:
    entry = METHODS[method]
    detector = entry.make(workshop, "true", PAPERS_SEED if entry.preset else 0)
    rows: list[dict[str, Any]] = []
    for rate in RATES:
        runs = [
            score_flags([detector.flags(steps) for steps in perturbed(workshop.split, rate, seed)])
            for seed in range(seeds if rate else 1)
        ]
        row: dict[str, Any] = {
            "method": method,
            "dataset": workshop.split.name,
            "segments": "true",
            "rate": rate,
            "runs": len(runs),
        }
        for name, values in (
            ("f1_average", [run.f1_average for run in runs]),
            ("f1_correct", [run.correct.f1 for run in runs]),
            ("f1_mistake", [run.mistake.f1 for run in runs]),
        ):
            interval = mean_interval(values)
            row[name] = interval.mean
            row[f"{name}_interval90"] = interval.half_width
        row["f1_average_lost"] = (rows[0] if rows else row)["f1_average"] - row["f1_average"]
        rows.append(row)
    return rows


def perturbed(split: MistakeSplit, rate: float, seed: int) -> Recordings:
    """Return the true segments of a data set as a poor recogniser would report them.

    Parameters
    ----------
    split
        The data set.
    rate
        The probability that a key-step is perturbed.
    seed
        For all draws.
    """
    words = split.train.vocabulary
    rng = random.Random(f"{split.name}/{rate}/{seed}")
    nodes = range(1, len(words) + 1)
    return tuple(
        tuple(
            words.name(node)
            for node in perturb([words.node(step) for step in steps], rate, nodes, rng)
        )
        for steps in split.watched["true"]
    )


def _part(
    split: MistakeSplit, points: Sequence[dict[str, Any]], notes: Sequence[str]
) -> BenchmarkResult:
    methods = dict.fromkeys(row["method"] for row in points)
    lines: list[dict[str, Any]] = [
        {"method": method, **{_key(row["rate"]): row for row in points if row["method"] == method}}
        for method in methods
    ]
    series = [
        Series(method, [_point(line[_key(rate)]) for rate in RATES], muted=METHODS[method].control)
        for method, line in zip(methods, lines, strict=True)
    ]
    chart = line_chart(
        series,
        title=f"{split.title}: average F1 as key-steps are perturbed",
        x_label="perturbed key-steps (%)",
        y_label="average F1 (%)",
    )
    return BenchmarkResult(
        f"perturbation: {split.title}",
        f"{split.title}, true segments: average F1 in percent by the share of perturbed key-steps",
        points,
        [
            Column("method", lambda line: str(line["method"])),
            *(_rate_column(rate) for rate in RATES),
            Column("lost at 20 %", lambda line: percent(line[_key(MODERATE)]["f1_average_lost"])),
        ],
        [*notes, *NOTES],
        charts={f"perturbation-{split.name}": chart},
        table_rows=lines,
    )


def _key(rate: float) -> str:
    return f"{rate:.0%}"


def _rate_column(rate: float) -> Column:
    def cell(line: Row) -> str:
        row = line[_key(rate)]
        return percent(row["f1_average"], row["f1_average_interval90"] if rate else None)

    return Column(_key(rate), cell)


def _point(row: Row) -> Point:
    mean, half = 100 * row["f1_average"], 100 * row["f1_average_interval90"]
    return Point(100 * row["rate"], mean, max(mean - half, 0.0), min(mean + half, 100.0))


COLUMNS = (
    Column("method", lambda row: str(row["method"])),
    Column("data set", lambda row: str(row["dataset"])),
    Column("rate", lambda row: f"{row['rate']:.0%}"),
    Column("average F1", lambda row: percent(row["f1_average"], row["f1_average_interval90"])),
)
"""How to show every point on a line of its own; the parts show a method on one."""
