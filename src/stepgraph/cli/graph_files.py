"""Where learned graphs go, a file, a folder or one file of all, and what is said of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.cli.notes import print_notes_of
from stepgraph.cli.output import count, echo, print_error, print_graph, print_json, print_notes
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
    from stepgraph.pipeline.outcomes import Outcome
    from stepgraph.pipeline.procedures import LearningReport

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
    """Where graphs go: nowhere, to a file each, or all to one file of JSON Lines.

    Parameters
    ----------
    output
        What the user gave; None for nowhere.
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
        """Return where the graphs of some procedures go, after checking that they can be written.

        Parameters
        ----------
        where, names, folder
            As for `graph_paths`.
        output
            What the user gave.
        printed
            Whether graphs are printed as well, so that several need no place.
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
        """Where the batches of an unfinished run are kept."""
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
    """Say what was learned, and where it was written.

    Parameters
    ----------
    report, target
        What became of the procedures, and where their graphs went.
    changes
        Whether to list what post-processing removed and added.
    as_json
        Whether to print JSON.
    """
    print_notes(report.notes)
    if report.resumed:
        print_notes(
            [f"{report.resumed} of {report.batches} batches had been finished by an earlier run"]
        )
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
    """Return a procedure's name as a file may have it, without an ending."""
    kept = "".join(char if char.isalnum() or char in "-_." else "-" for char in name)
    short = kept.strip("-.").encode()[:LONGEST_NAME].decode(errors="ignore")
    return short or "graph"
