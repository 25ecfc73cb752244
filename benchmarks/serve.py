"""The live service on this machine: throughput, times to answer, and what a kill leaves behind."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from benchmarks.asked import Asked
from benchmarks.result import BenchmarkResult, Column
from benchmarks.rows import measure_rows
from benchmarks.service.kills import measure_kills
from benchmarks.service.load import measure_load
from stepgraph.errors import MissingDataError

SESSIONS = 200
OBSERVATIONS = 50_000
STEADY = 600
KILLS = 20
POSTGRES_VARIABLE = "STEPGRAPH_BENCH_POSTGRES"
NOTES = (
    (
        f"{SESSIONS} sessions at once, each on a connection of its own, server and clients in a "
        "process each on this machine; an answer counts when its observation is on disk; wrong: "
        "answers that differ from offline replay by stepgraph.Monitor, in any field"
    ),
    (
        "sqlite, postgres: each client posts as soon as the last answer is there, so the times "
        "are those of a service that has as much to do as it can; steady: "
        f"{STEADY} observations a second in all, times counted from when each was due"
    ),
    (
        f"kills: kill -9 in the middle of writes, {KILLS} times; lost: acknowledged and gone "
        "after the restart; twice: kept more than once"
    ),
    "load: how many processes of the whole machine wanted a processor before the measurement",
)


def run(asked: Asked) -> BenchmarkResult:
    """Measure it."""
    measures: dict[str, Callable[[], dict[str, Any]]] = {
        "sqlite": lambda: load_row(SESSIONS, OBSERVATIONS),
        "sqlite-steady": lambda: load_row(SESSIONS, OBSERVATIONS, rate=STEADY),
        "sqlite-kills": lambda: kill_row(KILLS),
        "postgres": lambda: load_row(SESSIONS, OBSERVATIONS, store=_postgres()),
    }
    rows, notes = measure_rows(measures, asked)
    return BenchmarkResult(
        "serve", "The live service: observations over HTTP", rows, COLUMNS, [*notes, *NOTES]
    )


def load_row(
    sessions: int, observations: int, *, rate: float | None = None, store: str = ""
) -> dict[str, Any]:
    """Return one measured load as a row."""
    load = _load()
    figures = measure_load(sessions, observations, rate=rate, store=store)
    must = "99 % < 100 ms" if rate else "500 a second, 99 % < 100 ms"
    return {"sessions": sessions, **figures, "load": load, "must": must}


def kill_row(kills: int) -> dict[str, Any]:
    """Return what was found after kills as a row."""
    load = _load()
    found = measure_kills(kills)
    return {**found, "answered": found["acknowledged"], "load": load, "must": "0 lost, 0 twice"}


def _load() -> float:
    """Return how many processes want a processor, which says what the figures are worth."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def _postgres() -> str:
    url = os.environ.get(POSTGRES_VARIABLE, "")
    if not url:
        raise MissingDataError(f"the variable {POSTGRES_VARIABLE} names no PostgreSQL database")
    return url


def _figure(row: Any, key: str, pattern: str = "{:.0f}") -> str:
    return pattern.format(row[key]) if key in row else ""


COLUMNS = (
    Column("measure", lambda row: str(row["method"])),
    Column("answered", lambda row: _figure(row, "answered", "{:,}")),
    Column("a second", lambda row: _figure(row, "per_second", "{:,.0f}")),
    Column("median ms", lambda row: _figure(row, "median_ms", "{:.1f}")),
    Column("99 % ms", lambda row: _figure(row, "p99_ms", "{:.1f}")),
    Column("wrong", lambda row: _figure(row, "wrong")),
    Column("lost", lambda row: _figure(row, "lost" if "lost" in row else "lost_or_twice")),
    Column("twice", lambda row: _figure(row, "twice")),
    Column("load", lambda row: _figure(row, "load", "{:.1f}")),
    Column("must be", lambda row: str(row["must"])),
)
