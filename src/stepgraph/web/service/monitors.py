"""Monitors by session, kept up with the store, and their verdicts as clients see them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Monitor, Report, Verdict, explain
from stepgraph.web.service.graphs import Versions
from stepgraph.web.service.rows import SessionRow
from stepgraph.web.service.tables import Tables

MONITORS = 5000
"""How many monitors are kept ready; another session's is made again from its observations."""
PAGE = 1000
"""How many observations are read at a time."""


class Monitors:
    """Monitors by session, each brought up to what the store holds before it is used."""

    def __init__(self, versions: Versions, most: int = MONITORS) -> None:
        self._versions = versions
        self._most = most
        self._kept: OrderedDict[str, Monitor] = OrderedDict()

    def get(self, tables: Tables, session: SessionRow) -> Monitor:
        """Return a session's monitor, with all of its observations taken in."""
        monitor = self._kept.pop(session.id, None)
        if monitor is None or monitor.observed > session.observed:
            monitor = self._versions.monitor(tables, session.graph, session.version)
        catch_up(monitor, tables, session)
        self._kept[session.id] = monitor
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return monitor

    def forget(self, sessions: Iterable[str]) -> None:
        """Drop monitors that have seen more than the store kept."""
        for session in sessions:
            self._kept.pop(session, None)


def catch_up(monitor: Monitor, tables: Tables, session: SessionRow) -> None:
    """Let a monitor observe what the store holds beyond what it has seen."""
    while monitor.observed < session.observed:
        rows = tables.observations(session.id, monitor.observed, PAGE)
        if not rows:
            raise LookupError(f"the store lost observations of the session {session.id!r}")
        for row in rows[: session.observed - monitor.observed]:
            monitor.observe(row.step, row.time, row.confidence)


def verdict_to_json(session: str, event: str, verdict: Verdict, graph: TaskGraph) -> dict[str, Any]:
    """Return a verdict as clients see it."""
    return {
        "session": session,
        "event": event,
        **verdict.to_json(),
        "sentence": explain(verdict, graph),
    }


def report_to_json(session: str, report: Report, graph: TaskGraph) -> dict[str, Any]:
    """Return a report as clients see it."""
    return {
        "session": session,
        "observed": report.observed,
        "mistakes": report.mistakes,
        "open": list(report.open),
        "progress": report.progress,
        "verdicts": [
            {**verdict.to_json(), "sentence": explain(verdict, graph)}
            for verdict in report.verdicts
        ],
    }
