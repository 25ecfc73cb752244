from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stepgraph.errors import InputError
from stepgraph.formats import save_graph
from stepgraph.formats.bpmn import to_bpmn
from stepgraph.formats.json_text import dump_json
from stepgraph.formats.pnml import to_pnml
from stepgraph.formats.stepgraph_json import demonstrations_to_json, graph_from_json, graph_to_json
from stepgraph.graph import TaskGraph
from stepgraph.sequences import Demonstrations
from stepgraph.web.service.graphs import read_files, store_files
from stepgraph.web.service.limits import Limits
from stepgraph.web.service.store import connector
from tests.web.service.running import BATTER, Running, replayed, without_ids

TEA = TaskGraph.from_preconditions({"pour": ["boil"], "drink": ["pour"]}, procedure="tea")
GREEN = TaskGraph.from_preconditions({"pour": ["boil", "cool"], "drink": ["pour"]})


def put(running: Running, name: str, graph: TaskGraph) -> Any:
    return running.client.put(f"/v1/graphs/{name}", json=graph_to_json(graph))


def test_a_graph_is_replaced_while_sessions_finish_on_the_version_they_began_with(
    running: Running,
) -> None:
    assert put(running, "tea", TEA).status_code == 201
    running.open("old", "tea")
    first = running.observe("old", "a", "boil")
    replaced = put(running, "tea", GREEN)
    assert (replaced.status_code, replaced.json()["version"]) == (200, 2)
    running.open("new", "tea")
    second = running.observe("old", "b", "pour")
    assert [without_ids(answer.json()) for answer in (first, second)] == replayed(
        ["boil", "pour"], TEA
    )
    running.observe("new", "a", "boil")
    assert (
        without_ids(running.observe("new", "b", "pour").json())
        == (replayed(["boil", "pour"], GREEN)[1])
    )
    assert running.finish("old").json()["open"] == ["drink"]
    assert running.client.get("/v1/sessions/old").json()["version"] == 1
    exported = running.client.get("/v1/sessions/old/export").json()
    assert graph_from_json(exported["graph"]) == TEA


def test_putting_the_same_graph_again_makes_no_new_version(running: Running) -> None:
    put(running, "same", TEA)
    again = put(running, "same", TEA)
    assert (again.status_code, again.json()["changed"], again.json()["version"]) == (200, False, 1)


def test_every_version_can_be_read(running: Running) -> None:
    put(running, "read", TEA)
    put(running, "read", GREEN)
    current = running.client.get("/v1/graphs/read").json()
    first = running.client.get("/v1/graphs/read?version=1").json()
    assert (current["version"], first["version"]) == (2, 1)
    assert graph_from_json(first["graph"]) == TEA
    assert graph_from_json(current["graph"]) == GREEN
    assert running.client.get("/v1/graphs/read?version=3").status_code == 404
    listed = running.client.get("/v1/graphs").json()["graphs"]
    assert {entry["name"]: entry["version"] for entry in listed}["read"] == 2


NO_GRAPHS: dict[str, tuple[Any, int, str]] = {
    "a list": ([1, 2], 422, "stepgraph-graph"),
    "another format": ({"format": "stepgraph-demonstrations"}, 422, "stepgraph-graph"),
    "a newer version": (
        {"format": "stepgraph-graph", "version": 9},
        422,
        "install a newer stepgraph",
    ),
    "a cycle": (
        {
            "format": "stepgraph-graph",
            "version": 1,
            "steps": ["a", "b"],
            "edges": [{"step": "a", "needs": "b"}, {"step": "b", "needs": "a"}],
        },
        422,
        "need each other",
    ),
    "an edge to nowhere": (
        {
            "format": "stepgraph-graph",
            "version": 1,
            "steps": ["a"],
            "edges": [{"step": "a", "needs": "q"}],
        },
        422,
        "'q'",
    ),
    "too many steps": (
        {
            "format": "stepgraph-graph",
            "version": 1,
            "steps": list(map(str, range(2000))),
            "edges": [],
        },
        422,
        "2000 steps; at most 1000",
    ),
    "too long a name": (graph_to_json(TaskGraph(["x" * 201], [])), 422, "201 characters"),
    "a null character": (graph_to_json(TaskGraph(["a\x00b"], [])), 422, "null character"),
    "half a character": (
        {"format": "stepgraph-graph", "version": 1, "steps": ["\ud800"], "edges": []},
        422,
        "half of a character",
    ),
}


@pytest.mark.parametrize("case", NO_GRAPHS)
def test_what_is_no_graph_is_refused_and_the_current_one_stays(case: str, running: Running) -> None:
    content, status, says = NO_GRAPHS[case]
    body = json.dumps(content)
    answer = running.client.put(
        "/v1/graphs/batter", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == status, answer.text
    assert says in answer.json()["detail"]
    kept = running.client.get("/v1/graphs/batter").json()
    assert (kept["version"], graph_from_json(kept["graph"])) == (1, BATTER)


def test_names_of_graphs_that_could_be_paths_are_refused(running: Running) -> None:
    for name in ("..", "%2e%2e%2fetc", ".hidden", "a%20b", "x" * 65, "a%00"):
        answer = running.client.put(f"/v1/graphs/{name}", json=graph_to_json(TEA))
        assert answer.status_code in (404, 405, 422), name
    assert running.client.get("/v1/graphs/..%2f..%2fetc%2fpasswd").status_code == 404


def test_a_folder_of_graphs_is_served_by_the_files_names(tmp_path: Path) -> None:
    folder = tmp_path / "graphs"
    folder.mkdir()
    save_graph(TEA, folder / "green tea.graph.json")
    save_graph(BATTER, folder / "batter.json")
    (folder / "as a process.bpmn").write_text(to_bpmn(TEA))
    (folder / "as a net.pnml").write_text(to_pnml(TEA))
    (folder / "notes.txt").write_text("no graph")
    recordings = demonstrations_to_json(Demonstrations.from_steps(["ab"]))
    (folder / "batter.graph.json").write_text(dump_json(recordings))
    tables = connector(f"sqlite:///{tmp_path / 's.db'}")()
    tables.create()
    store_files(tables, read_files([folder], Limits()))
    assert [row.name for row in tables.graphs()] == [
        "as-a-net",
        "as-a-process",
        "batter",
        "green-tea",
    ]
    tables.close()


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    save_graph(TEA, tmp_path / "tea.json")
    save_graph(BATTER, tmp_path / "tea.graph.json")
    with pytest.raises(InputError, match="has the same name 'tea'"):
        read_files([tmp_path], Limits())
