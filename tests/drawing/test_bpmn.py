from __future__ import annotations

from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.drawing.bpmn import to_bpmn
from stepgraph.errors import GraphError
from stepgraph.graph import TaskGraph
from stepgraph.graph.attributes import StepAttributes
from tests.strategies import task_graphs

from .strategies import task_graphs as named_graphs
from .test_pnml import small_graphs
from .token_game import BPMN, orders_of_process, valid_complete_orders

DI = "{http://www.omg.org/spec/BPMN/20100524/DI}"
BOUNDS = "{http://www.omg.org/spec/DD/20100524/DC}Bounds"
WAYPOINT = "{http://www.omg.org/spec/DD/20100524/DI}waypoint"

Rectangle = tuple[float, float, float, float]  # left, top, right, bottom


@st.composite
def large_graphs(draw: st.DrawFn) -> TaskGraph:
    graph = draw(task_graphs() | named_graphs(connected=False, endings=st.just("")))
    some = draw(st.lists(st.sampled_from(graph.steps), unique=True, max_size=3))
    return graph.replace(attributes=dict.fromkeys(some, StepAttributes(optional=True)))


def boxes(root: ET.Element) -> dict[str, Rectangle]:
    found = {}
    for shape in root.iter(f"{DI}BPMNShape"):
        bounds = shape.find(BOUNDS)
        assert bounds is not None
        x, y, width, height = (float(bounds.attrib[n]) for n in ("x", "y", "width", "height"))
        found[shape.attrib["bpmnElement"]] = (x, y, x + width, y + height)
    return found


def lines(root: ET.Element) -> dict[str, list[tuple[float, float]]]:
    return {
        edge.attrib["bpmnElement"]: [
            (float(point.attrib["x"]), float(point.attrib["y"])) for point in edge.iter(WAYPOINT)
        ]
        for edge in root.iter(f"{DI}BPMNEdge")
    }


def passes_through(one: tuple[float, float], other: tuple[float, float], box: Rectangle) -> bool:
    """Return whether a line has a part strictly inside of a box."""
    first, last = 0.0, 1.0
    for axis in (0, 1):
        low, high = box[axis] + 0.5, box[axis + 2] - 0.5
        start, way = one[axis], other[axis] - one[axis]
        if not way:
            if not low < start < high:
                return False
            continue
        near, far = sorted(((low - start) / way, (high - start) / way))
        first, last = max(first, near), min(last, far)
    return first < last


@given(small_graphs())
@settings(deadline=None, max_examples=60)
def test_the_runs_of_the_process_are_the_valid_orders_of_the_graph(graph: TaskGraph) -> None:
    assert orders_of_process(to_bpmn(graph)) == valid_complete_orders(graph)


@given(large_graphs())
@settings(deadline=None, max_examples=40)
def test_no_two_boxes_overlap_and_no_line_runs_through_a_box(graph: TaskGraph) -> None:
    root = ET.fromstring(to_bpmn(graph).encode())  # noqa: S314 - our own file
    drawn = boxes(root)
    for one, other in combinations(drawn.values(), 2):
        assert one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
    for points in lines(root).values():
        for one_end, other_end in pairwise(points):
            assert not any(passes_through(one_end, other_end, box) for box in drawn.values())


@given(large_graphs())
@settings(deadline=None, max_examples=40)
def test_everything_is_drawn_and_every_line_joins_its_boxes(graph: TaskGraph) -> None:
    root = ET.fromstring(to_bpmn(graph).encode())  # noqa: S314 - our own file
    (process,) = root.iter(f"{BPMN}process")
    flows = {flow.attrib["id"]: flow for flow in process.iter(f"{BPMN}sequenceFlow")}
    nodes = {node.attrib["id"] for node in process} - flows.keys()
    drawn, ways = boxes(root), lines(root)
    assert drawn.keys() == nodes
    assert ways.keys() == flows.keys()
    for id_, points in ways.items():
        ends = (points[0], "sourceRef"), (points[-1], "targetRef")
        for (x, y), end in ends:
            left, top, right, bottom = drawn[flows[id_].attrib[end]]
            assert x in (left, right) or y in (top, bottom)
            assert left <= x <= right
            assert top <= y <= bottom


@given(large_graphs())
@settings(deadline=None, max_examples=40)
def test_nodes_list_the_flows_that_come_and_go_and_ids_are_used_once(graph: TaskGraph) -> None:
    root = ET.fromstring(to_bpmn(graph).encode())  # noqa: S314 - our own file
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(set(ids)) == len(ids)
    for flow in root.iter(f"{BPMN}sequenceFlow"):
        for end, side in (("sourceRef", "outgoing"), ("targetRef", "incoming")):
            (node,) = root.findall(f".//*[@id='{flow.attrib[end]}']")
            assert flow.attrib["id"] in [entry.text for entry in node.findall(f"{BPMN}{side}")]


def test_one_line_needs_no_gateway() -> None:
    text = to_bpmn(TaskGraph.from_preconditions({"b": ["a"], "c": ["b"]}))
    assert "Gateway" not in text


def test_what_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(GraphError, match="which BPMN cannot hold"):
        to_bpmn(TaskGraph.from_preconditions({"mix": []}, procedure="\x01"))


def test_a_graph_without_steps_is_refused() -> None:
    with pytest.raises(GraphError, match="the graph has no steps, which BPMN cannot say"):
        to_bpmn(TaskGraph([], []))
