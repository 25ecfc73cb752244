"""PNML: reads nets that consist of blocks, writes task graphs as workflow nets.

The reader takes nets with one token in each source place. A transition without a name, or marked as
invisible in ProM's way, is silent. A net in which every place has at most one transition before it
and one after it is a partial order; others have to consist of blocks (`stepgraph.formats.nets`).
The reader refuses anything else, by name.

The writer makes a net whose complete runs are the graph's valid complete sequences. Without rules,
each step is a transition and each edge a place between two of them, so that a step waits for all
its preconditions. One source place starts a silent transition before everything else, and a silent
transition ends in one sink place. An optional step has a silent transition beside it, between the
same places; a repeatable step leaves a token that lets it be done again until the end. A graph with
rules is written as the blocks that it consists of, or else with places that remember what counts as
done (`stepgraph.formats.state_net`). The marks of silent transitions and the final marking follow
ProM and pm4py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stepgraph.errors import FormatError, GraphError
from stepgraph.formats.blocks import OneOf, Step, graph_from_block
from stepgraph.formats.flows import Flow, net_of_flow
from stepgraph.formats.graph_blocks import NoBlocksError, block_from_graph
from stepgraph.formats.nets import NetBlock, Transition, block_from_net
from stepgraph.formats.process import (
    DiagramNode,
    FlowNode,
    connect,
    ends_of,
    graph_from_flow,
    new_id,
)
from stepgraph.formats.state_net import state_net
from stepgraph.formats.xml_text import Element, check_characters, escaped, parse_xml
from stepgraph.graph import TaskGraph, connect_ends
from stepgraph.graph.rules import rules_in_words
from stepgraph.layout.layers import Link, lay_out

_IGNORED = frozenset({"name", "graphics", "toolspecific", "finalmarkings", "text"})
_REFUSED = {
    "referencePlace": "a reference place",
    "referenceTransition": "a reference transition",
    "declaration": "a declaration of a high-level net",
}


@dataclass(slots=True)
class _Node(DiagramNode):
    """A place or a transition."""

    silent: bool = False
    tokens: int = 0
    repeatable: bool = False


def graph_from_pnml(text: str, stem: str) -> TaskGraph:
    """Return the task graph that a net in PNML expresses.

    Parameters
    ----------
    text
        The file's content.
    stem
        The name of the procedure if the net has none.

    Raises
    ------
    FormatError
        If the text is not PNML, or no task graph expresses its net exactly.
    """
    root = parse_xml(text)
    if root.name != "pnml":
        raise FormatError(f"line {root.line}: the element <{root.name}>; expected <pnml>")
    if root.namespace and "pnml" not in root.namespace.lower():
        raise FormatError(
            f"line {root.line}: <pnml> has the namespace {root.namespace!r}; expected "
            "'http://www.pnml.org/version-2009/grammar/pnml' or none"
        )
    nets = list(root.all("net"))
    if len(nets) != 1:
        raise FormatError(f"{len(nets) or 'no'} nets in the file; expected one")
    (net,) = nets
    kind = net.attributes.get("type", "")
    if any(word in kind.lower() for word in ("highlevel", "symmetric", "hlpn")):
        raise FormatError(f"line {net.line}: a high-level net ({kind}); expected a P/T net")
    nodes = _nodes(net)
    _connect(nodes, net)
    _remove_passes(nodes)
    _remove_repeats(nodes)
    _check(nodes)
    _check_final(nodes, net)
    name = _label(net, "name") or stem
    places = [node for node in nodes.values() if node.kind == "place"]
    if all(len(place.before) < 2 and len(place.after) < 2 for place in places):
        transitions = {
            id_: _flow_node(node, nodes) for id_, node in nodes.items() if node.kind == "transition"
        }
        links = [(one.before[0], one.after[0]) for one in places if one.before and one.after]
        return graph_from_flow(transitions, links, name)
    return graph_from_block(
        block_from_net(
            [_net_block(node) for node in nodes.values() if node.kind == "transition"],
            [place.id for place in places if place.tokens],
            [place.id for place in places if not place.after],
            {place.id: place.what for place in places},
        ),
        name,
    )


def _net_block(node: _Node) -> NetBlock:
    if node.repeatable:
        raise FormatError(
            f"{node.what} may be repeated until the end, beside choices or loops; expected one or "
            "the other"
        )
    step = None if node.silent else Step(node.name, f"line {node.line}")
    block = OneOf((step,), optional=True) if step and node.optional else step
    return NetBlock(node.what, block, frozenset(node.before), frozenset(node.after))


def _elements(parent: Element) -> Iterator[Element]:
    """Yield the elements of the net and its pages."""
    for child in parent.children:
        if child.name == "page":
            yield from _elements(child)
        elif child.name in _REFUSED:
            raise FormatError(
                f"line {child.line}: {_REFUSED[child.name]}; stepgraph reads plain nets"
            )
        elif child.name in ("place", "transition", "arc"):
            yield child
        elif child.name not in _IGNORED:
            raise FormatError(f"line {child.line}: <{child.name}>, unknown in a net")


def _nodes(net: Element) -> dict[str, _Node]:
    nodes: dict[str, _Node] = {}
    for element in _elements(net):
        if element.name == "arc":
            continue
        id_ = new_id(element, nodes)
        node = _Node(id_, element.name, element.line, _label(element, "name"))
        if element.name == "place":
            node.tokens = _count(element, "initialMarking", 0)
        else:
            node.silent = not node.name or any(
                tool.attributes.get("activity") == "$invisible$"
                for tool in element.all("toolspecific")
            )
        nodes[id_] = node
    return nodes


def _connect(nodes: dict[str, _Node], net: Element) -> None:
    known: set[tuple[str, str]] = set()
    for arc in _elements(net):
        if arc.name != "arc":
            continue
        source, target = ends_of(arc, nodes, ("source", "target"), "an arc", "net")
        if source.kind == target.kind:
            raise FormatError(
                f"line {arc.line}: an arc from {source.what} to {target.what}; expected one "
                "between a place and a transition"
            )
        kinds = (_label(arc, "type"), _label(arc, "arctype"), arc.attributes.get("type", ""))
        for kind in kinds:
            if kind not in ("", "normal"):
                raise FormatError(
                    f"line {arc.line}: an arc of the type {kind!r}; expected 'normal'"
                )
        weight = _count(arc, "inscription", 1)
        twice = (source.id, target.id) in known
        known.add((source.id, target.id))
        if weight != 1 or twice:
            raise FormatError(
                f"line {arc.line}: an arc from {source.what} to {target.what} of the weight "
                f"{weight if weight != 1 else 2}; expected 1, a task graph does each step once"
            )
        connect(source, target)


def _label(element: Element, name: str) -> str:
    """Return an element's label: as ``<text>``, or in the ways of older tools."""
    child = element.first(name)
    if child is None:
        return ""
    for text in (child.inner_text("text"), child.inner_text("value"), child.text.strip()):
        if text:
            return text
    return child.attributes.get("value", "").strip()


