"""The store: one thread writes batches of commands, a few threads read.

While one transaction goes to disk, arriving commands queue up for the next one, so one disk
write serves them all. A command is answered after its commit.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from stepgraph.errors import FileError, MissingExtraError, SettingError
from stepgraph.web.http import Problem
from stepgraph.web.service.graphs import Versions
from stepgraph.web.service.limits import Limits
from stepgraph.web.service.sessions import Command, Monitors, Outcome, Unit
from stepgraph.web.service.store_sqlite import SqliteTables
from stepgraph.web.service.tables import StoreDownError, StoreError, StoreRaceError, Tables

BATCH = 500
"""Maximum number of commands in one transaction."""
WAITING = 10_000
"""Maximum number of waiting commands; more would only time out."""
READERS = 3
TIDY = 1_000
"""Number of commands after which a reading thread clears up behind the writing one."""
TRIES = 3
log = logging.getLogger("stepgraph.service")

Connect = Callable[[], Tables]
Result = Outcome | Exception
T = TypeVar("T")


def connector(url: str) -> Connect:
    """Return a function that opens connections to the store at an address.

    Raises
    ------
    SettingError
        If the address is not that of a store.
    MissingExtraError
        If the store's driver is not installed.
    """
    scheme = url.partition("://")[0]
    if scheme == "sqlite":
        rest = url.removeprefix("sqlite://")
        if not rest.startswith("/") or len(rest) < 2 or rest == "/:memory:" or rest[-1] == "/":
            raise SettingError(
                f"the store {url}: expected sqlite:///FILE, or sqlite:////FOLDER/FILE from the root"
            )
        path = Path(rest[1:])
        if not path.parent.is_dir():
            raise FileError(f"the store {url}: there is no folder {path.parent}")
        return lambda: SqliteTables(path)
    if scheme in ("postgresql", "postgres"):
        try:
            import asyncpg  # noqa: F401 - fail here, not at the first connection
        except ImportError:
            raise MissingExtraError("a PostgreSQL store", "serve") from None
        from stepgraph.web.service.store_postgres import PostgresTables

        return lambda: PostgresTables(url)
    raise SettingError(
        f"the store {masked(url)}: expected sqlite:///FILE or postgresql://USER@HOST/DATABASE"
    )


def masked(url: str) -> str:
    """Return an address without its password.

    Examples
    --------
    >>> masked("postgresql://anna:secret@db/sessions")
    'postgresql://anna:***@db/sessions'
    """
    try:
        password = urlsplit(url).password
    except ValueError:
        return url.partition("://")[0] + "://..."
    return url.replace(f":{password}@", ":***@") if password else url


class Store:
    """Sessions in a database.

    Parameters
    ----------
    connect
        Opens a connection.
    limits
        The limits on requests.
    on_commit
        Called in the event loop with the changed sessions, the number of commands in the
        transaction and the seconds it took.
    """

    def __init__(
        self,
        connect: Connect,
        limits: Limits,
        on_commit: Callable[[set[str], int, float], None] = lambda *_: None,
    ) -> None:
        self._connect = connect
        self._limits = limits
        self._on_commit = on_commit
        self.versions = Versions()
        self._monitors = Monitors(self.versions)
        self._waiting: queue.SimpleQueue[tuple[Command, asyncio.Future[Outcome]] | None] = (
            queue.SimpleQueue()
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._writer: threading.Thread | None = None
        self._tables: Tables | None = None
        self._readers: ThreadPoolExecutor | None = None
        self._local = threading.local()
        self._opened: list[Tables] = []
        self._untidied = 0
        self._tidying: Future[None] | None = None

    def start(self) -> None:
        """Start to accept commands; call it in the event loop that waits for them."""
        self._loop = asyncio.get_running_loop()
        self._readers = ThreadPoolExecutor(READERS, "stepgraph-reader")
        self._writer = threading.Thread(target=self._write, name="stepgraph-writer", daemon=True)
        self._writer.start()

    async def stop(self) -> None:
        """Finish the waiting commands and close every connection."""
        if self._writer is None or self._readers is None:
            return
        self._waiting.put(None)
        await asyncio.to_thread(self._writer.join)
        await asyncio.to_thread(self._readers.shutdown)
        for tables in self._opened:
            await asyncio.to_thread(_close, tables)
        self._writer = self._readers = None

    async def do(self, command: Command) -> Outcome:
        """Apply a command and return once it is on disk.

        Raises
        ------
        Problem
            If the command is refused or the database fails; nothing of it is stored then.
        """
        if self._loop is None or self._waiting.qsize() > WAITING:
            raise StoreDownError("too many requests are waiting")
        future: asyncio.Future[Outcome] = self._loop.create_future()
        self._waiting.put((command, future))
        return await future

    async def read(self, question: Callable[[Tables], T]) -> T:
        """Query the database in one of the reading threads."""
        if self._loop is None or self._readers is None:
            raise StoreDownError("it is closed")
        return await self._loop.run_in_executor(self._readers, self._ask, question)

    def _ask(self, question: Callable[[Tables], T]) -> T:
        tables: Tables | None = getattr(self._local, "tables", None)
        if tables is None:
            tables = self._local.tables = self._connect()
            self._opened.append(tables)
        try:
            return question(tables)
        except StoreDownError:
            # Do not reuse a connection that failed once.
            self._local.tables = None
            self._opened.remove(tables)
            _close(tables)
            raise

    def _write(self) -> None:
        stopping = False
        while not stopping:
            batch = []
            entry = self._waiting.get()
            while entry is not None:
                batch.append(entry)
                if len(batch) == BATCH or self._waiting.empty():
                    break
                entry = self._waiting.get()
            stopping = entry is None
            if batch:
                self._serve(batch)
                self._tidy(len(batch))
        if self._tables is not None:
            _close(self._tables)

    def _serve(self, batch: Sequence[tuple[Command, asyncio.Future[Outcome]]]) -> None:
        began = time.perf_counter()
        commands = [command for command, _ in batch]
        results, touched = self._apply(commands)
        failed = isinstance(results[0], Exception) and not isinstance(results[0], Problem)
        if failed and len(batch) > 1:
            # One unexpected failure must not fail the other commands.
            results = []
            for command in commands:
                (result,), changed = self._apply([command])
                results.append(result)
                touched |= changed
        seconds = time.perf_counter() - began
        futures = [future for _, future in batch]
        if self._loop is not None:
            try:
                self._loop.call_soon_threadsafe(self._answer, futures, results, touched, seconds)
            except RuntimeError:  # the loop is closed, so no request is waiting
                return

    def _tidy(self, done: int) -> None:
        """Let a reader clear up after enough commands, unless one is still clearing up."""
        self._untidied += done
        busy = self._tidying is not None and not self._tidying.done()
        if self._untidied >= TIDY and not busy and self._readers is not None:
            self._untidied = 0
            self._tidying = self._readers.submit(self._ask, lambda tables: tables.tidy())

    def _apply(self, commands: Sequence[Command]) -> tuple[list[Result], set[str]]:
        """Apply commands as one transaction; return their results, and the sessions changed."""
        for attempt in range(1, TRIES + 1):
            try:
                if self._tables is None:
                    self._tables = self._connect()
                self._tables.begin()
                unit = Unit(self._tables, commands, self._monitors, self._limits)
                results = [_applied(command, unit) for command in commands]
                unit.write()
                self._tables.commit()
                return results, unit.touched
            except Exception as error:
                self._undo(commands, error)
                if isinstance(error, StoreRaceError) and attempt < TRIES:
                    continue
                if not isinstance(error, Problem):
                    log.exception("a transaction failed")
                return [error] * len(commands), set()
        raise AssertionError("the last attempt returns")

    def _undo(self, commands: Sequence[Command], error: Exception) -> None:
        self._monitors.forget(command.session for command in commands)
        if self._tables is None:
            return
        try:
            self._tables.rollback()
            broken = isinstance(error, StoreDownError)
        except StoreError:
            broken = True
        if broken:
            _close(self._tables)
            self._tables = None

    def _answer(
        self,
        futures: Sequence[asyncio.Future[Outcome]],
        results: Sequence[Result],
        touched: set[str],
        seconds: float,
    ) -> None:
        for future, result in zip(futures, results, strict=True):
            if future.done():  # the client has left; its command is applied all the same
                continue
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)
        self._on_commit(touched, len(futures), seconds)


def _applied(command: Command, unit: Unit) -> Result:
    try:
        return command.apply(unit)
    except StoreError:
        raise
    except Problem as problem:
        return problem


def _close(tables: Any) -> None:
    try:
        tables.close()
    except Exception as error:
        log.warning("a connection did not close: %s", error)
