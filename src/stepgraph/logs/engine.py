"""The engine under a log: a duckdb database in a temporary folder, with stepgraph's errors."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.errors import FileError, FormatError, InputError, MissingExtraError, SettingError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY = "1GB"
"""Default memory of the engine; the rest goes to its temporary folder."""
LONGEST_LINE = 2_000_000
"""Maximum bytes of a line, or of a value of an XES file."""

_FULL = re.compile(
    r"no space left|disk.{0,20}full|max_temp_directory_size|failed to offload", re.IGNORECASE
)
_CSV_LINE = re.compile(r"CSV Error on Line: (\d+)")


class Engine:
    """A temporary database, which `close` removes.

    Parameters
    ----------
    memory
        Maximum memory, such as ``"1GB"``.
    threads
        Maximum number of threads; None leaves that to duckdb.

    Raises
    ------
    MissingExtraError
        If duckdb is not installed.
    """

    def __init__(self, *, memory: str = MEMORY, threads: int | None = None) -> None:
        try:
            import duckdb
        except ModuleNotFoundError:
            raise MissingExtraError(
                "reading event logs",
                "logs",
                "without it 'stepgraph learn' reads one CSV, its columns named with "
                "columns={'ROLE': NAME}",
            ) from None
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="stepgraph-log-"))
        except OSError as error:
            raise FileError(f"no temporary folder can be made ({error.strerror})") from None
        self._error: type[Exception] = duckdb.Error
        try:
            with self.errors("the engine"):
                self.connection: DuckDBPyConnection = duckdb.connect(self._folder / "log.duckdb")
                self.run("SET TimeZone = 'UTC'")
                self._limit_memory(memory)
                self.run(f"SET temp_directory = {text(self._folder / 'spill')}")
                # A notebook without widgets has no bar and refuses the setting.
                if self.row("SELECT current_setting('enable_progress_bar')")[0]:
                    self.run("SET enable_progress_bar = false")
                if threads is not None:
                    self.run(f"SET threads = {threads}")
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def close(self) -> None:
        """Close the database and remove its files."""
        with suppress(self._error):
            self.connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _limit_memory(self, memory: str) -> None:
        try:
            self.run(f"SET memory_limit = {text(memory)}")
        except self._error:
            raise SettingError(f"memory is {memory!r}; expected a size such as 1GB") from None

    def run(self, statement: str) -> None:
        """Run a statement and ignore its result."""
        self.connection.execute(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self.connection.execute(query).fetchall()

    def row(self, query: str) -> tuple[Any, ...]:
        """Return the only row of a query."""
        (row,) = self.rows(query)
        return row

    @contextmanager
    def errors(self, where: str) -> Iterator[None]:
        """Turn the engine's errors inside the block into stepgraph's.

        Parameters
        ----------
        where
            The log, for messages.
        """
        try:
            yield
        except self._error as error:
            raise self._translated(error, where) from None
        except OSError as error:
            raise FileError(f"{where}: cannot be read ({error.strerror or error})") from None

    def _translated(self, error: Exception, where: str) -> InputError:
        import duckdb

        message = str(error)
        if _FULL.search(message):
            return FileError(
                f"{where}: the disk is full, the engine could not write to {self._folder}; free "
                "some space or let the variable TMPDIR name a folder with more"
            )
        if "maximum_object_size" in message:
            return FormatError(
                f"{where}: a line is longer than 32 MB; expected JSON Lines, one event a line"
            )
        if isinstance(error, duckdb.OutOfMemoryException):
            return InputError(
                f"{where}: the engine needs more than its memory ({short(message)}); "
                "give it more, such as memory='4GB'"
            )
        if isinstance(error, duckdb.IOException | duckdb.HTTPException):
            return FileError(f"{where}: cannot be read ({short(message)})")
        if "automatically install the required extension" in message:
            return FileError(
                f"{where}: reading from there needs an extension of duckdb that is not installed "
                f"({short(message)})"
            )
        return FormatError(f"{where}: {short(message)}")


def short(message: str) -> str:
    """Return the message of an engine error, without the file's text and advice in SQL."""
    line = _CSV_LINE.search(message)
    kept: list[str] = []
    for part in map(str.strip, message.splitlines()):
        if part.startswith(("Possible", "* ", "LINE 1", "file =")):
            break
        if part:
            kept.append(part)
    # In an error about a table, the reason comes last, behind the line.
    said = kept[-1] if line and len(kept) > 1 else " ".join(kept)
    for kind in ("Invalid Input Error: ", "IO Error: ", "Conversion Error: ", "Binder Error: "):
        said = said.removeprefix(kind)
    place = f"line {line[1]}: " if line else ""
    return place + (said if len(said) <= 240 else said[:237] + "...")


def name(identifier: str) -> str:
    """Return an identifier as SQL writes it."""
    return '"' + identifier.replace('"', '""') + '"'


def text(value: object) -> str:
    """Return a text as SQL writes it."""
    return "'" + str(value).replace("'", "''") + "'"
