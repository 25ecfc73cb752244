"""The diagram of a BPMN process: boxes in columns, and lines that run through none of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise

from stepgraph.formats.flows import Flow
from stepgraph.graph import TaskGraph, connect_ends
from stepgraph.layout.layers import Layout, lay_out
from stepgraph.sequences import END, START

_GATEWAY, _EVENT, _TASK, _TASK_HEIGHT = 50.0, 36.0, 120.0, 80.0
_BETWEEN = 25.0  # between the boxes of one step
_CHANNEL = 70.0  # between columns; only here do lines change their height
_ROW, _LANE, _MARGIN = 130.0, 30.0, 60.0
_PAST = 55.0  # how far below a step's middle the line past it runs

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A node of the diagram."""

    id: str
    kind: str
    x: float
    y: float  # of its middle
    name: str = ""

    @property
    def size(self) -> tuple[float, float]:
        """Its width and height."""
        if self.kind == "task":
            return _TASK, _TASK_HEIGHT
        return (_EVENT, _EVENT) if self.kind.endswith("Event") else (_GATEWAY, _GATEWAY)

    @property
    def left(self) -> Point:
        """The middle of its left side."""
        return self.x, self.y

    @property
    def right(self) -> Point:
        """The middle of its right side."""
        return self.x + self.size[0], self.y


@dataclass(frozen=True)
class Line:
    """A line of the diagram."""

    id: str
    source: Box
    target: Box
    points: tuple[Point, ...]


@dataclass
class Diagram:
    """Boxes and lines, as they are drawn."""

    layout: Layout
    cell: float
    boxes: list[Box] = field(default_factory=list)
    flows: list[Line] = field(default_factory=list)

    def left_of(self, column: int) -> float:
        """Return where a column begins."""
        return _MARGIN + column * (self.cell + _CHANNEL)

    def add(self, box: Box) -> Box:
        """Add a box."""
        self.boxes.append(box)
        return box

    def between(self, before: int, after: int) -> list[Point]:
        """Return where a line changes its height on its way from one node to a later one."""
        layer = self.layout.layer
        points = [(self.left_of(layer[before]) + self.cell, self.layout.nodes[before].at)]
        for column, lane in enumerate(self.layout.lanes[before, after], layer[before] + 1):
            left = self.left_of(column)
            points += [(left, lane.at), (left + self.cell, lane.at)]
        return [*points, (self.left_of(layer[after]), self.layout.nodes[after].at)]

    def connect(self, id_: str, source: Box, target: Box, *between: Point) -> None:
        """Add a line from one box to another."""
        points = dict.fromkeys((source.right, *between, target.left))  # each point once
        self.flows.append(Line(id_, source, target, tuple(points)))


def draw_flow(flow: Flow) -> Diagram:
    """Return the diagram of a flow; ways back run from right to left."""
    ways = {
        at: (line.target, line.source) if line.back else (line.source, line.target)
        for at, line in enumerate(flow.lines)
    }
    links = list(dict.fromkeys(ways.values()))
    layout = lay_out([_ROW] * len(flow.boxes), links, lane=_LANE, shared=True)
    diagram = Diagram(layout, _TASK)
    boxes = []
    for number, box in enumerate(flow.boxes):
        plain = Box(box.id, box.kind, diagram.left_of(layout.layer[number]), 0.0, box.name)
        x = plain.x + (_TASK - plain.size[0]) / 2
        boxes.append(diagram.add(replace(plain, x=x, y=layout.nodes[number].at)))
    for at, line in enumerate(flow.lines):
        before, after = ways[at]
        points = (
            boxes[before].right,
            *diagram.between(before, after),
            boxes[after].left,
        )
        points = tuple(dict.fromkeys(points))  # each point once
        source, target = boxes[line.source], boxes[line.target]
        diagram.flows.append(
            Line(f"flow{at + 1}", source, target, points[::-1] if line.back else points)
        )
    return diagram


def draw_graph(graph: TaskGraph) -> Diagram:
    """Return the diagram of a graph without rules."""
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
    diagram = Diagram(layout, _TASK + gates * (_GATEWAY + _BETWEEN))
    coming = Counter(after for _, after in ids)
    going = Counter(before for before, _ in ids)
    first: dict[int, Box] = {}
    last: dict[int, Box] = {}
    for number, name in enumerate(graph.vocabulary.nodes):
        joins, forks = coming[number] > 1, going[number] > 1
        kind = {0: "startEvent", graph.vocabulary.end: "endEvent"}.get(number, "task")
        label = name if kind == "task" else ""
        first[number], last[number] = _add_step(
            diagram, number, kind, label, joins=joins, forks=forks, optional=number in optional
        )
    for (before, after), kind in ids.items():
        between = diagram.between(before, after)
        diagram.connect(f"{kind}{before}-{after}", last[before], first[after], *between)
    return diagram


def _add_step(
    diagram: Diagram,
    number: int,
    kind: str,
    name: str,
    *,
    joins: bool,
    forks: bool,
    optional: bool,
) -> tuple[Box, Box]:
    """Add a step's own boxes and lines; return the first and the last box."""
    left = diagram.left_of(diagram.layout.layer[number])
    y = diagram.layout.nodes[number].at
    right = left + diagram.cell
    middle = (left + right) / 2
    beside = _TASK / 2 + _BETWEEN
    width = _TASK if kind == "task" else _EVENT
    id_ = {"startEvent": "start", "endEvent": "end"}.get(kind, f"step{number}")
    chain: list[Box] = []
    if joins:
        chain.append(Box(f"join{number}", "parallelGateway", left, y))
    if optional:
        chain.append(Box(f"maybe{number}", "exclusiveGateway", middle - beside - _GATEWAY, y))
    chain.append(Box(id_, kind, middle - width / 2, y, name))
    if optional:
        chain.append(Box(f"merge{number}", "exclusiveGateway", middle + beside, y))
    if forks:
        chain.append(Box(f"fork{number}", "parallelGateway", right - _GATEWAY, y))
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
        diagram.flows.append(Line(f"past{number}", split, merge, tuple(bends)))
    return chain[0], chain[-1]


def shape(box: Box) -> list[str]:
    """Return the lines of a file that draw a box."""
    width, height = box.size
    marker = ' isMarkerVisible="true"' if box.kind == "exclusiveGateway" else ""
    bounds = f'x="{box.x:.1f}" y="{box.y - height / 2 + _MARGIN:.1f}"'
    return [
        f'      <bpmndi:BPMNShape id="{box.id}-shape" bpmnElement="{box.id}"{marker}>',
        f'        <dc:Bounds {bounds} width="{width:g}" height="{height:g}"/>',
        "      </bpmndi:BPMNShape>",
    ]


def edge(flow: Line) -> list[str]:
    """Return the lines of a file that draw a line."""
    return [
        f'      <bpmndi:BPMNEdge id="{flow.id}-edge" bpmnElement="{flow.id}">',
        *(f'        <di:waypoint x="{x:.1f}" y="{y + _MARGIN:.1f}"/>' for x, y in flow.points),
        "      </bpmndi:BPMNEdge>",
    ]
