"""Notes on several procedures: what is true of many of them is said once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from stepgraph.cli.output import print_notes

MANY = 3
"""Minimum number of procedures whose like notes become one."""
NAMED = 3
"""Maximum number of procedures to name."""
_NUMBER = re.compile(r"('[^']*')|\d+(?:\.\d+)?")  # names in quotes may hold numbers; they stay


def print_notes_on(procedures: Iterable[str], notes: Iterable[str]) -> None:
    """Print notes, each with its procedure's name and a colon in front where it is of one.

    Parameters
    ----------
    procedures
        All names.
    notes
        The notes.
    """
    print_notes(said_once(procedures, notes))


def print_notes_of(by_procedure: Sequence[tuple[str, Iterable[str]]]) -> None:
    """Print what is noted of each of some procedures; their names only if they are several.

    Parameters
    ----------
    by_procedure
        Names and notes.
    """
    if len(by_procedure) == 1:
        print_notes(by_procedure[0][1])
        return
    notes = [f"{name}: {note}" for name, own in by_procedure for note in own]
    print_notes_on([name for name, _ in by_procedure], notes)


def said_once(procedures: Iterable[str], notes: Iterable[str]) -> list[str]:
    """Return notes, with one in place of those that differ in procedure and numbers alone.

    Parameters
    ----------
    procedures, notes
        Those of `print_notes_on`.

    Examples
    --------
    >>> notes = ["tea: 2 steps left out", "soup: 5 steps left out", "rice: 2 steps left out"]
    >>> said_once(["tea", "soup", "rice"], notes)
    ['3 procedures (tea, soup, rice): 2 to 5 steps left out']
    """
    fronts = sorted((f"{name}: " for name in procedures), key=len, reverse=True)
    alike: dict[tuple[bool, str], list[tuple[str, str]]] = {}
    for note in notes:
        front = next((front for front in fronts if note.startswith(front)), "")
        text = note.removeprefix(front)
        kind = _NUMBER.sub(lambda found: found[1] or "#", text) if front else text
        key = bool(front), kind
        alike[key] = [*alike.pop(key, ()), (front, text)]  # where the last of them stands
    said: list[str] = []
    for group in alike.values():
        of = dict.fromkeys(front for front, _ in group)
        if len(of) >= MANY:
            names = [front.removesuffix(": ") for front in of]
            listed = ", ".join(names[:NAMED]) + (", ..." if names[NAMED:] else "")
            text = _with_ranges([text for _, text in group])
            said.append(f"{len(of)} procedures ({listed}): {text}")
        else:
            said += [f"{front}{text}" for front, text in group]
    return said


def _with_ranges(texts: list[str]) -> str:
    """Return texts that differ in numbers alone as one, each number from the lowest on."""
    numbers = [[found[0] for found in _NUMBER.finditer(text) if not found[1]] for text in texts]
    ranges = iter([_range(column) for column in zip(*numbers, strict=True)])
    return _NUMBER.sub(lambda found: found[1] or next(ranges), texts[0])


def _range(numbers: tuple[str, ...]) -> str:
    low, high = min(numbers, key=float), max(numbers, key=float)
    return low if low == high else f"{low} to {high}"
