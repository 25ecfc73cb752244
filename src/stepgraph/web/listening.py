"""Sockets to listen on, and a server that takes being asked to stop as no failure."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from stepgraph.errors import FileError

BACKLOG = 1024


class LocalServer(uvicorn.Server):
    """A server that stops on a signal, and is done with it then."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on a signal, and be done with it then: to be asked to stop is no failure."""
        if threading.current_thread() is not threading.main_thread():
            yield  # signals come to the main thread only
            return
        wanted = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in wanted}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises
    ------
    FileError
        If that is not possible there.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen(BACKLOG)
        except BaseException:
            listening.close()
            raise
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileError(
            f"port {port} of {host}: cannot listen there ({why}); name another one with --port"
        ) from None
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the address of a socket, as a browser takes it."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
