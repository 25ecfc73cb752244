"""The HTTP server that the service and the studio run on: sockets, signals, bounded requests.

The bounds are on the heads of requests, which the HTTP server by itself does not set: a client
that sends its headers byte by byte, or never, would hold a connection for ever, and one that
sends headers without end would fill the memory.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from asyncio import TimerHandle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from stepgraph.errors import FileError
from stepgraph.web.http import SAFE_HEADERS, Problem, compact

BACKLOG = 1024
HEAD_BYTES = 32 * 1024
HEAD_SECONDS = 10.0


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
            f"port {port} of {host}: cannot listen there ({why}); choose another port"
        ) from None
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the address of a socket, as a browser takes it."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def bounded_heads(
    most_bytes: int = HEAD_BYTES, most_seconds: float = HEAD_SECONDS
) -> type[HttpToolsProtocol]:
    """Return the protocol of a server that takes heads within bounds.

    Parameters
    ----------
    most_bytes
        How large the request line and all headers together may be; beyond that the answer is 431.
    most_seconds
        How long they may take to arrive, from the connection or from their first byte on; later
        the answer is 408.
    """
    name = "BoundedHeads"
    return type(name, (_BoundedHeads,), {"most_bytes": most_bytes, "most_seconds": most_seconds})


class _BoundedHeads(HttpToolsProtocol):
    """One connection."""

    most_bytes: int
    most_seconds: float

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: TimerHandle | None = None
        self._in_head = True
        self._unparsed = 0
        self._size = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the first head its time, whether or not it begins."""
        super().connection_made(transport)
        self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, as long as it is within bounds."""
        if self._in_head or self._answered():
            self._start_clock()
        if self._in_head:
            # The parser keeps a header to itself until it is whole.
            self._unparsed += len(data)
        super().data_received(data)
        if self._in_head and self._unparsed > self.most_bytes and not self.transport.is_closing():
            self._refuse(self._too_large())

    def on_message_begin(self) -> None:
        """Begin to count."""
        self._size = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Count the path."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header."""
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Let the application take over, which has a limit of time for the body."""
        self._in_head = False
        self._unparsed = 0
        self._stop_clock()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Wait for the next head, without a clock until it begins."""
        super().on_message_complete()
        self._in_head = True
        self._unparsed = 0
        self._stop_clock()

    def send_400_response(self, msg: str) -> None:
        """Answer what the parser did not take."""
        too_large = self._size > self.most_bytes
        self._refuse(self._too_large() if too_large else Problem(400, f"this is no HTTP ({msg})"))

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self.most_bytes:
            # The parser stops here, and what it raises is answered above.
            raise ValueError("the head of the request is too large")

    def _answered(self) -> bool | None:
        """Return whether the last request is answered; None before the first."""
        return getattr(self.cycle, "response_complete", None)

    def _start_clock(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.most_seconds, self._too_late)

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_late(self) -> None:
        self._deadline = None
        if self.transport.is_closing():
            return
        if self._answered() is False:
            self._start_clock()  # an earlier request is being answered: nothing may come between
        elif self._unparsed:
            detail = f"the headers did not arrive within {self.most_seconds:g} s"
            self._refuse(Problem(408, detail))
        else:
            self.transport.close()

    def _too_large(self) -> Problem:
        detail = f"the request line and its headers are larger than {self.most_bytes} bytes"
        return Problem(431, detail)

    def _refuse(self, problem: Problem) -> None:
        body = compact(problem.to_json()).encode()
        headers = {
            "content-type": "application/problem+json",
            "content-length": str(len(body)),
            "connection": "close",
            **SAFE_HEADERS,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(STATUS_LINE[problem.status] + lines.encode() + b"\r\n" + body)
        self.transport.close()
