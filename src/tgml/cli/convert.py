"""`tgml convert`: a graph in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tgml.cli import options
from tgml.cli.output import echo
from tgml.cli.targets import check_file, check_format


def convert(
    graph: options.Graph,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write; its ending says the format: .json, .dot, .gv, .graphml, .mmd.",
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

    loaded = read_graph(graph)
    check_file(output)
    check_format(output)
    write_text(output, render(loaded, output.suffix))
    echo(f"{output}: written")
