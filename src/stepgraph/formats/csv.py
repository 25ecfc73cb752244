"""Tables with one row a step: CSV, with semicolons or tabs as well as commas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from stepgraph.errors import FormatError
from stepgraph.formats.reading import Draft, Source, assemble
from stepgraph.formats.rows import Row, find_columns, gather

_DELIMITERS = (",", ";", "\t")


def read(source: Source) -> Draft:
    """Read a table whose first line names the columns.

    The table must have the recording and the step. The start and end time, a mistake mark, the
    procedure and the recording's weight are optional.
    """
    delimiter, header = read_header(source.path, source.text)
    rows = _cells(source.text, delimiter)
    next(rows)
    columns, remarks = find_columns(header, source.columns, str(source.path))
    places = {role: header.index(column) for role, column in columns.items()}

    def cell(cells: list[str], role: str, default: str = "") -> str:
        return cells[places[role]].strip() if role in places else default

    def number(cells: list[str], role: str) -> str:
        # With semicolons as separators, commas are decimal points.
        text = cell(cells, role)
        return text.replace(",", ".") if delimiter == ";" else text

    def parsed() -> Iterator[Row]:
        for line, cells in rows:
            if len(cells) != len(header):
                raise FormatError(
                    f"line {line}: {len(cells)} values, expected {len(header)} as in the first "
                    "line; put quotes around values that contain the separator"
                )
            yield Row(
                line,
                cell(cells, "recording"),
                cell(cells, "step"),
                cell(cells, "procedure", source.name),
                start=number(cells, "start"),
                end=number(cells, "end"),
                mistake=cell(cells, "mistake"),
                weight=number(cells, "weight"),
                lifecycle=cell(cells, "lifecycle"),
            )

    recordings, more = gather(parsed(), marked="mistake" in places)
    return assemble(recordings, notes=[("", remark) for remark in (*remarks, *more)])


def read_header(path: Path, text: str) -> tuple[str, list[str]]:
    """Return the separator of a table and the names of its columns.

    Parameters
    ----------
    path
        The file; the ending ``.tsv`` says that tabs separate.
    text
        Its text, or the lines up to the first non-empty one.

    Raises
    ------
    FormatError
        If all lines are empty.
    """
    known = ".tsv" in (suffix.lower() for suffix in path.suffixes[-2:])
    delimiters = ("\t",) if known else _DELIMITERS

    def first(delimiter: str) -> list[str]:
        return next(_cells(text, delimiter), (1, []))[1]

    def width(delimiter: str) -> int:
        try:
            return len(first(delimiter))
        except FormatError:
            return 0

    delimiter = max(delimiters, key=width)
    header = [name.strip() for name in first(delimiter)]
    if not header:
        raise FormatError("no line holds a value; expected the columns' names in the first one")
    return delimiter, header


def _cells(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each non-empty row, with the number of its first line."""
    # strict, because an unclosed quote would swallow the rest of the file.
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True
    )
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(f"line {line}: no row of a table ({error})") from None
