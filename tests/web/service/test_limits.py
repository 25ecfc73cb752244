from __future__ import annotations

import socket
from pathlib import Path

import pytest

from stepgraph.errors import SettingError
from stepgraph.web.service.limits import ADDRESSES, Limits, Rates
from tests.web.in_thread import PATIENCE, until
from tests.web.service.running import Running


def test_sessions_beyond_the_limit_are_refused_until_one_is_finished(tmp_path: Path) -> None:
    with Running(tmp_path, limits=Limits(open_sessions=2)) as running:
        assert [running.open(name).status_code for name in "ab"] == [201, 201]
        refused = running.open("c")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "10")
        assert "2 sessions are open" in refused.json()["detail"]
        assert running.open("a").status_code == 200
        running.finish("a")
        assert running.open("c").status_code == 201


def test_observations_beyond_the_limit_are_refused(tmp_path: Path) -> None:
    with Running(tmp_path, limits=Limits(observations=2)) as running:
        running.open("s")
        for event in "ab":
            assert running.observe("s", event, "mix").status_code == 201
        refused = running.observe("s", "c", "mix")
        assert refused.status_code == 409
        assert "2 observations, which is the limit" in refused.json()["detail"]
        assert running.observe("s", "b", "mix").status_code == 200


def test_too_many_requests_are_told_to_wait(tmp_path: Path) -> None:
    with Running(tmp_path, limits=Limits(rate=5)) as running:
        running.service.rates = Rates(5, clock=lambda: 0.0)  # all in one moment
        answers = [running.client.get("/healthz") for _ in range(15)]
        assert [answer.status_code for answer in answers] == [200] * 10 + [429] * 5
        refused = answers[10:]
        assert refused[0].headers["retry-after"] == "1"
        assert "more than 5 requests a second" in refused[0].json()["detail"]


def test_listeners_beyond_the_limit_are_refused(tmp_path: Path) -> None:
    with Running(tmp_path, limits=Limits(streams=1)) as running:
        with running.client.stream("GET", "/v1/events") as first:
            assert first.status_code == 200
            assert running.client.get("/v1/events").status_code == 429

        # The place is free again when the listener has gone.
        def listens() -> bool:
            with running.client.stream("GET", "/v1/events") as second:
                return second.status_code == 200

        until(listens)


def test_a_stream_is_not_asked_for_its_head(running: Running) -> None:
    assert running.client.head("/v1/events").status_code == 405
    assert running.client.head("/healthz").status_code == 200


def test_a_body_that_does_not_arrive_is_given_up(tmp_path: Path) -> None:
    with Running(tmp_path, limits=Limits(body_seconds=0.2)) as running:
        head = (
            b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{"
        )
        with socket.create_connection(("127.0.0.1", running.port)) as connection:
            connection.settimeout(PATIENCE)
            connection.sendall(head)
            answer = b""
            while b"within 0.2 s" not in answer:
                part = connection.recv(4096)
                assert part, answer
                answer += part
            assert answer.startswith(b"HTTP/1.1 408")


def test_a_limit_of_nothing_is_refused() -> None:
    with pytest.raises(SettingError, match="rate is 0; expected more than 0"):
        Limits(rate=0)


def test_an_address_may_ask_again_when_its_bucket_has_filled() -> None:
    now = [0.0]
    rates = Rates(2, clock=lambda: now[0])
    assert [rates.take("a") for _ in range(4)] == [0] * 4
    assert rates.take("a") == pytest.approx(0.5)
    assert rates.take("b") == 0
    now[0] = 0.5
    assert rates.take("a") == 0
    assert rates.take("a") > 0
    now[0] = 100.0
    assert [rates.take("a") for _ in range(5)][:4] == [0] * 4


def test_only_so_many_addresses_are_remembered() -> None:
    rates = Rates(1, clock=lambda: 0.0)
    for number in range(ADDRESSES + 10):
        rates.take(str(number))
    assert len(rates._buckets) == ADDRESSES
