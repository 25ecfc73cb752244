from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings

from stepgraph.errors import SettingError
from stepgraph.formats.dot import to_dot
from stepgraph.graph import TaskGraph
from stepgraph.layout.text import printable
from tests.drawing.strategies import NASTY, task_graphs

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|->|[\[\]{}=;,]|[A-Za-z0-9_.]+)', re.DOTALL)


def parse_dot(text: str) -> tuple[dict[str, dict[str, str]], dict[tuple[str, str], dict[str, str]]]:
    """Return the nodes and edges of a DOT file, with their attributes."""
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
    edges: dict[tuple[str, str], dict[str, str]] = {}
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
            edges[words[0], words[2]] = attributes
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


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_reads_the_file() -> None:
    dot = shutil.which("dot")
    assert dot is not None
    text = to_dot(TaskGraph.from_preconditions({name: [] for name in NASTY}))
    done = subprocess.run([dot, "-Tplain"], input=text, capture_output=True, text=True, check=True)
    assert done.stdout.count("\nnode ") == len(NASTY) + 2
