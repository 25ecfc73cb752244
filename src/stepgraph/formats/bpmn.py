"""BPMN 2.0: reads processes that consist of blocks, writes task graphs with a layout.

The reader takes tasks, one start event, end events, parallel and exclusive gateways. A process
without exclusive gateways is a partial order; one with them has to consist of blocks, as a net has
(`stepgraph.formats.nets`). The reader refuses any other element that steers the flow, by name, and
ignores elements that only describe it (lanes, data, notes).

The writer puts tasks between parallel gateways: one joins the preconditions of a step, another
forks to the steps that need it; a single line needs no gateway. An optional step stands between two
exclusive gateways with a line past it. A graph with rules is written as the blocks that it consists
of (`stepgraph.formats.graph_blocks`), or refused.
"""

from __future__ import annotations

from collections import Counter

from stepgraph.errors import FormatError, GraphError
from stepgraph.formats.blocks import Block, OneOf, Step, graph_from_block
from stepgraph.formats.bpmn_diagram import Diagram, draw_flow, draw_graph, edge, shape
from stepgraph.formats.flows import Flow
from stepgraph.formats.graph_blocks import NoBlocksError, block_from_graph
from stepgraph.formats.nets import NetBlock, block_from_net
from stepgraph.formats.process import (
    DiagramNode,
    FlowNode,
    connect,
    ends_of,
    graph_from_flow,
    new_id,
)
from stepgraph.formats.xml_text import Element, check_characters, escaped, parse_xml
from stepgraph.graph import TaskGraph
from stepgraph.graph.rules import rules_in_words

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
_ADVICE = "expected tasks, and parallel and exclusive gateways"


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
        If the text is not BPMN 2.0, or no task graph expresses its process exactly.
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
    name = process.attributes.get("name", "").strip() or stem
    if any(node.kind == "exclusiveGateway" for node in nodes.values()):
        return graph_from_block(_block(nodes), name)
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
    return graph_from_flow(flow, links, name)


def _block(nodes: dict[str, DiagramNode]) -> Block | None:
    """Return the block of a process with choices or loops, by its net; each flow is a place."""
    coming: dict[str, list[str]] = {id_: [] for id_ in nodes}
    going: dict[str, list[str]] = {id_: [] for id_ in nodes}
    lines = ((node.id, target) for node in nodes.values() for target in node.after)
    for number, (source, target) in enumerate(lines):
        going[source].append(f"flow {number}")
        coming[target].append(f"flow {number}")
    net: list[NetBlock] = []
    first: list[str] = []
    for id_, node in nodes.items():
        takes, gives = frozenset(coming[id_]), frozenset(going[id_])
        if node.kind == "startEvent":
            first = going[id_]
        elif node.kind == "endEvent":
            net += [
                NetBlock(node.what, None, frozenset({at}), frozenset({"end"})) for at in coming[id_]
            ]
        elif node.kind == "exclusiveGateway":
            here = frozenset({f"gateway {id_}"})
            net += [NetBlock(node.what, None, frozenset({at}), here) for at in coming[id_]]
            net += [NetBlock(node.what, None, here, frozenset({at})) for at in going[id_]]
        else:
            step = Step(node.name, f"line {node.line}") if node.kind in _TASKS else None
            block = OneOf((step,), optional=True) if step and node.optional else step
            net.append(NetBlock(node.what, block, takes, gives))
    places = {f"gateway {id_}": node.what for id_, node in nodes.items()}
    return block_from_net(net, first, ["end"], places | {"end": "the end"})


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


_HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI"
    xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"
    xmlns:di="http://www.omg.org/spec/DD/20100524/DI"
    id="definitions" targetNamespace="urn:stepgraph:graph" exporter="stepgraph">"""


def to_bpmn(graph: TaskGraph) -> str:
    """Return a graph as a BPMN process, with the diagram that editors show.

    Parameters
    ----------
    graph
        The graph to write. Steps without a path to START or END are connected to them.

    Returns
    -------
    str
        The text of a file. It keeps choices, undoing and optional steps, and leaves out other
        attributes, weights, provenance and evidence.

    Raises
    ------
    GraphError
        If a name holds a character that XML cannot hold, or a rule makes no block of a process.

    Examples
    --------
    >>> text = to_bpmn(TaskGraph.from_preconditions({"mix": ["crack egg"]}))
    >>> [line.strip() for line in text.splitlines() if "sequenceFlow" in line][1]
    '<bpmn:sequenceFlow id="flow1-2" sourceRef="step1" targetRef="step2"/>'
    """
    if not graph.steps:
        raise GraphError("the graph has no steps, which BPMN cannot say; write it as .json")
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
    lines += [line for box in diagram.boxes for line in shape(box)]
    lines += [line for flow in diagram.flows for line in edge(flow)]
    lines += [
        "    </bpmndi:BPMNPlane>",
        "  </bpmndi:BPMNDiagram>",
        "</bpmn:definitions>",
        "",
    ]
    return "\n".join(lines)


def _draw(graph: TaskGraph) -> Diagram:
    if not rules_in_words(graph):
        return draw_graph(graph)
    try:
        return draw_flow(Flow.of(block_from_graph(graph)))
    except NoBlocksError as error:
        raise GraphError(
            f"the graph says {error}, which makes no block of a process: BPMN expresses choices "
            "whose alternatives begin and end together, optional steps that all go with each "
            "other, and steps that undo each other; write it as .pnml or .json"
        ) from None
