"""`stepgraph report`: one HTML page about a graph, its evidence, recordings and scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import echo, print_notes
from stepgraph.cli.output_files import check_file
from stepgraph.errors import GraphError, InputError


def report(
    graph: options.Graph,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The .html file to write.", show_default=False
        ),
    ],
    demos: options.Demonstrations = None,
    truth: options.Truth = None,
    again: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=10_000,
            help="Number of times to learn again from DEMOS: 1 for the training curve, more for "
            "intervals. Default: 100, fewer or none where that would take long.",
        ),
    ] = None,
    order: options.Order = None,
    procedure: options.Procedure = None,
    file_format: options.Format = None,
    column: options.ColumnNames = None,
    errors: options.Errors = None,
) -> None:
    """Write one HTML page about a graph.

    It shows the drawing, every step with the evidence for its preconditions, recordings with
    their mistakes marked, the training curve, and scores. The page needs no network and no
    other file.

    Example: stepgraph report pancakes.graph.json --demos pancakes.csv -o pancakes.html
    """
    from stepgraph.cli.output import progress_bar
    from stepgraph.cli.recordings import read_for_graph
    from stepgraph.files import write_text
    from stepgraph.formats import read_graph
    from stepgraph.report import make_report, to_html

    if output.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{output}: expected a name that ends in .html")
    loaded = read_graph(graph)
    known = None if truth is None else read_graph(truth)
    check_file(output)
    recordings = None
    if demos is not None:
        recordings, notes = read_for_graph(
            loaded, demos, **options.reading(file_format, order, procedure, column, errors)
        )
        print_notes(notes)
    if again is not None and demos is None:
        raise InputError("--again learns from recordings; say where they are with --demos")
    try:
        with progress_bar() as progress:
            made = make_report(
                loaded,
                demonstrations=recordings,
                truth=known,
                title=loaded.procedure or graph.stem,
                draws=again,
                progress=progress,
            )
    except GraphError as error:
        raise GraphError(f"{graph} and {truth}: {error}") from None
    write_text(output, to_html(made))
    echo(f"{output}: written")
