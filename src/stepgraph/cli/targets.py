"""Where output goes: refused before any work is done if nothing can be written there."""

from __future__ import annotations

import os
import re
from pathlib import Path

from stepgraph.errors import FileError, InputError

LONGEST_HEAD = 2**16
"""Number of bytes at the beginning of a file to look at."""


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; one that cannot be looked at is none."""
    try:
        return path.is_dir()
    except OSError:  # such as a name that is too long
        return False


def names_folder(path: str) -> bool:
    """Return whether a path, as typed, ends like a folder's."""
    return path.endswith(("/", os.sep))


def check_format(path: Path) -> None:
    """Check that the ending of a graph file's name says a format.

    Raises
    ------
    InputError
        If it says none that a graph can be written in.
    """
    from stepgraph.formats import GRAPH_WRITERS

    if path.suffix.lower() not in GRAPH_WRITERS:
        came = f"the ending {path.suffix!r}" if path.suffix else "a name without an ending"
        advice = (
            "; stepgraph draw makes pictures" if path.suffix.lower() in (".svg", ".png") else ""
        )
        expected = ", ".join(GRAPH_WRITERS)
        raise InputError(f"{path}: {came} says no format; expected {expected}{advice}")


def check_file(path: str | Path) -> None:
    """Check that a file can be written.

    Parameters
    ----------
    path
        The file; as a text, it may not end like a folder's.

    Raises
    ------
    FileError
        If the path is a folder or a device, or its folder is missing or closed to us.
    """
    if isinstance(path, str) and names_folder(path):
        raise FileError(f"{path}: a folder, expected a file name to write to")
    path = Path(path)
    if path == Path("-"):
        raise FileError("-: nothing is written to standard output but with --json; name a file")
    try:
        if path.is_dir():
            raise FileError(f"{path}: a folder, expected a file name to write to")
        if path.exists() and not path.is_file():
            raise FileError(f"{path}: neither file nor folder, expected a file name to write to")
        _check_parent(path)
    except OSError as error:  # such as a name that is too long
        raise FileError(f"{path}: cannot be written ({error.strerror})") from None


def check_replaced(path: str | Path, kind: str | None = None) -> None:
    """Check that a JSON file which is to be written replaces only what is of its own kind.

    Parameters
    ----------
    path
        The file; other formats than JSON and JSON Lines are not looked at.
    kind
        What JSON files of this kind give as their format; by default what graphs do.

    Raises
    ------
    FileError
        If there is a file that holds something else.
    """
    from stepgraph.formats.stepgraph_json import GRAPH_FORMAT

    path = Path(path)
    if path.suffix.lower() not in (".json", ".jsonl", ""):
        return
    try:
        with path.open("rb") as file:
            head = file.read(LONGEST_HEAD)
    except OSError:
        return  # there is none, or writing will say what is wrong with it
    said = re.search(rb'"format"\s*:\s*"([^"]*)"', head)
    if head.strip() and (said is None or said[1] != (kind or GRAPH_FORMAT).encode()):
        raise FileError(
            f"{path}: there is a file of this name, which holds something else; choose another "
            "name with -o, or move the file away"
        )


def check_folder(path: Path) -> None:
    """Check that files can be written to a folder, which need not exist yet.

    Raises
    ------
    FileError
        If the path, or one above it, is a file or closed to us.
    """
    try:
        existing = path
        while not existing.exists() and existing != existing.parent:
            existing = existing.parent
        if not existing.is_dir():
            raise FileError(f"{path}: {existing} is a file, expected a folder to write to")
        if not os.access(existing, os.W_OK):
            raise FileError(f"{path}: nothing can be written to {existing}")
    except OSError as error:
        raise FileError(f"{path}: cannot be written ({error.strerror})") from None


def _check_parent(path: Path) -> None:
    folder = path.resolve().parent if path.is_symlink() else path.parent
    if not folder.exists():
        raise FileError(f"{path}: cannot be written, there is no folder {folder}; make it first")
    if not folder.is_dir():
        raise FileError(f"{path}: cannot be written, {folder} is not a folder")
    if not os.access(folder, os.W_OK):
        raise FileError(f"{path}: cannot be written, nothing can be written to {folder}")
