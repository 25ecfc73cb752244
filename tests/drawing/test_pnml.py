from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.drawing.pnml import to_pnml
from stepgraph.errors import GraphError
from stepgraph.graph import TaskGraph
from stepgraph.graph.attributes import StepAttributes
from tests.strategies import task_graphs

from .strategies import task_graphs as named_graphs
from .token_game import PNML, orders_of_net, valid_complete_orders


@st.composite
def small_graphs(draw: st.DrawFn) -> TaskGraph:
    graph = draw(task_graphs(max_steps=5) | named_graphs(max_steps=4, endings=st.just("")))
    some = draw(st.lists(st.sampled_from(graph.steps), unique=True, max_size=2))
    return graph.replace(attributes=dict.fromkeys(some, StepAttributes(optional=True)))


@given(small_graphs())
@settings(deadline=None, max_examples=60)
def test_the_runs_of_the_net_are_the_valid_orders_of_the_graph(graph: TaskGraph) -> None:
    assert orders_of_net(to_pnml(graph)) == valid_complete_orders(graph)


@given(named_graphs(connected=False, endings=st.just(""), max_steps=4))
@settings(deadline=None, max_examples=30)
def test_so_they_are_where_steps_are_not_connected_to_the_ends(graph: TaskGraph) -> None:
    assert orders_of_net(to_pnml(graph)) == valid_complete_orders(graph)


@given(task_graphs())
@settings(deadline=None, max_examples=30)
def test_it_is_a_workflow_net(graph: TaskGraph) -> None:
    root = ET.fromstring(to_pnml(graph).encode())  # noqa: S314 - our own file
    places = {place.attrib["id"] for place in root.iter(f"{PNML}place") if "id" in place.attrib}
    arcs = [(arc.attrib["source"], arc.attrib["target"]) for arc in root.iter(f"{PNML}arc")]
    assert places - {target for _, target in arcs} == {"source"}
    assert places - {source for source, _ in arcs} == {"sink"}


@given(task_graphs())
@settings(deadline=None, max_examples=30)
def test_no_two_nodes_are_in_the_same_spot(graph: TaskGraph) -> None:
    root = ET.fromstring(to_pnml(graph).encode())  # noqa: S314 - our own file
    spots = [(spot.attrib["x"], spot.attrib["y"]) for spot in root.iter(f"{PNML}position")]
    assert len(set(spots)) == len(spots) > 0


def test_silent_transitions_are_marked_as_prom_does_and_have_no_name() -> None:
    root = ET.fromstring(to_pnml(TaskGraph.from_preconditions({"mix": []})).encode())  # noqa: S314
    silent = [
        transition.attrib["id"]
        for transition in root.iter(f"{PNML}transition")
        if transition.find(f"{PNML}toolspecific[@activity='$invisible$']") is not None
    ]
    assert silent == ["t0", "t2"]


def test_what_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(GraphError, match="which PNML cannot hold"):
        to_pnml(TaskGraph.from_preconditions({"mix\x00": []}))


def test_a_graph_without_steps_is_refused() -> None:
    with pytest.raises(GraphError, match="the graph has no steps, which PNML cannot say"):
        to_pnml(TaskGraph([], []))