def _count(element: Element, name: str, default: int) -> int:
    text = _label(element, name).rpartition(",")[2].strip()  # some write 'Default,1'
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        line = (element.first(name) or element).line
        raise FormatError(f"line {line}: the {name} is {text[:40]!r}; expected a number")
    return int(text)


def _remove_passes(nodes: dict[str, _Node]) -> None:
    """Remove silent transitions beside steps, and mark these steps optional."""
    steps = {
        (frozenset(node.before), frozenset(node.after)): node
        for node in nodes.values()
        if node.kind == "transition" and not node.silent and node.before and node.after
    }
    for node in list(nodes.values()):
        if node.kind != "transition" or not node.silent:
            continue
        step = steps.get((frozenset(node.before), frozenset(node.after)))
        if step is not None:
            step.optional = True
            _remove(node, nodes)


def _remove_repeats(nodes: dict[str, _Node]) -> None:
    """Remove transitions that repeat a step until the end, and mark these steps repeatable.

    The step leaves a token beside it. Another transition of its name needs this token; a silent
    one takes it before the last transition of the net, or passes the step together with it.
    """
    for more in list(nodes.values()):
        if more.silent or len(more.before) != 1 or more.before != more.after:
            continue
        again = nodes[more.before[0]]
        steps = [nodes[id_] for id_ in again.before if id_ != more.id]
        stops = [nodes[id_] for id_ in again.after if id_ != more.id]
        if len(steps) != 1 or len(stops) != 1 or steps[0].silent or steps[0].name != more.name:
            continue
        step, stop = steps[0], stops[0]
        if len(stop.after) != 1:
            continue
        over = nodes[stop.after[0]]
        passes = [nodes[id_] for id_ in over.before if id_ != stop.id]
        if not (
            stop.silent
            and stop.before == [again.id]
            and len(over.after) == 1
            and _is_last(nodes[over.after[0]], nodes)
            and all(_passes(one, step, again.id, over.id) for one in passes)
        ):
            continue
        step.repeatable, step.optional = True, bool(passes)
        for node in (more, stop, again, over, *passes):
            _remove(node, nodes)


