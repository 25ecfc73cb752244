"""Task graphs from BPMN 2.0, where the process expresses a partial order.

That is tasks, one start event, end events and parallel gateways. A task between two exclusive
gateways with a line past it may be left out. Anything else that steers the flow is refused by name;
what only describes it (lanes, data, notes) is passed over.
"""

from __future__ import annotations

from collections import Counter

from stepgraph.errors import FormatError
from stepgraph.formats.diagram import DiagramNode, connect, ends_of, new_id
from stepgraph.formats.flow import FlowNode, graph_from_flow
from stepgraph.formats.xml_tree import Element, parse_xml
from stepgraph.graph import TaskGraph

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
        What to call the procedure where the process has no name.

    Raises
    ------
    FormatError
        If the text is no BPMN 2.0, or its process is no partial order.
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
    """Replace a task between exclusive gateways, with a line past it, by one that is optional."""
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
    """Check that tokens only ever fork and join."""
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
