from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from stepgraph.web.service import streams
from tests.web.in_thread import PATIENCE, until
from tests.web.service.running import STEPS, Running, replayed, without_ids


def events(lines: Iterator[str]) -> Iterator[tuple[str, str, Any]]:
    """Yield name, id and content of server-sent events."""
    name = id_ = data = ""
    for line in lines:
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("id: "):
            id_ = line[4:]
        elif line.startswith("data: "):
            data = line[6:]
        elif not line and data:
            yield name, id_, json.loads(data)
            name = id_ = data = ""


def test_a_listener_gets_what_was_said_before_and_what_is_said_now(running: Running) -> None:
    running.open("listen")
    for number in range(3):
        running.observe("listen", str(number), STEPS[number])
    with running.client.stream("GET", "/v1/sessions/listen/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        came = events(answer.iter_lines())
        first = [next(came) for _ in range(3)]
        with httpx.Client(base_url=running.address) as other:
            for number in range(3, len(STEPS)):
                body = {"event": str(number), "step": STEPS[number]}
                other.post("/v1/sessions/listen/observations", json=body)
            report = other.post("/v1/sessions/listen/finish").json()
        rest = list(came)
    verdicts = [content for name, _, content in first + rest if name == "verdict"]
    assert [without_ids(verdict) for verdict in verdicts] == replayed(STEPS)
    assert rest[-1] == ("finished", "", report)


def test_a_listener_that_comes_back_goes_on_where_it_was(running: Running) -> None:
    running.open("back")
    for number, step in enumerate(STEPS):
        running.observe("back", str(number), step)
    running.finish("back")
    path = "/v1/sessions/back/events"
    for ask in (
        {"headers": {"Last-Event-ID": "5"}},
        {"params": {"after": "5"}},
        {"params": {"after": "2"}, "headers": {"Last-Event-ID": "5"}},
    ):
        answer = running.client.get(path, **ask)  # type: ignore[arg-type]
        came = list(events(iter(answer.text.splitlines())))
        assert [id_ for name, id_, _ in came if name == "verdict"] == ["6", "7", "8"]
        assert came[-1][0] == "finished"


def test_all_sessions_are_followed_with_their_last_mistake(running: Running) -> None:
    running.open("watched")
    with running.client.stream("GET", "/v1/events") as answer:
        came = events(answer.iter_lines())
        with httpx.Client(base_url=running.address) as other:
            body = {"event": "a", "step": "mix"}
            other.post("/v1/sessions/watched/observations", json=body)
        for _name, _, session in came:
            if session["id"] == "watched" and session["observed"]:
                break
    assert session["last_mistake"]["step"] == "mix"


def test_a_listener_that_vanishes_is_forgotten(tmp_path: Path) -> None:
    with Running(tmp_path) as running:
        running.open("s")
        with running.client.stream("GET", "/v1/sessions/s/events"):
            until(lambda: _listeners(running) == 1)
        until(lambda: _listeners(running) == 0)
        assert not running.service.streams._waiting


def _figure(running: Running, name: str) -> float:
    text = httpx.get(f"{running.address}/metrics", timeout=PATIENCE).text
    lines = [line for line in text.splitlines() if line.startswith(f"{name} ")]
    return float(lines[0].split()[1]) if lines else 0.0


def _listeners(running: Running) -> float:
    return _figure(running, "stepgraph_streams")


def test_a_slow_reader_holds_nobody_up_and_misses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 200
    monkeypatch.setattr(streams, "STALLED_SECONDS", 10 * PATIENCE)  # it is never given up
    with Running(tmp_path, small_buffers=True) as running:
        running.open("s")
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            slow.connect(("127.0.0.1", running.port))
            slow.sendall(b"GET /v1/sessions/s/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            workers = [
                threading.Thread(target=_observe_many, args=(running.address, worker, count // 20))
                for worker in range(20)
            ]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            # All are answered, and the reader has read nothing at all so far.
            assert running.client.get("/v1/sessions/s").json()["observed"] == count
            running.finish("s")
            slow.settimeout(PATIENCE)
            came = b""
            while b"event: finished" not in came:
                part = slow.recv(4096)
                assert part
                came += part
        for place in range(1, count + 1):
            assert came.count(f"id: {place}\n".encode()) == 1


def _observe_many(address: str, worker: int, count: int) -> None:
    with httpx.Client(base_url=address, timeout=PATIENCE) as client:
        for number in range(count):
            body = {"event": f"{worker}-{number}", "step": f"long name {'x' * 180}"[:200]}
            assert client.post("/v1/sessions/s/observations", json=body).status_code == 201


def test_a_reader_that_takes_nothing_for_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "STALLED_SECONDS", 0.2)
    with Running(tmp_path, small_buffers=True) as running:
        running.open("s")
        workers = [
            threading.Thread(target=_observe_many, args=(running.address, worker, 10))
            for worker in range(20)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        with socket.socket() as stalled:
            stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            stalled.connect(("127.0.0.1", running.port))
            stalled.sendall(b"GET /v1/sessions/s/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            # It may be given up before anyone looks who is there; that it began is counted.
            begun = 'stepgraph_requests_total{route="session_stream",status="200"}'
            until(lambda: _figure(running, begun) == 1)
            until(lambda: _listeners(running) == 0)
        assert running.client.get("/healthz").status_code == 200


def test_changes_of_another_server_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "POLL_SECONDS", 0.05)
    with Running(tmp_path) as one, Running(tmp_path) as other:
        one.open("s")
        with one.client.stream("GET", "/v1/sessions/s/events") as answer:
            came = events(answer.iter_lines())
            other.observe("s", "a", "mix")
            _, _, verdict = next(came)
    assert without_ids(verdict) == replayed(["mix"])[0]
