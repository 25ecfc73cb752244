from __future__ import annotations

import io

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.errors import GraphError
from stepgraph.formats.graphml import to_graphml
from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes
from tests.drawing.strategies import task_graphs
from tests.formats.strategies import XML_TEXT


def read_back(text: str) -> TaskGraph:
    return TaskGraph.from_networkx(nx.read_graphml(io.BytesIO(text.encode())))


@given(task_graphs(endings=XML_TEXT, connected=False), st.floats(-9, 9))
@settings(deadline=None)
def test_reading_back_gives_an_equal_graph(graph: TaskGraph, weight: float) -> None:
    weights = dict.fromkeys(graph.edges[:2], weight)
    graph = TaskGraph(graph.steps, graph.edges, weights=weights, procedure="soup <1>")
    back = read_back(to_graphml(graph))
    assert back == graph
    assert back.steps == graph.steps
    assert back.weights == graph.weights
    assert back.procedure == graph.procedure


def test_which_steps_are_optional_or_repeatable_is_kept() -> None:
    graph = TaskGraph.from_preconditions({"stir": ["pour"], "drink": ["stir"]}).replace(
        attributes={
            "pour": StepAttributes(0.75, repeatable=True),
            "stir": StepAttributes(optional=True),
            "drink": StepAttributes(0.9),
        }
    )
    back = read_back(to_graphml(graph))
    assert back.optional_steps == ("stir",)
    assert back.attributes == {
        "pour": StepAttributes(repeatable=True),
        "stir": StepAttributes(optional=True),
    }


def test_what_holds_for_every_node_may_be_said_once_and_is_not_of_the_ends() -> None:
    graph = nx.DiGraph([("END", "stir"), ("stir", "pour"), ("pour", "START")])
    graph.graph["node_default"] = {"optional": True}
    graph.nodes["pour"]["optional"] = False
    assert TaskGraph.from_networkx(graph).optional_steps == ("stir",)


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\ud800", "\uffff"])
def test_what_xml_cannot_hold_is_refused(character: str) -> None:
    graph = TaskGraph.from_preconditions({f"mix{character}": []})
    with pytest.raises(GraphError, match="which GraphML cannot hold"):
        to_graphml(graph)


@pytest.mark.parametrize("character", ["\x00", "\r"])
def test_a_procedure_that_would_be_changed_is_refused(character: str) -> None:
    graph = TaskGraph.from_preconditions({"mix": []}, procedure=f"soup{character}")
    with pytest.raises(GraphError, match="procedure"):
        to_graphml(graph)
