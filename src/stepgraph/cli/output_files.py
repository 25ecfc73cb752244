"""Output files, which are checked before any work is done.

Learned graphs go to a file, to a folder, or to one file for all. `print_report` reports the
outcome.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.cli.output import (
    count,
    echo,
    print_error,
    print_graph,
    print_json,
    print_notes,
    print_notes_of,
)
from stepgraph.errors import FileError, InputError

if TYPE_CHECKING:
    from stepgraph.pipeline.outcomes import Outcome
    from stepgraph.pipeline.procedures import LearningReport


LONGEST_HEAD = 2**16
"""Number of bytes at the beginning of a file to look at."""


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder that can be read."""
    try:
        return path.is_dir()
    except OSError:  # such as a name that is too long
        return False


def names_folder(path: str) -> bool:
    """Return whether a path, as typed, ends like a folder's."""
    return path.endswith(("/", os.sep))


def check_format(path: Path) -> None:
    """Check that the ending of a graph file names a format.

    Raises
    ------
    InputError
        If there is no such format of graphs.
    """
    from stepgraph.formats import GRAPH_WRITERS

    if path.suffix.lower() not in GRAPH_WRITERS:
        ending = f"the ending {path.suffix!r}" if path.suffix else "a name without an ending"
        advice = (
            "; stepgraph draw makes pictures" if path.suffix.lower() in (".svg", ".png") else ""
        )
        expected = ", ".join(GRAPH_WRITERS)
        raise InputError(f"{path}: {ending} names no format; expected {expected}{advice}")


def check_file(path: str | Path) -> None:
    """Check that a file can be written.

    Parameters
    ----------
    path
        The file; as a text, it may not end like a folder's.

    Raises
    ------
    FileError
        If the path is a folder or a device, or its folder is missing or not writable.
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
    """Check that writing a JSON file replaces only a file of the same kind.

    Parameters
    ----------
    path
        The file; formats other than JSON and JSON Lines are not checked.
    kind
        The value of ``format`` in files of this kind; by default that of graphs.

    Raises
    ------
    FileError
        If there is a file of another kind.
    """
    from stepgraph.formats.stepgraph_json import GRAPH_FORMAT

    path = Path(path)
    if path.suffix.lower() not in (".json", ".jsonl", ""):
        return
    try:
        with path.open("rb") as file:
            head = file.read(LONGEST_HEAD)
    except OSError:
        return  # there is none, or writing reports the error
    declared = re.search(rb'"format"\s*:\s*"([^"]*)"', head)
    if head.strip() and (declared is None or declared[1] != (kind or GRAPH_FORMAT).encode()):
        raise FileError(
            f"{path}: there is a file of this name, which holds something else; choose another "
            "name with -o, or move the file away"
        )


def check_folder(path: Path) -> None:
    """Check that files can be written to a folder, which need not exist yet.

    Raises
    ------
    FileError
        If the path, or one above it, is a file or not writable.
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


FILE_ENDINGS = (".csv", ".txt", ".svg", ".png", ".html")
"""Endings of other files; an output that ends so is no folder."""
LONGEST_NAME = 200
"""Maximum number of bytes of a procedure's name in the name of its file, which may have 255."""
NAMED = 24
"""Maximum number of procedures to name in a message."""
LISTED = 50
"""Up to this number of procedures each gets a line; of more, only those that failed."""


@dataclass(frozen=True)
class GraphTarget:
    """The destination of graphs: none, a file each, or one file of JSON Lines.

    Parameters
    ----------
    output
        The user's path; None for no destination.
    paths
        The file of each procedure; empty if all go to one file.
    """

    output: Path | None
    paths: Mapping[str, Path]

    @classmethod
    def of(
        cls,
        where: str | Path,
        names: Sequence[str],
        output: str | None,
        *,
        folder: bool = False,
        printed: bool = False,
    ) -> GraphTarget:
        """Return the destination of procedures' graphs, checked to be writable.

        Parameters
        ----------
        where, names, folder
            As for `graph_paths`.
        output
            The user's path.
        printed
            Whether graphs are printed as well, so that several need no destination.
        """
        if output is None:
            if len(names) > 1 and not printed:
                raise too_many(where, names, "give a folder or a .jsonl file with -o")
            return cls(None, {})
        if Path(output).suffix.lower() == ".jsonl":
            check_file(output)
            check_replaced(output)
            return cls(Path(output), {})
        return cls(Path(output), graph_paths(where, names, output, folder=folder))

    @property
    def checkpoint(self) -> Path | None:
        """The folder for the batches of an unfinished run."""
        name = "" if self.output is None else os.path.normpath(self.output)
        return None if name in ("", ".", "..", "/") else Path(f"{name}.unfinished")

    def write(self, outcomes: Sequence[Outcome], checkpoint: Path | None = None) -> None:
        """Write the graphs, all of them or none; then remove the folder of an unfinished run."""
        from stepgraph.files import write_into_folder, write_text
        from stepgraph.formats import graph_text
        from stepgraph.formats.json_text import dump_json

        if self.output is not None and not self.paths:
            write_text(self.output, "".join(f"{outcome.text}\n" for outcome in outcomes))
        texts = {}
        for outcome in outcomes:
            path = self.paths.get(outcome.procedure)
            if path is not None and path.suffix.lower() in ("", ".json"):
                texts[path.name] = dump_json(outcome.content)
            elif path is not None and (graph := outcome.graph) is not None:
                texts[path.name] = graph_text(graph, path.suffix)
        if texts:
            write_into_folder(next(iter(self.paths.values())).parent, texts)
        if checkpoint is not None:
            from stepgraph.pipeline.outcomes import Checkpoint

            Checkpoint(checkpoint).remove()


