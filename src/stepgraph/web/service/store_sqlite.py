"""The embedded store: one SQLite file in WAL mode, flushed to disk before each answer."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from stepgraph.web.service.tables import (
    OBSERVATION,
    SESSION,
    ObservationRow,
    SessionRow,
    StoreBusyError,
    StoreDownError,
    StoreFullError,
    Tables,
)

BUSY_SECONDS = 2.0
"""How long to wait for another program that has locked the file."""
LONGEST_LOG = 16_000
"""The number of pages from which on a commit itself empties the log, which takes longer."""


class SqliteTables(Tables):
    """A connection to a SQLite file.

    Parameters
    ----------
    path
        The file; a missing file is created.
    busy_seconds
        How long to wait for another program that has locked it.
    """

    def __init__(self, path: str | Path, busy_seconds: float = BUSY_SECONDS) -> None:
        with _translated():
            # A connection belongs to one thread; only closing happens from another.
            self._connection = sqlite3.connect(
                path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            # FULL writes the log to disk at every commit, so acknowledged observations survive a
            # loss of power. NORMAL would survive only a killed process.
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._connection.execute(f"PRAGMA wal_autocheckpoint = {LONGEST_LOG}")

    def fetch(self, statement: str, *values: Any) -> list[Sequence[Any]]:
        """Run a statement and return its rows."""
        with _translated():
            return self._connection.execute(_numbered(statement), values).fetchall()

    def run_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""
        with _translated():
            self._connection.executemany(_numbered(statement), rows)

    def begin(self) -> None:
        """Begin a transaction as the only writer of the file."""
        with _translated():
            self._connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """End the transaction; when this returns, it is on disk."""
        with _translated():
            self._connection.execute("COMMIT")

    def rollback(self) -> None:
        """Undo the transaction, unless SQLite has done so itself."""
        with _translated():
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def lock_sessions(self, ids: Sequence[str]) -> list[SessionRow]:
        """Return sessions; the transaction is the only one that writes."""
        found = self.fetch(
            f"SELECT {SESSION} FROM sessions WHERE id IN (SELECT value FROM json_each($1))",
            json.dumps(ids),
        )
        return [SessionRow(*row) for row in found]

    def find_events(self, pairs: Sequence[tuple[str, str]]) -> list[ObservationRow]:
        """Return the observations with these pairs of session and event id."""
        found = self.fetch(
            f"SELECT {OBSERVATION} FROM json_each($1) AS pair JOIN observations ON "
            "session = json_extract(pair.value, '$[0]') AND "
            "event = json_extract(pair.value, '$[1]')",
            json.dumps(pairs),
        )
        return [ObservationRow(*row) for row in found]

    def lock_graphs(self) -> None:
        """Do nothing: the transaction is the only one that writes."""

    def tidy(self) -> None:
        """Copy the log into the file, as far as that delays no writer."""
        self.fetch("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close the connection; the last one also copies the log into the file."""
        with _translated():
            self._connection.close()


@cache
def _numbered(statement: str) -> str:
    return re.sub(r"\$(?=\d)", "?", statement)


@contextmanager
def _translated() -> Iterator[None]:
    """Turn SQLite's errors into a `StoreError`."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise StoreBusyError from error
        if name.startswith("SQLITE_FULL"):
            raise StoreFullError from error
        raise StoreDownError(f"{name or 'SQLite'}: {error}") from error
