from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph.errors import SettingError
from stepgraph.web.security import TOKEN_VARIABLE, Guard, find_token, is_loopback
from stepgraph.web.service.routes import ROUTES, ServiceRoute
from stepgraph.web.service.server import JsonLines
from tests.web.service.running import JSON, Running

TOKEN = "correct-horse-battery-staple"  # noqa: S105
KNOWN = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("guarded"), token=TOKEN) as running:
        yield running


DOORS = [route for route in ROUTES if not route.public]


@pytest.mark.parametrize("route", DOORS, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_with_data_asks_for_the_token(route: ServiceRoute, guarded: Running) -> None:
    method, path = route.method, route.path
    path = path.replace("{session}", "s").replace("{graph}", "batter")
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}):
        answer = guarded.client.request(method, path, headers=headers)
        assert answer.status_code == 401, path
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "Authorization: Bearer TOKEN" in answer.json()["detail"]


def test_the_right_token_opens_every_door(guarded: Running) -> None:
    assert guarded.client.get("/v1/sessions", headers=KNOWN).status_code == 200
    assert guarded.client.get("/metrics", headers=KNOWN).status_code == 200


def test_health_and_pages_need_no_token(guarded: Running) -> None:
    for path in ("/healthz", "/", "/pages/dashboard.js", "/openapi.json"):
        assert guarded.client.get(path).status_code == 200


def test_the_token_is_never_logged(guarded: Running) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("stepgraph.service")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        guarded.client.get("/v1/sessions", headers=KNOWN)
        guarded.client.get(f"/v1/sessions?token={TOKEN}", headers=KNOWN)
        guarded.client.get("/v1/sessions", headers={"Authorization": f"Bearer {TOKEN}x"})
        guarded.client.post("/v1/sessions", content=b"{", headers={**KNOWN, **JSON})
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["status"] for line in lines] == [200, 422, 401, 400]
    assert TOKEN not in stream.getvalue()


def test_other_machines_are_served_only_with_a_token() -> None:
    with pytest.raises(SettingError, match="an API token is needed"):
        Guard("0.0.0.0", None)  # noqa: S104
    assert Guard("0.0.0.0", TOKEN).needs_token  # noqa: S104


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),  # noqa: S104
        ("::", False),
        ("192.168.1.5", False),
        ("example.org", False),
    ],
)
def test_loopback_addresses_are_told_from_others(host: str, local: bool) -> None:
    assert is_loopback(host) is local


def test_a_name_of_another_site_that_leads_here_is_refused(running: Running) -> None:
    for host in ("evil.example", "evil.example:8000", "", "[::1"):
        answer = running.client.get("/v1/sessions", headers={"Host": host})
        assert answer.status_code in (400, 421), host
    for host in ("localhost", "localhost:9", "127.0.0.1:9", "[::1]:9"):
        assert running.client.get("/healthz", headers={"Host": host}).status_code == 200


def test_a_page_of_another_site_may_not_ask(running: Running) -> None:
    for origin in ("http://evil.example", "null", "http://localhost:9"):
        answer = running.client.post(
            "/v1/sessions", json={"graph": "batter"}, headers={"Origin": origin}
        )
        assert answer.status_code == 403, origin
    answer = running.client.get("/v1/sessions", headers={"Origin": running.address})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


def test_pages_may_load_nothing_from_elsewhere(running: Running) -> None:
    policy = running.client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy


def test_a_token_comes_from_a_file_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    assert find_token(file) == TOKEN
    assert find_token(None) is None
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    assert find_token(None) == TOKEN


@pytest.mark.parametrize("token", ["short", "x" * 15, "ünïcödé-ünïcödé-ü", "two\nlines-of-a-token"])
def test_a_token_that_is_easy_to_guess_or_cannot_be_sent_is_refused(
    token: str, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(token)
    with pytest.raises(SettingError, match="at least 16 characters") as caught:
        find_token(file)
    assert token not in str(caught.value)
