"""`tgml convert`: a graph in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tgml.cli import options


def convert(
    graph: options.Graph,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The file to write; its ending says the format: .json, .dot, .graphml, .mmd.",
            show_default=False,
        ),
    ],
) -> None:
    """Write a task graph in another format.

    Example: tgml convert pancakes.graph.json -o pancakes.dot
    """
    from tgml.readers import read_graph
    from tgml.rendering import render
    from tgml.storage import write_text

    write_text(output, render(read_graph(graph), output.suffix))
    typer.echo(f"{output}: written")
