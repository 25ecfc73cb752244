"""BPMN 2.0: reads processes that are partial orders, writes task graphs with a layout.

The reader takes tasks, one start event, end events and parallel gateways. A task between two
exclusive gateways with a line past it is optional. The reader refuses any other element that steers
the flow, by name, and ignores elements that only describe it (lanes, data, notes).

The writer puts tasks between parallel gateways: one joins the preconditions of a step, another
forks to the steps that need it; a single line needs no gateway. An optional step stands between two
exclusive gateways with a line past it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from stepgraph.errors import FormatError
from stepgraph.formats.process import (
    DiagramNode,
    FlowNode,
    connect,
    ends_of,
    graph_from_flow,
    new_id,
)
from stepgraph.formats.xml_text import Element, check_characters, check_steps, escaped, parse_xml
from stepgraph.graph import TaskGraph, connect_ends
from stepgraph.layout.layers import Layout, lay_out
from stepgraph.sequences import END, START

_NAMESPACE = "http://www.omg.org/spec/BPMN/20100524/MODEL"
_TASKS = frozenset(
    {
        "task",
        "userTask",
        "manualTask",
        "serviceTask",
        "scriptTask",
        "sendTask",
        "receiveTask",
        "businessRuleTask",
    }
)
_NODES = _TASKS | {"startEvent", "endEvent", "parallelGateway", "exclusiveGateway"}
_REFUSED = {
    "inclusiveGateway": "an inclusive gateway",
    "complexGateway": "a complex gateway",
    "eventBasedGateway": "an event-based gateway",
    "subProcess": "a sub-process",
    "adHocSubProcess": "an ad-hoc sub-process",
    "transaction": "a transaction",
    "callActivity": "a call of another process",
    "boundaryEvent": "a boundary event",
    "intermediateCatchEvent": "an intermediate event",
    "intermediateThrowEvent": "an intermediate event",
    "event": "an event",
    "implicitThrowEvent": "an implicit event",
    "choreographyTask": "a choreography",
    "subChoreography": "a choreography",
    "callChoreography": "a choreography",
}
_IGNORED = frozenset(
    {
        "documentation",
        "extensionElements",
        "ioSpecification",
        "ioBinding",
        "laneSet",
        "property",
        "auditing",
        "monitoring",
        "resourceRole",
        "performer",
        "humanPerformer",
        "potentialOwner",
        "supports",
        "correlationSubscription",
        "supportedInterfaceRef",
        "artifact",
        "textAnnotation",
        "association",
        "group",
        "dataObject",
        "dataObjectReference",
        "dataStoreReference",
    }
)
_LOOPS = {
    "standardLoopCharacteristics": "a loop",
    "multiInstanceLoopCharacteristics": "a multi-instance loop",
}
_FINAL = {
    "terminateEventDefinition": "a terminate event",
    "errorEventDefinition": "an error event",
    "escalationEventDefinition": "an escalation event",
    "cancelEventDefinition": "a cancel event",
    "compensateEventDefinition": "a compensation event",
}
_ADVICE = "expected tasks and parallel gateways, which make a partial order"


def graph_from_bpmn(text: str, stem: str) -> TaskGraph:
    """Return the task graph that a process in BPMN expresses.

    Parameters
    ----------
    text
        The file's content.
    stem
        The name of the procedure if the process has none.

    Raises
    ------
    FormatError
        If the text is not BPMN 2.0, or its process is not a partial order.
    """
    root = parse_xml(text)
    if root.name != "definitions" or root.namespace != _NAMESPACE:
        raise FormatError(
            f"line {root.line}: the element <{root.name}> of the namespace {root.namespace!r}; "
            f"expected <definitions> of BPMN 2.0, {_NAMESPACE!r}"
        )
    processes = [
        process
        for process in root.all("process")
        if any(child.name in _NODES or child.name in _REFUSED for child in process.children)
    ]
    if len(processes) != 1:
        raise FormatError(
            f"{len(processes) or 'no'} processes with tasks in the file; expected one"
        )
    (process,) = processes
    nodes = _nodes(process)
    _connect(nodes, process)
    _remove_passes(nodes)
    _check(nodes)
    flow = {
        id_: FlowNode(
            node.what,
            node.name if node.kind in _TASKS else None,
            starts=node.kind == "startEvent",
            ends=node.kind == "endEvent",
            optional=node.optional,
        )
        for id_, node in nodes.items()
    }
    links = [(node.id, after) for node in nodes.values() for after in node.after]
    return graph_from_flow(flow, links, process.attributes.get("name", "").strip() or stem)


def _nodes(process: Element) -> dict[str, DiagramNode]:
    nodes: dict[str, DiagramNode] = {}
    for element in process.children:
        if element.name == "sequenceFlow" or element.name in _IGNORED:
            continue
        if element.namespace != _NAMESPACE:  # an editor's own
            continue
        name = element.attributes.get("name", "").strip()
        called = f" {name!r}" if name else ""
        if element.name in _REFUSED:
            raise FormatError(f"line {element.line}: {_REFUSED[element.name]}{called}; {_ADVICE}")
        if element.name not in _NODES:
            raise FormatError(f"line {element.line}: <{element.name}>{called}; {_ADVICE}")
        id_ = new_id(element, nodes, called)
        node = DiagramNode(id_, element.name, element.line, name)
        if node.kind in _TASKS and not name:
            raise FormatError(f"{node.what} has no name; steps are known by their names")
        _check_element(element, node)
        nodes[id_] = node
    return nodes


def _check_element(element: Element, node: DiagramNode) -> None:
    for child in element.children:
        if node.kind in _TASKS and child.name in _LOOPS:
            raise FormatError(
                f"line {child.line}: {_LOOPS[child.name]} at {node.what}; a task graph does each "
                "step once"
            )
        if node.kind == "endEvent" and child.name in _FINAL:
            raise FormatError(f"line {child.line}: {_FINAL[child.name]} at {node.what}; {_ADVICE}")
    for name, plain in (
        ("isForCompensation", "false"),
        ("startQuantity", "1"),
        ("completionQuantity", "1"),
    ):
        if element.attributes.get(name, plain) != plain:
            raise FormatError(f"{node.what} has {name}={element.attributes[name]!r}; {_ADVICE}")


def _connect(nodes: dict[str, DiagramNode], process: Element) -> None:
    ids: set[str] = set(nodes)
    for flow in process.all("sequenceFlow"):
        id_ = flow.attributes.get("id", "")
        if id_ and id_ in ids:
            raise FormatError(f"line {flow.line}: the id {id_!r} is used twice")
        ids.add(id_)
        refs = ("sourceRef", "targetRef")
        source, target = ends_of(flow, nodes, refs, "a sequence flow", "process")
        condition = flow.first("conditionExpression")
        if condition is not None and source.kind != "exclusiveGateway":
            raise FormatError(
                f"line {condition.line}: a condition on the sequence flow after {source.what}; "
                f"{_ADVICE}"
            )
        connect(source, target)


def _remove_passes(nodes: dict[str, DiagramNode]) -> None:
    """Replace a task between exclusive gateways, with a line past it, by an optional task."""
    for split in list(nodes.values()):
        if split.kind != "exclusiveGateway" or len(split.before) != 1 or len(split.after) != 2:
            continue
        for past, way in (split.after, split.after[::-1]):
            merge, task = nodes[past], nodes[way]
            if (
                merge.kind == "exclusiveGateway"
                and task.kind in _TASKS
                and task.before == [split.id]
                and task.after == [merge.id]
                and Counter(merge.before) == Counter([split.id, task.id])
                and len(merge.after) == 1
            ):
                task.optional = True
                task.before, task.after = split.before, merge.after
                _rename(nodes[split.before[0]].after, split.id, task.id)
                _rename(nodes[merge.after[0]].before, merge.id, task.id)
                del nodes[split.id], nodes[merge.id]
                break


def _rename(ids: list[str], old: str, new: str) -> None:
    ids[ids.index(old)] = new


def _check(nodes: dict[str, DiagramNode]) -> None:
    """Check that tokens only fork and join."""
    starts = [node for node in nodes.values() if node.kind == "startEvent"]
    if not starts:
        raise FormatError("no start event; expected one that everything follows from")
    if len(starts) > 1:
        raise FormatError(
            f"{len(starts)} start events, {starts[0].what} and {starts[1].what}; expected one, as "
            "several are alternatives"
        )
    for node in nodes.values():
        if node.kind == "exclusiveGateway":
            raise FormatError(
                f"an exclusive gateway, {node.what}; {_ADVICE}, or one task with a line past it"
            )
        if node.kind == "startEvent" and node.before:
            raise FormatError(f"a sequence flow leads to {node.what}; nothing comes before it")
        if node.kind == "endEvent" and node.after:
            raise FormatError(f"a sequence flow leaves {node.what}; nothing comes after it")
        if (node.kind != "startEvent" and not node.before) or (
            node.kind != "endEvent" and not node.after
        ):
            side = "to" if node.kind != "startEvent" and not node.before else "from"
            raise FormatError(
                f"{node.what} hangs loose: no sequence flow leads {side} it; connect it to the rest"
            )
        if node.kind in _TASKS and len(node.before) > 1:
            raise FormatError(
                f"{len(node.before)} sequence flows lead to {node.what}, which each of them would "
                "start; expected a parallel gateway that joins them"
            )


_GATEWAY, _EVENT, _TASK, _TASK_HEIGHT = 50.0, 36.0, 120.0, 80.0
_BETWEEN = 25.0  # between the boxes of one step
_CHANNEL = 70.0  # between columns; only here do lines change their height
_ROW, _LANE, _MARGIN = 130.0, 30.0, 60.0
_PAST = 55.0  # how far below a step's middle the line past it runs

_HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI"
    xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"
    xmlns:di="http://www.omg.org/spec/DD/20100524/DI"
    id="definitions" targetNamespace="urn:stepgraph:graph" exporter="stepgraph">"""

