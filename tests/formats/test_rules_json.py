"""Choices and undoing in stepgraph's own JSON, and in formats that cannot say them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from stepgraph.errors import FormatError, GraphError
from stepgraph.formats.graphml import to_graphml
from stepgraph.formats.stepgraph_json import graph_from_json, graph_to_json, to_json
from stepgraph.graph import Choice, RuleEvidence, StepAttributes, TaskGraph, Undoing
from tests.strategies import graphs_with_rules

SEEN = RuleEvidence((86, 14), 0, 100, probability=0.99)
GRAPH = TaskGraph(
    "abcd",
    [],
    choices=[Choice([["a", "b"], ["c"]], optional=True, evidence=SEEN)],
    undoings=[Undoing("d", ["a"], RuleEvidence((3,), 0.5, 7))],
)


def test_rules_survive_with_their_evidence() -> None:
    again = graph_from_json(json.loads(to_json(GRAPH)))
    assert (again.choices, again.undoings) == (GRAPH.choices, GRAPH.undoings)


@given(graphs_with_rules())
def test_every_rule_survives(graph: TaskGraph) -> None:
    again = graph_from_json(json.loads(to_json(graph)))
    assert (again.choices, again.undoings) == (graph.choices, graph.undoings)
    assert again.attributes == graph.attributes
    assert again.semantics == graph.semantics


def test_a_file_of_the_first_version_is_read() -> None:
    content = graph_to_json(TaskGraph("ab", [("b", "a")])) | {"version": 1}
    assert graph_from_json(content).choices == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"choices": {}}, "'choices' is"),
        ({"choices": [{"optional": True}]}, "choice 1 has 'optional'; expected 'alternatives'"),
        ({"choices": [{"alternatives": "ab"}]}, "choice 1: 'alternatives' is"),
        ({"choices": [{"alternatives": [["a"], ["b"]], "optional": 1}]}, "expected true or false"),
        ({"choices": [{"alternatives": [["a"]]}]}, "choice 1: a choice has 1 alternative"),
        ({"undoings": [{"step": "a"}]}, "undoing 1 has 'step'; expected 'step' and 'undone'"),
        ({"undoings": [3]}, "undoing 1 is"),
        (
            {"undoings": [{"step": "a", "undone": ["b"], "evidence": {"held": [1]}}]},
            "'evidence' has 'held'; expected 'broken' and 'held' and 'recordings'",
        ),
    ],
)
def test_rules_are_read_strictly(change: dict[str, Any], said: str) -> None:
    with pytest.raises((FormatError, GraphError), match=said):
        graph_from_json(graph_to_json(GRAPH) | change)


@pytest.mark.parametrize(
    "graph",
    [
        TaskGraph("ab", [], choices=[Choice([["a"], ["b"]])]),
        TaskGraph("abc", [], undoings=[Undoing("a", ["b"])]),
        TaskGraph("ab", [], attributes={"a": StepAttributes(goes_with=("b",))}),
    ],
)
def test_a_format_that_cannot_say_a_rule_refuses_it_by_name(graph: TaskGraph) -> None:
    with pytest.raises(GraphError, match=r"'a'.*'b'.*write it as \.json"):
        to_graphml(graph)
