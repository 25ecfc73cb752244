"""How fast learners are: Direct Optimization against a plain loop, and how costs grow.

Machines differ and are noisy, so every figure is a ratio of two times measured in one run.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.cost.many_parts import files_of_many_parts
from benchmarks.datasets.assembly101 import read_assembly101_o
from benchmarks.datasets.directory import data_directory, data_file
from benchmarks.generators import Noise, draw_demonstrations, random_procedure
from benchmarks.harness import BenchmarkResult, Column, Request, measure_rows, timed
from stepgraph.formats import read_demonstrations
from stepgraph.learners import Learner, get_learner
from stepgraph.repetitions import without_repetitions
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary

ASSEMBLY_EPOCHS = 1200
REPEATS = 5
PARTS = 30_000
LEAST_SECONDS = 0.4
"""How long a measurement of epochs takes at least."""
NOTES = (
    (
        "do-*: the plain loop builds one log term at a time with autograd and trains one model "
        "after another for the same numbers of epochs, without any stopping test; ours includes "
        "its stopping test and everything else (median of several runs); both on one thread"
    ),
    "robust-*: its time over that of the intersection order, on recordings with 5 % errors",
    "double-*, tenfold-*: an epoch against an epoch of the smaller problem (fastest, in turns)",
    "fourfold-parts: reading a file against reading a smaller one (fastest of several)",
)


def run(request: Request) -> BenchmarkResult:
    """Measure the ratios."""
    measures: dict[str, Callable[[], dict[str, Any]]] = {
        "do-24x5": lambda: _all_recipes(
            data_directory(request.data, needs=("captaincook4d",)), request.seeds
        ),
        "do-assembly101": lambda: _assembly101(
            data_directory(request.data, needs=("assembly101",))
        ),
        "double-sequences": lambda: _double_sequences(1000),
        "double-sequences-chunks": lambda: _double_sequences(4000),
        "tenfold-nodes": _tenfold_nodes,
        "fourfold-parts": _fourfold_parts,
        "robust-25x16": lambda: _robust(25, 16, "under 1 second"),
        "robust-100x1000": lambda: _robust(100, 1000, "under 60 seconds"),
    }
    rows, notes = measure_rows(measures, request)
    return BenchmarkResult(
        "speed",
        "learners: times as ratios within one run",
        rows,
        COLUMNS,
        [*notes, *NOTES],
    )


def _all_recipes(directory: Path, seeds: int) -> dict[str, Any]:
    from benchmarks.cost.plain_loop import plain_training

    path = data_file(directory, "captaincook4d", "task_graph_generation_annotations.json")
    procedures = list(read_demonstrations(path, format="annotations").procedures.values())
    learner = get_learner("do")
    learner.learn_many(procedures[:1])
    times = []
    for _ in range(REPEATS):
        seconds, learned = timed(lambda: learner.learn_many(procedures, seeds=range(seeds)))
        times.append(seconds)
    epochs = [[int(result.facts["epochs"]) for result in row] for row in learned]

    def plain() -> None:
        for demonstrations, row in zip(procedures, epochs, strict=True):
            plain_training(
                without_repetitions(demonstrations).sequences,
                len(demonstrations.vocabulary) + 2,
                epochs=row[0],
            )

    reference, _ = timed(plain)
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


def _robust(steps: int, count: int, must: str) -> dict[str, Any]:
    procedure = random_procedure(steps, width=steps // 4, density=0.7, seed=0)
    recordings = draw_demonstrations(procedure, count, seed=0, noise=Noise.mixed(0.05), habits=0.5)
    repeats = REPEATS if count < 100 else 1
    seconds, reference = (
        min(timed(lambda: get_learner(name).learn(recordings))[0] for _ in range(repeats))  # noqa: B023
        for name in ("robust", "intersection")
    )
    return {
        "about": f"robust on {steps} steps and {count} recordings",
        "ratio": seconds / reference,
        "seconds": seconds,
        "reference_seconds": reference,
        "must": must,
    }


def _assembly101(directory: Path, loop_epochs: int = 5) -> dict[str, Any]:
    from benchmarks.cost.plain_loop import plain_training

    data_file(directory, "assembly101", "annotations")
    demonstrations = read_assembly101_o(directory / "assembly101").train
    learner = get_learner("do", stopping="never", epochs=ASSEMBLY_EPOCHS)
    get_learner("do", stopping="never", epochs=1).learn(demonstrations)
    times = [timed(lambda: learner.learn(demonstrations))[0] for _ in range(3)]
    sequences = without_repetitions(demonstrations).sequences
    size = len(demonstrations.vocabulary) + 2
    reference = min(
        timed(lambda: plain_training(sequences, size, epochs=loop_epochs))[0] for _ in range(3)
    )
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


def _double_sequences(count: int) -> dict[str, Any]:
    small, large = _epoch_times((25, 25, count), (25, 25, 2 * count))
    return {
        "about": f"one epoch with {2 * count:,} sequences of 25 steps, against {count:,}",
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


def _fourfold_parts() -> dict[str, Any]:
    small, large = files_of_many_parts(PARTS), files_of_many_parts(4 * PARTS)
    times: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, files in ((name, (large[name], small[name])) for name in small):
            spent = []
            for case in files:
                path = case.write(Path(folder))
                spent.append(
                    min(timed(lambda: case.read(path))[0] for _ in range(REPEATS))  # noqa: B023
                )
            times[name] = (spent[0], spent[1])
    slowest = max(times, key=lambda name: times[name][0] / times[name][1])
    seconds, reference = times[slowest]
    return {
        "about": f"a file of {4 * PARTS:,} small parts, against {PARTS:,}; of {len(times)} kinds "
        f"the one that grows fastest ({slowest})",
        "ratio": seconds / reference,
        "seconds": seconds,
        "reference_seconds": reference,
        "must": "under 12",
    }


def _epoch_times(*problems: tuple[int, int, int]) -> list[float]:
    """Return the time of an epoch for each (steps, length, sequences), taken in turns.

    Each measurement takes at least `LEAST_SECONDS`, and the fastest of several counts: what
    else a machine does can only slow an epoch down.
    """
    demonstrations = [random_orders(*problem) for problem in problems]
    times: list[list[float]] = [[] for _ in problems]
    numbers = [20 for _ in problems]
    for repeat in range(REPEATS + 1):
        for number, given in enumerate(demonstrations):
            # What is done once, such as listing the pairs, falls out of the difference.
            once, _ = timed(lambda given=given: do_with_epochs(1).learn(given))  # type: ignore[misc]
            long = do_with_epochs(1 + numbers[number])
            several, _ = timed(lambda given=given, long=long: long.learn(given))  # type: ignore[misc]
            if repeat:
                spent = several - once if several > once else several
                times[number].append(spent / numbers[number])
            else:  # the first round only tells how many epochs are long enough
                numbers[number] = min(
                    max(20, round(LEAST_SECONDS * numbers[number] / several)), 1000
                )
    return [min(row) for row in times]


def do_with_epochs(number: int) -> Learner:
    """Return Direct Optimization that takes so many epochs."""
    return get_learner("do", stopping="never", epochs=number)


def random_orders(steps: int, length: int, sequences: int) -> Demonstrations:
    """Return sequences of so many of a procedure's steps, in random orders."""
    rng = random.Random(0)
    return Demonstrations(
        Vocabulary(tuple(f"step {number}" for number in range(1, steps + 1))),
        tuple(
            KeyStepSequence(str(number), tuple(rng.sample(range(1, steps + 1), length)))
            for number in range(sequences)
        ),
    )


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
