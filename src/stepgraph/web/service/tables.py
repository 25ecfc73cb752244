"""The tables of the store and all SQL statements, the same for each database.

A driver (`store_sqlite`, `store_postgres`) runs statements, implements the few places where
databases differ, and raises a `StoreError` where its database fails.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, NamedTuple

from stepgraph.errors import FormatError
from stepgraph.web.http import Problem

OPEN, FINISHED = "open", "finished"
RETRY = {"Retry-After": "1"}
SCHEMA_VERSION = 1

SCHEMA = (
    "CREATE TABLE IF NOT EXISTS stepgraph_store (version INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS graphs (
        name TEXT NOT NULL, version INTEGER NOT NULL, added DOUBLE PRECISION NOT NULL,
        content TEXT NOT NULL, PRIMARY KEY (name, version))""",
    """CREATE TABLE IF NOT EXISTS sessions (
        id TEXT PRIMARY KEY, label TEXT NOT NULL, graph TEXT NOT NULL, version INTEGER NOT NULL,
        status TEXT NOT NULL, opened DOUBLE PRECISION NOT NULL, updated DOUBLE PRECISION NOT NULL,
        finished DOUBLE PRECISION, observed INTEGER NOT NULL, mistakes INTEGER NOT NULL,
        progress DOUBLE PRECISION NOT NULL, last_step TEXT, last_kind TEXT, last_mistake TEXT,
        report TEXT, FOREIGN KEY (graph, version) REFERENCES graphs (name, version))""",
    "CREATE INDEX IF NOT EXISTS sessions_by_status ON sessions (status, opened, id)",
    "CREATE INDEX IF NOT EXISTS sessions_by_change ON sessions (updated)",
    """CREATE TABLE IF NOT EXISTS observations (
        session TEXT NOT NULL REFERENCES sessions (id), position INTEGER NOT NULL,
        event TEXT NOT NULL, step TEXT NOT NULL, time DOUBLE PRECISION,
        confidence DOUBLE PRECISION, received DOUBLE PRECISION NOT NULL, verdict TEXT NOT NULL,
        PRIMARY KEY (session, position), UNIQUE (session, event))""",
)


class StoreError(Problem):
    """The database cannot be used now; nothing of the request was stored."""


class StoreBusyError(StoreError):
    """Another program has locked the database."""

    def __init__(self) -> None:
        super().__init__(
            503,
            "another program has locked the store; nothing of this request was stored, "
            "send it again with the same event id",
            RETRY,
        )


class StoreFullError(StoreError):
    """The disk is full."""

    def __init__(self) -> None:
        super().__init__(
            507,
            "the store's disk is full; nothing of this request was stored, send it again with the "
            "same event id when there is room",
            RETRY,
        )


class StoreDownError(StoreError):
    """The database cannot be reached, or fails."""

    def __init__(self, why: str = "") -> None:
        super().__init__(
            503,
            f"the store cannot be used{f' ({why})' if why else ''}; send the request again with "
            "the same event id",
            RETRY,
        )


class StoreRaceError(StoreError):
    """Another process wrote the same rows at the same moment; a retry sees them."""

    def __init__(self) -> None:
        super().__init__(
            503, "another server wrote the same session at the same time; try again", RETRY
        )


class GraphRow(NamedTuple):
    """One version of a graph; `content` is JSON text in stepgraph's own format."""

    name: str
    version: int
    added: float
    content: str


