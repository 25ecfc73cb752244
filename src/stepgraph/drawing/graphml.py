"""A task graph as GraphML, the XML format that networkx, Gephi and yEd exchange.

The file holds what `TaskGraph.to_networkx` gives: steps, edges from a step to its precondition,
weights, which steps are optional or repeatable, and the procedure's name. XML cannot hold most
control characters, not even escaped; a name with one is refused rather than changed.
"""

from __future__ import annotations

from stepgraph.drawing.xml_text import check_characters
from stepgraph.graph import TaskGraph


def to_graphml(graph: TaskGraph) -> str:
    """Return a graph as GraphML.

    Parameters
    ----------
    graph
        The graph to write.

    Returns
    -------
    str
        The text of a file; `networkx.read_graphml` and `TaskGraph.from_networkx` give an
        equal graph back.

    Raises
    ------
    GraphError
        If a name holds a character that XML cannot hold.

    Examples
    --------
    >>> text = to_graphml(TaskGraph.from_preconditions({"mix": ["crack egg"]}))
    >>> [line.strip() for line in text.splitlines() if "edge " in line][0]
    '<edge source="crack egg" target="START" />'
    """
    # A reader takes a bare carriage return in a text for a line feed; in the names of steps,
    # which are attributes, it is escaped.
    check_characters(graph, "GraphML", unescaped="\r")
    from networkx.readwrite.graphml import GraphMLWriter

    # Not networkx.generate_graphml: it breaks names at Unicode's other line separators, and
    # not write_graphml: its bytes depend on whether lxml is installed.
    writer = GraphMLWriter(encoding="utf-8", prettyprint=True)
    writer.add_graph_element(graph.to_networkx())
    return f"<?xml version='1.0' encoding='utf-8'?>\n{str(writer).strip()}\n"