Point = tuple[float, float]


@dataclass(frozen=True)
class _Box:
    """A node of the diagram."""

    id: str
    kind: str
    x: float
    y: float  # of its middle
    name: str = ""

    @property
    def size(self) -> tuple[float, float]:
        if self.kind == "task":
            return _TASK, _TASK_HEIGHT
        return (_EVENT, _EVENT) if self.kind.endswith("Event") else (_GATEWAY, _GATEWAY)

    @property
    def left(self) -> Point:
        return self.x, self.y

    @property
    def right(self) -> Point:
        return self.x + self.size[0], self.y


@dataclass(frozen=True)
class _Flow:
    """A line of the diagram."""

    id: str
    source: _Box
    target: _Box
    points: tuple[Point, ...]


@dataclass
class _Diagram:
    """Boxes and lines, as they are drawn."""

    layout: Layout
    cell: float
    boxes: list[_Box] = field(default_factory=list)
    flows: list[_Flow] = field(default_factory=list)

    def left_of(self, column: int) -> float:
        return _MARGIN + column * (self.cell + _CHANNEL)

    def add(self, box: _Box) -> _Box:
        self.boxes.append(box)
        return box

    def connect(self, id_: str, source: _Box, target: _Box, *between: Point) -> None:
        points = dict.fromkeys((source.right, *between, target.left))  # each point once
        self.flows.append(_Flow(id_, source, target, tuple(points)))


