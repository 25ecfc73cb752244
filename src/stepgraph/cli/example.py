"""`stepgraph example`: write an example that ships with stepgraph."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import echo, print_notes, print_table
from stepgraph.cli.output_files import is_folder
from stepgraph.errors import FileError


def _names() -> Iterable[str]:
    from stepgraph.procedures import example_names

    return example_names()


def example(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="The example to write; without it, a list.",
            show_default=False,
            autocompletion=options.completing(_names),
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write to.")
    ] = Path(),
) -> None:
    """Write an example that ships with stepgraph, to start from.

    A procedure has recordings, as CSV and as JSON, and the known graph; 'tea' is the table that
    the tutorial begins with.

    Example: stepgraph example pancakes -o my-recordings
    """
    from stepgraph.procedures import (
        TUTORIAL,
        export_procedure,
        load_procedure,
        procedure_names,
    )

    if name is None:
        rows = []
        for known in procedure_names():
            procedure = load_procedure(known)
            steps, recordings = len(procedure.graph.steps), len(procedure.demonstrations)
            rows.append([known, str(steps), str(recordings), procedure.about])
        rows.append([TUTORIAL, "7", "8", "The tutorial's table: eight people make tea."])
        title = "Write one of these out with: stepgraph example NAME -o FOLDER"
        print_table(["name", "steps", "recordings", "about"], rows, title=title)
        return
    if output.suffix in (".csv", ".json") and not is_folder(output):
        raise FileError(f"{output}: the name of a file; expected a folder")
    paths = export_procedure(name, output)
    for path in paths:
        echo(f"{path}: written")
    print_notes([f"to learn from them: stepgraph learn {shlex.quote(str(paths[0]))}"])
