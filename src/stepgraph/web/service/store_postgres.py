"""The shared store: PostgreSQL, for several server processes, with a lock for each session."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from stepgraph.web.service.tables import (
    OBSERVATION,
    SESSION,
    ObservationRow,
    SessionRow,
    StoreBusyError,
    StoreDownError,
    StoreFullError,
    StoreRaceError,
    Tables,
)

SECONDS = 10.0
"""How long a connection or a statement may take."""
LOCK_SECONDS = 2
"""How long to wait for a session that another server has locked."""
GRAPHS_LOCK = 7_446_573
"""The number of the advisory lock for adding graphs, arbitrary but unique."""


class PostgresTables(Tables):
    """A connection to a PostgreSQL database.

    The driver is asynchronous. Each connection has its own event loop, which runs only during a
    statement, so both kinds of store work in plain threads.

    Parameters
    ----------
    url
        ``postgresql://user:password@host:port/database``.
    """

    def __init__(self, url: str) -> None:
        import asyncpg

        self._errors = asyncpg.exceptions
        self._loop = asyncio.new_event_loop()
        try:
            with self._translated():
                self._connection = self._loop.run_until_complete(
                    asyncpg.connect(
                        url,
                        timeout=SECONDS,
                        command_timeout=SECONDS,
                        server_settings={
                            "application_name": "stepgraph",
                            "lock_timeout": f"{LOCK_SECONDS}s",
                            # Acknowledged observations survive a loss of power.
                            "synchronous_commit": "on",
                        },
                    )
                )
        except ValueError as error:
            self._loop.close()
            raise StoreDownError("PostgreSQL: the address is not valid") from error
        except BaseException:
            self._loop.close()
            raise

    def fetch(self, statement: str, *values: Any) -> list[Sequence[Any]]:
        """Run a statement and return its rows."""
        with self._translated():
            found = self._loop.run_until_complete(self._connection.fetch(statement, *values))
            return [tuple(row) for row in found]

    def run_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each row of values, all in one trip."""
        with self._translated():
            self._loop.run_until_complete(self._connection.executemany(statement, list(rows)))

    def begin(self) -> None:
        """Begin a transaction."""
        self.fetch("BEGIN")

    def commit(self) -> None:
        """End the transaction; when this returns, it is on disk."""
        self.fetch("COMMIT")

    def rollback(self) -> None:
        """Undo the transaction."""
        self.fetch("ROLLBACK")

    def lock_sessions(self, ids: Sequence[str]) -> list[SessionRow]:
        """Return sessions, locked in the order of their ids to avoid deadlocks."""
        found = self.fetch(
            f"SELECT {SESSION} FROM sessions WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE",
            list(ids),
        )
        return [SessionRow(*row) for row in found]

    def find_events(self, pairs: Sequence[tuple[str, str]]) -> list[ObservationRow]:
        """Return the observations with these pairs of session and event id."""
        columns = ", ".join(f"o.{name.strip()}" for name in OBSERVATION.split(","))
        found = self.fetch(
            f"SELECT {columns} FROM observations o JOIN unnest($1::text[], $2::text[]) "
            "AS pair (session, event) ON o.session = pair.session AND o.event = pair.event",
            [session for session, _ in pairs],
            [event for _, event in pairs],
        )
        return [ObservationRow(*row) for row in found]

    def lock_graphs(self) -> None:
        """Wait until no other process adds a graph."""
        self.fetch("SELECT pg_advisory_xact_lock($1)", GRAPHS_LOCK)

    def close(self) -> None:
        """Close the connection."""
        try:
            with self._translated():
                self._loop.run_until_complete(self._connection.close(timeout=2))
        finally:
            self._loop.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn PostgreSQL's errors into a `StoreError`."""
        errors = self._errors
        try:
            yield
        except (
            errors.UniqueViolationError,
            errors.SerializationError,
            errors.DeadlockDetectedError,
        ) as error:
            raise StoreRaceError from error
        except errors.LockNotAvailableError as error:
            raise StoreBusyError from error
        except errors.DiskFullError as error:
            raise StoreFullError from error
        except (errors.DataError, ValueError):
            raise  # the values are at fault, not the database
        except (errors.PostgresError, errors.InterfaceError, OSError, TimeoutError) as error:
            # The error's text may hold the address of the database, so only its type is shown.
            raise StoreDownError(f"PostgreSQL: {type(error).__name__}") from error
