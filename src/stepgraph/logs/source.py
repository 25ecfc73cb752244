"""Where a log's rows come from: files, globs, addresses and tables, as something to select from."""

from __future__ import annotations

import csv
import glob as globs
import gzip
import io
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepgraph.errors import FileError, FormatError, SettingError
from stepgraph.files import empty_file
from stepgraph.logs.engine import LONGEST_LINE, Engine, text

FORMATS = {
    "parquet": (".parquet", ".pq"),
    "csv": (".csv", ".tsv", ".csv.gz", ".tsv.gz"),
    "jsonl": (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    "xes": (".xes", ".xes.gz"),
}
"""How the names of a log's files end, by format."""

_ONLY_LOGS = (*FORMATS["parquet"], *FORMATS["xes"], ".gz")
_DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True)
class Source:
    """Rows to select from.

    Parameters
    ----------
    where
        What to call the log in messages.
    columns
        The columns that there are.
    relation
        What stands after FROM.
    """

    where: str
    columns: tuple[str, ...]
    relation: str


def is_table(value: object) -> bool:
    """Return whether a value is a table that speaks Arrow: pandas, polars, pyarrow and others."""
    return hasattr(value, "__arrow_c_stream__")


def is_log(path: str | Path) -> bool:
    """Return whether a path can only be a log: by its ending, as a glob, or as an address.

    Examples
    --------
    >>> is_log("events.parquet"), is_log("logs/*.csv"), is_log("pancakes.csv")
    (True, True, False)
    """
    where = str(path)
    return where.lower().endswith(_ONLY_LOGS) or "://" in where or _is_glob(where)


def format_of(where: str) -> str:
    """Return the format of a log, by its ending.

    Raises
    ------
    FormatError
        If the ending tells none.
    """
    lower = where.split("?")[0].lower() if "://" in where else where.lower()
    for known, endings in FORMATS.items():
        if lower.endswith(endings):
            return known
    expected = ", ".join(ending for endings in FORMATS.values() for ending in endings)
    hint = "; 'stepgraph learn' reads recordings in JSON" if lower.endswith(".json") else ""
    raise FormatError(
        f"{where}: the ending does not tell the format of the log; expected {expected}{hint}"
    )


def expect_log(where: str) -> None:
    """Raise if nothing is there, or no log by its ending: before an engine is asked for.

    Parameters
    ----------
    where
        A path, a glob, or an address.

    Raises
    ------
    FileError
        If there is no such file.
    FormatError
        If the ending tells no format, or a file is empty.
    """
    format_of(where)
    if "://" not in where:
        local_files(where)


def open_files(engine: Engine, where: str, *, longest_line: int = LONGEST_LINE) -> Source:
    """Return the rows of files that duckdb reads: Parquet, CSV or JSON Lines.

    Parameters
    ----------
    engine
        Where they will be read.
    where
        A path, a glob, or an address.
    longest_line
        How many bytes a line may have.
    """
    kind = format_of(where)
    files = [where] if "://" in where else local_files(where)
    if kind == "parquet":
        relation = f"read_parquet({_list(files)}, union_by_name = true)"
    elif kind == "csv":
        if "://" in where:
            relation = f"read_csv({_list(files)}, all_varchar = true, header = true)"
        else:
            relation = _csv(files, longest_line)
    else:
        options = f"format = 'newline_delimited', maximum_object_size = {longest_line}"
        found = f"read_json({_list(files)}, {options})"
        columns = _columns(engine, found, where)
        types = ", ".join(f"{text(column)}: 'VARCHAR'" for column in columns)
        # As texts, so that a column of mixed types says what the file says.
        relation = f"read_json({_list(files)}, {options}, columns = {{{types}}})"
        return Source(where, columns, relation)
    return Source(where, _columns(engine, relation, where), relation)


def as_path(log: object) -> str:
    """Return what a log that is no table is called, if it can be a path.

    Raises
    ------
    FormatError
        If it cannot.
    """
    if isinstance(log, str | Path):
        return str(log)
    kind = f"{type(log).__module__.split('.')[0]}.{type(log).__qualname__}"
    advice = "; collect it first" if hasattr(log, "collect") else ""
    raise FormatError(
        f"the log is of type {kind.removeprefix('builtins.')}; expected a path, or a table that "
        f"speaks Arrow, such as pandas, polars and pyarrow have{advice}"
    )


