"""A server on the loopback address that gives files, and misbehaves as it is told to."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.datasets.download import DownloadSettings

Answer = Callable[["Handler", bytes], None]


class Handler(BaseHTTPRequestHandler):
    """Answers as the script says, then properly."""

    server: Server

    def do_GET(self) -> None:
        self.server.requests.append(Request(self.path, self.headers.get("Range")))
        content = self.server.content.get(self.path)
        answer = self.server.script.pop(0) if self.server.script else properly
        if content is None:
            self.send_error(404)
            return
        with suppress(OSError):  # the client has had enough, as it should
            answer(self, content)
        self.close_connection = True

    def begin(self, code: int, length: int | None, **headers: str) -> None:
        self.send_response(code)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base
        pass


@dataclass(frozen=True)
class Request:
    """What a client asked for."""

    path: str
    range: str | None


@dataclass
class Server(ThreadingHTTPServer):
    """Gives some content; each request takes one answer off the script."""

    content: dict[str, bytes] = field(default_factory=dict)
    script: list[Answer] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.daemon_threads = True
        self.stopping = threading.Event()
        self.thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self.thread.start()

    @property
    def base_url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def settings(self, **changes: Any) -> DownloadSettings:
        """Return settings that lead to it and do not wait for long."""
        return DownloadSettings(
            **{"base_url": self.base_url, "timeout": 5.0, "pause": 0.0, **changes}
        )

    def stop(self) -> None:
        """End it."""
        self.stopping.set()
        self.shutdown()
        self.thread.join()
        self.server_close()


def properly(handler: Handler, content: bytes) -> None:
    """Give the file, or the rest of it."""
    wanted = handler.headers.get("Range")
    if wanted is None:
        handler.begin(200, len(content))
        handler.wfile.write(content)
        return
    first = int(wanted.removeprefix("bytes=").rstrip("-"))
    if first >= len(content):
        handler.send_error(416)
        return
    place = f"bytes {first}-{len(content) - 1}/{len(content)}"
    handler.begin(206, len(content) - first, Content_Range=place)
    handler.wfile.write(content[first:])


def without_ranges(handler: Handler, content: bytes) -> None:
    """Give the whole file, whatever part was asked for."""
    handler.begin(200, len(content))
    handler.wfile.write(content)


def cut_after(length: int) -> Answer:
    """Announce all of the rest, but end the connection after some bytes of it."""

    def answer(handler: Handler, content: bytes) -> None:
        first = int((handler.headers.get("Range") or "bytes=0-").removeprefix("bytes=").rstrip("-"))
        place = f"bytes {first}-{len(content) - 1}/{len(content)}"
        handler.begin(206 if first else 200, len(content) - first, Content_Range=place)
        handler.wfile.write(content[first : first + length])

    return answer


def instead(other: bytes) -> Answer:
    """Give something else."""

    def answer(handler: Handler, _content: bytes) -> None:
        handler.begin(200, len(other))
        handler.wfile.write(other)

    return answer


def of_unknown_length(other: bytes) -> Answer:
    """Give something without saying how long it is."""

    def answer(handler: Handler, _content: bytes) -> None:
        handler.begin(200, None)
        handler.wfile.write(other)

    return answer


def from_another_place(handler: Handler, content: bytes) -> None:
    """Give a part that was not asked for."""
    handler.begin(206, len(content) - 1, Content_Range=f"bytes 1-{len(content)}/{len(content)}")
    handler.wfile.write(content[1:])


def cannot_go_on(handler: Handler, _content: bytes) -> None:
    """Refuse the range."""
    handler.send_error(416)


def status(code: int) -> Answer:
    """Answer with an error."""

    def answer(handler: Handler, _content: bytes) -> None:
        handler.send_error(code)

    return answer


def leads_to(url: str) -> Answer:
    """Send the client elsewhere."""

    def answer(handler: Handler, _content: bytes) -> None:
        handler.begin(302, 0, Location=url)

    return answer


def silent(handler: Handler, _content: bytes) -> None:
    """Say nothing, until the test is over."""
    handler.server.stopping.wait(10)


def trickling(handler: Handler, content: bytes) -> None:
    """Give one byte now and then, so that no single wait is long."""
    handler.begin(200, len(content))
    for byte in content:
        if handler.server.stopping.is_set():
            return
        handler.wfile.write(bytes([byte]))
        time.sleep(0.05)


def endless(handler: Handler, _content: bytes) -> None:
    """Give bytes for as long as anybody listens."""
    handler.begin(200, None)
    while not handler.server.stopping.is_set():
        handler.wfile.write(b"x" * 4096)


def hang_up(_handler: Handler, _content: bytes) -> None:
    """End the connection without a word."""
