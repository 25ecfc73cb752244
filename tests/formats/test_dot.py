from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings

from stepgraph.errors import SettingError
from stepgraph.formats.dot import to_dot
from stepgraph.formats.drawn_rules import drawn_rules
from stepgraph.graph import Choice, TaskGraph, Undoing
from stepgraph.layout.text import printable
from tests.drawing.strategies import NASTY, strange_graphs_with_rules, task_graphs

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|->|[\[\]{}=;,]|[A-Za-z0-9_.]+)', re.DOTALL)


needs_graphviz = pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")


def run_graphviz(output: str, text: str) -> str:
    dot = shutil.which("dot")
    assert dot is not None
    done = subprocess.run([dot, output], input=text, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout


def parse_dot(text: str) -> tuple[dict[str, dict[str, str]], dict[tuple[str, str], dict[str, str]]]:
    """Return the nodes and edges of a DOT file, with their attributes."""
    nodes, lines = parse_lines(text)
    return nodes, {(one, other): look for one, other, look in lines}


def parse_lines(
    text: str,
) -> tuple[dict[str, dict[str, str]], list[tuple[str, str, dict[str, str]]]]:
    """As `parse_dot`; two nodes may have several lines between them."""
    tokens: list[str] = []
    position = 0
    text = text.rstrip()
    while position < len(text):
        match = TOKEN.match(text, position)
        assert match is not None, f"no token at {text[position : position + 20]!r}"
        tokens.append(match[1])
        position = match.end()
    assert tokens[:2] == ["digraph", "{"]
    assert tokens[-1] == "}"
    nodes: dict[str, dict[str, str]] = {}
    edges: list[tuple[str, str, dict[str, str]]] = []
    words: list[str] = []
    for word in tokens[2:-1]:
        if word in ("{", "}"):
            continue
        if word != ";":
            words.append(word)
            continue
        attributes = {
            words[place - 1]: words[place + 1] for place, sign in enumerate(words) if sign == "="
        }
        if "->" in words:
            edges.append((words[0], words[2], attributes))
        elif words[0] != "rank" and attributes:
            nodes[words[0]] = attributes
        words = []
    return nodes, edges


def label_text(quoted: str) -> str:
    """Return what Graphviz shows for a label."""
    meaning = {"n": "\n", "\\": "\\", '"': '"'}
    text = re.sub(r"\\(.)", lambda match: meaning[match[1]], quoted[1:-1])
    assert not re.search(r"&(?!amp;)", text)
    return text.replace("&amp;", "&")


@given(task_graphs(connected=False))
@settings(deadline=None)
def test_reading_the_file_gives_the_edges_and_names_back(graph: TaskGraph) -> None:
    nodes, edges = parse_dot(to_dot(graph))
    names = graph.vocabulary.nodes
    assert {(names[int(a[1:])], names[int(b[1:])]) for a, b in edges} == set(graph.edges)
    for node, name in enumerate(names):
        shown = label_text(nodes[f"n{node}"]["label"])
        expected = "".join(map(printable, name.split("\n")))
        assert "".join(shown.split()) == "".join(expected.split())


@pytest.mark.parametrize(("direction", "rankdir"), [("BT", "TB"), ("LR", "RL")])
def test_graphviz_is_told_the_opposite_direction_because_edges_point_back(
    direction: Any, rankdir: str
) -> None:
    graph = TaskGraph.from_preconditions({"mix": ["crack egg"]})
    text = to_dot(graph, direction=direction)
    assert parse_dot(text)[0]["graph"]["rankdir"] == rankdir
    assert "  n2 -> n1;\n" in text


def test_another_direction_is_refused() -> None:
    direction: Any = "TB"
    with pytest.raises(SettingError, match="'TB'"):
        to_dot(TaskGraph.from_preconditions({"mix": []}), direction=direction)


def test_weights_are_tooltips_and_thickness() -> None:
    weights = {("c", "a"): 0.5, ("c", "b"): 0.25}
    graph = TaskGraph("abc", [("c", "a"), ("c", "b"), ("END", "c")], weights=weights)
    _, edges = parse_dot(to_dot(graph))
    assert edges["n3", "n1"] == {"tooltip": '"0.5"', "penwidth": "3.00"}
    assert edges["n3", "n2"] == {"tooltip": '"0.25"', "penwidth": "2.00"}
    assert edges["n4", "n3"] == {}


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf")])
def test_odd_weights_give_a_plain_line(weight: float) -> None:
    graph = TaskGraph("ab", [("b", "a")], weights={("b", "a"): weight})
    assert parse_dot(to_dot(graph))[1]["n2", "n1"]["penwidth"] == "1.00"


def test_long_names_are_wrapped_and_the_procedure_is_the_title() -> None:
    graph = TaskGraph.from_preconditions({"stir " * 20: []}, procedure='the "best" soup')
    nodes, _ = parse_dot(to_dot(graph))
    assert max(map(len, label_text(nodes["n1"]["label"]).split("\n"))) <= 28
    assert label_text(nodes["graph"]["label"]) == 'the "best" soup'


@given(strange_graphs_with_rules())
@settings(deadline=None)
def test_plain_edges_are_the_preconditions_and_the_others_are_rules(graph: TaskGraph) -> None:
    nodes, lines = parse_lines(to_dot(graph))
    names = graph.vocabulary.nodes
    plain = {(names[int(a[1:])], names[int(b[1:])]) for a, b, look in lines if "class" not in look}
    assert plain == set(graph.edges)
    expected = set()
    for number, rule in enumerate(drawn_rules(graph), start=1):
        if rule.step is None:
            assert nodes[f"r{number}"]["label"] == f'"{rule.word}"'
            expected |= {(f"n{other}", f"r{number}", "") for other in rule.others}
        else:
            expected |= {(f"n{rule.step}", f"n{other}", f'"{rule.word}"') for other in rule.others}
    ruled = [(a, b, look) for a, b, look in lines if "class" in look]
    assert {(a, b, look.get("label", "")) for a, b, look in ruled} == expected
    assert all(look["style"] in ("dashed", "dotted") for _, _, look in ruled)
    assert all(look.get("constraint", look.get("dir")) in ("false", "none") for *_, look in ruled)


@needs_graphviz
def test_graphviz_reads_rules_as_they_are_meant() -> None:
    graph = TaskGraph.from_preconditions({"repair": ["test"], "ship": ["test"]}).replace(
        choices=[Choice([["repair"], ["ship"]])], undoings=[Undoing("repair", ["test"])]
    )
    found = json.loads(run_graphviz("-Tdot_json", to_dot(graph)))
    ids = {node["_gvid"]: node["name"] for node in found["objects"]}
    lines = {(ids[e["tail"]], ids[e["head"]], e.get("class", "")) for e in found["edges"]}
    assert {(a, b) for a, b, kind in lines if not kind} == {
        (f"n{graph.vocabulary.node(a)}", f"n{graph.vocabulary.node(b)}") for a, b in graph.edges
    }
    assert {line for line in lines if line[2]} == {
        ("n2", "r1", "choice"),
        ("n3", "r1", "choice"),
        ("n2", "n1", "undoes"),
    }


@needs_graphviz
def test_graphviz_reads_the_file() -> None:
    text = to_dot(TaskGraph.from_preconditions({name: [] for name in NASTY}))
    assert run_graphviz("-Tplain", text).count("\nnode ") == len(NASTY) + 2