def print_report(
    report: LearningReport, target: GraphTarget, *, changes: bool, as_json: bool
) -> None:
    """Print the learned graphs and their files.

    Parameters
    ----------
    report, target
        The outcome of each procedure, and the destination of the graphs.
    changes
        Whether to list the edges that post-processing removed and added.
    as_json
        Whether to print JSON.
    """
    print_notes(report.notes)
    if report.resumed:
        print_notes([f"an earlier run finished {report.resumed} of {report.batches} batches"])
    several = len(report.outcomes) > 1
    few = len(report.outcomes) <= LISTED
    if few:
        print_notes_of([(outcome.procedure, outcome.notes) for outcome in report.outcomes])
    for outcome in report.failed:
        print_error(f"{outcome.procedure}: {outcome.error}" if several else outcome.error)
    if as_json:
        print_json([_as_json(outcome, target) for outcome in report.outcomes])
        return
    for outcome in report.learned:
        if not several and (graph := outcome.graph) is not None:
            print_graph(graph)
        if changes:
            about = f"{outcome.procedure}: " if several else ""
            for change in outcome.changes:
                echo(f"{about}{change}")
        if few and (content := outcome.content) and outcome.procedure in target.paths:
            steps, edges = len(content["steps"]), len(content["edges"])
            path = target.paths[outcome.procedure]
            echo(f"{path}: {count(steps, 'step')}, {count(edges, 'edge')}")
        for explanation in outcome.explanations:
            echo(explanation)
        if not several and outcome.fit:
            echo(outcome.fit)
    if several or (target.output is not None and not target.paths):
        failed = f", {len(report.failed)} failed" if report.failed else ""
        where = "" if target.output is None else f"{target.output}: "
        echo(f"{where}{count(len(report.learned), 'procedure')} learned{failed}")


def _as_json(outcome: Outcome, target: GraphTarget) -> dict[str, Any]:
    path = target.paths.get(outcome.procedure)
    return {
        "procedure": outcome.procedure,
        "file": None if path is None else str(path),
        "graph": outcome.content,
        "changes": list(outcome.changes),
        "notes": list(outcome.notes),
        "facts": dict(outcome.facts),
        "error": outcome.error or None,
        **({"why": list(outcome.explanations)} if outcome.explanations else {}),
    }


def graph_paths(
    where: str | Path, names: Sequence[str], output: str, *, folder: bool = False
) -> dict[str, Path]:
    """Return the file of each procedure's graph, checked to be writable.

    Parameters
    ----------
    where
        The source of the procedures, for messages.
    names
        Their names; names with the same file name get numbers.
    output
        The user's path: a file, for one procedure, or a folder.
    folder
        Whether a name without an ending is a folder also for one procedure.
    """
    from stepgraph.formats import GRAPH_WRITERS

    target = Path(output)
    exists = is_folder(target)
    is_file = not (exists or names_folder(output) or (folder and not target.suffix))
    if len(names) == 1 and is_file:
        check_file(target)
        if target.suffix:  # a name without an ending gets stepgraph's own format
            check_format(target)
        check_replaced(target)
        return {names[0]: target}
    if target.suffix.lower() in (*GRAPH_WRITERS, *FILE_ENDINGS) and is_file:
        raise too_many(
            where, names, f"give a folder or a .jsonl file with -o, {output} is one file"
        )
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


def file_name(name: str) -> str:
    """Return a procedure's name as a valid file name, without an ending."""
    kept = "".join(char if char.isalnum() or char in "-_." else "-" for char in name)
    short = kept.strip("-.").encode()[:LONGEST_NAME].decode(errors="ignore")
    return short or "graph"
