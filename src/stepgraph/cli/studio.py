"""`stepgraph studio`: inspect, correct and relearn a graph in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stepgraph.cli import options
from stepgraph.cli.output import echo, print_notes, progress_bar
from stepgraph.cli.output_files import check_file, check_replaced
from stepgraph.errors import InputError, MissingExtraError


def studio(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="DEMOS_OR_GRAPH",
            help="Recordings to learn from, or a task graph file.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to save to. Default: the graph file itself, or NAME.graph.json beside "
            "the recordings.",
        ),
    ] = None,
    demos: options.Demonstrations = None,
    order: options.Order = None,
    procedure: options.Procedure = None,
    file_format: options.Format = None,
    column: options.ColumnNames = None,
    with_mistakes: options.WithMistakes = False,
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the page's address.")
    ] = False,
) -> None:
    """See a graph, and correct it, in the browser.

    The page shows the evidence for each edge, replays recordings and learns again with your edits.

    The studio learns with the method 'robust'. For a graph file, --demos names recordings to use
    as evidence and to replay. The page runs on this machine only. Its address holds a key that
    keeps other pages out. Ctrl-C stops.

    Example: stepgraph studio pancakes.csv -o pancakes.graph.json
    """
    try:
        from stepgraph.web.studio.app import run_studio
        from stepgraph.web.studio.files import open_path
        from stepgraph.web.studio.handlers import Handlers
        from stepgraph.web.studio.session import StudioSession
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("stepgraph"):
            raise
        raise MissingExtraError(
            "stepgraph studio", "serve", "or see it with 'stepgraph show'"
        ) from None
    if output is not None:
        if output.suffix.lower() != ".json":
            raise InputError(f"{output}: the studio saves graphs as JSON; expected NAME.json")
        check_file(output)
        check_replaced(output)
    with progress_bar() as progress:
        opened = open_path(
            path,
            recordings=demos,
            output=output,
            with_mistakes=with_mistakes,
            progress=progress,
            **options.reading(file_format, order, procedure, column),
        )
    session = StudioSession(opened.source, saved=opened.saved)
    print_notes((*opened.source.notes, *session.notes))
    run_studio(
        Handlers(session, opened.target, with_mistakes=with_mistakes),
        port=port,
        browser=not no_browser,
        ready=lambda address: echo(f"the studio is at {address}\nCtrl-C stops it."),
    )
