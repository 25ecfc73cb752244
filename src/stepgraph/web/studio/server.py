"""Runs the studio: opens the file, listens on this machine only, and opens the browser."""

from __future__ import annotations

import secrets
import webbrowser
from collections.abc import Callable

import uvicorn

from stepgraph.web.security import Guard
from stepgraph.web.server import LocalServer, address_of, bounded_heads, listen
from stepgraph.web.studio.app import make_app
from stepgraph.web.studio.handlers import Handlers

HOST = "127.0.0.1"
SHUTDOWN_SECONDS = 3


def make_server(handlers: Handlers, token: str) -> uvicorn.Server:
    """Return what runs the studio on a socket.

    Parameters
    ----------
    handlers
        What answers.
    token
        What the page must send, so that no other page and no other user drives the studio.
    """
    config = uvicorn.Config(
        make_app(handlers, Guard(HOST, token)),
        http=bounded_heads(),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    return LocalServer(config)


def run_studio(
    handlers: Handlers,
    *,
    port: int = 0,
    browser: bool = True,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve the page until a signal asks to stop.

    Parameters
    ----------
    handlers
        What answers.
    port
        Where to listen; 0 takes a free one.
    browser
        Whether to open the page.
    ready
        Told the page's address, with the token that it needs.

    Raises
    ------
    FileError
        If the port cannot be used.
    """
    token = secrets.token_urlsafe(24)
    listening = listen(HOST, port)
    try:
        # After the '#', which browsers send to nobody.
        address = f"{address_of(listening)}/#{token}"
        ready(address)
        if browser:
            webbrowser.open(address)
        make_server(handlers, token).run(sockets=[listening])
    finally:
        listening.close()
        handlers.worker.close()
