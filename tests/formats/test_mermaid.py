from __future__ import annotations

import re

from hypothesis import given, settings

from stepgraph.formats.mermaid import to_mermaid
from stepgraph.graph import TaskGraph
from stepgraph.layout.text import printable
from tests.drawing.strategies import task_graphs

NODE = re.compile(r'  n(\d+)(?:\["([^"]*)"\]|\(\["([^"]*)"\]\))')
EDGE = re.compile(r"  n(\d+) --> n(\d+)")


@given(task_graphs(connected=False))
@settings(deadline=None)
def test_reading_the_file_gives_the_edges_and_names_back(graph: TaskGraph) -> None:
    text = to_mermaid(graph)
    assert text.endswith("\n")
    head, comment, *body = text.removesuffix("\n").split("\n")
    assert head == "flowchart BT"
    assert comment.startswith("  %%")
    names = graph.vocabulary.nodes
    labels: dict[int, str] = {}
    edges = set()
    for line in body:
        if node := NODE.fullmatch(line):
            labels[int(node[1])] = node[2] or node[3]
        else:
            edge = EDGE.fullmatch(line)
            assert edge is not None, line
            edges.add((names[int(edge[2])], names[int(edge[1])]))
    assert edges == set(graph.edges)
    for node_number, name in enumerate(names):
        shown = labels[node_number].replace("<br/>", "\n")
        shown = re.sub(r"#(\d+);", lambda match: chr(int(match[1])), shown)
        expected = "".join(map(printable, name.split("\n")))
        assert "".join(shown.split()) == "".join(expected.split())


def test_nothing_in_a_label_means_something_to_mermaid() -> None:
    graph = TaskGraph.from_preconditions({'1. <b>"x"</b> `y` #35; \\n': [], "- z": []})
    text = to_mermaid(graph)
    label = "1#46; #60;b#62;#34;x#34;#60;/b#62; #96;y#96; #35;35#59; #92;n"
    assert f'  n1["{label}"]' in text
    assert '  n2["#45; z"]' in text
