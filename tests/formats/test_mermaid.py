from __future__ import annotations

import re

from hypothesis import given, settings

from stepgraph.formats.drawn_rules import drawn_rules
from stepgraph.formats.mermaid import to_mermaid
from stepgraph.graph import TaskGraph
from stepgraph.layout.text import printable
from tests.drawing.strategies import strange_graphs_with_rules, task_graphs

NODE = re.compile(r'  n(\d+)(?:\["([^"]*)"\]|\(\["([^"]*)"\]\))')
EDGE = re.compile(r"  n(\d+) --> n(\d+)")
WORD = re.compile(r'  (r\d+)(?:\{\{|\()"([^"]*)"(?:\}\}|\))')
TIE = re.compile(r"  (\w+) -\.- (\w+)")
RULE = re.compile(r"  (n\d+) -\.->\|([a-z ]+)\| (n\d+)")


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


@given(strange_graphs_with_rules())
@settings(deadline=None)
def test_solid_arrows_are_the_preconditions_and_dotted_lines_the_rules(graph: TaskGraph) -> None:
    names = graph.vocabulary.nodes
    edges, words, ties, arrows = set(), {}, set(), set()
    for line in to_mermaid(graph).splitlines()[2:]:
        if edge := EDGE.fullmatch(line):
            edges.add((names[int(edge[2])], names[int(edge[1])]))
        elif word := WORD.fullmatch(line):
            words[word[1]] = word[2].replace("#58;", ":")
        elif tie := TIE.fullmatch(line):
            ties.add(frozenset(tie.groups()))
        elif rule := RULE.fullmatch(line):
            arrows.add(rule.groups())
        else:
            assert NODE.fullmatch(line) or line.startswith("  style n"), line
    assert edges == set(graph.edges)
    rules = {f"r{number}": rule for number, rule in enumerate(drawn_rules(graph), start=1)}
    assert words == {key: rule.word for key, rule in rules.items() if rule.step is None}
    assert ties == {
        frozenset((key, f"n{other}"))
        for key, rule in rules.items()
        if rule.step is None
        for other in rule.others
    }
    assert arrows == {
        (f"n{rule.step}", rule.word, f"n{other}")
        for rule in rules.values()
        if rule.step is not None
        for other in rule.others
    }


def test_nothing_in_a_label_means_something_to_mermaid() -> None:
    graph = TaskGraph.from_preconditions({'1. <b>"x"</b> `y` #35; \\n': [], "- z": []})
    text = to_mermaid(graph)
    label = "1#46; #60;b#62;#34;x#34;#60;/b#62; #96;y#96; #35;35#59; #92;n"
    assert f'  n1["{label}"]' in text
    assert '  n2["#45; z"]' in text
