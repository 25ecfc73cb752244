"""PNML: reads nets that are partial orders, writes task graphs as workflow nets.

The reader takes acyclic nets in which every place has at most one transition before it and one
after it, with one token in each source place. A transition without a name, or marked as invisible
in ProM's way, is silent. A silent transition between the same places as a step makes the step
optional. The reader refuses anything else, by name.

The writer makes a net whose complete runs are the graph's valid orders. Each step is a transition
and each edge a place between two of them, so that a step waits for all its preconditions. One
source place starts a silent transition before everything else, and a silent transition ends in one
sink place. An optional step has a silent transition beside it, between the same places. The marks
of silent transitions and the final marking follow ProM and pm4py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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
from stepgraph.layout.layers import Layout, Link, lay_out
from stepgraph.sequences import END, START

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
        If the text is not PNML, or its net is not a partial order.
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
    _check(nodes)
    _check_final(nodes, net)
    transitions = {
        id_: _flow_node(node, nodes) for id_, node in nodes.items() if node.kind == "transition"
    }
    links = [
        (node.before[0], node.after[0])
        for node in nodes.values()
        if node.kind == "place" and node.before and node.after
    ]
    return graph_from_flow(transitions, links, _label(net, "name") or stem)


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
            for id_ in node.before:
                nodes[id_].after.remove(node.id)
            for id_ in node.after:
                nodes[id_].before.remove(node.id)
            del nodes[node.id]


def _check(nodes: dict[str, _Node]) -> None:
    """Check that the net is a marked graph with a token in each source."""
    places = [node for node in nodes.values() if node.kind == "place"]
    sources = [place for place in places if not place.before]
    if not sources:
        raise FormatError("no start; expected a place that no transition leads to, with a token")
    if len(sources) == 1 and not any(place.tokens for place in places):
        sources[0].tokens = 1  # a workflow net starts in its source, marked or not
    for place in places:
        if not place.before and not place.after:
            raise FormatError(f"{place.what} has no arcs; connect it or remove it")
        for ids, kind, side in (
            (place.after, "choice", "after"),
            (place.before, "merge", "before"),
        ):
            if len(ids) > 1:
                listed = " and ".join(nodes[id_].what for id_ in ids[:2])
                raise FormatError(
                    f"a {kind}: {len(ids)} transitions {side} {place.what}, {listed}; a task graph "
                    "does every step and knows no alternatives"
                )
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
    )


_TYPE = "http://www.pnml.org/version-2009/grammar/ptnet"
_NAMESPACE = "http://www.pnml.org/version-2009/grammar/pnml"
_COLUMN, _ROW, _LANE = 240.0, 80.0, 20.0
_SPACE = 50.0  # between places in the same gap


def to_pnml(graph: TaskGraph) -> str:
    """Return a graph as a Petri net in PNML, with a layout.

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
    >>> text = to_pnml(TaskGraph.from_preconditions({"mix": ["crack egg"]}))
    >>> [line.strip() for line in text.splitlines() if "<arc" in line][:2]
    ['<arc id="a1" source="source" target="t0"/>', '<arc id="a2" source="t0" target="p0-1"/>']
    """
    check_steps(graph, "PNML")
    check_characters(graph, "PNML")
    end = graph.vocabulary.end
    places = dict(_places(graph))
    optional = {graph.vocabulary.node(step) for step in graph.optional_steps}
    layout = lay_out([_ROW] * (end + 1), list(places), lane=_LANE, shared=True)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<pnml xmlns="{_NAMESPACE}">',
        f'  <net id="net" type="{_TYPE}">',
        f"    <name><text>{escaped(graph.procedure)}</text></name>",
        '    <page id="page">',
    ]
    left = _x(0) - _COLUMN / 2
    lines += _place("source", left, layout.nodes[0].at, tokens=1)
    spots = _spots(layout, places)
    for link, id_ in places.items():
        lines += _place(id_, *spots[link])
    lines += _place("sink", _x(layout.layer[end]) + _COLUMN / 2, layout.nodes[end].at)
    arcs = [("source", "t0")]
    for node, name in enumerate(graph.vocabulary.nodes):
        spot = _x(layout.layer[node]), layout.nodes[node].at
        lines += _transition(f"t{node}", *spot, name if 0 < node < end else None)
        if node in optional:
            lines += _transition(f"skip{node}", spot[0], spot[1] + _ROW / 2, None)
    for (before, after), id_ in places.items():
        arcs += [(f"t{before}", id_), (id_, f"t{after}")]
        arcs += [(f"skip{before}", id_)] if before in optional else []
        arcs += [(id_, f"skip{after}")] if after in optional else []
    arcs.append((f"t{end}", "sink"))
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


def _places(graph: TaskGraph) -> Iterator[tuple[Link, str]]:
    """Yield the nodes before and after each place, and its id."""
    given = set(graph.edges)
    edges = connect_ends(graph.steps, graph.edges) or [(END, START)]
    for step, needed in edges:
        before, after = graph.vocabulary.node(needed), graph.vocabulary.node(step)
        kind = "p" if (step, needed) in given else "added"
        yield (before, after), f"{kind}{before}-{after}"


def _spots(layout: Layout, links: Iterable[Link]) -> dict[Link, tuple[float, float]]:
    """Return the positions of the places: stacked in the gap before the next column."""
    gaps: dict[int, list[Link]] = {}
    for before, after in links:
        gaps.setdefault(layout.layer[after], []).append((before, after))
    heights = [node.at for node in layout.nodes]
    middle = (min(heights) + max(heights)) / 2
    spots = {}
    for column, stack in gaps.items():
        stack.sort(key=lambda link: (layout.nodes[link[1]].at, layout.nodes[link[0]].at, link))
        top = middle - _SPACE * (len(stack) - 1) / 2
        for number, link in enumerate(stack):
            spots[link] = (_x(column) - _COLUMN / 2, top + _SPACE * number)
    return spots


def _x(column: int) -> float:
    return _COLUMN * (column + 1)


def _place(id_: str, x: float, y: float, *, tokens: int = 0) -> list[str]:
    marking = f"<initialMarking><text>{tokens}</text></initialMarking>" if tokens else ""
    return [f'      <place id="{id_}">{marking}{_graphics(x, y, 30, 30)}</place>']


def _transition(id_: str, x: float, y: float, name: str | None) -> list[str]:
    if name is None:
        about = '<toolspecific tool="ProM" version="6.4" activity="$invisible$"/>'
        return [f'      <transition id="{id_}">{_graphics(x, y, 12, 30)}{about}</transition>']
    label = f"<name><text>{escaped(name)}</text></name>"
    return [f'      <transition id="{id_}">{label}{_graphics(x, y, 110, 40)}</transition>']


def _graphics(x: float, y: float, width: int, height: int) -> str:
    position = f'<position x="{x:.1f}" y="{y:.1f}"/>'
    return f'<graphics>{position}<dimension x="{width}" y="{height}"/></graphics>'
