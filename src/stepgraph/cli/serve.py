"""`stepgraph serve`: the live service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stepgraph.cli.output import echo
from stepgraph.errors import MissingExtraError, UnknownNameError

_LEVELS = ("debug", "info", "warning", "error")


def serve(
    graphs: Annotated[
        list[Path],
        typer.Argument(
            metavar="GRAPHS", help="Graph files, or folders of them.", show_default=False
        ),
    ],
    store: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="The database of sessions: sqlite:///FILE, or postgresql://USER@HOST/DATABASE "
            "for several servers.",
        ),
    ] = "sqlite:///sessions.db",
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="The address to listen on; any but this machine's own needs a token.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 8000,
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A file with the API token that clients must send. Default: the variable "
            "STEPGRAPH_SERVE_TOKEN.",
        ),
    ] = None,
    max_body: Annotated[
        int, typer.Option(metavar="BYTES", min=256, help="Maximum size of a request's body.")
    ] = 64 * 1024,
    max_sessions: Annotated[
        int, typer.Option(metavar="N", min=1, help="Maximum number of open sessions.")
    ] = 1000,
    max_observations: Annotated[
        int, typer.Option(metavar="N", min=1, help="Maximum number of observations in a session.")
    ] = 10_000,
    max_name: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Maximum length of a step's name or an event id."),
    ] = 200,
    max_streams: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Maximum number of clients that listen for verdicts."
        ),
    ] = 100,
    rate: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Maximum number of requests a second from one address."
        ),
    ] = 1000,
    log_level: Annotated[
        str, typer.Option(metavar="LEVEL", help=f"One of {', '.join(_LEVELS)}.")
    ] = "info",
) -> None:
    """Follow many people at once over HTTP, and store every step.

    The service writes sessions and observations to the database before it acknowledges them. The
    page at its address shows live sessions and their last mistakes; /openapi.json describes the
    rest. The log is JSON lines on the error stream. Ctrl-C or SIGTERM stops without losing data.

    Example: stepgraph serve pancakes.json --store sqlite:///sessions.db
    """
    if log_level not in _LEVELS:
        raise UnknownNameError("log level", log_level, _LEVELS, "--log-level")
    try:
        from stepgraph.web.security import find_token
        from stepgraph.web.service.limits import Limits
        from stepgraph.web.service.server import ServeSettings
        from stepgraph.web.service.server import serve as run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("stepgraph"):
            raise
        raise MissingExtraError(
            "stepgraph serve", "serve", "or watch one with 'stepgraph watch'"
        ) from None
    limits = Limits(
        body_bytes=max_body,
        open_sessions=max_sessions,
        observations=max_observations,
        name_length=max_name,
        streams=max_streams,
        rate=rate,
    )
    settings = ServeSettings(
        graphs,
        store,
        host,
        port,
        find_token(token_file),
        limits,
        log_level,
    )
    run(settings, ready=lambda address: echo(f"listening at {address}"))
