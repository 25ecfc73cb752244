from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.cli.running import Put, Run
from tests.cli.samples import SANDWICH, SANDWICH_GRAPH

TOKEN = "correct-horse-battery-staple"  # noqa: S105

CASES = {
    "serve": "missing argument 'GRAPHS'",
    "serve nowhere.json": "nowhere.json: no such file",
    "serve demos.csv": "demos.csv: recordings, expected a task graph",
    "serve broken.json": "broken.json: ",
    "serve graph.json --host 0.0.0.0": "an API token is needed",
    "serve graph.json --host 0.0.0.0 --token-file short": "at least 16 characters",
    "serve graph.json --token-file missing": "missing: no such file",
    "serve graph.json --store mysql://x": "the store mysql://x: expected sqlite:///FILE",
    "serve graph.json --store sqlite:///no/s.db": "there is no folder no",
    "serve graph.json --store sqlite:///demos.csv": "cannot be used (file is not a database)",
    "serve graph.json --store postgresql://a:s3cret@127.0.0.1:1/x": "the store postgresql://a:***@",
    "serve graph.json --store postgresql://a:s3cret@[::1/x": "the store postgresql://...",
    "serve graph.json --port 99999": "--port",
    "serve graph.json --host nowhere.invalid --token-file token": "cannot listen there",
    "serve graph.json --log-level loud": "unknown log level 'loud'",
    "serve graph.json --rate 0": "--rate",
    "serve graph.json --max-name 3": "at most 3 are allowed (limit name_length)",
}


@pytest.mark.parametrize("command", CASES)
def test_what_cannot_be_served_is_one_message(
    command: str, stepgraph: Run, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STEPGRAPH_SERVE_TOKEN", raising=False)
    put("graph.json", SANDWICH_GRAPH)
    put("demos.csv", SANDWICH)
    put("broken.json", SANDWICH_GRAPH[:-5])
    put("short", "secret")
    put("token", TOKEN)
    result = stepgraph(*command.split())
    assert (result.code, result.out) == (2, "")
    (message,) = result.notes
    assert message.startswith("error: ")
    assert CASES[command] in message
    assert "s3cret" not in message


def test_graphs_that_cannot_be_read_leave_no_store_behind(
    stepgraph: Run, put: Put, folder: Path
) -> None:
    put("graph.json", SANDWICH_GRAPH)
    put("broken.json", SANDWICH_GRAPH[:-5])
    assert stepgraph("serve", "graph.json", "broken.json").code == 2
    assert sorted(path.name for path in folder.iterdir()) == ["broken.json", "graph.json"]


def test_a_port_that_is_taken_is_one_message(stepgraph: Run, put: Put, folder: Path) -> None:
    put("graph.json", SANDWICH_GRAPH)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = stepgraph("serve", "graph.json", "--port", str(port))
    assert result.code == 2
    assert f"port {port} of 127.0.0.1: cannot listen there (Address already in use)" in result.err
    assert [path.name for path in folder.iterdir()] == ["graph.json"]


def test_without_its_packages_the_exact_command_to_install_them_is_said(
    stepgraph: Run, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    put("graph.json", SANDWICH_GRAPH)
    for name in [name for name in sys.modules if name.startswith("stepgraph.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = stepgraph("serve", "graph.json")
    assert result.code == 2
    assert "pip install 'stepgraph[serve]'" in result.err
