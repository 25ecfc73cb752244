"""What goes wrong around the service: kills, full disks, locks, and clients that vanish."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from benchmarks.cost.serve import measure_kills
from benchmarks.cost.service_client import READY, ServiceProcess
from stepgraph.web.service.store import Connect, connector
from stepgraph.web.service.store_sqlite import SqliteTables
from stepgraph.web.service.tables import Tables
from tests.cli.running import killed_at_the_end
from tests.web.in_thread import PATIENCE, until
from tests.web.service.running import STEPS, Running, replayed, without_ids

NOTHING_WRONG = {"lost": 0, "twice": 0, "wrong": 0}


def test_a_kill_in_the_middle_of_writes_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = measure_kills(2, sessions=6, observations=240)
    assert found.items() >= {**NOTHING_WRONG, "kills": 2}.items()
    assert found["acknowledged"] > 480  # what came before the kills, and all of it afterwards


@pytest.mark.full
@pytest.mark.skipif(
    not os.environ.get("STEPGRAPH_FULL_TESTS"), reason="STEPGRAPH_FULL_TESTS is not set"
)
def test_twenty_kills_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert measure_kills(20).items() >= {**NOTHING_WRONG, "kills": 20}.items()


class SmallDisk(SqliteTables):
    """A SQLite file on a disk of a given number of pages."""

    pages = 24

    def begin(self) -> None:
        self.fetch(f"PRAGMA max_page_count = {SmallDisk.pages}")
        super().begin()


def test_a_full_disk_refuses_what_it_cannot_keep_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sessions.db"
    with Running(tmp_path, connect=lambda: SmallDisk(path)) as running:
        running.open("s")
        statuses: list[int] = []
        steps: list[str] = []
        while 507 not in statuses:
            step = f"{STEPS[len(statuses) % len(STEPS)]:_<200}"  # unknown, and large
            answer = running.observe("s", str(len(statuses)), step)
            statuses.append(answer.status_code)
            steps.append(step)
            assert len(statuses) < 500
        assert set(statuses[:-1]) == {201}
        assert "disk is full" in answer.json()["detail"]
        assert running.client.get("/v1/sessions/s").json()["observed"] == len(statuses) - 1
        assert running.observe("s", "0", steps[0]).status_code == 200
        monkeypatch.setattr(SmallDisk, "pages", 4000)  # somebody made room
        again = running.observe("s", str(len(statuses) - 1), steps[-1])
        assert again.status_code == 201
        assert without_ids(again.json()) == replayed(steps)[-1]


def test_a_file_that_may_not_grow_is_refused_and_loses_nothing(tmp_path: Path) -> None:
    """The kernel refuses the write itself, as a quota or a full disk does."""
    from stepgraph.formats import save_graph
    from tests.web.service.running import BATTER

    graph = tmp_path / "batter.json"
    save_graph(BATTER, graph)
    store = f"sqlite:///{tmp_path / 'sessions.db'}"

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    command = [sys.executable, "-m", "stepgraph.cli.main", "serve", str(graph), "--store", store]
    with (
        subprocess.Popen(
            [*command, "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            preexec_fn=small_files,
            text=True,
        ) as process,
        killed_at_the_end(process),
    ):
        assert process.stdout
        address = process.stdout.readline().removeprefix(READY).strip()
        with httpx.Client(base_url=address, timeout=PATIENCE) as client:
            client.post("/v1/sessions", json={"graph": "batter", "id": "s"})
            count = 0
            while True:
                body = {"event": str(count), "step": STEPS[count % len(STEPS)]}
                answer = client.post("/v1/sessions/s/observations", json=body)
                if answer.status_code != 201:
                    break
                count += 1
                assert count < 2000
            assert answer.status_code in (503, 507)
            assert "send" in answer.json()["detail"]
        process.terminate()
        assert process.wait(PATIENCE) == 0
    with ServiceProcess([str(graph), "--store", store]) as service:
        kept = service.get("/v1/sessions/s/export")["observations"]
    assert [entry["event"] for entry in kept] == [str(number) for number in range(count)]
    said = [without_ids(entry["verdict"]) for entry in kept]
    assert said == replayed(entry["step"] for entry in kept)


def test_a_locked_database_is_said_and_the_next_try_succeeds(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with Running(tmp_path, connect=lambda: SqliteTables(path, busy_seconds=0.2)) as running:
        running.open("s")
        running.observe("s", "a", "crack egg")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        refused = running.observe("s", "b", "add milk")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert "another program has locked the store" in refused.json()["detail"]
        assert running.client.get("/v1/sessions/s").json()["observed"] == 1  # reading goes on
        assert running.observe("s", "a", "crack egg").status_code == 503
        other.execute("ROLLBACK")
        other.close()
        again = running.observe("s", "b", "add milk")
        assert again.status_code == 201
        assert without_ids(again.json()) == replayed(["crack egg", "add milk"])[1]


def post(body: bytes, length: int) -> bytes:
    head = (
        "POST /v1/sessions/s/observations HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
    return head.encode() + body


def test_a_client_that_vanishes_before_the_answer_finds_it_later(tmp_path: Path) -> None:
    with Running(tmp_path) as running:
        running.open("s")
        body = json.dumps({"event": "gone", "step": "mix"}).encode()
        with socket.create_connection(("127.0.0.1", running.port)) as connection:
            connection.sendall(post(body, len(body)))
        until(lambda: running.client.get("/v1/sessions/s").json()["observed"] == 1)
        again = running.observe("s", "gone", "mix")
        assert again.status_code == 200
        assert without_ids(again.json()) == replayed(["mix"])[0]


def test_a_client_that_vanishes_in_the_middle_of_its_words_leaves_nothing(tmp_path: Path) -> None:
    with Running(tmp_path) as running:
        running.open("s")
        body = json.dumps({"event": "half", "step": "mix"}).encode()
        with socket.create_connection(("127.0.0.1", running.port)) as connection:
            connection.sendall(post(body[:-4], len(body)))
        assert running.observe("s", "whole", "mix").json()["position"] == 1
        assert running.client.get("/v1/sessions/s").json()["observed"] == 1


def test_a_store_that_comes_back_is_used_again(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stepgraph.web.service.tables import StoreDownError

    broken = False
    opened: list[Tables] = []

    def connecting() -> Tables:
        if broken:
            raise StoreDownError("no way there")
        opened.append(connect())
        return opened[-1]

    with Running(tmp_path, connect=connecting) as running:
        running.open("s")
        assert running.observe("s", "a", "crack egg").status_code == 201
        broken = True

        def fail(*_: object) -> None:
            raise StoreDownError("the line is cut")

        for tables in opened:
            monkeypatch.setattr(tables, "begin", fail)
            monkeypatch.setattr(tables, "fetch", fail)
        assert running.observe("s", "b", "mix").status_code == 503
        assert running.client.get("/healthz").status_code == 503
        broken = False
        again = running.observe("s", "b", "mix")
        assert again.status_code == 201
        assert without_ids(again.json()) == replayed(["crack egg", "mix"])[1]
        assert running.client.get("/healthz").status_code == 200


def test_a_database_that_refuses_connections_is_a_clear_error() -> None:
    from stepgraph.web.service.tables import StoreDownError

    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"postgresql://stepgraph:s3cret@127.0.0.1:{unused.getsockname()[1]}/x"
        with pytest.raises(StoreDownError) as caught:
            connector(url)()
    assert "s3cret" not in str(caught.value)
