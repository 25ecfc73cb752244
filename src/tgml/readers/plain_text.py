"""The simplest format: one step a line, a blank line between recordings."""

from __future__ import annotations

from tgml.errors import FormatError
from tgml.readers.columns import find_columns
from tgml.readers.draft import Draft, Event, Recording, Source, assemble


def read(source: Source) -> Draft:
    """Read plain text; lines that start with ``#`` are comments.

    The recordings are called 1, 2, ... and the procedure after the file.

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
    return assemble(
        Recording(str(number), source.name, tuple(events))
        for number, events in enumerate(shown, start=1)
    )


def _refuse_table(source: Source) -> None:
    first = next((line for _, line in source.lines() if line), "")
    for delimiter in ("\t", ";", ","):
        cells = [cell.strip() for cell in first.split(delimiter)]
        try:
            find_columns(cells, source.columns, str(source.path))
        except FormatError:
            continue
        raise FormatError(
            f"a table, by its first line ({', '.join(map(repr, cells))}); name the file .csv, or "
            "say --format csv"
        )
