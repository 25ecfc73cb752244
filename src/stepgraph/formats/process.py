"""What PNML and BPMN share: nodes and lines by their ids, turned into a task graph.

A silent node (a gateway, an event, a transition without a name) only waits for all nodes before it.
Its removal joins each step before it to each step after it, which leaves the valid orders as they
are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError as _GraphlibCycle
from graphlib import TopologicalSorter
from typing import TypeVar

from stepgraph.errors import FormatError
from stepgraph.formats.xml_text import Element
from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.evidence import StepAttributes
from stepgraph.sequences import END, START


@dataclass(slots=True)
class DiagramNode:
    """A node of a diagram, with the nodes before and after it.

    Parameters
    ----------
    id
        Its id, which lines refer to.
    kind
        The name of its element.
    line
        Its line in the file.
    name
        Its label; may be empty.
    optional
        Whether it may be left out.
    before, after
        The ids of the nodes before and after it.
    """

    id: str
    kind: str
    line: int
    name: str = ""
    optional: bool = False
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    @property
    def what(self) -> str:
        """The node in words, for messages."""
        words = "".join(f" {char.lower()}" if char.isupper() else char for char in self.kind)
        return f"the {words} {(self.name or self.id)!r} (line {self.line})"


Node = TypeVar("Node", bound=DiagramNode)


def new_id(element: Element, nodes: dict[str, Node], called: str = "") -> str:
    """Return the id of an element for a new node.

    Raises
    ------
    FormatError
        If it has none, or that of another node.
    """
    id_ = element.attributes.get("id", "")
    if not id_:
        raise FormatError(f"line {element.line}: a {element.name}{called} without an id")
    if id_ in nodes:
        raise FormatError(
            f"line {element.line}: the id {id_!r} is that of {nodes[id_].what} already"
        )
    return id_


def ends_of(
    line: Element, nodes: dict[str, Node], ends: tuple[str, str], kind: str, home: str
) -> tuple[Node, Node]:
    """Return the two nodes that a line connects.

    Parameters
    ----------
    line
        The element of the line.
    nodes
        The nodes by id.
    ends
        The attributes of its two ends.
    kind, home
        The kind of line and of diagram, for messages.

    Raises
    ------
    FormatError
        If an end is missing.
    """
    found = []
    for end in ends:
        id_ = line.attributes.get(end)
        if id_ not in nodes:
            came = "none" if id_ is None else f"{id_!r}, which is not in the {home}"
            raise FormatError(f"line {line.line}: {kind} whose {end} is {came}")
        found.append(nodes[id_])
    source, target = found
    return source, target


def connect(source: Node, target: Node) -> None:
    """Add a line to both of its nodes."""
    source.after.append(target.id)
    target.before.append(source.id)


WORK = 20_000_000
"""Maximum number of pairs of steps to join; silent nodes can stand for very many."""


@dataclass(frozen=True)
class FlowNode:
    """A node of a flow.

    Parameters
    ----------
    what
        The node and its place, for messages, such as "the task 'mix' (line 3)".
    step
        The name of the step, None for a silent node.
    starts, ends
        Whether the flow starts or ends here.
    optional
        Whether the flow can pass it.
    repeatable
        Whether it may be done again until the end.
    """

    what: str
    step: str | None = None
    starts: bool = False
    ends: bool = False
    optional: bool = False
    repeatable: bool = False


def graph_from_flow(
    nodes: Mapping[str, FlowNode], links: Iterable[tuple[str, str]], procedure: str
) -> TaskGraph:
    """Return the task graph of a flow.

    Parameters
    ----------
    nodes
        The nodes by id.
    links
        Pairs of ids, before and after.
    procedure
        The name of the procedure.

    Raises
    ------
    FormatError
        If the flow has a loop, no step, two steps of the same name, or too many silent nodes.
    """
    by_name: dict[str, FlowNode] = {}
    for node in nodes.values():
        if node.step is not None and node.step in by_name:
            raise FormatError(
                f"{by_name[node.step].what} and {node.what} have the same name; a task graph has "
                "each step once, rename one of them"
            )
        if node.step is not None:
            by_name[node.step] = node
    if not by_name:
        raise FormatError("no steps; expected at least one named task or transition")
    before: dict[str, list[str]] = {id_: [] for id_ in nodes}
    for source, target in links:
        before[target].append(source)
    try:
        order = list(TopologicalSorter(before).static_order())
    except _GraphlibCycle as error:
        way = [nodes[id_].what for id_ in error.args[1]]
        shown = " to ".join(way if len(way) <= 5 else [*way[:2], "...", *way[-2:]])
        raise FormatError(
            f"a loop, from {shown}; a task graph does each step once, without loops"
        ) from None
    past: dict[str, dict[str, None]] = {}  # the steps from which a node is reached in silence
    edges: list[Edge] = []
    work = 0
    for id_ in order:
        node = nodes[id_]
        leading = {START: None} if node.starts else {}
        for other in before[id_]:
            leading |= past[other]
            work += len(past[other])
        if work > WORK:
            raise FormatError(f"silent nodes that stand for more than {WORK:,} pairs of steps")
        if node.step is not None:
            edges += [(node.step, needed) for needed in leading]
            leading = {node.step: None}
        if node.ends:
            edges += [(END, needed) for needed in leading]
        past[id_] = leading
    attributes = {
        name: StepAttributes(optional=node.optional, repeatable=node.repeatable)
        for name, node in by_name.items()
        if node.optional or node.repeatable
    }
    return TaskGraph(by_name, edges, procedure=procedure, attributes=attributes)