class ObservationRow(NamedTuple):
    """One observation and its verdict, which is the JSON text of the answer."""

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
    """One session, with the columns that a list of sessions shows.

    Parameters
    ----------
    id, label
        Its name for programs and its name for people.
    graph, version
        Its graph, which never changes.
    status
        ``"open"`` or ``"finished"``.
    opened, updated, finished
        Seconds since 1970.
    observed, mistakes, progress, last_step, last_kind
        Its progress so far.
    last_mistake
        Position, step, kind and sentence of the last mistake as JSON text, or None.
    report
        The report at the finish as JSON text, or None.
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


SESSION = ", ".join(field.name for field in fields(SessionRow))
OBSERVATION = ", ".join(ObservationRow._fields)
_values = attrgetter(*SESSION.split(", "))


def moment(seconds: float) -> str:
    """Return seconds since 1970 as text.

    Examples
    --------
    >>> moment(0.5)
    '1970-01-01T00:00:00.500Z'
    """
    stamp = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return stamp.replace("+00:00", "Z")


class Tables(ABC):
    """One connection to a database, used by one thread.

    Every method raises a `StoreError` where the database fails.
    """

    @abstractmethod
    def fetch(self, statement: str, *values: Any) -> list[Sequence[Any]]:
        """Run a statement and return its rows; ``$1`` stands for the first value."""

    @abstractmethod
    def run_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""

    @abstractmethod
    def begin(self) -> None:
        """Begin a transaction that may write."""

    @abstractmethod
    def commit(self) -> None:
        """End the transaction; when this returns, all of it is on disk."""

    @abstractmethod
    def rollback(self) -> None:
        """End the transaction and undo it."""

    @abstractmethod
    def lock_sessions(self, ids: Sequence[str]) -> list[SessionRow]:
        """Return sessions, which no other process changes until the transaction ends."""

    @abstractmethod
    def find_events(self, pairs: Sequence[tuple[str, str]]) -> list[ObservationRow]:
        """Return the observations with these pairs of session and event id."""

    @abstractmethod
    def lock_graphs(self) -> None:
        """Keep other processes from adding graphs until the transaction ends."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    def tidy(self) -> None:  # noqa: B027 - most databases do this by themselves
        """Clear up after commits, while another connection keeps writing."""

    def create(self) -> None:
        """Create missing tables.

        Raises
        ------
        FormatError
            If a newer stepgraph made the store.
        """
        self.begin()
        try:
            self.lock_graphs()
            for statement in SCHEMA:
                self.fetch(statement)
            known = self.fetch("SELECT version FROM stepgraph_store")
            if not known:
                self.fetch("INSERT INTO stepgraph_store (version) VALUES ($1)", SCHEMA_VERSION)
            elif known[0][0] > SCHEMA_VERSION:
                raise FormatError(
                    f"the store has version {known[0][0]}, but this stepgraph reads versions up to "
                    f"{SCHEMA_VERSION}; install a newer stepgraph"
                )
            self.commit()
        except BaseException:
            self.rollback()
            raise

    def ping(self) -> None:
        """Check that the database answers."""
        self.fetch("SELECT 1")

    def graph(self, name: str, version: int | None = None) -> GraphRow | None:
        """Return a version of a graph, by default the latest."""
        found = self.fetch(
            "SELECT name, version, added, content FROM graphs WHERE name = $1 "
            "AND (version = $2 OR $2 = 0) ORDER BY version DESC LIMIT 1",
            name,
            version or 0,
        )
        return GraphRow(*found[0]) if found else None

    def versions(self, name: str) -> list[GraphRow]:
        """Return all versions of a graph, the latest first."""
        found = self.fetch(
            "SELECT name, version, added, content FROM graphs WHERE name = $1 "
            "ORDER BY version DESC",
            name,
        )
        return [GraphRow(*row) for row in found]

    def graphs(self) -> list[GraphRow]:
        """Return the latest version of every graph, in order of name."""
        found = self.fetch(
            "SELECT g.name, g.version, g.added, g.content FROM graphs g JOIN (SELECT name, "
            "max(version) AS version FROM graphs GROUP BY name) last "
            "ON last.name = g.name AND last.version = g.version ORDER BY g.name"
        )
        return [GraphRow(*row) for row in found]

    def add_graph(self, row: GraphRow) -> None:
        """Add a version of a graph."""
        self.fetch("INSERT INTO graphs (name, version, added, content) VALUES ($1,$2,$3,$4)", *row)

    def session(self, id_: str) -> SessionRow | None:
        """Return a session."""
        found = self.fetch(f"SELECT {SESSION} FROM sessions WHERE id = $1", id_)
        return SessionRow(*found[0]) if found else None

    def sessions(
        self, statuses: Sequence[str], before: tuple[float, str] | None, limit: int
    ) -> list[SessionRow]:
        """Return sessions with the given statuses before a place, the youngest first."""
        first, last = (statuses[0], statuses[-1])
        opened, id_ = before or (float("1e18"), "")
        found = self.fetch(
            f"SELECT {SESSION} FROM sessions WHERE status IN ($1, $2) "
            "AND (opened < $3 OR (opened = $3 AND id < $4)) ORDER BY opened DESC, id DESC LIMIT $5",
            first,
            last,
            opened,
            id_,
            limit,
        )
        return [SessionRow(*row) for row in found]

    def changed_since(self, moment: float, limit: int) -> list[SessionRow]:
        """Return the sessions that changed at or after a moment, the earliest change first."""
        found = self.fetch(
            f"SELECT {SESSION} FROM sessions WHERE updated >= $1 ORDER BY updated LIMIT $2",
            moment,
            limit,
        )
        return [SessionRow(*row) for row in found]

    def count(self, status: str) -> int:
        """Return the number of sessions with a status."""
        return int(self.fetch("SELECT count(*) FROM sessions WHERE status = $1", status)[0][0])

    def observations(self, session: str, after: int, limit: int) -> list[ObservationRow]:
        """Return a session's observations after a position, in order."""
        found = self.fetch(
            f"SELECT {OBSERVATION} FROM observations WHERE session = $1 AND position > $2 "
            "ORDER BY position LIMIT $3",
            session,
            after,
            limit,
        )
        return [ObservationRow(*row) for row in found]

    def add_sessions(self, rows: Iterable[SessionRow]) -> None:
        """Add sessions."""
        places = ",".join(f"${number}" for number in range(1, 16))
        self.run_many(f"INSERT INTO sessions ({SESSION}) VALUES ({places})", map(_values, rows))

    def change_sessions(self, rows: Iterable[SessionRow]) -> None:
        """Write the current state of sessions."""
        self.run_many(
            "UPDATE sessions SET status=$2, updated=$3, finished=$4, observed=$5, mistakes=$6, "
            "progress=$7, last_step=$8, last_kind=$9, last_mistake=$10, report=$11 WHERE id=$1",
            ((row.id, row.status, *_values(row)[6:]) for row in rows),
        )

    def add_observations(self, rows: Iterable[ObservationRow]) -> None:
        """Add observations."""
        self.run_many(
            f"INSERT INTO observations ({OBSERVATION}) VALUES ($1,$2,$3,$4,$5,$6,$7,$8)", rows
        )
