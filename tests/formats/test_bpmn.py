"""BPMN: what is read from it, and what is written."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stepgraph.errors import FormatError, GraphError
from stepgraph.formats import graph_text, read_graph
from stepgraph.formats.bpmn import graph_from_bpmn, to_bpmn
from stepgraph.graph import Choice, StepAttributes, TaskGraph, Undoing, connect_ends
from stepgraph.graph.rules import rules_in_words
from tests.formats.languages import (
    graphs_of_blocks,
    sequences_of_graph,
    sequences_of_process,
)
from tests.formats.strategies import GRAPHS, XML_TEXT, large_graphs, small_graphs
from tests.formats.token_game import BPMN, orders_of_process, valid_complete_orders

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
KINDS = {"s": "startEvent", "e": "endEvent", "p": "parallelGateway", "x": "exclusiveGateway"}


def process(flows: Iterable[str], *, more: str = "", name: str = "") -> str:
    """Return a process from flows such as "s>A": capitals are tasks, p1 is a parallel gateway."""
    pairs = [flow.split(">") for flow in flows]
    lines = []
    for node in dict.fromkeys(node for pair in pairs for node in pair):
        kind = KINDS.get(node[0], "userTask")
        label = f' name="do {node}"' if node.isupper() else ""
        lines.append(f'<{kind} id="{node}"{label}></{kind}>')
    lines += [
        f'<sequenceFlow id="f{number}" sourceRef="{source}" targetRef="{target}"/>'
        for number, (source, target) in enumerate(pairs)
    ]
    inside = "\n".join([*lines, more])
    return (
        f'<definitions xmlns="{MODEL}">\n<collaboration id="c"/>\n'
        f'<process id="p"{name}>\n{inside}\n</process></definitions>\n'
    )


CHAIN = ["s>A", "A>B", "B>e"]
DIAMOND = ["s>p1", "p1>A", "p1>B", "A>p2", "B>p2", "p2>C", "C>e"]
MAYBE = ["s>x1", "x1>A", "A>x2", "x1>x2", "x2>B", "B>e"]


@given(GRAPHS, XML_TEXT)
@settings(deadline=None, max_examples=30)
def test_what_is_written_comes_back(graph: TaskGraph, name: str) -> None:
    graph = graph.replace(procedure=name)
    back = graph_from_bpmn(to_bpmn(graph), "stem")
    connected = TaskGraph(graph.steps, connect_ends(graph.steps, graph.edges))
    assert back == connected
    assert back.steps == graph.steps
    assert back.optional_steps == graph.optional_steps
    assert back.procedure == (name.strip() or "stem")


def test_gateways_join_what_is_before_to_what_is_after() -> None:
    graph = graph_from_bpmn(process(DIAMOND, name=' name="tea"'), "stem")
    assert graph == TaskGraph.from_preconditions({"do C": ["do A", "do B"]})
    assert graph.procedure == "tea"


def test_several_flows_out_of_a_task_and_several_ends_are_parallel() -> None:
    graph = graph_from_bpmn(process(["s>A", "A>B", "A>C", "B>e1", "C>e2"]), "")
    assert graph == TaskGraph.from_preconditions({"do B": ["do A"], "do C": ["do A"]})


def test_a_task_with_a_line_past_it_is_optional() -> None:
    graph = graph_from_bpmn(process(MAYBE), "")
    assert graph == TaskGraph.from_preconditions({"do B": ["do A"]})
    assert graph.optional_steps == ("do A",)


def test_exclusive_gateways_make_a_choice() -> None:
    flows = ["s>x1", "x1>A", "x1>B", "B>C", "A>x2", "C>x2", "x2>D", "D>e"]
    graph = graph_from_bpmn(process(flows), "")
    assert [str(choice) for choice in graph.choices] == ["one of 'do A', or 'do B' and 'do C'"]
    assert set(graph.preconditions_of("do D")) == {"do A", "do C"}


def test_alternatives_may_have_ends_of_their_own() -> None:
    graph = graph_from_bpmn(process(["s>x1", "x1>A", "x1>B", "A>e1", "B>e2"]), "")
    assert [str(choice) for choice in graph.choices] == ["one of 'do A' or 'do B'"]


def test_a_line_past_several_tasks_makes_them_optional_together() -> None:
    flows = ["s>x1", "x1>A", "A>B", "B>x2", "x1>x2", "x2>e"]
    graph = graph_from_bpmn(process(flows), "")
    assert graph.optional_steps == ("do A", "do B")
    assert not graph.is_valid(["do A"], complete=True)


def test_a_line_back_is_an_undoing() -> None:
    flows = ["s>x1", "x1>A", "A>x2", "x2>B", "B>x1", "x2>C", "C>e"]
    graph = graph_from_bpmn(process(flows), "")
    assert [str(rule) for rule in (*graph.choices, *graph.undoings)] == [
        "one of 'do B' or 'do C'",
        "'do B' undoes 'do A'",
        "'do A' undoes 'do B'",
    ]


def test_what_only_describes_is_passed_over() -> None:
    more = (
        '<laneSet id="l"/><documentation>x</documentation><dataObject id="d"/>'
        '<textAnnotation id="t"/><association id="a"/><v:own xmlns:v="urn:v"/>'
    )
    assert graph_from_bpmn(process(CHAIN, more=more), "").steps == ("do A", "do B")


def inside(node: str, child: str) -> str:
    text = process(CHAIN)
    return text.replace(f'id="{node}" name="do {node}">', f'id="{node}" name="do {node}">{child}')


REFUSED = {
    "a choice joined by a parallel gateway": (
        process(["s>x1", "x1>A", "x1>B", "A>p1", "B>p1", "p1>e"]),
        r"a choice that is no block: 2 ways after the exclusive gateway 'x1' \(line \d+\)",
    ),
    "parallel ways joined by an exclusive gateway": (
        process(["s>p1", "p1>A", "p1>B", "A>x1", "B>x1", "x1>e"]),
        "a merge that is no block: 2 ways before the exclusive gateway 'x1'",
    ),
    "parallel ways with ends of their own, beside a choice": (
        process(["s>p1", "p1>x1", "p1>B", "x1>A", "x1>C", "A>e", "B>e", "C>e"]),
        "a merge that is no block: 2 ways before the end",
    ),
    "a step repeated before another": (
        process(["s>x1", "x1>A", "A>x2", "x2>x1", "x2>B", "B>e"]),
        "'do A' may be repeated until 'do B' is done, not later",
    ),
    "a loop": (
        process(["s>p1", "p1>A", "A>p2", "p2>p1", "p2>e"]),
        "a loop, from the .* to .*without loops",
    ),
    "several flows into a task": (
        process(["s>A", "s>B", "A>C", "B>C", "C>e"]),
        "2 sequence flows lead to the user task 'do C'.*expected a parallel gateway",
    ),
    "no start": (process(["A>B", "B>e"]), "no start event"),
    "two starts": (process(["s1>A", "s2>B", "A>e", "B>e"]), "2 start events"),
    "a flow to the start": (process(["s>A", "A>s"]), "a sequence flow leads to the start event"),
    "a flow from the end": (process([*CHAIN, "e>C", "C>e2"]), "a sequence flow leaves the end"),
    "a task that nothing leads to": (
        process([*CHAIN, "C>e"]),
        "the user task 'do C' .* hangs loose: no sequence flow leads to it",
    ),
    "a task that leads nowhere": (
        process(["s>A", "A>B"]),
        "the user task 'do B' .* hangs loose: no sequence flow leads from it",
    ),
    "a task without a name": (
        process(CHAIN, more='<task id="C"/>'),
        r"the task 'C' \(line \d+\) has no name",
    ),
    "two tasks of one name": (process(CHAIN).replace("do B", "do A"), "have the same name"),
    "an id used twice": (process(CHAIN, more='<task id="A" name="x"/>'), "the id 'A' is that of"),
    "a flow's id used twice": (
        process(CHAIN, more='<sequenceFlow id="f0" sourceRef="A" targetRef="B"/>'),
        "the id 'f0' is used twice",
    ),
    "a node without an id": (process(CHAIN, more='<task name="x"/>'), "a task 'x' without an id"),
    "a flow to nowhere": (
        process(CHAIN, more='<sequenceFlow id="y" sourceRef="A" targetRef="Z"/>'),
        r"line \d+: a sequence flow whose targetRef is 'Z', which is not in the process",
    ),
    "a flow from nowhere": (
        process(CHAIN, more='<sequenceFlow id="y" targetRef="A"/>'),
        "a sequence flow whose sourceRef is none",
    ),
    "a condition": (
        process(
            CHAIN,
            more='<sequenceFlow id="y" sourceRef="A" targetRef="e"><conditionExpression/>'
            "</sequenceFlow>",
        ),
        r"line \d+: a condition on the sequence flow after the user task 'do A'",
    ),
    "a loop marker": (inside("A", "<standardLoopCharacteristics/>"), "a loop at the user task"),
    "a multi-instance task": (
        inside("A", "<multiInstanceLoopCharacteristics/>"),
        "a multi-instance loop at the user task 'do A'",
    ),
    "a terminate event": (
        process(CHAIN).replace('id="e">', 'id="e"><terminateEventDefinition/>'),
        "a terminate event at the end event 'e'",
    ),
    "compensation": (
        process(CHAIN).replace('id="A"', 'id="A" isForCompensation="true"'),
        "has isForCompensation='true'",
    ),
    "an unknown construct": (process(CHAIN, more='<wormhole id="w"/>'), "<wormhole>"),
    "two processes": (
        process(CHAIN).replace("</definitions>", '<process><task id="x"/></process></definitions>'),
        "2 processes with tasks",
    ),
    "no process": (f'<definitions xmlns="{MODEL}"/>', "no processes with tasks"),
    "another document": ("<html/>", "the element <html> of the namespace ''"),
    "another namespace": (
        process(CHAIN).replace(MODEL, "urn:x"),
        "<definitions> of the namespace 'urn:x'; expected <definitions> of BPMN 2.0",
    ),
    **{
        construct: (
            process(CHAIN, more=f'<{element} id="w" name="why"/>'),
            rf"line \d+: {construct} 'why'; expected tasks, and parallel and exclusive gateways",
        )
        for construct, element in (
            ("an inclusive gateway", "inclusiveGateway"),
            ("a complex gateway", "complexGateway"),
            ("an event-based gateway", "eventBasedGateway"),
            ("a sub-process", "subProcess"),
            ("a call of another process", "callActivity"),
            ("a boundary event", "boundaryEvent"),
            ("an intermediate event", "intermediateCatchEvent"),
        )
    },
}


@pytest.mark.parametrize("case", REFUSED)
def test_anything_else_is_refused_by_name(case: str, tmp_path: Path) -> None:
    text, message = REFUSED[case]
    path = tmp_path / "process.bpmn"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message) as refused:
        read_graph(path)
    assert str(refused.value).startswith(f"{path}: ")


@pytest.mark.parametrize("suffix", [".bpmn", ".pnml", ".graphml"])
def test_the_root_of_an_xml_file_says_what_it_is(suffix: str, tmp_path: Path) -> None:
    graph = TaskGraph.from_preconditions({"mix": ["crack egg"]})
    path = tmp_path / "some.xml"
    path.write_text(graph_text(graph, suffix), encoding="utf-8")
    assert read_graph(path) == graph
    path.write_text("<html/>", encoding="utf-8")
    with pytest.raises(FormatError, match="the element <html>; expected PNML, BPMN or GraphML"):
        read_graph(path)


def test_silent_nodes_may_not_stand_for_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepgraph.formats.process.WORK", 3)
    with pytest.raises(FormatError, match="silent nodes that stand for more than 3 pairs"):
        graph_from_bpmn(process(DIAMOND), "")


def test_a_file_too_large_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepgraph.formats.registry.MEGABYTES", 0)
    path = tmp_path / "process.bpmn"
    path.write_text(process(CHAIN), encoding="utf-8")
    with pytest.raises(FormatError, match="expected at most 0 MB"):
        read_graph(path)


@given(st.text(max_size=60), st.integers(0, 900), st.integers(0, 30))
@settings(deadline=None, max_examples=30)
def test_a_spoilt_file_is_read_or_refused(patch: str, place: int, cut: int) -> None:
    text = process(MAYBE)
    with suppress(FormatError):  # any other error fails the test
        graph_from_bpmn(text[:place] + patch + text[place + cut :], "")


DI = "{http://www.omg.org/spec/BPMN/20100524/DI}"
BOUNDS = "{http://www.omg.org/spec/DD/20100524/DC}Bounds"
WAYPOINT = "{http://www.omg.org/spec/DD/20100524/DI}waypoint"

Rectangle = tuple[float, float, float, float]  # left, top, right, bottom


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


def is_written(graph: TaskGraph) -> bool:
    try:
        to_bpmn(graph)
    except GraphError:  # a loop within a loop
        return False
    return True


@given(small_graphs())
@settings(deadline=None, max_examples=30)
def test_the_runs_of_the_process_are_the_valid_orders_of_the_graph(graph: TaskGraph) -> None:
    assert orders_of_process(to_bpmn(graph)) == valid_complete_orders(graph)


@given(large_graphs() | graphs_of_blocks(8).filter(is_written))
@settings(deadline=None, max_examples=30)
def test_no_two_boxes_overlap_and_no_line_runs_through_a_box(graph: TaskGraph) -> None:
    root = ET.fromstring(to_bpmn(graph).encode())  # noqa: S314 - our own file
    drawn = boxes(root)
    for one, other in combinations(drawn.values(), 2):
        assert one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
    for points in lines(root).values():
        for one_end, other_end in pairwise(points):
            assert not any(passes_through(one_end, other_end, box) for box in drawn.values())


@given(large_graphs() | graphs_of_blocks(8).filter(is_written))
@settings(deadline=None, max_examples=30)
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


@given(large_graphs() | graphs_of_blocks(8).filter(is_written))
@settings(deadline=None, max_examples=30)
def test_nodes_list_the_flows_that_come_and_go_and_ids_are_used_once(graph: TaskGraph) -> None:
    root = ET.fromstring(to_bpmn(graph).encode())  # noqa: S314 - our own file
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(set(ids)) == len(ids)
    for flow in root.iter(f"{BPMN}sequenceFlow"):
        for end, side in (("sourceRef", "outgoing"), ("targetRef", "incoming")):
            (node,) = root.findall(f".//*[@id='{flow.attrib[end]}']")
            assert flow.attrib["id"] in [entry.text for entry in node.findall(f"{BPMN}{side}")]


@given(graphs_of_blocks().filter(is_written))
@settings(max_examples=40)
def test_the_process_of_blocks_has_exactly_the_valid_sequences_of_the_graph(
    graph: TaskGraph,
) -> None:
    text = to_bpmn(graph)
    assume(not any(own.repeatable for own in graph.attributes.values()) or rules_in_words(graph))
    expected = sequences_of_graph(graph, 5)
    assert sequences_of_process(text, 5) == expected
    assert sequences_of_graph(graph_from_bpmn(text, ""), 5) == expected


BENCH = TaskGraph.from_preconditions(
    {"test": ["build"], "repair": ["test"], "pack": ["test"], "ship": ["pack"]}
)
UNDOINGS = [Undoing("repair", ["test"]), Undoing("test", ["repair"])]
AGAIN = Choice([["repair"], ["pack", "ship"]])
SORTING = TaskGraph.from_preconditions({"ship": ["pack"], "pack": ["check"], "scrap": ["check"]})
ROADS = TaskGraph.from_preconditions({name: ["start"] for name in ("bus", "train", "walk")})

EXPRESSED = {
    "accept or reject": SORTING.replace(choices=[Choice([["pack", "ship"], ["scrap"]])]),
    "repair or go on": BENCH.replace(choices=[AGAIN], undoings=UNDOINGS),
    "three alternatives": ROADS.replace(choices=[Choice([["bus"], ["train"], ["walk"]])]),
    "an optional choice": ROADS.replace(choices=[Choice([["bus"], ["train", "walk"]], True)]),
    "optional steps that go together": SORTING.replace(
        attributes={
            "pack": StepAttributes(optional=True, goes_with=("ship",)),
            "ship": StepAttributes(optional=True, goes_with=("pack",)),
        }
    ),
}


@pytest.mark.parametrize("case", EXPRESSED)
def test_rules_that_make_blocks_are_written_exactly(case: str) -> None:
    graph = EXPRESSED[case]
    assert sequences_of_process(to_bpmn(graph), 8) == sequences_of_graph(graph, 8) != set()


UNEXPRESSED = {
    "what is undone does not undo": (
        BENCH.replace(
            attributes={"repair": StepAttributes(optional=True, repeatable=True)},
            undoings=UNDOINGS[:1],
        ),
        "'repair' undoes 'test', which makes no block",
    ),
    "undoing that may come after what follows": (
        BENCH.replace(attributes={"repair": StepAttributes(optional=True)}, undoings=UNDOINGS),
        ", which makes no block of a process",
    ),
    "one of two goes with the other": (
        SORTING.replace(attributes={"pack": StepAttributes(goes_with=("scrap",))}),
        "'pack' goes with 'scrap', which makes no block",
    ),
    "alternatives that do not begin together": (
        SORTING.replace(choices=[Choice([["ship"], ["scrap"]])]),
        "which makes no block of a process",
    ),
}


@pytest.mark.parametrize("case", UNEXPRESSED)
def test_rules_that_make_no_blocks_are_refused_by_name(case: str) -> None:
    graph, message = UNEXPRESSED[case]
    with pytest.raises(GraphError, match=message):
        to_bpmn(graph)


def test_one_line_needs_no_gateway() -> None:
    text = to_bpmn(TaskGraph.from_preconditions({"b": ["a"], "c": ["b"]}))
    assert "Gateway" not in text


def test_what_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(GraphError, match="which BPMN cannot hold"):
        to_bpmn(TaskGraph.from_preconditions({"mix": []}, procedure="\x01"))


def test_a_graph_without_steps_is_refused() -> None:
    with pytest.raises(GraphError, match="the graph has no steps, which BPMN cannot say"):
        to_bpmn(TaskGraph([], []))