def to_bpmn(graph: TaskGraph) -> str:
    """Return a graph as a BPMN process, with the diagram that editors show.

    Parameters
    ----------
    graph
        The graph to write. Steps without a path to START or END are connected to them.

    Returns
    -------
    str
        The text of a file. It keeps the attribute `optional` and leaves out other attributes,
        weights, provenance and evidence.

    Raises
    ------
    GraphError
        If a name holds a character that XML cannot hold.

    Examples
    --------
    >>> text = to_bpmn(TaskGraph.from_preconditions({"mix": ["crack egg"]}))
    >>> [line.strip() for line in text.splitlines() if "sequenceFlow" in line][1]
    '<bpmn:sequenceFlow id="flow1-2" sourceRef="step1" targetRef="step2"/>'
    """
    check_steps(graph, "BPMN")
    check_characters(graph, "BPMN")
    diagram = _draw(graph)
    name = f' name="{escaped(graph.procedure)}"' if graph.procedure else ""
    lines = [_HEADER, f'  <bpmn:process id="process"{name} isExecutable="false">']
    coming: dict[str, list[str]] = {box.id: [] for box in diagram.boxes}
    going: dict[str, list[str]] = {box.id: [] for box in diagram.boxes}
    for flow in diagram.flows:
        going[flow.source.id].append(flow.id)
        coming[flow.target.id].append(flow.id)
    for box in diagram.boxes:
        label = f' name="{escaped(box.name)}"' if box.name else ""
        lines.append(f'    <bpmn:{box.kind} id="{box.id}"{label}>')
        lines += [f"      <bpmn:incoming>{id_}</bpmn:incoming>" for id_ in coming[box.id]]
        lines += [f"      <bpmn:outgoing>{id_}</bpmn:outgoing>" for id_ in going[box.id]]
        lines.append(f"    </bpmn:{box.kind}>")
    for flow in diagram.flows:
        ends = f'sourceRef="{flow.source.id}" targetRef="{flow.target.id}"'
        lines.append(f'    <bpmn:sequenceFlow id="{flow.id}" {ends}/>')
    lines += [
        "  </bpmn:process>",
        '  <bpmndi:BPMNDiagram id="diagram">',
        '    <bpmndi:BPMNPlane id="plane" bpmnElement="process">',
    ]
    lines += [line for box in diagram.boxes for line in _shape(box)]
    lines += [line for flow in diagram.flows for line in _edge(flow)]
    lines += [
        "    </bpmndi:BPMNPlane>",
        "  </bpmndi:BPMNDiagram>",
        "</bpmn:definitions>",
        "",
    ]
    return "\n".join(lines)


