"""Requests that cannot be done: the right status, a clear message, nothing lost."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from tests.web.service.running import JSON, Running

GOOD = {"event": "e", "step": "mix"}
OBSERVE = "/v1/sessions/bad/observations"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}

CASES: dict[str, tuple[str, str, Any, dict[str, str], int, str]] = {
    "no JSON": ("POST", OBSERVE, b"{", JSON, 400, "line 1, column 2: not JSON"),
    "not UTF-8": ("POST", OBSERVE, b'{"step": "\xff"}', JSON, 400, "byte 10 is not UTF-8"),
    "nothing": ("POST", OBSERVE, b"", JSON, 400, "not JSON"),
    "NaN": ("POST", OBSERVE, b'{"event":"e","step":"mix","time":NaN}', JSON, 400, "NaN"),
    "nesting without end": ("POST", OBSERVE, b"[" * 30_000, JSON, 400, "not JSON"),
    "a form": ("POST", OBSERVE, b"step=mix", FORM, 415, "expected application/json"),
    "no content type": ("POST", OBSERVE, b"{}", {}, 415, "Content-Type is missing"),
    "a list": ("POST", OBSERVE, [GOOD], JSON, 422, "no JSON object"),
    "no event id": ("POST", OBSERVE, {"step": "mix"}, JSON, 422, "has no 'event'"),
    "no step": ("POST", OBSERVE, {"event": "e"}, JSON, 422, "has no 'step'"),
    "a field too many": ("POST", OBSERVE, {**GOOD, "stpe": 1}, JSON, 422, "'stpe'"),
    "a step that is a number": ("POST", OBSERVE, {**GOOD, "step": 7}, JSON, 422, "'step' is 7"),
    "an empty step": ("POST", OBSERVE, {**GOOD, "step": ""}, JSON, 422, "1 to 200"),
    "a blank step": ("POST", OBSERVE, {**GOOD, "step": " \t"}, JSON, 422, "not blank"),
    "an end": ("POST", OBSERVE, {**GOOD, "step": "START "}, JSON, 422, "'step' is 'START '"),
    "too long a step": ("POST", OBSERVE, {**GOOD, "step": "x" * 201}, JSON, 422, "201 characters"),
    "too long an event id": ("POST", OBSERVE, {**GOOD, "event": "x" * 201}, JSON, 422, "1 to 200"),
    "a null character": ("POST", OBSERVE, {**GOOD, "step": "a\0"}, JSON, 422, "null character"),
    "half a character": ("POST", OBSERVE, {**GOOD, "step": "\ud800"}, JSON, 422, "half of a"),
    "a time that is text": ("POST", OBSERVE, {**GOOD, "time": "now"}, JSON, 422, "'time' is 'now'"),
    "a time that is true": ("POST", OBSERVE, {**GOOD, "time": True}, JSON, 422, "'time' is True"),
    "too large a time": (
        "POST",
        OBSERVE,
        {**GOOD, "time": 10**400},
        JSON,
        422,
        "to 1e+300 or null",
    ),
    "too sure": ("POST", OBSERVE, {**GOOD, "confidence": 1.5}, JSON, 422, "from 0 to 1"),
    "too large a body": ("POST", OBSERVE, b" " * 70_000, JSON, 413, "larger than 65536 bytes"),
    "no such session": ("POST", OBSERVE.replace("bad", "x"), GOOD, JSON, 404, "no session 'x'"),
    "a session that is a path": ("GET", "/v1/sessions/..%2f..", None, {}, 404, "nothing at"),
    "a session that is no name": ("GET", "/v1/sessions/a%20b", None, {}, 404, "no session 'a b'"),
    "a state of nobody": ("GET", "/v1/sessions/x", None, {}, 404, "no session 'x'"),
    "an export of nobody": ("GET", "/v1/sessions/x/export", None, {}, 404, "no session 'x'"),
    "events of nobody": ("GET", "/v1/sessions/x/events", None, {}, 404, "no session 'x'"),
    "a finish of nobody": ("POST", "/v1/sessions/x/finish", None, {}, 404, "no session 'x'"),
    "an unknown export": ("GET", "/v1/sessions/bad/export?format=exe", None, {}, 422, "csv, json"),
    "a query that is unknown": ("GET", "/v1/sessions?page=2", None, {}, 422, "'page'"),
    "a query twice": ("GET", "/v1/sessions?limit=1&limit=2", None, {}, 422, "twice"),
    "a limit of nothing": ("GET", "/v1/sessions?limit=0", None, {}, 422, "from 1 to 500"),
    "a limit that is text": ("GET", "/v1/sessions?limit=all", None, {}, 422, "'all'"),
    "an unknown status": ("GET", "/v1/sessions?status=gone", None, {}, 422, "finished, open"),
    "an unknown place": ("GET", "/v1/sessions?before=nan~x", None, {}, 422, "the page before"),
    "a graph that is none": ("POST", "/v1/sessions", {"graph": "x"}, JSON, 404, "no graph 'x'"),
    "a graph that is a path": ("POST", "/v1/sessions", {"graph": "../x"}, JSON, 422, "'../x'"),
    "an id that is a path": (
        "POST",
        "/v1/sessions",
        {"graph": "batter", "id": "../../etc/passwd"},
        JSON,
        422,
        "letters, digits",
    ),
    "an unknown address": ("GET", "/etc/passwd", None, {}, 404, "there is nothing at"),
    "a page that is a path": ("GET", "/pages/..%2f..%2f__init__.py", None, {}, 404, "nothing at"),
    "an unknown method": ("DELETE", "/v1/sessions", None, {}, 405, "DELETE is not possible"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_done_is_said_and_changes_nothing(case: str, running: Running) -> None:
    method, path, body, headers, status, says = CASES[case]
    running.open("bad")
    content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    answer = running.client.request(method, path, content=content, headers=headers)
    assert answer.status_code == status, answer.text
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["status"] == status
    assert says in problem["detail"]
    assert running.client.get("/v1/sessions/bad").json()["observed"] == 0


def test_a_large_body_that_does_not_say_its_size_is_cut_off(running: Running) -> None:
    answer = running.client.post(
        "/v1/sessions", content=(b" " * 10_000 for _ in range(20)), headers=JSON
    )
    assert answer.status_code == 413


def test_bytes_that_are_no_http_are_answered_with_400(running: Running) -> None:
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert b"400" in connection.recv(1000)
    assert running.client.get("/healthz").status_code == 200


def test_a_finish_with_a_body_that_says_something_is_refused(running: Running) -> None:
    running.open("finish")
    answer = running.client.post("/v1/sessions/finish/finish", json={"sure": True})
    assert answer.status_code == 422
    assert running.client.get("/v1/sessions/finish").json()["status"] == "open"
    assert running.client.post("/v1/sessions/finish/finish", json={}).status_code == 200
