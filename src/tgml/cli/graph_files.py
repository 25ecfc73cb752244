"""Where learned graphs go: one file, or a folder with one for each procedure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tgml.cli.targets import (
    check_file,
    check_folder,
    check_format,
    check_replaced,
    is_folder,
    names_folder,
)
from tgml.errors import InputError

if TYPE_CHECKING:
    from tgml.pipeline import Learning

FILE_ENDINGS = (".jsonl", ".csv", ".txt", ".svg", ".png", ".html")
"""Endings of files that people may ask for beside those of graphs; nobody calls a folder so."""


def graph_paths(demos: Path, names: Collection[str], output: str | None) -> Sequence[Path | None]:
    """Return the file of each procedure's graph, all of them fit to be written."""
    from tgml.rendering import RENDERERS

    if output is None:
        return [None] * len(names)
    target = Path(output)
    exists = is_folder(target)
    is_file = not (exists or names_folder(output))
    if len(names) == 1 and is_file:
        check_file(target)
        if target.suffix:  # a name without one is as good as any for the format of tgml
            check_format(target)
        check_replaced(target)
        return [target]
    if target.suffix.lower() in (*RENDERERS, *FILE_ENDINGS) and is_file:
        advice = "; --format log writes all of them to one" if target.suffix == ".jsonl" else ""
        raise too_many(demos, names, f"give a folder with -o, {output} is one file{advice}")
    check_folder(target)
    paths: dict[Path, str] = {}
    for name in names:
        path = target / f"{file_name(name)}.json"
        if path in paths:
            raise InputError(
                f"{path}: the procedures {paths[path]!r} and {name!r} would share this file; "
                "learn them one at a time with --procedure"
            )
        if exists:
            check_file(path)
            check_replaced(path)
        paths[path] = name
    return list(paths)


def too_many(demos: Path, names: Collection[str], advice: str) -> InputError:
    """Return the error of a file with several procedures where one is expected."""
    listed = ", ".join(map(repr, names))
    return InputError(
        f"{demos}: {len(names)} procedures; {advice}, or choose one with --procedure NAME: {listed}"
    )


def save_graphs(learnings: Sequence[Learning], paths: Sequence[Path | None]) -> None:
    """Write graphs to their files, all of them or none."""
    from tgml.files import write_into_folder
    from tgml.rendering import render

    texts = {
        path.name: render(learning.graph, path.suffix or ".json")
        for learning, path in zip(learnings, paths, strict=True)
        if path is not None
    }
    folder = next(path.parent for path in paths if path is not None)
    write_into_folder(folder, texts)


def file_name(name: str) -> str:
    """Return a procedure's name as a file may have it, without an ending."""
    kept = "".join(char if char.isalnum() or char in "-_." else "-" for char in name)
    return kept.strip("-.") or "graph"
