"""A language model for tests: a server on the loopback address that speaks the protocol."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "test-model"


@dataclass(frozen=True)
class Asked:
    """A request as the server got it."""

    path: str
    authorization: str | None
    content: dict[str, Any]

    @property
    def step(self) -> str:
        """The step that was asked about."""
        match = re.search(r'current key step "(.*)"\?', self._question)
        assert match
        return match[1]

    @property
    def options(self) -> list[str]:
        """The steps to choose from."""
        lines = [line[2:] for line in self._question.splitlines() if line.startswith("- ")]
        assert lines.pop() == "None of the above"
        return lines

    @property
    def _question(self) -> str:
        return str(self.content["messages"][-1]["content"])


Behaviour = Callable[["Handler", Asked], None]
"""Answers one request."""


class LlmServer(ThreadingHTTPServer):
    """Does what its script says, request by request, and then its usual behaviour."""

    daemon_threads = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.usual: Behaviour = chain
        self.script: list[Behaviour] = []
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self.at_once = 0
        self.lock = threading.Lock()
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        """The address to give as `base_url`."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def steps(self) -> list[str]:
        """The steps that were asked about, sorted."""
        return sorted(asked.step for asked in self.asked)

    def __enter__(self) -> LlmServer:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that hang up are what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: LlmServer
    open = False

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        asked = Asked(self.path, self.headers["Authorization"], json.loads(body))
        server = self.server
        with server.lock:
            server.asked.append(asked)
            behaviour = server.script.pop(0) if server.script else server.usual
            self.open = True
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        try:
            behaviour(self, asked)
        finally:
            self.close_question()

    def close_question(self) -> None:
        """Count the question as answered; whoever has the answer may ask the next at once."""
        with self.server.lock:
            self.server.at_once -= self.open
            self.open = False

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name above
        """Print nothing."""

    def send(self, status: int, body: bytes, **headers: str) -> None:
        """Send a whole answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.close_question()
        self.wfile.write(body)

    def say(self, text: str | None, **fields: Any) -> None:
        """Send what the model says."""
        message = {"role": "assistant", "content": text, **fields}
        self.send(200, json.dumps({"choices": [{"index": 0, "message": message}]}).encode())


def chain(handler: Handler, asked: Asked) -> None:
    """Name the option that comes before the step in the alphabet."""
    before = sorted(name for name in asked.options if name < asked.step)[-1:]
    handler.say(json.dumps({asked.step: before}))


def says(text: str, **fields: Any) -> Behaviour:
    """Make a behaviour that says a text; STEP in it stands for the step that is asked about."""
    return lambda handler, asked: handler.say(text.replace("STEP", asked.step), **fields)


def fails(status: int, body: str = "", **headers: str) -> Behaviour:
    """Make a behaviour that answers with a status and a body."""
    return lambda handler, _: handler.send(status, body.encode(), **headers)


def slow(seconds: float) -> Behaviour:
    """Make a behaviour that waits before it answers."""

    def wait(handler: Handler, asked: Asked) -> None:
        if not handler.server.closing.wait(seconds):
            chain(handler, asked)

    return wait


def hang_up(handler: Handler, _: Asked) -> None:
    """Close the connection without a word."""
    handler.close_connection = True


def break_off(handler: Handler, _: Asked) -> None:
    """Promise more than is sent."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')


def endless(handler: Handler, _: Asked) -> None:
    """Send for ever, as fast as possible."""
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.closing.is_set():
        handler.wfile.write(b" " * 65536)


def drip_headers(handler: Handler, _: Asked) -> None:
    """Send for ever, a header now and then."""
    handler.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
    while not handler.server.closing.wait(0.05):
        handler.wfile.write(b"x")


def drip_body(handler: Handler, _: Asked) -> None:
    """Send for ever, a byte now and then."""
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.closing.wait(0.05):
        handler.wfile.write(b" ")
