"""Logs and procedures by the million: how long they take, against plain ways to do the same.

Machines differ and are noisy, so wherever there is something to compare with, it is measured in
the same run, in turns. A measure's size may be given, as in ``log:200000``, to try it out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.cost.alignment import swaps
from benchmarks.generators.logs import many_procedures, write_parquet_log, write_xes_log
from benchmarks.harness import BenchmarkResult, Column, Request, timed
from stepgraph.errors import MissingExtraError, SettingError, UnavailableError, UnknownNameError
from stepgraph.learners import get_learner
from stepgraph.logs import read_log
from stepgraph.logs.engine import Engine
from stepgraph.pipeline import LearningOptions, learn
from stepgraph.pipeline.procedures import MOST_PROCEDURES, learn_procedures
from stepgraph.pipeline.workers import Workers
from stepgraph.repetitions import without_repetitions
from stepgraph.sequences import Demonstrations

TURNS = 3
"""How often the two sides of a comparison are measured, in turns; the fastest counts."""
SAMPLE = 40
"""How many procedures are learned one at a time; the rest is computed from them."""
NOTES = (
    (
        "log: from the file to weighted variants in a process of its own, against the plain query "
        f"in another; fastest of {TURNS}, in turns; memory is the largest either process held"
    ),
    (
        f"do, robust: one at a time means stepgraph.learn for one procedure after the other; "
        f"{SAMPLE} were timed and the rest computed from them"
    ),
    (
        "cluster, cluster-robust: two Dask workers on this machine, started before the clock with "
        "the settings of docs/logs.md, against one process; who hands out the work needs the same "
        "cores, and the less a procedure costs, the more that counts"
    ),
)


def run(request: Request) -> BenchmarkResult:
    """Measure."""
    chosen = (
        [_with_size(name) for name in request.methods]
        if request.methods is not None
        else list(SIZES.items())
    )
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    for done, (name, size) in enumerate(chosen):
        request.progress(done, len(chosen), name)
        try:
            rows.append({"method": name, "size": size, **MEASURES[name](size)})
        except UnavailableError as error:
            if request.methods is not None:
                raise
            notes.append(f"{name} was left out: {error}")
    request.progress(len(chosen), len(chosen), "done")
    return BenchmarkResult(
        "scale", "Logs and procedures by the million", rows, COLUMNS, [*notes, *NOTES]
    )


def _with_size(text: str) -> tuple[str, int]:
    name, _, size = text.partition(":")
    if name not in MEASURES:
        raise UnknownNameError("measure", name, MEASURES)
    if not size:
        return name, SIZES[name]
    if not size.isdecimal() or int(size) < 1:
        raise SettingError(f"the size of {name!r} is {size!r}; expected a whole number from 1 on")
    return name, int(size)


OURS = """
import sys
from stepgraph.logs import open_log
with open_log(sys.argv[1]) as log:
    print(sum(size.variants for size in log.procedures), end=" ")
