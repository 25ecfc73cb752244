"""How fast Direct Optimization is: ratios against a plain loop, and how its cost grows.

Machines differ and are noisy, so every figure is a ratio of two times measured in one run.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tgml.benchmarks.data import data_directory, data_file
from tgml.benchmarks.result import BenchmarkResult, Column
from tgml.errors import UnknownNameError
from tgml.learners import Progress, get_learner
from tgml.readers import read_demonstrations
from tgml.readers.assembly101 import read_assembly101_o
from tgml.repetitions import without_repetitions
from tgml.sequences import Demonstrations, KeyStepSequence, Vocabulary

ASSEMBLY_EPOCHS = 1200
REPEATS = 5
NOTES = (
    (
        "do-*: the plain loop builds one log term at a time with autograd and trains one model "
        "after another for the same numbers of epochs, without any stopping test; ours includes "
        "its stopping test and everything else (median of several runs)"
    ),
    "double-*, tenfold-*: an epoch against an epoch of the smaller problem (medians, in turns)",
)


def run(
    data: str | Path | None,
    methods: Sequence[str] | None,
    seeds: int,
    progress: Progress,
) -> BenchmarkResult:
    """Measure the ratios."""
    measures: dict[str, Callable[[], dict[str, Any]]] = {
        "do-24x5": lambda: _all_recipes(data_directory(data, needs=("captaincook4d",)), seeds),
        "do-assembly101": lambda: _assembly101(data_directory(data, needs=("assembly101",))),
        "double-sequences": _double_sequences,
        "tenfold-nodes": _tenfold_nodes,
    }
    chosen = list(measures) if methods is None else list(dict.fromkeys(methods))
    for name in chosen:
        if name not in measures:
            raise UnknownNameError("measure", name, measures)
    rows = []
    for done, name in enumerate(chosen):
        progress(done, len(chosen), name)
        rows.append({"method": name, **measures[name]()})
    progress(len(chosen), len(chosen), "done")
    return BenchmarkResult(
        "speed",
        "Direct Optimization: times as ratios within one run",
        rows,
        COLUMNS,
        NOTES,
    )


def _all_recipes(directory: Path, seeds: int) -> dict[str, Any]:
    from tgml.learners.plain_loop import plain_training

    path = data_file(directory, "captaincook4d", "task_graph_generation_annotations.json")
    procedures = list(read_demonstrations(path, format="annotations").procedures.values())
    learner = get_learner("do")
    learner.learn_many(procedures[:1])  # the first call loads what torch needs
    times = []
    for _ in range(REPEATS):
        seconds, learned = _timed(lambda: learner.learn_many(procedures, seeds=range(seeds)))
        times.append(seconds)
    epochs = [[int(result.facts["epochs"]) for result in row] for row in learned]

    def plain() -> None:
        for demonstrations, row in zip(procedures, epochs, strict=True):
            plain_training(
                without_repetitions(demonstrations).sequences,
                len(demonstrations.vocabulary) + 2,
                epochs=row[0],
            )

    reference, _ = _timed(plain)
    # Seeds differ in their first scores only, so the first stands for all.
    reference *= sum(map(sum, epochs)) / sum(row[0] for row in epochs)
    return {
        "about": f"{len(procedures)} recipes x {seeds} seeds as one batch, against a plain loop "
        "(its first seed timed, the others by their epochs)",
        "ratio": reference / median(times),
        "seconds": median(times),
        "reference_seconds": reference,
        "must": "at least 200",
    }


def _assembly101(directory: Path, loop_epochs: int = 5) -> dict[str, Any]:
    from tgml.learners.plain_loop import plain_training

    data_file(directory, "assembly101", "annotations")
    demonstrations = read_assembly101_o(directory / "assembly101").train
    learner = get_learner("do", stopping="never", epochs=ASSEMBLY_EPOCHS)
    get_learner("do", stopping="never", epochs=1).learn(demonstrations)
    times = [_timed(lambda: learner.learn(demonstrations))[0] for _ in range(3)]
    sequences = without_repetitions(demonstrations).sequences
    size = len(demonstrations.vocabulary) + 2
    reference, _ = _timed(lambda: plain_training(sequences, size, epochs=loop_epochs))
    reference *= ASSEMBLY_EPOCHS / loop_epochs
    return {
        "about": f"Assembly101-O, {len(demonstrations)} recordings, "
        f"{len(demonstrations.vocabulary)} steps, {ASSEMBLY_EPOCHS} epochs, against a plain loop "
        f"(timed for {loop_epochs} epochs)",
        "ratio": reference / median(times),
        "seconds": median(times),
        "reference_seconds": reference,
        "must": "at least 200",
    }


def _double_sequences() -> dict[str, Any]:
    small, large = _epoch_times((25, 25, 1000), (25, 25, 2000))
    return {
        "about": "one epoch with 2,000 sequences of 25 steps, against 1,000",
        "ratio": large / small,
        "seconds": large,
        "reference_seconds": small,
        "must": "at most 2.2",
    }


def _tenfold_nodes() -> dict[str, Any]:
    small, large = _epoch_times((20, 20, 1000), (200, 20, 1000))
    return {
        "about": "one epoch with 200 steps in the procedure, against 20; 1,000 sequences of 20",
        "ratio": large / small,
        "seconds": large,
        "reference_seconds": small,
        "must": "at most 3",
    }


def _epoch_times(*problems: tuple[int, int, int], epochs: int = 30) -> list[float]:
    """Return the time of an epoch for each (steps, length, sequences), taken in turns."""
    short, long = (get_learner("do", stopping="never", epochs=number) for number in (1, 1 + epochs))
    demonstrations = [_random_orders(*problem) for problem in problems]
    times: list[list[float]] = [[] for _ in problems]
    for _ in range(REPEATS):
        for number, given in enumerate(demonstrations):
            # What is done once, such as listing the pairs, falls out of the difference.
            once, _ = _timed(lambda given=given: short.learn(given))  # type: ignore[misc]
            all_, _ = _timed(lambda given=given: long.learn(given))  # type: ignore[misc]
            times[number].append((all_ - once) / epochs)
    return [median(row) for row in times]


def _random_orders(steps: int, length: int, sequences: int) -> Demonstrations:
    rng = random.Random(0)
    return Demonstrations(
        Vocabulary(tuple(f"step {number}" for number in range(1, steps + 1))),
        tuple(
            KeyStepSequence(str(number), tuple(rng.sample(range(1, steps + 1), length)))
            for number in range(sequences)
        ),
    )


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


COLUMNS = (
    Column("measure", lambda row: str(row["method"])),
    Column(
        "ratio", lambda row: f"{row['ratio']:,.2f}" if row["ratio"] < 10 else f"{row['ratio']:,.0f}"
    ),
    Column("must be", lambda row: str(row["must"])),
    Column("seconds", lambda row: f"{row['seconds']:.4f}"),
    Column("reference s", lambda row: f"{row['reference_seconds']:.4f}"),
    Column("what", lambda row: str(row["about"])),
)
