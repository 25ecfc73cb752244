"""The HTTP server of the service and the studio: sockets, signals, bounded request heads.

uvicorn sets no bounds on request heads. Without them, a client that sends its headers byte by
byte would hold a connection for ever, and a client that sends endless headers would fill the
memory.
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
    """A server that stops on a signal and then ends normally."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on a signal, without raising it again: a stop is no failure."""
        if threading.current_thread() is not threading.main_thread():
            yield  # only the main thread receives signals
            return
        stops = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in stops}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Raises
    ------
    FileError
        If the address or the port cannot be used.
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
    """Return the address of a socket as a URL."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def bounded_heads(
    most_bytes: int = HEAD_BYTES, most_seconds: float = HEAD_SECONDS
) -> type[HttpToolsProtocol]:
    """Return a server protocol that bounds the heads of requests.

    Parameters
    ----------
    most_bytes
        Maximum size of the request line and all headers together; the answer beyond it is 431.
    most_seconds
        Maximum time for them to arrive, from the connection or their first byte on; the answer
        after it is 408.
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
        """Start the clock of the first head."""
        super().connection_made(transport)
        self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse received bytes, within bounds."""
        if self._in_head or self._answered():
            self._start_clock()
        if self._in_head:
            # The parser reports a header only once it is whole.
            self._unparsed += len(data)
        super().data_received(data)
        if self._in_head and self._unparsed > self.most_bytes and not self.transport.is_closing():
            self._refuse(self._too_large())

    def on_message_begin(self) -> None:
        """Start counting the bytes of a head."""
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
        """Hand over to the application, which limits the time for the body."""
        self._in_head = False
        self._unparsed = 0
        self._stop_clock()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Wait for the next head; its clock starts with its first byte."""
        super().on_message_complete()
        self._in_head = True
        self._unparsed = 0
        self._stop_clock()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that the parser refuses."""
        too_large = self._size > self.most_bytes
        self._refuse(self._too_large() if too_large else Problem(400, f"this is not HTTP ({msg})"))

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self.most_bytes:
            # The parser stops here, and `send_400_response` answers.
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
            self._start_clock()  # do not interrupt the answer to an earlier request
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
