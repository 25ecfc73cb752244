"""How the cost grows with recordings, steps, procedures, workers and rows, and what follows.

Every point is measured in processor time or, where workers are counted, by the clock; a formula
is fitted to the points, and its largest error on them is printed beside what it predicts.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.generators.logs import many_procedures, write_parquet_log
from benchmarks.harness import BenchmarkResult, Column, Request, choose_rows, timed
from stepgraph.errors import SettingError, UnavailableError
from stepgraph.logs import open_log
from stepgraph.pipeline import LearningOptions
from stepgraph.pipeline.outcomes import learn_batch
from stepgraph.pipeline.procedures import learn_procedures
from stepgraph.pipeline.workers import Workers
from stepgraph.sequences import Demonstrations

BATCH = 100
"""How many procedures a point of recordings or steps is measured with."""
STEPS, RECORDINGS = 15, 10
"""The procedure that a prediction is for."""
CORES = 64
"""The cluster that a prediction is for."""
NOTES = (
    (
        "recordings, steps, procedures: processor time of one procedure in a batch, Direct "
        "Optimization, everything included; workers: by the clock; log: processor time"
    ),
    "the formula is fitted to relative errors, so that small and large procedures count alike",
)


def run(request: Request) -> BenchmarkResult:
    """Measure the points, fit the formula, predict."""
    chosen = choose_rows(request.methods, SERIES, kind="series")
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    for done, name in enumerate(chosen):
        request.progress(done, len(chosen), name)
        measure, sizes = SERIES[name]
        try:
            rows += [{"method": name, "size": size, **measure(size)} for size in sizes]
        except UnavailableError as error:
            notes.append(f"{name} was left out: {error}")
    request.progress(len(chosen), len(chosen), "done")
    notes += predictions(rows)
    return BenchmarkResult("scaling", "How the cost grows", rows, COLUMNS, [*notes, *NOTES])


def fit(features: Sequence[Sequence[float]], seconds: Sequence[float]) -> tuple[list[float], float]:
    """Fit a sum of features with positive factors; return the factors and the largest error.

    Parameters
    ----------
    features
        For each point the values that the factors multiply.
    seconds
        What each point took.

    Examples
    --------
    >>> factors, error = fit([(1, 1), (1, 2), (1, 4)], [3, 5, 9])
    >>> [round(factor, 6) for factor in factors], round(error, 6)
    ([1.0, 2.0], 0.0)
    """
    if len(features) < len(features[0]):
        raise SettingError(f"{len(features)} points; a formula needs {len(features[0])} or more")
    measured = np.array(seconds, dtype=float)
    wanted = np.array(features, dtype=float) / measured[:, None]
    kept = list(range(wanted.shape[1]))
    while True:  # a cost that would be negative is left out
        factors = np.zeros(wanted.shape[1])
        factors[kept] = np.linalg.lstsq(wanted[:, kept], np.ones(len(measured)), rcond=None)[0]
        if (factors >= 0).all() or len(kept) == 1:
            break
        kept.remove(int(np.argmin(factors)))
    error = float(np.abs(wanted @ factors - 1).max())
    return [float(factor) for factor in factors], error


def predictions(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the formulas that fit the points, and what they predict, in words."""
    said = []
    points = [row for row in rows if row["method"] in ("recordings", "steps")]
    one = None
    if len(points) >= 3:
        features = [(1.0, row["steps"] ** 2, row["pairs"]) for row in points]
        (base, square, pair), error = fit(features, [row["seconds"] for row in points])
        pairs = RECORDINGS * (STEPS + 2) ** 2
        one = base + square * STEPS**2 + pair * pairs
        said.append(
            f"a procedure of n steps whose distinct sequences have p pairs of places (each its "
            f"length squared) costs {1e3 * base:.2f} ms + {1e6 * square:.2f} us n^2 + "
            f"{1e6 * pair:.2f} us p; largest error on the points {100 * error:.0f} %"
        )
    logs = [row for row in rows if row["method"] == "log"]
    per_row = None
    if len(logs) >= 2:
        (base, per_row), error = fit([(1.0, row["size"]) for row in logs], [
            row["seconds"] for row in logs
        ])  # fmt: skip
        said.append(
            f"a log of r rows costs {base:.2f} s + {1e6 * per_row:.2f} us r; largest error "
            f"{100 * error:.0f} %"
        )
    if one is not None and per_row is not None:
        hours = 1e6 * one / 3600
        reading = 1e6 * RECORDINGS * STEPS * per_row / 60
        said.append(
            f"predicted: a million procedures of {STEPS} steps and {RECORDINGS} distinct "
            f"recordings take {hours:.2f} core hours, {60 * hours / CORES:.1f} minutes on {CORES} "
            f"cores that share the work evenly, after {reading:.1f} core minutes of reading their "
            f"{RECORDINGS * STEPS} million rows on one machine"
        )
    return said


