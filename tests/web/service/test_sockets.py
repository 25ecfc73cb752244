from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.web.in_thread import PATIENCE, until
from tests.web.service.running import STEPS, Running, replayed, without_ids

TOKEN = "correct-horse-battery-staple"  # noqa: S105


@contextmanager
def live(running: Running, session: str, **headers: str) -> Iterator[ClientConnection]:
    address = f"ws://127.0.0.1:{running.port}/v1/sessions/{session}/live"
    with connect(address, additional_headers=headers, proxy=None) as client:
        yield client


def say(client: ClientConnection, content: object) -> dict[str, object]:
    client.send(content if isinstance(content, str | bytes) else json.dumps(content))
    answer: dict[str, object] = json.loads(client.recv(timeout=PATIENCE))
    return answer


def test_each_message_is_answered_with_its_verdict(running: Running) -> None:
    running.open("socket")
    with live(running, "socket") as client:
        said = [say(client, {"event": str(n), "step": step}) for n, step in enumerate(STEPS)]
        assert [without_ids(verdict) for verdict in said] == replayed(STEPS)
        assert say(client, {"event": "0", "step": STEPS[0]}) == said[0]
    assert running.client.get("/v1/sessions/socket").json()["observed"] == len(STEPS)


BAD = {
    "no JSON": ("{", 400),
    "binary": (b"\x00\x01", 400),
    "no object": ("[]", 422),
    "no step": ('{"event": "e"}', 422),
    "half a character": ('{"event": "e", "step": "\\ud800"}', 422),
    "a field called after half a character": ('{"event": "e", "step": "a", "\\ud800": 1}', 422),
}


@pytest.mark.parametrize("case", BAD)
def test_a_message_that_cannot_be_used_is_answered_and_the_talk_goes_on(
    case: str, running: Running
) -> None:
    message, status = BAD[case]
    session = case.replace(" ", "-")
    running.open(session)
    with live(running, session) as client:
        problem = say(client, message)["problem"]
        assert isinstance(problem, dict)
        assert problem["status"] == status
        assert say(client, {"event": "e", "step": "mix"})["position"] == 1


def test_a_malformed_frame_ends_the_connection_and_loses_nothing(running: Running) -> None:
    running.open("frame")
    with live(running, "frame") as client:
        say(client, {"event": "a", "step": "crack egg"})
        # A reserved opcode, unmasked: no frame that a client may send.
        client.socket.sendall(b"\x8b\x05hello")
        with pytest.raises(ConnectionClosed) as caught:
            client.recv(timeout=PATIENCE)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1002
    assert running.client.get("/v1/sessions/frame").json()["observed"] == 1
    assert running.observe("frame", "b", "mix").json()["position"] == 2


def test_too_large_a_message_ends_the_connection(running: Running) -> None:
    running.open("large")
    with live(running, "large") as client:
        with pytest.raises(ConnectionClosed) as caught:
            say(client, "x" * 100_000)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1009
    assert running.client.get("/v1/sessions/large").json()["observed"] == 0


def test_a_socket_of_nobody_is_refused_with_its_reason(running: Running) -> None:
    for session in ("nobody", "a%20b"):
        with pytest.raises(InvalidStatus) as caught, live(running, session):
            pass
        assert caught.value.response.status_code == 404
        assert b"there is no session" in caught.value.response.body


def test_a_socket_needs_the_token_and_no_other_site(tmp_path: Path) -> None:
    with Running(tmp_path, token=TOKEN) as running:
        known = {"Authorization": f"Bearer {TOKEN}"}
        running.client.headers.update(known)
        running.open("s")
        for headers, status in (
            ({}, 401),
            ({"Authorization": "Bearer wrong"}, 401),
            ({**known, "Origin": "http://evil.example"}, 403),
        ):
            with pytest.raises(InvalidStatus) as caught, live(running, "s", **headers):
                pass
            assert caught.value.response.status_code == status
        with live(running, "s", **known) as client:
            assert say(client, {"event": "a", "step": "mix"})["position"] == 1


def test_a_client_that_vanishes_frees_its_place(tmp_path: Path) -> None:
    with Running(tmp_path) as running:
        running.open("s")
        with live(running, "s") as client:
            until(lambda: running.service.streams._count == 1)
            client.socket.shutdown(socket.SHUT_RDWR)
            until(lambda: running.service.streams._count == 0)
