"""Runs the service: opens the store, loads the graphs, listens, and stops without losing data.

The log is one JSON object a line on the error stream. It holds routes, statuses, times and ids,
but no headers, bodies or queries, which may hold secrets.
"""

from __future__ import annotations

import gc
import json
import logging
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import uvicorn

from stepgraph.errors import InputError, UnavailableError
from stepgraph.graph import TaskGraph
from stepgraph.web.security import Guard
from stepgraph.web.server import BACKLOG, LocalServer, address_of, bounded_heads, listen
from stepgraph.web.service.app import make_app
from stepgraph.web.service.context import Service
from stepgraph.web.service.graphs import read_files, store_files
from stepgraph.web.service.limits import Limits
from stepgraph.web.service.store import Connect, connector, masked
from stepgraph.web.service.tables import StoreError, moment

SHUTDOWN_SECONDS = 5
log = logging.getLogger("stepgraph.service")


@dataclass(frozen=True)
class ServeSettings:
    """The settings of the service.

    Parameters
    ----------
    graphs
        Graph files, or folders of them.
    store
        The address of the database.
    host, port
        Where to listen; port 0 takes a free one.
    token
        The API token, or None.
    limits
        The limits on requests.
    log_level
        The lowest level to log.
    """

    graphs: Sequence[Path]
    store: str
    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = field(default=None, repr=False)
    limits: Limits = field(default_factory=Limits)
    log_level: str = "info"


class _Server(LocalServer):
    """A server that ends streams before it waits for connections to close."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, finish pending requests, close the store."""
        log.info("stopping")
        self._service.streams.close()
        await super().shutdown(sockets)


def make_server(service: Service) -> uvicorn.Server:
    """Return the server of a service."""
    config = uvicorn.Config(
        make_app(service),
        http=bounded_heads(service.limits.head_bytes, service.limits.head_seconds),
        ws="websockets-sansio",
        ws_max_size=service.limits.body_bytes,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        backlog=BACKLOG,
    )
    return _Server(config, service)


def serve(settings: ServeSettings, ready: Callable[[str], None] = lambda _: None) -> None:
    """Serve until a signal stops it.

    Parameters
    ----------
    settings
        The settings.
    ready
        Called with the service's address once it listens.

    Raises
    ------
    InputError
        If a graph, the store, the token or the address cannot be used.
    """
    guard = Guard(settings.host, settings.token)
    connect = connector(settings.store)
    # Fail on a bad graph or a used port before creating a store.
    files = read_files(settings.graphs, settings.limits)
    listening = listen(settings.host, settings.port)
    try:
        _run(settings, connect, guard, files, listening, ready)
    finally:
        listening.close()
    log.info("stopped")


def _run(
    settings: ServeSettings,
    connect: Connect,
    guard: Guard,
    files: Mapping[str, tuple[Path, TaskGraph]],
    listening: socket.socket,
    ready: Callable[[str], None],
) -> None:
    """Open the store, load the graphs, and answer until a signal stops it."""
    try:
        tables = connect()
        try:
            tables.create()
            loaded = store_files(tables, files)
            if not tables.graphs():
                raise InputError("no graph to serve; name a graph file or a folder of them")
        finally:
            tables.close()
    except StoreError as error:
        cause = error.__cause__
        raise UnavailableError(
            f"the store {masked(settings.store)} cannot be used ({cause or error.detail})"
        ) from None
    service = Service(connect, guard, settings.limits)
    start_logging(settings.log_level)
    for entry in loaded:
        if entry["file"] != entry["current"]:
            log.warning(
                "the file holds an older version; its replacement stays",
                extra={"about": entry},
            )
    address = address_of(listening)
    graphs = [{key: str(value) for key, value in entry.items()} for entry in loaded]
    about: dict[str, Any] = {
        "address": address,
        "store": masked(settings.store),
        "token": "needed" if guard.needs_token else "none",
        "graphs": graphs,
    }
    log.info("listening", extra={"about": about})
    ready(address)
    # Switch threads often, so that answers flow while the other thread writes.
    sys.setswitchinterval(0.001)
    server = make_server(service)
    # Everything loaded so far stays to the end; collecting garbage in it would delay answers.
    gc.collect()
    gc.freeze()
    server.run(sockets=[listening])


class JsonLines(logging.Formatter):
    """Formats a record as a JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, with the fields of ``extra={"about": {...}}``."""
        content = {
            "at": moment(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "about", {}),
        }
        if record.exc_info:
            content["traceback"] = self.formatException(record.exc_info)
        return json.dumps(content, ensure_ascii=True, default=str)


def start_logging(level: str, stream: TextIO | None = None) -> None:
    """Log JSON lines from a level on."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("stepgraph.service", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.setLevel(level.upper() if name == "stepgraph.service" else logging.WARNING)
    # uvicorn logs this for every refused WebSocket, although the refusal is complete.
    logging.getLogger("uvicorn.error").addFilter(
        lambda record: "without completing handshake" not in record.getMessage()
    )
