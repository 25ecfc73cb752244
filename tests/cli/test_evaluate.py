from __future__ import annotations

import pytest

from tests.cli.running import Put, Run
from tests.cli.samples import graph_json, known_graph

GUESS = graph_json(
    [
        ("slice bread", "START"),
        ("wash lettuce", "slice bread"),
        ("stack", "wash lettuce"),
        ("eat", "stack"),
        ("END", "eat"),
    ]
)


def test_a_graph_agrees_with_itself(stepgraph: Run, graph: str) -> None:
    result = stepgraph("evaluate", graph, graph)
    assert (result.code, result.err) == (0, "")
    assert result.lines[0].split() == ["precision", "recall", "F1"]
    assert result.lines[2].split() == [graph, "100.0", "100.0", "100.0"]
    assert result.lines[3].startswith("control: no order")
    assert len(result.lines) == 4


def test_wrong_and_missing_edges_are_named(stepgraph: Run, graph: str, put: Put) -> None:
    result = stepgraph("evaluate", put("guess.json", GUESS), graph)
    assert result.lines[2].split() == ["guess.json", "80.0", "66.7", "72.7"]
    assert result.lines[4:] == [
        "spurious: 'wash lettuce' needs 'slice bread'",
        "missing: 'wash lettuce' needs 'START'",
        "missing: 'stack' needs 'slice bread'",
    ]


def test_json_has_fractions_edges_and_the_control(stepgraph: Run, graph: str, put: Put) -> None:
    content = stepgraph("evaluate", put("guess.json", GUESS), graph, "--json").json
    assert content["precision"] == pytest.approx(4 / 5)
    assert content["recall"] == pytest.approx(4 / 6)
    assert content["spurious"] == [["wash lettuce", "slice bread"]]
    assert len(content["common"]) == 4
    assert len(content["missing"]) == 2
    assert 0 < content["control_no_order"]["f1"] < 1


def test_the_truth_may_be_in_the_authors_format(stepgraph: Run, put: Put) -> None:
    truth = put("truth.json", known_graph("ab", ["^a", "ab", "b$"]))
    chain = put("chain.json", graph_json([("a", "START"), ("b", "a"), ("END", "b")]))
    assert stepgraph("evaluate", chain, truth, "--json").json["f1"] == 1.0