def open_table(engine: Engine, table: Any) -> Source:
    """Return the rows of a table that speaks Arrow, without a copy unless it can be read once."""
    where = f"the {type(table).__module__.split('.')[0]} table"
    try:
        with engine.errors(where):
            engine.connection.register("given_table", _Stream(table))
    except ImportError as error:
        raise SettingError(
            f"{where}: its Arrow interface needs {error.name or 'a package'} that is not installed"
        ) from None
    relation = "given_table"
    if not hasattr(table, "__len__"):
        with engine.errors(where):
            engine.run("CREATE TABLE read_once AS SELECT * FROM given_table")
        relation = "read_once"
    return Source(where, _columns(engine, relation, where), relation)


class _Stream:
    """Shows the engine a table's Arrow interface and nothing else of it."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def local_files(where: str) -> list[str]:
    """Return the files that a path or a glob means, in the order of their names.

    Raises
    ------
    FileError
        If there is none.
    FormatError
        If one is empty.
    """
    if not _is_glob(where):
        if not _exists(where):
            raise FileError(f"{where}: no such file")
        if Path(where).is_dir():
            raise FileError(f"{where}: a folder, expected a file or a glob such as {where}/*.csv")
        found = [where]
    else:
        # Not Path.glob: it takes no absolute patterns.
        matches = globs.glob(where, recursive=True)  # noqa: PTH207
        found = sorted(path for path in matches if Path(path).is_file())
    if not found:
        raise FileError(f"{where}: no file matches")
    for path in map(Path, found):
        if path.is_file() and not path.stat().st_size:
            raise empty_file(path)
    return found


def _is_glob(where: str) -> bool:
    return globs.has_magic(where) and not _exists(where)


def _exists(where: str) -> bool:
    try:
        return Path(where).exists()
    except OSError:  # such as a name that is too long for one
        return False


def _columns(engine: Engine, relation: str, where: str) -> tuple[str, ...]:
    with engine.errors(where):
        described = engine.rows(f"DESCRIBE SELECT * FROM {relation}")
    return tuple(str(row[0]) for row in described)


def _list(files: list[str]) -> str:
    return f"[{', '.join(map(text, files))}]"


def _csv(files: list[str], longest_line: int) -> str:
    """Return the reader of tables whose separator and columns we found ourselves.

    The engine's own detection may take a later line for the first one.
    """
    delimiter, header = _header(files[0], longest_line)
    for other in files[1:]:
        columns = _header(other, longest_line)[1]
        if columns != header:
            raise FormatError(
                f"{other}: its columns are {', '.join(map(repr, columns))}; expected those of "
                f"{files[0]}: {', '.join(map(repr, header))}"
            )
    for column, count in Counter(header).items():
        if count > 1:
            raise FormatError(f"{files[0]}: two columns are called {column!r}; rename one of them")
    types = ", ".join(f"{text(column)}: 'VARCHAR'" for column in header)
    return (
        f"read_csv({_list(files)}, auto_detect = false, header = true, "
        f"delim = {text(delimiter)}, quote = '\"', escape = '\"', columns = {{{types}}}, "
        f"max_line_size = {longest_line}, nullstr = '')"
    )


def _header(path: str, longest_line: int) -> tuple[str, list[str]]:
    try:
        with Path(path).open("rb") as plain:
            is_packed = path.lower().endswith(".gz")
            stream = gzip.GzipFile(fileobj=plain) if is_packed else plain
            line = stream.readline(longest_line + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{path}: cannot be read ({error})") from None
    if len(line) > longest_line:
        raise FormatError(f"{path}: line 1 is longer than {longest_line:,} bytes; is it a table?")
    try:
        first = line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: byte {error.start} is not UTF-8; save the file with the encoding UTF-8"
        ) from None
    if not first.strip():
        raise FormatError(f"{path}: the first line is empty; expected the columns' names in it")
    try:
        rows = {
            delimiter: next(csv.reader(io.StringIO(first), delimiter=delimiter), [])
            for delimiter in _DELIMITERS
        }
    except csv.Error as error:
        raise FormatError(f"{path}: line 1 holds no columns of a table ({error})") from None
    delimiter = max(_DELIMITERS, key=lambda one: len(rows[one]))
    return delimiter, [column.strip() for column in rows[delimiter]]