"""
PLAIN = """
import sys, duckdb
with duckdb.connect() as connection:
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET memory_limit = '1500MB'")
    connection.execute("SET temp_directory = '" + sys.argv[2] + "'")
    connection.execute(\"\"\"
        CREATE TABLE variants AS SELECT procedure, steps, count(*), min(recording) FROM (
            SELECT procedure, "case:concept:name" AS recording,
                list("concept:name" ORDER BY "time:timestamp") AS steps
            FROM '\"\"\" + sys.argv[1] + \"\"\"' GROUP BY ALL)
        GROUP BY procedure, steps\"\"\")
    print(connection.execute("SELECT count(*) FROM variants").fetchone()[0], end=" ")
"""
MEMORY = """
try:  # a process's own mark; that of getrusage begins with its parent's
    with open("/proc/self/status") as status:
        print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
except OSError:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def _log(rows: int) -> dict[str, Any]:
    Engine().close()  # says what to install where duckdb is missing
    with tempfile.TemporaryDirectory(prefix="stepgraph-scale-") as folder:
        path = Path(folder) / "log.parquet"
        generating, _ = timed(lambda: write_parquet_log(path, rows))
        found = [
            [_in_a_process(code, path, Path(folder) / "plain") for code in (PLAIN, OURS)]
            for _ in range(TURNS)
        ]
    plain, ours = (min(turn[side][0] for turn in found) for side in (0, 1))
    if len({turn[side][1] for turn in found for side in (0, 1)}) != 1:
        raise SettingError("the plain query and the log reader count different variants")
    return {
        "about": f"{rows:,} rows of Parquet to weighted variants, against the plain duckdb query",
        "seconds": ours,
        "reference_seconds": plain,
        "ratio": ours / plain,
        "must": "ratio at most 2, at most 2,000 MB",
        "megabytes": max(turn[1][2] for turn in found) / 1000,
        "reference_megabytes": max(turn[0][2] for turn in found) / 1000,
        "variants": found[0][1][1],
        "generating_seconds": generating,
        "turns": [[turn[0][0], turn[1][0]] for turn in found],
    }


LARGE = """
import random, sys
from stepgraph.pipeline import LearningOptions
from stepgraph.pipeline.procedures import learn_procedures
from stepgraph.pipeline.workers import Workers
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary
steps, length, variants, recordings = 1000, 20, 20000, int(sys.argv[1])
rng = random.Random(0)
sequences = {}
while len(sequences) < variants:
    start = rng.randrange(1, steps - length + 2)
    order = list(range(start, start + length))
    for _ in range(3):
        place = rng.randrange(length - 1)
        order[place : place + 2] = order[place + 1], order[place]
    sequences[tuple(order)] = None
weight = recordings / variants
given = Demonstrations(
    Vocabulary(tuple(f"step {number}" for number in range(1, steps + 1))),
    tuple(KeyStepSequence(str(n), order, weight=weight) for n, order in enumerate(sequences)),
    "large",
)
report = learn_procedures([given], LearningOptions("do"), workers=Workers(1))
print(len(report.learned), end=" ")
"""


def _large(recordings: int) -> dict[str, Any]:
    seconds, learned, kilobytes = _in_a_process(LARGE, str(recordings))
    if learned != 1:
        raise SettingError("the large procedure was not learned")
    return {
        "about": f"one procedure of 1,000 steps, {recordings:,} recordings of 20 steps in 20,000 "
        "variants, do",
        "seconds": seconds,
        "must": "bounded memory",
        "megabytes": kilobytes / 1000,
    }


def _in_a_process(code: str, *arguments: object) -> tuple[float, int, int]:
    """Return how long a program takes, what it counts, and how many kB it held."""
    command = [sys.executable, "-c", code + MEMORY, *map(str, arguments)]
    seconds, ended = timed(
        lambda: subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603
    )
    if ended.returncode:
        last = ended.stderr.strip().splitlines()[-1:] or ["nothing was said; out of memory perhaps"]
        raise UnavailableError(f"its process ended with {ended.returncode}: {last[0][:200]}")
    counted, kilobytes = map(int, ended.stdout.split())
    return seconds, counted, kilobytes


def _procedures(method: str, number: int, must: str) -> dict[str, Any]:
    procedures = many_procedures(number)
    workers = min(2, os.cpu_count() or 1)
    learn_procedures(
        procedures[:4], LearningOptions(method), workers=Workers(workers), most=1
    )  # starts the processes
    sample = procedures[:: max(1, number // SAMPLE)][:SAMPLE]
    learn(sample[0], method)
    alone, _ = timed(lambda: [learn(given, method) for given in sample])
    seconds, report = timed(
        lambda: learn_procedures(procedures, LearningOptions(method), workers=Workers(workers))
    )
    reference = alone * number / len(sample)
    row = {
        "about": f"{number:,} procedures of 10 to 20 steps, 10 demonstrations each, {method}, "
        f"{workers} processes, against one at a time",
        "seconds": seconds,
        "reference_seconds": reference,
        "ratio": reference / seconds,
        "must": must,
        "failed": len(report.failed),
    }
    if method == "do":
        row |= _plain_loop(sample, number, seconds)
    return row


def _plain_loop(sample: Sequence[Any], number: int, seconds: float) -> dict[str, Any]:
    """Return the ratio against the equations typed as they stand, one procedure at a time."""
    from benchmarks.cost.plain_loop import plain_training

    few = sample[::10]
    epochs = [int(get_learner("do").learn(given).facts["epochs"]) for given in few]

    def loop() -> None:
        for given, most in zip(few, epochs, strict=True):
            plain_training(
                without_repetitions(given).sequences, len(given.vocabulary) + 2, epochs=most
            )

    plain = timed(loop)[0] * number / len(few)
    return {"plain_loop_seconds": plain, "plain_loop_ratio": plain / seconds}


def _xes(events: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="stepgraph-scale-") as folder:
        path = Path(folder) / "log.xes"
        write_xes_log(path, events)
        size = path.stat().st_size / 1e6
        read_log(path)  # loads what the engine needs
        times, busy = [], []
        for _ in range(TURNS):
            started = time.process_time()
            times.append(timed(lambda: read_log(path))[0])
            busy.append(time.process_time() - started)
    return {
        "about": f"XES, {events:,} events ({size:.0f} MB), to weighted variants; "
        f"{min(busy):.2f} s of processor time",
        "seconds": min(times),
        "processor_seconds": min(busy),
        "must": "under 1.5 s",
        "turns": [[seconds] for seconds in times],
    }


def _alignment(recordings: int) -> dict[str, Any]:
    return swaps(25, recordings, "under 0.2 s")


MEASURES: dict[str, Callable[[int], dict[str, Any]]] = {
    "log": _log,
    "do": lambda number: _procedures("do", number, "under 300 s, 50 times the plain loop"),
    "robust": lambda number: _procedures("robust", number, "under 600 s"),
    "cluster": lambda number: two_workers("do", number, MOST_PROCEDURES, 5),
    "cluster-robust": lambda number: two_workers("robust", number, 50, 2),
    "xes": _xes,
    "alignment": _alignment,
    "large": _large,
}
SIZES = {
    "log": 20_000_000,
    "do": 10_000,
    "robust": 10_000,
    "cluster": 10_000,
    "cluster-robust": 1_000,
    "xes": 160_000,
    "alignment": 100,
    "large": 1_000_000,
}
"""The size of each measure, unless another is given."""


def _figure(row: Any, key: str, digits: int) -> str:
    return "" if row.get(key) is None else f"{row[key]:,.{digits}f}"


COLUMNS = (
    Column("measure", lambda row: str(row["method"])),
    Column("seconds", lambda row: _figure(row, "seconds", 2)),
    Column("reference s", lambda row: _figure(row, "reference_seconds", 2)),
    Column("ratio", lambda row: _figure(row, "ratio", 2)),
    Column("MB", lambda row: _figure(row, "megabytes", 0)),
    Column("must be", lambda row: str(row["must"])),
    Column("what", lambda row: str(row["about"])),
)


DASK_SETTINGS: dict[str, object] = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
}
"""What Dask's scheduler and workers are started with; docs/logs.md says why."""
MEMORY_VARIABLES: dict[str, object] = {
    "MALLOC_MMAP_THRESHOLD_": 2**25,
    "MALLOC_TRIM_THRESHOLD_": 2**27,
}
"""What the environment of Dask's workers has; docs/logs.md says why."""


def as_variables(settings: dict[str, object]) -> dict[str, str]:
    """Return Dask's settings as the variables that it reads them from.

    Examples
    --------
    >>> as_variables({"distributed.admin.system-monitor.interval": "5s"})
    {'DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL': '5s'}
    """
    return {
        f"DASK_{name}".replace(".", "__").replace("-", "_").upper(): str(value)
        for name, value in settings.items()
    }


def two_workers(method: str, number: int, most: int, turns: int) -> dict[str, Any]:
    """Measure both, with the settings that the documentation advises and without any.

    Parameters
    ----------
    method
        What to learn with.
    number
        How many procedures.
    most
        How many of them a batch has.
    turns
        How often the two sides are measured, in turns; the fastest counts.
    """
    procedures = many_procedures(number)
    learn_procedures(
        procedures[:1], LearningOptions(method), workers=Workers(1)
    )  # loads what this process needs
    advised = _turns(procedures, method, most, turns, DASK_SETTINGS, MEMORY_VARIABLES)
    unset = _turns(procedures, method, most, turns, {}, {})
    seconds, reference = map(min, zip(*advised, strict=True))
    unset_seconds, unset_reference = map(min, zip(*unset, strict=True))
    return {
        "about": f"{number:,} procedures, {method}, two Dask workers against one process; "
        f"without the settings {unset_reference / unset_seconds:.2f}",
        "seconds": seconds,
        "reference_seconds": reference,
        "ratio": reference / seconds,
        "unset_ratio": unset_reference / unset_seconds,
        "must": "ratio at least 1.7",
        "turns": advised,
        "unset_turns": unset,
    }


def _turns(
    procedures: Sequence[Demonstrations],
    method: str,
    most: int,
    turns: int,
    settings: dict[str, object],
    variables: dict[str, object],
) -> list[list[float]]:
    """Return the seconds of two workers and of one process, turn after turn."""
    try:
        import dask
        from distributed import LocalCluster
    except ModuleNotFoundError:
        raise MissingExtraError("the measure 'cluster'", "cluster") from None

    def run(workers: Workers) -> float:
        return timed(
            lambda: learn_procedures(
                procedures, LearningOptions(method), workers=workers, most=most
            )
        )[0]

    environment = {"OMP_NUM_THREADS": 1, **variables, **as_variables(settings)}
    with (
        dask.config.set({**settings, "distributed.nanny.pre-spawn-environ": environment}),
        LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
    ):
        two = Workers(scheduler=cluster.scheduler_address)
        learn_procedures(
            procedures[:8], LearningOptions(method), workers=two, most=1
        )  # loads what the workers need
        return [[run(two), run(Workers(1))] for _ in range(turns)]
