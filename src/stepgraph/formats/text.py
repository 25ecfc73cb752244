"""Plain text: one step a line, a blank line between recordings; or the steps of one procedure."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from stepgraph.errors import FormatError
from stepgraph.files import read_text
from stepgraph.formats.reading import Draft, Event, Recording, Source, assemble
from stepgraph.formats.rows import find_columns
from stepgraph.sequences import Vocabulary


def read(source: Source) -> Draft:
    """Read plain text; lines that start with ``#`` are comments.

    The names of the recordings are 1, 2, ...; the file names the procedure.

    Raises
    ------
    FormatError
        If it is a table.
    """
    _refuse_table(source)
    recordings: list[list[Event]] = [[]]
    for _, line in source.lines():
        if line.startswith("#"):
            continue
        if line:
            recordings[-1].append(Event(line))
        elif recordings[-1]:
            recordings.append([])
    shown = [events for events in recordings if events]
    notes = []
    if len(shown) == 1 and len(shown[0]) > 1 and all("," in event.step for event in shown[0]):
        lines = f"each of the {len(shown[0])} lines was taken for one step"
        notes = [(source.name, f"{lines}; if it is a recording, write its steps below each other")]
    return assemble(
        (
            Recording(str(number), source.name, tuple(events))
            for number, events in enumerate(shown, start=1)
        ),
        notes=notes,
    )


def _refuse_table(source: Source) -> None:
    first = next((line for _, line in source.lines() if line), "")
    if cells := table_columns(first, source.columns):
        raise FormatError(
            f"a table, by its first line ({', '.join(map(repr, cells))}); name the file .csv, or "
            "say format='csv'"
        )


def table_columns(line: str, given: Mapping[str, str]) -> list[str]:
    """Return the columns that a line names if it is the head of a table; empty if not.

    Parameters
    ----------
    line
        The line.
    given
        The columns that the user named.

    Examples
    --------
    >>> table_columns("recording;step", {})
    ['recording', 'step']
    >>> table_columns("salt, pepper", {})
    []
    """
    for delimiter in ("\t", ";", ","):
        cells = [cell.strip() for cell in line.split(delimiter)]
        with suppress(FormatError):
            find_columns(cells, given, "")
            return cells
    return []


def read_steps(path: str | Path) -> Vocabulary:
    """Return the steps that a text file lists; lines that start with ``#`` are comments.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If a line between others is empty, or a name comes twice.
    """
    lines = [line.strip() for line in read_text(path).rstrip().splitlines()]
    names: dict[str, int] = {}
    for number, name in enumerate(lines, start=1):
        if name.startswith("#"):
            continue
        if not name:
            raise FormatError(f"{path}: line {number} is empty; expected a step's name")
        if name in names:
            raise FormatError(
                f"{path}: line {number}: the step {name!r} is already on line {names[name]}; "
                "step names must differ"
            )
        names[name] = number
    if not names:
        raise FormatError(f"{path}: no steps, only comments")
    try:
        return Vocabulary(tuple(names))
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
