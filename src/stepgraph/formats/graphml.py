"""A task graph as GraphML, the XML format that networkx, Gephi and yEd exchange.

The file holds what `TaskGraph.to_networkx` gives: steps, edges from a step to its precondition,
weights, which steps are optional or repeatable, and the procedure's name. XML cannot hold most
control characters, not even escaped; the writer refuses a name with one.
"""

from __future__ import annotations

from stepgraph.errors import FormatError
from stepgraph.formats.xml_text import check_characters, check_rules, parse_xml
from stepgraph.graph import TaskGraph


def graph_from_graphml(text: str, stem: str) -> TaskGraph:
    """Return the task graph that GraphML holds; its edges go from a step to its precondition.

    Parameters
    ----------
    text
        The text of a file.
    stem
        The name of the procedure if the file has none.

    Raises
    ------
    FormatError
        If the text is not GraphML with directed edges.
    """
    import networkx as nx

    parse_xml(text)  # networkx would follow entities that a document type declares
    try:
        graph = nx.parse_graphml(text)
        directed = graph.is_directed()
        procedure = str(graph.graph.get("procedure") or stem)
        weights = [float(w) for _, _, w in graph.edges(data="weight") if w is not None]
    except Exception as error:  # the parser passes on any error from inside it
        raise FormatError(
            f"not GraphML that can be used ({type(error).__name__}: {error})"
        ) from None
    if not directed:
        raise FormatError("an undirected graph; expected edges from a step to its precondition")
    del weights  # converts them only to check that they are numbers
    return TaskGraph.from_networkx(graph, procedure=procedure)


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
    check_rules(graph, "GraphML")
    # A reader takes a bare carriage return in a text for a line feed; in the names of steps,
    # which are attributes, it is escaped.
    check_characters(graph, "GraphML", unescaped="\r")
    from networkx.readwrite.graphml import GraphMLWriter

    # Not networkx.generate_graphml: it breaks names at Unicode's other line separators, and
    # not write_graphml: its bytes depend on whether lxml is installed.
    writer = GraphMLWriter(encoding="utf-8", prettyprint=True)
    writer.add_graph_element(graph.to_networkx())
    return f"<?xml version='1.0' encoding='utf-8'?>\n{str(writer).strip()}\n"
