"""What monitors save and read: their state, confusions, calibrations, and streams of steps."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from stepgraph.cli.judging import LiveSessions
from stepgraph.formats.json_text import dump_json
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Calibration, Confusion, Monitor, UncertainMonitor, calibrate
from tests.fuzz.target import Target, by_name, expect, put

_GRAPH = TaskGraph.from_preconditions(
    {"mix": ["egg", "milk"], "fry": ["mix"], "eat": ["fry"]}, procedure="pancakes"
)
_STEPS = ("egg", "mix", "stir", "milk", "fry", "mix")
_STREAM = (
    b'egg\n\n# so far\n{"step": "mix", "time": 3.5, "confidence": 0.9, "session": "anna"}\n'
    b'{"undo": true}\n{"step": "milk", "session": 7}\n{"undo": true, "session": "anna"}\nmix\n'
)


def _state(data: bytes, folder: Path) -> None:
    path = put(folder, "state.json", data)
    monitor = Monitor.resume(_GRAPH, path)
    monitor.save(folder / "again.json")
    again = Monitor.resume(_GRAPH, folder / "again.json")
    expect(again.state == monitor.state, "a state is read as it was written")
    for step in _STEPS:
        expect(monitor.observe(step) == again.observe(step), "both go on alike")
    for verdict in monitor.finish().verdicts:
        json.dumps(verdict.to_json(), allow_nan=False)
    for _ in range(3):
        monitor.undo()


def _uncertain(data: bytes, folder: Path) -> None:
    path = put(folder, "state.json", data)
    monitor = UncertainMonitor.resume(_GRAPH, path)
    monitor.save(folder / "again.json")
    again = UncertainMonitor.resume(_GRAPH, folder / "again.json")
    expect(again.state == monitor.state, "a state is read as it was written")
    for step in _STEPS:
        verdict = monitor.observe(step)
        expect(verdict == again.observe(step), "both go on alike")
        json.dumps(verdict.to_json(), allow_nan=False)
        expect(0 <= verdict.probability <= 1, "a probability is from 0 to 1")
    monitor.undo()


def _confusion(data: bytes, folder: Path) -> None:
    confusion = Confusion.read(put(folder, "confusion.json", data))
    confusion.save(folder / "again.json")
    expect(Confusion.read(folder / "again.json") == confusion, "read as it was written")
    monitor = UncertainMonitor(_GRAPH, confusion=confusion)
    for step in _STEPS:
        expect(0 <= monitor.observe(step).probability <= 1, "a probability is from 0 to 1")


def _calibration(data: bytes, folder: Path) -> None:
    found = Calibration.read(put(folder, "calibration.json", data))
    found.save(folder / "again.json")
    expect(Calibration.read(folder / "again.json") == found, "read as it was written")
    monitor = found.monitor(_GRAPH)
    for step in _STEPS:
        expect(0 <= monitor.observe(step).probability <= 1, "a probability is from 0 to 1")


def _watch(begin: Callable[[], Any], data: bytes, folder: Path) -> None:
    del folder
    lines = list(enumerate(io.BytesIO(data), start=1))
    for as_json in (True, False):
        watched = LiveSessions(_GRAPH, begin, as_json=as_json, with_next=True)
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            watched.take_in(lines)
            watched.finish()
            out.flush()
        if as_json:
            for line in out.buffer.getvalue().decode().split("\n")[:-1]:
                json.loads(line)


def _watched(begin: Callable[[], Any]) -> Any:
    return partial(_watch, begin)


def _states(kind: Callable[[TaskGraph], Any]) -> list[bytes]:
    monitor = kind(_GRAPH)
    seeds = [dump_json(monitor.state).encode()]
    for number, step in enumerate(_STEPS):
        monitor.observe(step, time=float(number))
    return [*seeds, dump_json(monitor.state).encode()]


def _even() -> Confusion:
    return Confusion.even(_GRAPH.steps, 0.2)


def _calibrations() -> list[bytes]:
    found = calibrate(_GRAPH, [["egg", "milk", "mix", "fry", "eat"]], _even(), copies=5)
    return [dump_json(found.to_json()).encode()]


_uncertain_monitor = partial(UncertainMonitor, _GRAPH, error_rate=0.2)

TARGETS = by_name(
    Target("monitor-state", _state, partial(_states, Monitor), ("stepgraph.monitoring.session",)),
    Target(
        "uncertain-state",
        _uncertain,
        partial(_states, lambda graph: UncertainMonitor(graph, error_rate=0.2)),
        ("stepgraph.monitoring.uncertain", "stepgraph.monitoring.belief"),
        share=1.5,
    ),
    Target(
        "confusion",
        _confusion,
        lambda: [dump_json(_even().to_json()).encode()],
        ("stepgraph.monitoring.confusion",),
    ),
    Target("calibration", _calibration, _calibrations, ("stepgraph.monitoring.calibration",)),
    Target(
        "watch",
        _watched(partial(Monitor, _GRAPH)),
        lambda: [_STREAM],
        (
            "stepgraph.cli.judging",
            "stepgraph.monitoring.monitor",
            "stepgraph.monitoring.session",
        ),
        (*_GRAPH.steps, "step", "time", "confidence", "session", "undo"),
    ),
    Target(
        "watch-uncertain",
        _watched(_uncertain_monitor),
        lambda: [_STREAM],
        (
            "stepgraph.cli.judging",
            "stepgraph.monitoring.uncertain",
            "stepgraph.monitoring.session",
        ),
        (*_GRAPH.steps, "step", "time", "confidence", "session", "undo"),
    ),
)
