"""The simplest format: one step a line, a blank line between recordings."""

from __future__ import annotations

from tgml.readers.draft import Draft, Event, Recording, Source, assemble


def read(source: Source) -> Draft:
    """Read plain text; lines that start with ``#`` are comments.

    The recordings are called 1, 2, ... and the procedure after the file.
    """
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
