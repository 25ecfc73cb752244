from __future__ import annotations

import random

import pytest

from benchmarks import run_benchmark
from benchmarks.cost import monitor
from stepgraph.errors import UnknownNameError
from stepgraph.monitoring import Monitor
from tests.operations import calls


def test_steps_are_timed_in_sessions_and_in_a_long_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor, "SESSIONS", 4)
    monkeypatch.setattr(monitor, "STREAM", 1000)
    monkeypatch.setattr(monitor, "WINDOW", 100)
    rows = {row["method"]: row for row in run_benchmark("monitor").rows}
    assert all(row["microseconds"] > 0 for row in rows.values())
    assert rows["monitor-25"]["microseconds_all_read"] > 0
    assert rows["monitor-flat"]["ratio"] > 0


def test_a_step_is_as_much_work_late_in_a_stream_as_early() -> None:
    graph = monitor.dense_graph(25, 0.2)
    rng = random.Random(0)
    watched = Monitor(graph)

    def observe() -> None:
        for _ in range(500):
            watched.observe(rng.choice(graph.steps))

    observe()  # every step has come by now
    early = calls(observe)
    for _ in range(8):
        observe()
    assert calls(observe) < 1.1 * early


def test_an_unknown_measure_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="monitor-flat"):
        run_benchmark("monitor", methods=["monitor-flt"])
