"""The sources of a log's rows: files, globs, addresses and tables, as SQL relations."""

from __future__ import annotations

import glob as globs
import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepgraph.errors import FileError, FormatError, SettingError
from stepgraph.files import empty_file
from stepgraph.formats.csv import read_header
from stepgraph.logs.engine import LONGEST_LINE, Engine, name, text

LOG_ENDINGS = {
    "parquet": (".parquet", ".pq"),
    "csv": (".csv", ".tsv", ".csv.gz", ".tsv.gz"),
    "jsonl": (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    "xes": (".xes", ".xes.gz"),
}
"""The endings of a log's files, by format."""

_ONLY_LOGS = (*LOG_ENDINGS["parquet"], *LOG_ENDINGS["xes"], ".gz")

_BLANKS = (
    "".join(
        map(
            chr,
            (*range(9, 14), *range(28, 33), 133, 160, 5760, *range(8192, 8203), 8232, 8233, 8239),
        )
    )
    + "\u205f\u3000"
)
"""The characters that `str.strip` removes."""
_STRANGE_ENDS = "^[^!-~]|[^!-~]$"
"""Texts that may have blanks around them: few, and taking them off is slow."""


@dataclass(frozen=True)
class Source:
    """Rows to select from.

    Parameters
    ----------
    where
        The name of the log in messages.
    columns
        The columns.
    relation
        The SQL after FROM.
    values
        SQL for the value of each column.
    is_text
        Whether it is a table or JSON Lines, read as by `read_demonstrations`.
    decimal_comma
        Whether numbers have a decimal comma.
    unread
        Further columns that cannot be selected.
    """

    where: str
    columns: tuple[str, ...]
    relation: str
    values: tuple[str, ...]
    is_text: bool = False
    decimal_comma: bool = False
    unread: tuple[str, ...] = ()


def stripped(value: str) -> str:
    """Return SQL for a text without surrounding blanks, as `str.strip` returns it."""
    return (
        f"CASE WHEN regexp_matches({value}, {text(_STRANGE_ENDS)}) "
        f"THEN trim({value}, {text(_BLANKS)}) ELSE {value} END"
    )


def is_table(value: object) -> bool:
    """Return whether a value is an Arrow table: of pandas, polars, pyarrow and others."""
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
        If the ending is unknown.
    """
    lower = where.split("?")[0].lower() if "://" in where else where.lower()
    for known, endings in LOG_ENDINGS.items():
        if lower.endswith(endings):
            return known
    expected = ", ".join(ending for endings in LOG_ENDINGS.values() for ending in endings)
    hint = (
        "; 'stepgraph learn' reads recordings in JSON, without the options of logs"
        if lower.endswith(".json")
        else ""
    )
    raise FormatError(
        f"{where}: the ending does not tell the format of the log; expected {expected}{hint}"
    )


def expect_log(where: str) -> None:
    """Raise if a file is missing or is not a log by its ending, before starting an engine.

    Parameters
    ----------
    where
        A path, a glob, or an address.

    Raises
    ------
    FileError
        If there is no such file.
    FormatError
        If the ending is unknown, or a file is empty.
    """
    is_folder = "://" not in where and _exists(where) and Path(where).is_dir()
    if not is_folder:  # a folder has no ending for a format
        format_of(where)
    if "://" not in where:
        local_files(where)


def open_files(engine: Engine, where: str, *, longest_line: int = LONGEST_LINE) -> Source:
    """Return the rows of files that duckdb reads: Parquet, CSV or JSON Lines.

    Parameters
    ----------
    engine
        The engine that reads them.
    where
        A path, a glob, or an address.
    longest_line
        Maximum bytes of a line.
    """
    kind = format_of(where)
    files = [where] if "://" in where else local_files(where)
    if kind == "jsonl":
        return _json_lines(engine, files, where, longest_line)
    if kind == "csv" and "://" not in where:
        return _csv(files, where, longest_line)
    relation = f"read_parquet({_list(files)}, union_by_name = true)"
    if kind == "csv":
        relation = f"read_csv({_list(files)}, all_varchar = true, header = true)"
    return _named(engine, relation, where, is_text=kind == "csv")


def as_path(log: object) -> str:
    """Return the name of a log that is a path.

    Raises
    ------
    FormatError
        If it is neither a path nor a table.
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
    """Return the rows of an Arrow table; copy it only if it can be read just once."""
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
    return _named(engine, relation, where)


class _Stream:
    """Shows the engine only the Arrow interface of a table."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def local_files(where: str) -> list[str]:
    """Return the files of a path or a glob, sorted by name.

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
        # Not Path.glob, which takes no absolute patterns.
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


def _named(engine: Engine, relation: str, where: str, *, is_text: bool = False) -> Source:
    """Return the rows of a relation whose columns the engine knows."""
    with engine.errors(where):
        described = engine.rows(f"DESCRIBE SELECT * FROM {relation}")
    columns = tuple(str(row[0]) for row in described)
    return Source(where, columns, relation, tuple(map(name, columns)), is_text=is_text)


def _list(files: list[str]) -> str:
    return f"[{', '.join(map(text, files))}]"


def _json_lines(engine: Engine, files: list[str], where: str, longest_line: int) -> Source:
    """Return the rows of JSON Lines, in which each line may have keys of its own."""
    relation = (
        f"read_ndjson_objects({_list(files)}, maximum_object_size = {longest_line}, "
        "ignore_errors = false)"
    )
    with engine.errors(where):
        found = engine.rows(
            f"""
            SELECT kind, keys, min(line) FROM (
                SELECT json_type(json) AS kind, json_keys(json) AS keys,
                    row_number() OVER () AS line
                FROM {relation})
            GROUP BY kind, keys ORDER BY min(line)
            """
        )
    columns: dict[str, None] = {}
    for kind, keys, line in found:
        if kind != "OBJECT":
            raise FormatError(f"{where}: row {line} is no object; expected one event a line")
        if len(set(keys)) < len(keys):
            raise FormatError(f"{where}: row {line} has a key twice; expected each once")
        columns |= dict.fromkeys(keys)
    if "steps" in columns:
        raise FormatError(
            f"{where}: a line with 'steps' is a whole recording; an event log has one event a "
            "line, leave its options out or write a line for each step"
        )
    return Source(where, tuple(columns), relation, tuple(map(_key, columns)), is_text=True)


def _key(key: str) -> str:
    """Return SQL for the text of what a line has under a key; lists and objects are an error."""
    pointer = text("/" + key.replace("~", "~0").replace("/", "~1"))
    problem = text(f"{key!r} holds a list or an object; expected a text or a number")
    return (
        f"CASE WHEN json_type(json, {pointer}) IN ('ARRAY', 'OBJECT') THEN error({problem}) "
        f"ELSE json ->> {pointer} END"
    )


def _csv(files: list[str], where: str, longest_line: int) -> Source:
    """Return the rows of tables, with the separator and columns that stepgraph detects.

    The engine's own detection may take a later line for the first one.
    """
    delimiter, header, skipped = _header(files[0], longest_line)
    for other in files[1:]:
        found = _header(other, longest_line)
        if found[1] != header:
            raise FormatError(
                f"{other}: its columns are {', '.join(map(repr, found[1]))}; expected those of "
                f"{files[0]}: {', '.join(map(repr, header))}"
            )
        if (found[0], found[2]) != (delimiter, skipped):
            raise FormatError(
                f"{other}: separated in another way than {files[0]}; write all files alike"
            )
    values = tuple(f"c{number}" for number in range(len(header)))
    types = ", ".join(f"{value}: 'VARCHAR'" for value in values)
    relation = (
        f"read_csv({_list(files)}, auto_detect = false, header = true, skip = {skipped}, "
        f"delim = {text(delimiter)}, quote = '\"', escape = '\"', columns = {{{types}}}, "
        f"max_line_size = {longest_line}, nullstr = '')"
    )
    any_value = " OR ".join(f"{stripped(value)} <> ''" for value in values)
    return Source(
        where,
        tuple(header),
        f"(SELECT * FROM {relation} WHERE {any_value})",
        values,
        is_text=True,
        decimal_comma=delimiter == ";",
    )


def _header(path: str, longest_line: int) -> tuple[str, list[str], int]:
    """Return a table's separator, its columns, and the number of empty lines above them."""
    lines: list[str] = []
    try:
        with Path(path).open("rb") as plain:
            is_packed = path.lower().endswith(".gz")
            stream = gzip.GzipFile(fileobj=plain) if is_packed else plain
            while line := stream.readline(longest_line + 1):
                if len(line) > longest_line:
                    raise FormatError(
                        f"{path}: line {len(lines) + 1} is longer than {longest_line:,} bytes; is "
                        "it a table?"
                    )
                lines.append(line.decode("utf-8-sig"))
                if lines[-1].strip(" \t\r\n,;"):
                    break
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{path}: cannot be read ({error})") from None
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: byte {error.start} is not UTF-8; save the file with the encoding UTF-8"
        ) from None
    try:
        # A carriage return alone may end lines: the columns stand before it.
        first = "".join(lines).replace("\r\n", "\n")
        delimiter, header = read_header(Path(path.removesuffix(".gz")), first)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
    return delimiter, header, len(lines) - 1