def _is_last(node: _Node, nodes: dict[str, _Node]) -> bool:
    """Return whether nothing comes after a transition."""
    return all(not nodes[place].after for place in node.after) and sum(
        not place.after for place in nodes.values() if place.kind == "place"
    ) == len(node.after)


def _passes(node: _Node, step: _Node, again: str, over: str) -> bool:
    """Return whether a silent transition passes a step, and says that it is over."""
    return (
        node.silent
        and set(node.before) == set(step.before)
        and set(node.after) - {over} == set(step.after) - {again}
    )


def _remove(node: _Node, nodes: dict[str, _Node]) -> None:
    for id_ in node.before:
        nodes[id_].after.remove(node.id)
    for id_ in node.after:
        nodes[id_].before.remove(node.id)
    del nodes[node.id]


def _check(nodes: dict[str, _Node]) -> None:
    """Check that each source has a token and nothing hangs loose."""
    places = [node for node in nodes.values() if node.kind == "place"]
    sources = [place for place in places if not place.before]
    if not sources:
        raise FormatError("no start; expected a place that no transition leads to, with a token")
    if len(sources) == 1 and not any(place.tokens for place in places):
        sources[0].tokens = 1  # a workflow net starts in its source, marked or not
    for place in places:
        if not place.before and not place.after:
            raise FormatError(f"{place.what} has no arcs; connect it or remove it")
        if place.tokens != (0 if place.before else 1):
            expected = "none, as a transition leads to it" if place.before else "one to start with"
            raise FormatError(f"{place.what} has {place.tokens} tokens; expected {expected}")
    for node in nodes.values():
        if node.kind == "transition" and not (node.before and node.after):
            side = "before" if not node.before else "after"
            raise FormatError(
                f"{node.what} hangs loose: there is no place {side} it; connect it to the rest"
            )


def _check_final(nodes: dict[str, _Node], net: Element) -> None:
    """Check that a final marking, if any, is one token in each sink place."""
    ends = {id_ for id_, node in nodes.items() if node.kind == "place" and not node.after}
    for markings in net.all("finalmarkings"):
        given = [
            {
                place.attributes.get("idref", "")
                for place in marking.all("place")
                if place.inner_text("text") != "0"
            }
            for marking in markings.all("marking")
        ]
        if any(given) and ends not in given:
            raise FormatError(
                f"line {markings.line}: a final marking other than one token in each place at the "
                f"end ({', '.join(map(repr, sorted(ends)))}); a task graph does every step"
            )


def _flow_node(node: _Node, nodes: dict[str, _Node]) -> FlowNode:
    return FlowNode(
        node.what,
        None if node.silent else node.name,
        starts=any(not nodes[place].before for place in node.before),
        ends=any(not nodes[place].after for place in node.after),
        optional=node.optional,
        repeatable=node.repeatable,
    )


_TYPE = "http://www.pnml.org/version-2009/grammar/ptnet"
_NAMESPACE = "http://www.pnml.org/version-2009/grammar/pnml"
_COLUMN, _ROW, _LANE = 120.0, 60.0, 20.0


def to_pnml(graph: TaskGraph) -> str:
    """Return a graph as a Petri net in PNML, with a layout.

    Parameters
    ----------
    graph
        The graph to write. Steps without a path to START or END are connected to them.

    Returns
    -------
    str
        The text of a file. Its net does what the graph allows; it leaves out weights, provenance,
        evidence and the attributes that do not change what is valid.

    Raises
    ------
    GraphError
        If a name holds a character that XML cannot hold, or rules take too many transitions.

    Examples
    --------
    >>> text = to_pnml(TaskGraph.from_preconditions({"mix": ["crack egg"]}))
    >>> [line.strip() for line in text.splitlines() if "<arc" in line][:2]
    ['<arc id="a1" source="source" target="t0"/>', '<arc id="a2" source="t0" target="p0-1"/>']
    """
    if not graph.steps:
        raise GraphError("the graph has no steps, which PNML cannot say; write it as .json")
    check_characters(graph, "PNML")
    net = _net_of_rules(graph) if rules_in_words(graph) else _plain_net(graph)
    places = dict.fromkeys(["source"])
    arcs: list[tuple[str, str]] = []
    for transition in net:
        places |= dict.fromkeys((*transition.takes, *transition.gives))
        arcs += [(place, transition.id) for place in transition.takes]
        arcs += [(transition.id, place) for place in transition.gives]
    spots = _spots([*places, *(transition.id for transition in net)], arcs)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<pnml xmlns="{_NAMESPACE}">',
        f'  <net id="net" type="{_TYPE}">',
        f"    <name><text>{escaped(graph.procedure)}</text></name>",
        '    <page id="page">',
        *(_place(id_, *spots[id_], tokens=int(id_ == "source")) for id_ in places),
        *(_transition(one.id, *spots[one.id], one.step) for one in net),
    ]
    for number, (source, target) in enumerate(arcs, start=1):
        lines.append(f'      <arc id="a{number}" source="{source}" target="{target}"/>')
    lines += [
        "    </page>",
        "    <finalmarkings>",
        '      <marking><place idref="sink"><text>1</text></place></marking>',
        "    </finalmarkings>",
        "  </net>",
        "</pnml>",
        "",
    ]
    return "\n".join(lines)


