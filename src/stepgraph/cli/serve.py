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
            help="Where sessions are kept: sqlite:///FILE, or postgresql://USER@HOST/DATABASE "
            "for several servers.",
        ),
    ] = "sqlite:///sessions.db",
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where to listen; anything but this machine's own address needs a token.",
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
        int, typer.Option(metavar="BYTES", min=256, help="The largest body of a request.")
    ] = 64 * 1024,
    max_sessions: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many sessions may be open.")
    ] = 1000,
    max_observations: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many observations a session may have.")
    ] = 10_000,
    max_name: Annotated[
        int, typer.Option(metavar="N", min=1, help="Characters in a step's name or an event id.")
    ] = 200,
    max_streams: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many clients may listen for verdicts.")
    ] = 100,
    rate: Annotated[
        int, typer.Option(metavar="N", min=1, help="Requests a second from one address.")
    ] = 1000,
    log_level: Annotated[
        str, typer.Option(metavar="LEVEL", help=f"One of {', '.join(_LEVELS)}.")
    ] = "info",
) -> None:
    """Follow many people at once over HTTP, and keep every step.

    Sessions and observations are in the database before they are acknowledged. The page at the
    address shows live sessions and their last mistakes; /openapi.json describes the rest. Logs
    are JSON lines on the error stream. Ctrl-C or SIGTERM stops without losing anything.

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
