"""Names inside of XML: escaped so that a reader gets back what was written, or refused."""

from __future__ import annotations

import re

from stepgraph.errors import GraphError
from stepgraph.graph import TaskGraph

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
        What the XML is called, for the message.
    unescaped
        Further characters that the procedure's name must not have.

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


def check_steps(graph: TaskGraph, language: str) -> None:
    """Check that there is something to do, without which a process cannot be told from nothing.

    Raises
    ------
    GraphError
        If the graph has no steps.
    """
    if not graph.steps:
        raise GraphError(f"the graph has no steps, which {language} cannot say; write it as .json")


def escaped(name: str) -> str:
    r"""Return a name as it stands in an XML text or attribute.

    Examples
    --------
    >>> escaped('salt & "pepper"\n')
    'salt &amp; &quot;pepper&quot;&#10;'
    """
    return "".join(_ESCAPES.get(character, character) for character in name)
