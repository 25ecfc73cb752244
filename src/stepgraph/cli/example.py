"""`stepgraph example`: recordings to start from."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import echo, print_notes, print_table
from stepgraph.cli.targets import is_folder
from stepgraph.errors import FileError


def _names() -> Iterable[str]:
    from stepgraph.procedures import procedure_names

    return procedure_names()


def example(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Which procedure; without it, a list.",
            show_default=False,
            autocompletion=options.completing(_names),
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write.")
    ] = Path(),
) -> None:
    """Write out a procedure that ships with stepgraph, to start from.

    There are recordings, as CSV and as JSON, and the known graph.

    Example: stepgraph example pancakes -o my-recordings
    """
    from stepgraph.procedures import export_procedure, load_procedure, procedure_names

    if name is None:
        rows = []
        for known in procedure_names():
            procedure = load_procedure(known)
            steps, recordings = len(procedure.graph.steps), len(procedure.demonstrations)
            rows.append([known, str(steps), str(recordings), procedure.about])
        title = "To write one of these out: stepgraph example NAME -o FOLDER"
        print_table(["name", "steps", "recordings", "about"], rows, title=title)
        return
    if output.suffix in (".csv", ".json") and not is_folder(output):
        raise FileError(f"{output}: a file's name, expected a folder; there are three files")
    paths = export_procedure(name, output)
    for path in paths:
        echo(f"{path}: written")
    print_notes([f"to learn from them: stepgraph learn {shlex.quote(str(paths[0]))}"])
