"""Several server processes on one real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from benchmarks.cost.service_client import ServiceProcess
from stepgraph.formats import save_graph
from stepgraph.web.service.store import connector
from tests.web.in_thread import PATIENCE
from tests.web.service.running import BATTER, STEPS, replayed, without_ids


@pytest.fixture
def fleet(postgres: str, tmp_path: Path) -> Iterator[list[ServiceProcess]]:
    tables = connector(postgres)()
    for name in ("observations", "sessions", "graphs", "stepgraph_store"):
        tables.fetch(f"DROP TABLE IF EXISTS {name}")
    tables.close()
    save_graph(BATTER, tmp_path / "batter.json")
    arguments = [str(tmp_path / "batter.json"), "--store", postgres]
    with ServiceProcess(arguments) as one, ServiceProcess(arguments) as other:
        yield [one, other]


def test_it_does_not_matter_which_server_is_asked_or_that_one_is_killed(
    fleet: list[ServiceProcess],
) -> None:
    one, other = (httpx.Client(base_url=server.address, timeout=PATIENCE) for server in fleet)
    with one, other:
        assert one.post("/v1/sessions", json={"graph": "batter", "id": "s"}).status_code == 201
        path = "/v1/sessions/s/observations"
        said = []
        for number, step in enumerate(STEPS):
            asked = one if number % 2 and number < 5 else other
            if number == 5:
                fleet[0].kill()
            answer = asked.post(path, json={"event": str(number), "step": step})
            assert answer.status_code == 201
            said.append(without_ids(answer.json()))
        assert said == replayed(STEPS)
        again = other.post(path, json={"event": "1", "step": STEPS[1]})
        assert (again.status_code, without_ids(again.json())) == (200, said[1])
