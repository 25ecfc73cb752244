"""`stepgraph studio` from the command line."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from stepgraph.formats.json_text import dump_json
from stepgraph.formats.stepgraph_json import graph_to_json
from tests.cli.running import Put, Run, killed_at_the_end
from tests.web.studio.running import ORDERS, TEA, as_csv

REFUSED = {
    "studio": "missing argument 'DEMOS_OR_GRAPH'",
    "studio nowhere.json": "nowhere.json: no such file",
    "studio broken.json": "broken.json: line 1",
    "studio odd.json": "expected a list of step names",
    "studio tea.dot": "stepgraph writes .dot files and does not read them",
    "studio wide.csv": "wide.csv: the first line has 100,000 columns",
    "studio tea.csv --demos tea.csv": "--demos is for a graph",
    "studio tea.csv -o tea.csv": "the studio saves graphs as JSON",
    "studio tea.csv --procedure coffee": "unknown procedure 'coffee'",
    "studio graph.json --port 99999": "--port",
}


@pytest.fixture
def files(put: Put) -> None:
    put("tea.csv", as_csv(ORDERS))
    put("graph.json", dump_json(graph_to_json(TEA)))
    put("broken.json", "{")
    put("odd.json", '{"format": "stepgraph-graph", "version": 1, "steps": 3}')
    put("tea.dot", "digraph {}")
    put("wide.csv", ",".join(map(str, range(100_000))))


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("line", REFUSED)
def test_what_cannot_be_opened_is_one_message(line: str, stepgraph: Run) -> None:
    result = stepgraph(*line.split())
    assert result.code == 2
    assert REFUSED[line] in " ".join(result.err.split())
    assert "Traceback" not in result.err


@pytest.mark.usefixtures("files")
def test_the_page_answers_until_somebody_stops_it(folder: Path) -> None:
    command = [sys.executable, "-m", "stepgraph.cli.main", "studio", "tea.csv", "--no-browser"]
    with (
        subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as running,
        killed_at_the_end(running),
    ):
        assert running.stdout is not None
        first = running.stdout.readline()
        address, _, key = first.removeprefix("the studio is at ").strip().partition("/#")
        headers = {"Authorization": f"Bearer {key}"}
        state = httpx.get(f"{address}/api/state", headers=headers, timeout=120).json()
        assert state["file"] == "tea.graph.json"
        assert httpx.get(f"{address}/api/state", timeout=120).status_code == 401
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 0
    assert "Traceback" not in errors
    assert not (folder / "tea.graph.json").exists()