def _batched(procedures: list[Demonstrations]) -> float:
    """Return the processor time of one procedure in a batch: the smaller of two measurements."""
    learn_batch(procedures[:2], LearningOptions("do"))
    times = []
    for _ in range(2):
        started = time.process_time()
        learn_batch(procedures, LearningOptions("do"))
        times.append(time.process_time() - started)
    return min(times) / len(procedures)


def _point(procedures: list[Demonstrations]) -> dict[str, Any]:
    distinct = [{sequence.steps for sequence in given} for given in procedures]
    pairs = sum((len(steps) + 2) ** 2 for found in distinct for steps in found) / len(procedures)
    steps = sum(len(given.vocabulary) for given in procedures) / len(procedures)
    return {"seconds": _batched(procedures), "steps": steps, "pairs": pairs}


def _recordings(number: int) -> dict[str, Any]:
    return _point(many_procedures(BATCH, recordings=number, steps=(STEPS, STEPS)))


def _steps(number: int) -> dict[str, Any]:
    fewer = max(10, BATCH * STEPS // number // 2)
    return _point(many_procedures(fewer, recordings=RECORDINGS, steps=(number, number)))


def _procedures(number: int) -> dict[str, Any]:
    procedures = many_procedures(number)
    learn_batch(procedures[:2], LearningOptions("do"))
    started = time.process_time()
    learn_procedures(procedures, LearningOptions("do"), workers=Workers(1))
    return {"seconds": (time.process_time() - started) / number}


def _workers(number: int) -> dict[str, Any]:
    procedures = many_procedures(1000)
    workers = Workers(number)
    learn_procedures(procedures[:8], LearningOptions("do"), workers=workers, most=1)
    seconds = min(
        timed(
            lambda: learn_procedures(procedures, LearningOptions("do"), workers=workers, most=BATCH)
        )[0]
        for _ in range(2)
    )
    return {"seconds": seconds / len(procedures)}


def _log(rows: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="stepgraph-scale-") as folder:
        path = Path(folder) / "log.parquet"
        write_parquet_log(path, rows)
        started = time.process_time()
        with open_log(path):
            pass
        return {"seconds": time.process_time() - started}


SERIES: dict[str, tuple[Callable[[int], dict[str, Any]], tuple[int, ...]]] = {
    "recordings": (_recordings, (2, 5, 10, 20, 40, 80)),
    "steps": (_steps, (5, 10, 15, 20, 30, 40, 60)),
    "procedures": (_procedures, (100, 250, 500, 1000, 2000)),
    "workers": (_workers, (1, 2)),
    "log": (_log, (500_000, 1_000_000, 2_000_000, 4_000_000)),
}
"""What is varied, how it is measured, and its values."""

COLUMNS = (
    Column("varied", lambda row: str(row["method"])),
    Column("value", lambda row: f"{row['size']:,}"),
    Column(
        "cost",
        lambda row: (
            f"{row['seconds']:.2f} s"
            if row["method"] == "log"
            else f"{1e3 * row['seconds']:.2f} ms a procedure"
        ),
    ),
)
