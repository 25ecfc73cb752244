"""Where learned graphs go: one file, or a folder with one for each procedure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.cli.targets import (
    check_file,
    check_folder,
    check_format,
    check_replaced,
    is_folder,
    names_folder,
)
from stepgraph.errors import InputError

if TYPE_CHECKING:
    from stepgraph.pipeline import Learning

FILE_ENDINGS = (".jsonl", ".csv", ".txt", ".svg", ".png", ".html")
"""Endings of files that people may ask for beside those of graphs; nobody calls a folder so."""
LONGEST_NAME = 200
"""So many bytes of a procedure's name go into the name of its file, which may have 255."""
NAMED = 24
"""So many procedures are named."""


def graph_paths(
    where: str | Path, names: Sequence[str], output: str, *, folder: bool = False
) -> dict[str, Path]:
    """Return the file of each procedure's graph, all of them fit to be written.

    Parameters
    ----------
    where
        Where the procedures come from, for messages.
    names
        What they are called; names that make the same file name get numbers.
    output
        What the user gave: a file, for one procedure, or a folder.
    folder
        Whether a name without an ending is a folder for one procedure, too.
    """
    from stepgraph.formats import GRAPH_WRITERS
    from stepgraph.logs.source import LOG_ENDINGS

    target = Path(output)
    exists = is_folder(target)
    is_file = not (exists or names_folder(output) or (folder and not target.suffix))
    if len(names) == 1 and is_file:
        check_file(target)
        if target.suffix:  # a name without one is as good as any for the format of stepgraph
            check_format(target)
        check_replaced(target)
        return {names[0]: target}
    if target.suffix.lower() in (*GRAPH_WRITERS, *FILE_ENDINGS) and is_file:
        as_log = any(str(where).lower().endswith(endings) for endings in LOG_ENDINGS.values())
        advice = "; --format log writes all of them to one .jsonl" if as_log else ""
        raise too_many(where, names, f"give a folder with -o, {output} is one file{advice}")
    check_folder(target)
    paths = _in_folder(target, names)
    if exists:
        for path in paths.values():
            check_file(path)
            check_replaced(path)
    return paths


def _in_folder(folder: Path, names: Sequence[str]) -> dict[str, Path]:
    taken: Counter[str] = Counter()
    paths = {}
    for name in names:
        stem = file_name(name)
        taken[stem.casefold()] += 1
        number = taken[stem.casefold()]
        paths[name] = folder / (f"{stem}.json" if number == 1 else f"{stem} ({number}).json")
    return paths


def too_many(where: str | Path, names: Sequence[str], advice: str) -> InputError:
    """Return the error of a file with several procedures where one is expected."""
    listed = ", ".join(map(repr, names[:NAMED])) + (", ..." if len(names) > NAMED else "")
    return InputError(
        f"{where}: {len(names)} procedures; {advice}, or choose one with --procedure NAME: {listed}"
    )


def save_graphs(learnings: Sequence[Learning], paths: Sequence[Path | None]) -> None:
    """Write graphs to their files, all of them or none."""
    from stepgraph.files import write_into_folder
    from stepgraph.formats import graph_text

    texts = {
        path.name: graph_text(learning.graph, path.suffix or ".json")
        for learning, path in zip(learnings, paths, strict=True)
        if path is not None
    }
    folder = next(path.parent for path in paths if path is not None)
    write_into_folder(folder, texts)


def file_name(name: str) -> str:
    """Return a procedure's name as a file may have it, without an ending."""
    kept = "".join(char if char.isalnum() or char in "-_." else "-" for char in name)
    short = kept.strip("-.").encode()[:LONGEST_NAME].decode(errors="ignore")
    return short or "graph"
