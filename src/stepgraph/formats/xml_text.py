"""Safe reading of untrusted XML, and escaping of names.

The reader refuses document type declarations, and with them every entity that could grow or reach
for other files. It also refuses files that are larger, deeper or of more elements than any real
one. A written name reads back unchanged, or the writer refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from stepgraph.errors import FormatError, GraphError
from stepgraph.graph import TaskGraph
from stepgraph.graph.rules import rules_in_words

MEGABYTES = 64
DEPTH = 100
ELEMENTS = 1_000_000


@dataclass(slots=True)
class Element:
    """One element, its namespace apart from its name.

    Parameters
    ----------
    name
        Its name without a prefix.
    namespace
        The namespace of its prefix; empty if there is none.
    attributes
        Its attributes, without those that have a prefix.
    line
        The line of the file that it begins in.
    children
        The elements inside, in order.
    text
        The text directly inside, in one piece.
    """

    name: str
    namespace: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, *names: str) -> Iterator[Element]:
        """Yield the elements directly inside that have one of these names."""
        return (child for child in self.children if child.name in names)

    def first(self, name: str) -> Element | None:
        """Return the first element directly inside that has this name."""
        return next(self.all(name), None)

    def inner_text(self, *names: str) -> str | None:
        """Return the text of an element inside, found name by name, without blanks around it."""
        element: Element | None = self
        for name in names:
            element = None if element is None else element.first(name)
        return None if element is None else element.text.strip()


def parse_xml(text: str) -> Element:
    """Return the root element of an XML text.

    Raises
    ------
    FormatError
        If the text is no XML, declares a document type, or is too large.
    """
    if len(text) > MEGABYTES * 2**20:
        raise FormatError(f"{len(text) / 2**20:.0f} MB of XML; expected at most {MEGABYTES} MB")
    # The text is decoded already, whatever encoding the file declares.
    parser = expat.ParserCreate(encoding="utf-8", namespace_separator="}")
    parser.buffer_text = True
    builder = _Builder(parser)
    parser.StartDoctypeDeclHandler = builder.refuse_document_type
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise FormatError(
            f"line {error.lineno}, column {error.offset + 1}: not XML ({what})"
        ) from None
    assert builder.root is not None  # noqa: S101 - expat has refused a file without one
    return builder.root


class _Builder:
    """Builds the tree during parsing."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.parser = parser
        self.root: Element | None = None
        self.open: list[Element] = []
        self.parts: list[list[str]] = []  # of the open elements' texts
        self.count = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.count += 1
        if self.count > ELEMENTS:
            raise FormatError(f"line {line}: more than {ELEMENTS:,} elements")
        if len(self.open) >= DEPTH:
            raise FormatError(f"line {line}: elements are nested more than {DEPTH} deep")
        namespace, _, name = tag.rpartition("}")
        plain = {key: value for key, value in attributes.items() if "}" not in key}
        element = Element(name, namespace, plain, line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        self.parts.append([])

    def end(self, _tag: str) -> None:
        self.open.pop().text = "".join(self.parts.pop())

    def characters(self, text: str) -> None:
        self.parts[-1].append(text)

    def refuse_document_type(self, *_: object) -> None:
        raise FormatError(
            f"line {self.parser.CurrentLineNumber}: a document type declaration (<!DOCTYPE ...>), "
            "which could hold harmful entities; remove it"
        )


# All but the characters of XML 1.0, section 2.2.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A reader turns bare tabs and line ends into blanks or line feeds.
_ESCAPES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
}


def check_characters(graph: TaskGraph, language: str, *, unescaped: str = "") -> None:
    """Check that XML can hold the names of a graph.

    Most control characters have no place in XML, not even escaped.

    Parameters
    ----------
    graph
        The graph to write.
    language
        The name of the XML format, for the message.
    unescaped
        Further characters that the procedure's name must not hold.

    Raises
    ------
    GraphError
        If a name holds a character that XML cannot.
    """
    for kind, name in (("procedure", graph.procedure), *(("step", name) for name in graph.steps)):
        found = _FORBIDDEN.search(name)
        if found is None and kind == "procedure" and unescaped:
            found = re.search(f"[{re.escape(unescaped)}]", name)
        if found is not None:
            raise GraphError(
                f"the {kind} {name!r} holds the character {found[0]!r}, which {language} cannot "
                "hold; rename it, or write the graph as .json"
            )


def check_rules(graph: TaskGraph, language: str) -> None:
    """Check that a graph has no choices, undoing or steps that go with others.

    Raises
    ------
    GraphError
        If it has.
    """
    for rule in rules_in_words(graph):
        raise GraphError(
            f"the graph says {rule}, which stepgraph cannot write as {language}; write it as .json"
        )


def escaped(name: str) -> str:
    r"""Return a name as it stands in an XML text or attribute.

    Examples
    --------
    >>> escaped('salt & "pepper"\n')
    'salt &amp; &quot;pepper&quot;&#10;'
    """
    return "".join(_ESCAPES.get(character, character) for character in name)
