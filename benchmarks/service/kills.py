"""The service killed in the middle of writes: nothing acknowledged is lost, nothing kept twice."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.service.client import run_session
from benchmarks.service.load import UNLIMITED, shipped_graphs
from benchmarks.service.process import ServiceProcess
from benchmarks.service.replay import make_sessions
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Monitor, explain


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
