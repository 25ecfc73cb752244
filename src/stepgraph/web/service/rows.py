"""What the store keeps: graphs by version, sessions, and observations with their verdicts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

OPEN, FINISHED = "open", "finished"


class GraphRow(NamedTuple):
    """One version of a graph; `content` is JSON text as `stepgraph.formats` has it."""

    name: str
    version: int
    added: float
    content: str


class ObservationRow(NamedTuple):
    """One observation and what was said of it; `verdict` is the JSON text that was answered."""

    session: str
    position: int
    event: str
    step: str
    time: float | None
    confidence: float | None
    received: float
    verdict: str


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session, with what a list of sessions shows of it.

    Parameters
    ----------
    id, label
        What programs and what people call it.
    graph, version
        The graph that it began with, and finishes with.
    status
        ``"open"`` or ``"finished"``.
    opened, updated, finished
        Seconds since 1970.
    observed, mistakes, progress, last_step, last_kind
        How it stands.
    last_mistake
        Position, step, kind and sentence of the last mistake as JSON text, or None.
    report
        What was answered to the finish as JSON text, or None.
    """

    id: str
    label: str
    graph: str
    version: int
    status: str
    opened: float
    updated: float
    finished: float | None = None
    observed: int = 0
    mistakes: int = 0
    progress: float = 0.0
    last_step: str | None = None
    last_kind: str | None = None
    last_mistake: str | None = None
    report: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the session as clients see it."""
        return {
            "id": self.id,
            "label": self.label,
            "graph": self.graph,
            "version": self.version,
            "status": self.status,
            "opened": moment(self.opened),
            "updated": moment(self.updated),
            "finished": None if self.finished is None else moment(self.finished),
            "observed": self.observed,
            "mistakes": self.mistakes,
            "progress": self.progress,
            "last_step": self.last_step,
            "last_kind": self.last_kind,
            "last_mistake": None if self.last_mistake is None else json.loads(self.last_mistake),
        }


def moment(seconds: float) -> str:
    """Return seconds since 1970 as text.

    Examples
    --------
    >>> moment(0.5)
    '1970-01-01T00:00:00.500Z'
    """
    stamp = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return stamp.replace("+00:00", "Z")


def compact(content: Any) -> str:
    """Return JSON text without blanks."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
