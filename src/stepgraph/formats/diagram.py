"""Nodes and lines of a drawn process, by their ids: what PNML and BPMN have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from stepgraph.errors import FormatError
from stepgraph.formats.xml_tree import Element


@dataclass(slots=True)
class DiagramNode:
    """A box of a diagram, and which others lines lead to it from and from it to.

    Parameters
    ----------
    id
        What lines call it.
    kind
        What it is, as its element is called.
    line
        Where it stands in the file.
    name
        What people call it; may be empty.
    optional
        Whether what it stands for may be left out.
    before, after
        The ids of those before and after it.
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
    """Return the id of an element that is to become a node.

    Raises
    ------
    FormatError
        If it has none, or another node's.
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
    """Return the nodes that a line leads from and to.

    Parameters
    ----------
    line
        The element of the line.
    nodes
        The nodes by id.
    ends
        The attributes that say where it begins and ends.
    kind, home
        What the line is called, and what it is part of, for messages.

    Raises
    ------
    FormatError
        If it leads from or to something that is not there.
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
    """Note a line at both of its ends."""
    source.after.append(target.id)
    target.before.append(source.id)
