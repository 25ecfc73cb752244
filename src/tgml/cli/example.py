"""`tgml example`: recordings to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tgml.cli.output import count, print_table


def example(
    name: Annotated[
        str | None, typer.Argument(help="Which procedure; without it, a list.", show_default=False)
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder to write to.")
    ] = Path(),
) -> None:
    """Write out a procedure that ships with tgml: recordings as CSV and JSON, and its graph.

    Example: tgml example pancakes -o my-recordings
    """
    from tgml.procedures import export_procedure, load_procedure, procedure_names

    if name is None:
        rows = []
        for known in procedure_names():
            procedure = load_procedure(known)
            steps = count(len(procedure.graph.steps), "step")
            recordings = count(len(procedure.demonstrations), "recording")
            rows.append([known, steps, recordings, procedure.about])
        print_table(["name", "steps", "recordings", "about"], rows)
        return
    for path in export_procedure(name, output):
        typer.echo(f"{path}: written")
