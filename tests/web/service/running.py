"""A service inside this process: the real application on a real socket, in a thread."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx

from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Monitor, explain
from stepgraph.web.security import Guard
from stepgraph.web.service.context import Service
from stepgraph.web.service.graphs import put_graph
from stepgraph.web.service.limits import Limits
from stepgraph.web.service.server import make_server
from stepgraph.web.service.store import Connect, connector
from tests.web.in_thread import InThread

BATTER = TaskGraph.from_preconditions(
    {"mix": ["crack egg", "add milk"], "rest": ["mix", "add milk"], "fry": ["rest", "heat pan"]},
    procedure="batter",
)
STEPS = ("mix", "crack egg", "rest", "add milk", "stir", "heat pan", "fry", "mix")
JSON = {"Content-Type": "application/json"}


class Running(InThread):
    """A service with its client.

    Parameters
    ----------
    folder
        Where its SQLite file goes.
    limits, token, connect
        As the service takes them.
    graphs
        What it serves, by name.
    small_buffers
        Whether connections hold as little as possible of what was not read yet.
    port
        Where it listens; 0 takes a free one.
    """

    def __init__(
        self,
        folder: Path,
        *,
        limits: Limits | None = None,
        token: str | None = None,
        connect: Connect | None = None,
        graphs: dict[str, TaskGraph] | None = None,
        small_buffers: bool = False,
        port: int = 0,
    ) -> None:
        self.connect = connect or connector(f"sqlite:///{folder / 'sessions.db'}")
        tables = self.connect()
        tables.create()
        for name, graph in (graphs or {"batter": BATTER}).items():
            put_graph(tables, name, graph)
        tables.close()
        limits = limits or Limits(rate=100_000)
        self.service = Service(self.connect, Guard("127.0.0.1", token), limits)
        super().__init__(make_server(self.service), port=port, small_buffers=small_buffers)

    def open(self, session: str, graph: str = "batter", **more: Any) -> httpx.Response:
        """Open a session."""
        return self.client.post("/v1/sessions", json={"graph": graph, "id": session, **more})

    def observe(self, session: str, event: str, step: str, **more: Any) -> httpx.Response:
        """Post an observation."""
        body = {"event": event, "step": step, **more}
        return self.client.post(f"/v1/sessions/{session}/observations", json=body)

    def finish(self, session: str) -> httpx.Response:
        """Finish a session."""
        return self.client.post(f"/v1/sessions/{session}/finish")


def replayed(
    steps: Iterable[str], graph: TaskGraph = BATTER, times: Iterable[float | None] | None = None
) -> list[dict[str, Any]]:
    """Return what a monitor says of steps, offline."""
    monitor = Monitor(graph)
    said = []
    steps = list(steps)
    for step, at in zip(steps, times or [None] * len(steps), strict=True):
        verdict = monitor.observe(step, at)
        said.append({**verdict.to_json(), "sentence": explain(verdict, graph)})
    return said


def without_ids(verdict: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict as a monitor gives it, without what the service adds."""
    return {key: value for key, value in verdict.items() if key not in ("session", "event")}
