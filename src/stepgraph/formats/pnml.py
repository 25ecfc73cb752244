"""Task graphs from PNML, where the net expresses a partial order.

That is an acyclic net in which every place has at most one transition before it and one after
it, started by one token in each place that nothing leads to. A transition without a name, or
marked as invisible in ProM's way, is silent; one between the same places as a step lets it be left
out. Anything else is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stepgraph.errors import FormatError
from stepgraph.formats.diagram import DiagramNode, connect, ends_of, new_id
from stepgraph.formats.flow import FlowNode, graph_from_flow
from stepgraph.formats.xml_tree import Element, parse_xml
from stepgraph.graph import TaskGraph

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
        What to call the procedure where the net has no name.

    Raises
    ------
    FormatError
        If the text is no PNML, or its net is no partial order.
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
    """Yield what is on the net and its pages."""
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
    """Remove silent transitions beside a step, and remember that it can be left out."""
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
    """Check that what is left is a marked graph with a token in each source."""
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
    """Check that a final marking, where there is one, is a token in each place at the end."""
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
