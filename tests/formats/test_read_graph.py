from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import CycleError, FileError, FormatError, GraphError, StepgraphError
from stepgraph.formats import read_demonstrations, read_graph, save_graph
from stepgraph.formats.stepgraph_json import graph_to_json
from stepgraph.graph import TaskGraph

from .conftest import Put
from .test_contract import changed, fuzzed

TEA = TaskGraph.from_preconditions({"pour": ["boil water", "add leaves"]}, procedure="tea")
TRUTH = {
    "steps": {"0": "START", "1": "boil water", "2": "add leaves", "3": "pour", "4": "END"},
    "edges": [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4]],
}


def test_a_graph_that_stepgraph_wrote_comes_back(tmp_path: Path) -> None:
    save_graph(TEA, tmp_path / "tea.json")
    found = read_graph(tmp_path / "tea.json")
    assert found == TEA
    assert found.procedure == "tea"


def test_many_graphs_in_one_file_are_called_that(put: Put) -> None:
    line = json.dumps(graph_to_json(TaskGraph.from_preconditions({"b": ["a"]})))
    with pytest.raises(FormatError, match="2 graphs, one a line, expected one; have them written"):
        read_graph(put("graphs.jsonl", f"{line}\n{line}\n"))


def test_edges_of_ground_truth_go_from_before_to_after(put: Put) -> None:
    found = read_graph(put("tea.json", json.dumps(TRUTH)))
    assert found == TEA
    assert found.preconditions_of("pour") == ("boil water", "add leaves")
    assert found.procedure == "tea"


def test_ground_truth_without_ends_gets_them(put: Put) -> None:
    content = {"steps": {"a": "boil water", "b": "pour"}, "edges": [["a", "b"]]}
    assert read_graph(put("x.json", json.dumps(content))).edges == (
        ("boil water", "START"),
        ("pour", "boil water"),
        ("END", "pour"),
    )


@pytest.mark.parametrize("weights", [None, {("pour", "boil water"): 0.25}])
def test_graphml_comes_back(weights: dict[tuple[str, str], float] | None, tmp_path: Path) -> None:
    graph = TaskGraph(TEA.steps, TEA.edges, procedure="tea", weights=weights)
    nx.write_graphml(graph.to_networkx(), tmp_path / "x.graphml")
    found = read_graph(tmp_path / "x.graphml")
    assert found == TEA
    assert found.steps == TEA.steps
    assert found.procedure == "tea"
    assert dict(found.weights) == (weights or {})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"edges": [[1, 9]]}, "edge 1 has the id '9', which is not among the steps"),
        ({"edges": [[1]]}, r"edge 1 is \[1\]; expected \[before, after\]"),
        ({"edges": [[1, None]]}, "an id of edge 1 is null"),
        ({"edges": {}}, "'edges' is {}; expected a list"),
        ({"steps": []}, r"'steps' is \[\]; expected an object"),
        ({"steps": {"1": "a", "2": "a"}}, "the steps '1' and '2' are both labelled 'a'"),
        ({"steps": {"1": 1.5}}, "the label of step '1' is 1.5"),
    ],
)
def test_wrong_ground_truth_is_refused(change: dict[str, Any], message: str, put: Put) -> None:
    path = put("x.json", json.dumps({**TRUTH, **change}))
    with pytest.raises(FormatError, match=message) as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_cycle_is_refused_with_the_path_and_its_steps(put: Put) -> None:
    path = put("x.json", json.dumps({**TRUTH, "edges": [[1, 3], [3, 1]]}))
    with pytest.raises(CycleError) as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{path}: these steps need each other")
    assert set(caught.value.cycle) == {"boil water", "pour"}


def test_a_cycle_in_graphml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.graphml"
    nx.write_graphml(nx.DiGraph([("a", "b"), ("b", "a")]), path)
    with pytest.raises(CycleError) as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_something_before_start_is_refused(put: Put) -> None:
    with pytest.raises(GraphError, match="START comes before everything"):
        read_graph(put("x.json", json.dumps({**TRUTH, "edges": [[1, 0]]})))