def _draw(graph: TaskGraph) -> _Diagram:
    node = graph.vocabulary.node
    given = set(graph.edges)
    edges = connect_ends(graph.steps, graph.edges) or [(END, START)]
    ids = {
        (node(needed), node(step)): ("flow" if (step, needed) in given else "added")
        for step, needed in edges
    }
    optional = {node(step) for step in graph.optional_steps}
    gates = 4 if optional else 2
    layout = lay_out([_ROW] * (graph.vocabulary.end + 1), list(ids), lane=_LANE, shared=True)
    diagram = _Diagram(layout, _TASK + gates * (_GATEWAY + _BETWEEN))
    coming = Counter(after for _, after in ids)
    going = Counter(before for before, _ in ids)
    first: dict[int, _Box] = {}
    last: dict[int, _Box] = {}
    for number, name in enumerate(graph.vocabulary.nodes):
        joins, forks = coming[number] > 1, going[number] > 1
        kind = {0: "startEvent", graph.vocabulary.end: "endEvent"}.get(number, "task")
        label = name if kind == "task" else ""
        first[number], last[number] = _add_step(
            diagram, number, kind, label, joins=joins, forks=forks, optional=number in optional
        )
    for (before, after), kind in ids.items():
        right = diagram.left_of(layout.layer[before]) + diagram.cell
        between: list[Point] = [(right, layout.nodes[before].at)]
        for column, lane in enumerate(layout.lanes[before, after], layout.layer[before] + 1):
            left = diagram.left_of(column)
            between += [(left, lane.at), (left + diagram.cell, lane.at)]
        between.append((diagram.left_of(layout.layer[after]), layout.nodes[after].at))
        diagram.connect(f"{kind}{before}-{after}", last[before], first[after], *between)
    return diagram


def _add_step(
    diagram: _Diagram,
    number: int,
    kind: str,
    name: str,
    *,
    joins: bool,
    forks: bool,
    optional: bool,
) -> tuple[_Box, _Box]:
    """Add a step's own boxes and lines; return the first and the last box."""
    left = diagram.left_of(diagram.layout.layer[number])
    y = diagram.layout.nodes[number].at
    right = left + diagram.cell
    middle = (left + right) / 2
    beside = _TASK / 2 + _BETWEEN
    width = _TASK if kind == "task" else _EVENT
    id_ = {"startEvent": "start", "endEvent": "end"}.get(kind, f"step{number}")
    chain: list[_Box] = []
    if joins:
        chain.append(_Box(f"join{number}", "parallelGateway", left, y))
    if optional:
        chain.append(_Box(f"maybe{number}", "exclusiveGateway", middle - beside - _GATEWAY, y))
    chain.append(_Box(id_, kind, middle - width / 2, y, name))
    if optional:
        chain.append(_Box(f"merge{number}", "exclusiveGateway", middle + beside, y))
    if forks:
        chain.append(_Box(f"fork{number}", "parallelGateway", right - _GATEWAY, y))
    for box in chain:
        diagram.add(box)
    for box, following in pairwise(chain):
        diagram.connect(f"{box.id}-{following.id}", box, following)
    if optional:
        split, merge = (box for box in chain if box.kind == "exclusiveGateway")
        bends = [
            (box.x + _GATEWAY / 2, y + down)
            for box, down in (
                (split, _GATEWAY / 2),
                (split, _PAST),
                (merge, _PAST),
                (merge, _GATEWAY / 2),
            )
        ]
        diagram.flows.append(_Flow(f"past{number}", split, merge, tuple(bends)))
    return chain[0], chain[-1]


def _shape(box: _Box) -> list[str]:
    width, height = box.size
    marker = ' isMarkerVisible="true"' if box.kind == "exclusiveGateway" else ""
    bounds = f'x="{box.x:.1f}" y="{box.y - height / 2 + _MARGIN:.1f}"'
    return [
        f'      <bpmndi:BPMNShape id="{box.id}-shape" bpmnElement="{box.id}"{marker}>',
        f'        <dc:Bounds {bounds} width="{width:g}" height="{height:g}"/>',
        "      </bpmndi:BPMNShape>",
    ]


def _edge(flow: _Flow) -> list[str]:
    return [
        f'      <bpmndi:BPMNEdge id="{flow.id}-edge" bpmnElement="{flow.id}">',
        *(f'        <di:waypoint x="{x:.1f}" y="{y + _MARGIN:.1f}"/>' for x, y in flow.points),
        "      </bpmndi:BPMNEdge>",
    ]
