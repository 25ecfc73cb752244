"""Heads that are too large, too slow or never come, sent by hand on a socket."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph.web.service.limits import Limits
from tests.web.in_thread import PATIENCE
from tests.web.service.running import Running

START = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
WHOLE = START + b"\r\n"


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Give a service that waits for a head only a moment."""
    folder: Path = tmp_path_factory.mktemp("heads")
    with Running(folder, limits=Limits(rate=100_000, head_seconds=0.4)) as running:
        yield running


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Give a service that takes small heads only, and waits for them as long as they need."""
    limits = Limits(rate=100_000, head_bytes=4096, head_seconds=PATIENCE)
    with Running(tmp_path_factory.mktemp("heads"), limits=limits) as running:
        yield running


def _connect(running: Running) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", running.port))
    connection.settimeout(PATIENCE)
    return connection


def _rest(connection: socket.socket) -> bytes:
    """Return all that comes until the service closes the connection."""
    received = b""
    while True:
        try:
            part = connection.recv(65536)
        except ConnectionResetError:
            return received
        if not part:
            return received
        received += part


def _answer(connection: socket.socket) -> bytes:
    """Return one answer that has a length, and leave the connection open."""
    received = b""
    while b"\r\n\r\n" not in received or not received.endswith(b"}"):
        part = connection.recv(65536)
        assert part, received
        received += part
    return received


def _problem(answer: bytes) -> dict[str, object]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head
    problem: dict[str, object] = json.loads(body)
    return problem


def test_headers_that_trickle_are_given_up(strict: Running) -> None:
    with _connect(strict) as connection:
        connection.sendall(START)
        answer = b""
        connection.setblocking(False)
        while not answer:
            try:
                connection.send(b"X-Slow: 1\r\n")
                time.sleep(0.02)  # the client's own pace; the deadline is the service's
                answer = connection.recv(65536)
            except BlockingIOError:
                continue
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert "within 0.4 s" in str(_problem(answer)["detail"])


def test_a_connection_on_which_nothing_comes_is_closed(strict: Running) -> None:
    with _connect(strict) as connection:
        assert _rest(connection) == b""


def test_empty_lines_do_not_keep_a_connection(strict: Running) -> None:
    with _connect(strict) as connection:
        connection.sendall(WHOLE)
        _answer(connection)
        connection.sendall(b"\r\n")
        assert _rest(connection).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    "head",
    [
        START + b"X-Long: " + b"x" * 5000,
        START + b"".join(b"X-%d: y\r\n" % number for number in range(1000)) + b"\r\n",
        b"GET /" + b"x" * 5000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        START + b"X-Long: " + b"x" * 5000 + b"\r\n\r\n",
    ],
    ids=["one header without end", "many headers", "a long path", "one long header"],
)
def test_a_head_that_is_too_large_is_refused(small: Running, head: bytes) -> None:
    with _connect(small) as connection:
        connection.sendall(head)
        answer = _rest(connection)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert "larger than 4096 bytes" in str(_problem(answer)["detail"])


def test_trailers_without_end_are_cut_off(small: Running) -> None:
    with _connect(small) as connection:
        connection.sendall(
            b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n"
            + b"".join(b"X-%d: y\r\n" % number for number in range(1000))
        )
        assert b" 431 " in _rest(connection).split(b"\r\n")[0]


def test_a_body_that_nobody_reads_does_not_keep_a_connection(strict: Running) -> None:
    with _connect(strict) as connection:
        connection.sendall(
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nx"
        )
        _answer(connection)
        connection.sendall(b"x")
        assert _rest(connection) == b""


def test_heads_in_parts_and_in_a_row_are_taken(small: Running) -> None:
    with _connect(small) as connection:
        for part in (START[:10], START[10:], b"\r\n"):
            connection.sendall(part)
        assert _answer(connection).startswith(b"HTTP/1.1 200 ")
        for _ in range(200):  # more in all than one head may have
            connection.sendall(WHOLE)
            assert _answer(connection).startswith(b"HTTP/1.1 200 ")


def test_a_connection_that_rests_between_requests_is_not_too_slow(strict: Running) -> None:
    with _connect(strict) as connection:
        connection.sendall(WHOLE)
        _answer(connection)
        time.sleep(0.8)  # twice the time that a head has
        connection.sendall(WHOLE)
        assert _answer(connection).startswith(b"HTTP/1.1 200 ")


def test_many_slow_connections_leave_room_for_others(strict: Running) -> None:
    slow = []
    try:
        for _ in range(200):
            slow.append(_connect(strict))
            slow[-1].sendall(START)
        assert strict.client.get("/healthz").status_code == 200
        for connection in slow:
            # One that was slow to begin gets no answer.
            assert _rest(connection)[:13] in (b"HTTP/1.1 408 ", b"")
    finally:
        for connection in slow:
            connection.close()
