"""One run of many clients against a service: throughput, times, and whether all was right."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from benchmarks.service.process import ServiceProcess
from benchmarks.service.replay import count_wrong, make_sessions
from stepgraph.formats import read_graph
from stepgraph.graph import TaskGraph

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
        [sys.executable, "-m", "benchmarks.service.client", str(plan), str(results)],
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