def _net_of_rules(graph: TaskGraph) -> list[Transition]:
    """Return the net of a graph with rules: of its blocks, or else of its states."""
    try:
        return net_of_flow(Flow.of(block_from_graph(graph)))
    except NoBlocksError:
        return state_net(graph)


def _plain_net(graph: TaskGraph) -> list[Transition]:
    """Return the net of a graph without rules: a place for each edge."""
    own, end = graph.semantics, graph.vocabulary.end
    given = set(graph.edges)
    takes: dict[int, list[str]] = {node: [] for node in range(end + 1)}
    gives: dict[int, list[str]] = {node: [] for node in range(end + 1)}
    takes[0], gives[end] = ["source"], ["sink"]
    for step, needed in connect_ends(graph.steps, graph.edges):
        before, after = graph.vocabulary.node(needed), graph.vocabulary.node(step)
        place = f"{'p' if (step, needed) in given else 'added'}{before}-{after}"
        gives[before].append(place)
        takes[after].append(place)
    net = []
    for node, name in enumerate(graph.vocabulary.nodes):
        label = name if 0 < node < end else None
        again = [f"again{node}"] if own.repeatable >> node & 1 else []
        over = [f"over{node}"] if again else []
        net.append(Transition(f"t{node}", label, tuple(takes[node]), (*gives[node], *again)))
        if own.optional >> node & 1:
            net.append(Transition(f"skip{node}", None, tuple(takes[node]), (*gives[node], *over)))
        if again:
            net.append(Transition(f"more{node}", label, tuple(again), tuple(again)))
            net.append(Transition(f"stop{node}", None, tuple(again), tuple(over)))
            takes[end] += over
    return net


def _spots(ids: Sequence[str], arcs: Iterable[tuple[str, str]]) -> dict[str, tuple[float, float]]:
    """Return the positions of places and transitions, from left to right."""
    number = {id_: place for place, id_ in enumerate(ids)}
    links: dict[Link, None] = {}
    for source, target in arcs:
        link = number[source], number[target]
        if link[::-1] not in links:
            links[link] = None
    sizes = [_ROW] * len(ids)
    layout = lay_out(sizes, list(links), lane=_LANE, shared=True, most_lanes=len(ids))
    spots = zip(layout.layer, layout.nodes, strict=True)
    return {
        id_: (_COLUMN * (column + 1), node.at)
        for id_, (column, node) in zip(ids, spots, strict=True)
    }


def _place(id_: str, x: float, y: float, *, tokens: int) -> str:
    marking = f"<initialMarking><text>{tokens}</text></initialMarking>" if tokens else ""
    return f'      <place id="{id_}">{marking}{_graphics(x, y, 30, 30)}</place>'


def _transition(id_: str, x: float, y: float, name: str | None) -> str:
    if name is None:
        about = '<toolspecific tool="ProM" version="6.4" activity="$invisible$"/>'
        return f'      <transition id="{id_}">{_graphics(x, y, 12, 30)}{about}</transition>'
    label = f"<name><text>{escaped(name)}</text></name>"
    return f'      <transition id="{id_}">{label}{_graphics(x, y, 110, 40)}</transition>'


def _graphics(x: float, y: float, width: int, height: int) -> str:
    position = f'<position x="{x:.1f}" y="{y:.1f}"/>'
    return f'<graphics>{position}<dimension x="{width}" y="{height}"/></graphics>'
