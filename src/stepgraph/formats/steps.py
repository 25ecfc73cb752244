"""The key-steps of a procedure that nobody has demonstrated: a text file, one name a line."""

from __future__ import annotations

from pathlib import Path

from stepgraph.errors import FormatError
from stepgraph.files import read_text
from stepgraph.sequences import Vocabulary


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
