from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from stepgraph.cli.main import run
from tests.cli.running import Put, Result, Run, runner
from tests.cli.samples import SANDWICH, SANDWICH_GRAPH
from tests.cli.watching import Watch


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run every test in an empty folder and a terminal of 100 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def stepgraph(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `stepgraph` with some arguments."""
    return runner("stepgraph", run, capsys, monkeypatch)


@pytest.fixture
def put(folder: Path) -> Put:
    """Write a file and return its name."""

    def write(name: str, content: str | bytes) -> str:
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return write


@pytest.fixture
def demos(put: Put) -> str:
    """Two recordings of making a sandwich, as a table."""
    return put("sandwich.csv", SANDWICH)


@pytest.fixture
def graph(put: Put) -> str:
    """The graph of making a sandwich."""
    return put("graph.json", SANDWICH_GRAPH)


@pytest.fixture
def watch(stepgraph: Run, graph: str, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Run `stepgraph watch` on the graph of the sandwich with some input."""

    def call(given: str | bytes, *options: str) -> Result:
        content = given.encode() if isinstance(given, str) else given
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return stepgraph("watch", graph, *options)

    return call
