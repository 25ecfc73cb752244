"""HTTP requests with a limit on the whole time and on the size, which a run can abandon.

The time-out of a socket starts anew with every byte, so a slow server could keep a request alive
for ever. A `Watch` shuts the connection when the whole time is over, or at once when the run stops.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import ssl
import threading
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from functools import partial
from typing import Any
from urllib.parse import urlsplit

LONGEST_CONNECT = 10.0
"""Maximum seconds to connect to a server; a run that stops waits no longer than this."""


@dataclass(frozen=True)
class Response:
    """A server's answer.

    Parameters
    ----------
    status
        The HTTP status code.
    headers
        The HTTP headers.
    body
        The content, as far as it was read.
    is_cut
        Whether the server sent more than was read.
    """

    status: int
    headers: Message
    body: bytes
    is_cut: bool


class Watch:
    """Shuts a connection when its time is over or the run stops.

    Parameters
    ----------
    seconds
        Maximum lifetime of the connection.
    """

    def __init__(self, seconds: float) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._is_over = False
        self._timer = threading.Timer(seconds, self.cut)
        self._timer.daemon = True

    @property
    def is_over(self) -> bool:
        """Whether the connection is shut, or about to be."""
        return self._is_over

    def __enter__(self) -> Watch:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._socket = None

    def hold(self, connected: socket.socket) -> None:
        """Watch over a connection."""
        with self._lock:
            self._socket = connected
            if self._is_over:
                self._shut()

    def cut(self) -> None:
        """Shut the connection now."""
        with self._lock:
            self._is_over = True
            self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):  # it may have ended by itself
                # Not the method of a TLS socket, which would begin to read plain text.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class Poster:
    """Sends requests to one address and reads the answers.

    It follows no redirects: they would carry the key to another server.

    Parameters
    ----------
    url
        The address. Proxies from the environment apply unless it is this computer.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._opener = urllib.request.OpenerDirector()
        proxies: dict[str, str] | None = {} if _is_here(url) else None
        self._opener.add_handler(urllib.request.ProxyHandler(proxies))
        if url.lower().startswith("https:"):
            self._opener.add_handler(_HttpsHandler(context=ssl.create_default_context()))
        else:
            self._opener.add_handler(_HttpHandler())

    def post(
        self, body: bytes, headers: Mapping[str, str], *, watch: Watch, timeout: float, limit: int
    ) -> Response:
        """Send a request and return the answer, whatever its status.

        Raises
        ------
        OSError, http.client.HTTPException
            If the connection fails or the watch cuts it.
        """
        request = _Request(self._url, data=body, headers=dict(headers), method="POST")
        request.watch = watch
        with self._opener.open(request, timeout=timeout) as response:
            content = response.read(limit + 1)
            if watch.is_over:  # a cut connection may look like a proper end
                raise TimeoutError("the connection was cut")
            is_cut = len(content) > limit
            if response.length and not is_cut:
                raise http.client.IncompleteRead(content, response.length)
            return Response(response.status, response.headers, content[:limit], is_cut)


class _Request(urllib.request.Request):
    watch: Watch


class _Connection(http.client.HTTPConnection):
    def __init__(self, host: str, *, watch: Watch, **options: Any) -> None:
        super().__init__(host, **options)
        self._watch = watch

    def connect(self) -> None:
        whole, self.timeout = self.timeout, min(self.timeout or LONGEST_CONNECT, LONGEST_CONNECT)
        super().connect()
        self.sock.settimeout(whole)
        self._watch.hold(self.sock)


class _SecureConnection(_Connection, http.client.HTTPSConnection):
    pass


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        assert isinstance(req, _Request)  # noqa: S101 - only Poster makes requests
        return self.do_open(partial(_Connection, watch=req.watch), req)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__(context=context)
        self._tls = context

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        assert isinstance(req, _Request)  # noqa: S101 - only Poster makes requests
        return self.do_open(partial(_SecureConnection, watch=req.watch, context=self._tls), req)


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