@pytest.mark.parametrize(
    "text",
    ["<graphml>", "no xml", "<a/>", '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"/>'],
)
def test_broken_graphml_is_refused(text: str, put: Put) -> None:
    path = put("x.graphml", text)
    with pytest.raises(FormatError, match=r"not (GraphML|XML)") as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("name", ["x.graphml", "x.xml", "x.pnml", "x.bpmn"])
@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE g [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]>',
        '<!DOCTYPE g SYSTEM "http://127.0.0.1:9/g.dtd">',
        '<!DOCTYPE g [<!ENTITY a SYSTEM "file:///etc/hostname">]>',
    ],
    ids=["entities that grow", "a document type elsewhere", "a file as an entity"],
)
def test_xml_that_declares_a_document_type_is_refused(name: str, declared: str, put: Put) -> None:
    path = put(name, f"{declared}<graphml><graph edgedefault='directed'/></graphml>")
    with pytest.raises(FormatError, match="document type declaration"):
        read_graph(path)


def test_graphml_without_directions_is_refused(tmp_path: Path) -> None:
    nx.write_graphml(nx.Graph([("a", "b")]), tmp_path / "x.graphml")
    with pytest.raises(FormatError, match="undirected"):
        read_graph(tmp_path / "x.graphml")


@pytest.mark.parametrize("weight", ["heavy", float("inf")])
def test_graphml_with_a_weight_that_is_no_number_is_refused(weight: Any, tmp_path: Path) -> None:
    graph = nx.DiGraph()
    graph.add_edge("a", "b", weight=weight)
    nx.write_graphml(graph, tmp_path / "x.graphml")
    with pytest.raises(FormatError):
        read_graph(tmp_path / "x.graphml")


@pytest.mark.parametrize("content", ["[]", "{}", "3", '{"steps": {}}'])
def test_json_that_is_no_graph_is_refused(content: str, put: Put) -> None:
    with pytest.raises(FormatError, match="no task graph; expected"):
        read_graph(put("x.json", content))


def test_a_drawing_in_place_of_a_graph_is_refused(put: Put) -> None:
    with pytest.raises(FormatError, match=r"writes \.dot files and does not read them"):
        read_graph(put("x.dot", "digraph {}"))


def test_demonstrations_in_place_of_a_graph_are_refused(put: Put) -> None:
    with pytest.raises(FormatError, match="recordings, expected a task graph"):
        read_graph(put("x.json", '{"format": "stepgraph-demonstrations"}'))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_graph(tmp_path / "nowhere.json")


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "graph.json"


@pytest.mark.parametrize("content", [TRUTH, graph_to_json(TEA)], ids=["truth", "stepgraph"])
@fuzzed
@given(draw=st.data())
def test_a_graph_with_one_wrong_value_gives_only_errors_of_stepgraph(
    content: Any, draw: st.DataObject, scratch: Path
) -> None:
    scratch.write_text(json.dumps(changed(content, draw)))
    message = f"{scratch}: "
    try:
        read_graph(scratch)
    except StepgraphError as error:
        message = str(error)
    assert message.startswith(f"{scratch}: ")


@fuzzed
@given(draw=st.data())
def test_damaged_graphml_gives_only_errors_of_stepgraph(draw: st.DataObject, scratch: Path) -> None:
    text = "\n".join(nx.generate_graphml(TEA.to_networkx()))
    start, end = sorted(draw.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    inserted = draw.draw(st.text(alphabet='<>/"= graphnodeedgekey', max_size=8))
    path = scratch.with_suffix(".graphml")
    path.write_text(text[:start] + inserted + text[min(end, start + 12) :])
    message = f"{path}: "
    try:
        read_graph(path)
    except StepgraphError as error:
        message = str(error)
    assert message.startswith(f"{path}: ")


@pytest.mark.real_data
def test_the_24_annotated_graphs_have_the_steps_of_the_annotations(data: Path) -> None:
    folder = data / "captaincook4d"
    procedures = read_demonstrations(folder / "task_graph_generation_annotations.json").procedures
    graphs = {
        path.stem: read_graph(path) for path in (folder / "ground_truth_task_graphs").glob("*.json")
    }
    assert graphs.keys() == procedures.keys()
    for name, graph in graphs.items():
        assert set(graph.steps) == set(procedures[name].vocabulary.steps)
        assert graph.is_valid(graph.in_order(), complete=True)
