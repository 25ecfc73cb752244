"""A server inside this process: a real application on a real socket, in a thread."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import httpx

PATIENCE = 60.0
"""How many seconds to wait for anything; a machine may be busy with something else."""


def until(question: Callable[[], Any], seconds: float = PATIENCE) -> None:
    """Wait until a question is answered with yes."""
    end = time.monotonic() + seconds
    while not question():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.005)


class InThread:
    """A server with its client.

    Parameters
    ----------
    server
        What uvicorn runs.
    port
        Where it listens; 0 takes a free one.
    small_buffers
        Whether connections hold as little as possible of what was not read yet.
    headers
        What the client sends with each request.
    timeout
        How many seconds the client waits for an answer.
    """

    client: httpx.Client

    def __init__(
        self,
        server: Any,
        *,
        port: int = 0,
        small_buffers: bool = False,
        headers: Mapping[str, str] | None = None,
        timeout: float = PATIENCE,
    ) -> None:
        self.server = server
        self._socket = socket.create_server(("127.0.0.1", port))
        if small_buffers:  # so that a reader who does not read is noticed soon
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.port: int = self._socket.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=server.run, args=([self._socket],))
        self._timeout, self._headers = timeout, dict(headers or {})

    def __enter__(self) -> Self:
        self._thread.start()
        until(lambda: self.server.started)
        self.client = httpx.Client(
            base_url=self.address, timeout=self._timeout, headers=self._headers
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.client.close()
        self.server.should_exit = True
        self._thread.join(PATIENCE)
        self._socket.close()
