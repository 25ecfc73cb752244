"""The live service on this machine: throughput, times to answer, and what a kill leaves behind."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from benchmarks.cost.service_client import ServiceProcess, count_wrong, make_sessions, run_session
from benchmarks.harness import BenchmarkResult, Column, MissingDataError, Request, measure_rows
from stepgraph.formats import read_graph
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Monitor, explain

CHECKOUT = Path(__file__).parents[2]
"""Where `python -m benchmarks` runs from."""
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


def run(request: Request) -> BenchmarkResult:
    """Measure it."""
    measures: dict[str, Callable[[], dict[str, Any]]] = {
        "sqlite": lambda: load_row(SESSIONS, OBSERVATIONS),
        "sqlite-steady": lambda: load_row(SESSIONS, OBSERVATIONS, rate=STEADY),
        "sqlite-kills": lambda: kill_row(KILLS),
        "postgres": lambda: load_row(SESSIONS, OBSERVATIONS, store=_postgres()),
    }
    rows, notes = measure_rows(measures, request)
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


LIMIT = 600.0
UNLIMITED = ("--rate", "1000000", "--log-level", "warning", "--max-observations", "100000")


def shipped_graphs(folder: Path) -> dict[str, TaskGraph]:
    """Write the graphs that ship with stepgraph into a folder, and return them by name."""
    graphs = {}
    for file in resources.files("stepgraph.procedures").iterdir():
        if file.name.endswith(".graph.json"):
            path = folder / file.name
            path.write_bytes(file.read_bytes())
            graphs[file.name.removesuffix(".graph.json")] = read_graph(path)
    return graphs


def run_clients(
    address: str, sessions: list[dict[str, Any]], rate: float | None, folder: Path
) -> dict[str, Any]:
    """Run all sessions in another process and return what was answered."""
    plan, results = folder / "plan.json", folder / "results.json"
    plan.write_text(json.dumps({"address": address, "sessions": sessions, "rate": rate}))
    subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "benchmarks.cost.service_client", str(plan), str(results)],
        cwd=CHECKOUT,
        check=True,
        timeout=LIMIT,
    )
    done: dict[str, Any] = json.loads(results.read_text(encoding="utf-8"))
    return done


def measure_load(
    sessions: int, observations: int, *, rate: float | None = None, store: str = "", seed: int = 0
) -> dict[str, Any]:
    """Measure one run.

    Parameters
    ----------
    sessions
        How many sessions there are at once.
    observations
        How many observations in all.
    rate
        Observations a second in all; None sends each as soon as the one before is answered.
    store
        The address of the store; a SQLite file on this disk where it is left out.
    seed
        Of the sessions.
    """
    with tempfile.TemporaryDirectory(prefix="stepgraph-bench-", dir=Path.cwd()) as name:
        folder = Path(name)
        (folder / "graphs").mkdir()
        graphs = shipped_graphs(folder / "graphs")
        made = make_sessions(graphs, sessions, observations, seed)
        place = store or f"sqlite:///{folder / 'sessions.db'}"
        arguments = [str(folder / "graphs"), "--store", place, *UNLIMITED]
        with ServiceProcess(arguments, log=folder / "log") as service:
            done = run_clients(service.address, made, rate, folder)
            kept = {
                entry["id"]: service.get(f"/v1/sessions/{entry['id']}")["observed"]
                for entry in made
            }
            code = service.stop()
        return {**_figures(graphs, made, done), **_kept(made, kept), "exit_code": code}


def _figures(
    graphs: Mapping[str, TaskGraph], made: list[dict[str, Any]], done: Mapping[str, Any]
) -> dict[str, Any]:
    times = sorted(seconds for result in done["sessions"] for _, seconds, _ in result["answers"])
    sent = sum(len(session["observations"]) for session in made)
    return {
        "sent": sent,
        "answered": len(times),
        "wrong": count_wrong(graphs, made, done["sessions"]),
        "seconds": done["seconds"],
        "per_second": len(times) / done["seconds"],
        "median_ms": 1000 * quantile(times, 0.5),
        "p99_ms": 1000 * quantile(times, 0.99),
        "max_ms": 1000 * times[-1],
    }


def _kept(made: list[dict[str, Any]], kept: Mapping[str, int]) -> dict[str, Any]:
    events = {session["id"]: len({post[0] for post in session["observations"]}) for session in made}
    return {
        "observations": sum(events.values()),
        "lost_or_twice": sum(abs(kept[id_] - count) for id_, count in events.items()),
    }


def quantile(ordered: list[float], share: float) -> float:
    """Return the value below which a share of sorted values lies."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def measure_kills(kills: int, *, sessions: int = 10, observations: int = 600) -> dict[str, Any]:
    """Kill the service again and again while clients post, and look at what it kept.

    After each kill it is started again on the same store, every session is compared with what
    its client was told, and the clients send all of it once more, as after lost answers.

    Parameters
    ----------
    kills
        How often.
    sessions, observations
        How many there are between two kills.
    """
    found = {"kills": 0, "acknowledged": 0, "lost": 0, "twice": 0, "wrong": 0, "in_flight": 0}
    rng = random.Random(0)
    with tempfile.TemporaryDirectory(prefix="stepgraph-bench-", dir=Path.cwd()) as name:
        folder = Path(name)
        (folder / "graphs").mkdir()
        graphs = shipped_graphs(folder / "graphs")
        store = f"sqlite:///{folder / 'sessions.db'}"
        arguments = [str(folder / "graphs"), "--store", store, "--max-sessions", "100000"]
        service = ServiceProcess([*arguments, *UNLIMITED], log=folder / "log")
        try:
            for number in range(kills):
                made = make_sessions(graphs, sessions, observations, seed=number)
                after = rng.randrange(observations // 10, observations * 9 // 10)
                told = asyncio.run(_until_killed(service, made, after))
                found["kills"] += service.process.returncode == -9
                service = ServiceProcess([*arguments, *UNLIMITED], log=folder / "log")
                # Looked at before anything is sent again, which would hide a loss.
                _add(found, _compare(service, graphs, made, told))
                told = asyncio.run(_again(service.address, made))
                _add(found, _compare(service, graphs, made, told))
        finally:
            if service.process.poll() is None:
                service.stop()
    return found


def _add(found: dict[str, int], more: Mapping[str, int]) -> None:
    for key, count in more.items():
        found[key] += count


async def _until_killed(
    service: ServiceProcess, made: Sequence[dict[str, Any]], after: int
) -> list[dict[str, Any]]:
    count = 0

    def answered() -> None:
        nonlocal count
        count += 1
        if count == after:
            service.process.kill()

    told = await asyncio.gather(
        *(run_session(service.address, session, answered=answered) for session in made)
    )
    service.kill()
    return told


async def _again(address: str, made: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return await asyncio.gather(*(run_session(address, session) for session in made))


def _compare(
    service: ServiceProcess,
    graphs: Mapping[str, TaskGraph],
    made: Sequence[Mapping[str, Any]],
    told: Sequence[Mapping[str, Any]],
) -> dict[str, int]:
    """Count what is lost, kept twice, or judged otherwise than by offline replay."""
    found = {"acknowledged": 0, "lost": 0, "twice": 0, "wrong": 0, "in_flight": 0}
    for session, result in zip(made, told, strict=True):
        if not result["opened"]:
            continue
        kept = service.get(f"/v1/sessions/{session['id']}/export")["observations"]
        events = [entry["event"] for entry in kept]
        by_event = {entry["event"]: entry["verdict"] for entry in kept}
        answers = {}
        for status, _, body in result["answers"]:
            verdict = json.loads(body)
            found["wrong"] += status not in (200, 201)
            answers[verdict.get("event")] = verdict
        found["acknowledged"] += len(answers)
        found["lost"] += len(answers.keys() - by_event.keys())
        found["twice"] += len(events) - len(by_event)
        found["in_flight"] += len(by_event.keys() - answers.keys())
        found["wrong"] += sum(by_event.get(event) != said for event, said in answers.items())
        monitor = Monitor(graphs[session["graph"]])
        for position, entry in enumerate(kept, start=1):
            verdict = monitor.observe(entry["step"], entry["time"], entry["confidence"])
            expected = {**verdict.to_json(), "sentence": explain(verdict, monitor.graph)}
            said = {key: entry["verdict"][key] for key in expected}
            found["wrong"] += said != expected or entry["verdict"]["position"] != position
    return found
