"""How the service is run: its health, figures, logs, start and end, as a process of its own."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from benchmarks.cost.service_client import ServiceProcess
from stepgraph.formats import save_graph
from tests.web.in_thread import PATIENCE
from tests.web.service.running import BATTER, STEPS, Running

TOKEN = "correct-horse-battery-staple"  # noqa: S105


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "batter.json"
    save_graph(BATTER, path)
    return path


def test_a_stop_finishes_what_was_asked_and_ends_streams(graph: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    arguments = [str(graph), "--store", f"sqlite:///{tmp_path / 'sessions.db'}"]
    with (
        ServiceProcess(arguments, log=log, variables={"STEPGRAPH_SERVE_TOKEN": TOKEN}) as service,
        httpx.Client(
            base_url=service.address, headers={"Authorization": f"Bearer {TOKEN}"}
        ) as client,
    ):
        client.post("/v1/sessions", json={"graph": "batter", "id": "s"})
        for number, step in enumerate(STEPS):
            body = {"event": str(number), "step": step}
            client.post("/v1/sessions/s/observations", json=body)
        with client.stream("GET", "/v1/sessions/s/events") as stream:
            lines = stream.iter_lines()
            next(lines)
            os.kill(service.process.pid, signal.SIGTERM)
            for _ in lines:  # the stream ends by itself
                pass
        assert service.process.wait(PATIENCE) == 0
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    assert (entries[0]["message"], entries[-1]["message"]) == ("listening", "stopped")
    assert all(entry.keys() >= {"at", "level", "message"} for entry in entries)
    # Streams end before the server would cut them off, of which it would tell.
    assert {entry["level"] for entry in entries} == {"info"}
    assert entries[0]["token"] == "needed"  # noqa: S105
    assert TOKEN not in log.read_text()
    # Everything lies in the one file; nothing is left in a log beside it.
    assert [path.name for path in tmp_path.glob("sessions.db*")] == ["sessions.db"]


def test_health_says_that_the_store_answers(running: Running) -> None:
    answer = running.client.get("/healthz")
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")


def test_figures_are_in_prometheus_format_and_right(tmp_path: Path) -> None:
    with Running(tmp_path) as running:
        for session in "ab":
            running.open(session)
        for event in ("1", "2", "2"):
            running.observe("a", event, "mix")
        running.finish("b")
        running.client.get("/v1/sessions/nobody")
        text = running.client.get("/metrics").text
    found = {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert found[("stepgraph_open_sessions",)] == 1
    assert found["stepgraph_verdicts_total", ("kind", "too-early")] == 1
    assert found["stepgraph_verdicts_total", ("kind", "skipped-inferred")] == 1
    assert found[("stepgraph_repeated_observations_total",)] == 1
    assert found["stepgraph_requests_total", ("route", "observe"), ("status", "201")] == 2
    assert found["stepgraph_requests_total", ("route", "read_session"), ("status", "404")] == 1
    assert found["stepgraph_request_seconds_count", ("route", "observe")] == 3
    assert found[("stepgraph_commit_commands_sum",)] == 6


def test_a_handler_that_fails_is_a_500_with_a_log_and_no_details(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with Running(tmp_path) as running:

        def fail(*_: object) -> None:
            raise RuntimeError("internal secret")

        monkeypatch.setattr(running.service.store, "read", fail)
        answer = running.client.get("/v1/sessions")
    assert answer.status_code == 500
    assert answer.json()["detail"] == "the service failed; its log says more"
    assert "internal secret" in caplog.text
