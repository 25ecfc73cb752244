"""Task graphs as text: drawings for the terminal and files for other programs.

`draw` in `stepgraph.drawing.terminal` makes the drawing that the command line shows; `render`
makes the text of a file, by the file's suffix. A new format is a module with one function
from a graph to a text and one entry in `RENDERERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from stepgraph.errors import UnknownNameError
from stepgraph.graph import TaskGraph


@dataclass(frozen=True)
class Renderer:
    """One way to write a graph to a file.

    Parameters
    ----------
    description
        What the format is and what reads it, for a list of formats.
    function
        Returns the text of the file.
    """

    description: str
    function: Callable[[TaskGraph], str]


# Each function imports its module when it is called, so that listing the formats is quick.


def _dot(graph: TaskGraph) -> str:
    from stepgraph.drawing.dot import to_dot

    return to_dot(graph)


def _graphml(graph: TaskGraph) -> str:
    from stepgraph.drawing.graphml import to_graphml

    return to_graphml(graph)


def _mermaid(graph: TaskGraph) -> str:
    from stepgraph.drawing.mermaid import to_mermaid

    return to_mermaid(graph)


def _pnml(graph: TaskGraph) -> str:
    from stepgraph.drawing.pnml import to_pnml

    return to_pnml(graph)


def _bpmn(graph: TaskGraph) -> str:
    from stepgraph.drawing.bpmn import to_bpmn

    return to_bpmn(graph)


def _json(graph: TaskGraph) -> str:
    from stepgraph.storage import dump_json, graph_to_json

    return dump_json(graph_to_json(graph))


RENDERERS: Mapping[str, Renderer] = MappingProxyType(
    {
        ".json": Renderer("stepgraph's own format, the only one that keeps everything", _json),
        ".dot": Renderer("Graphviz, for pictures (dot -Tsvg)", _dot),
        ".gv": Renderer("Graphviz, the other common suffix", _dot),
        ".graphml": Renderer("GraphML, for networkx, Gephi and yEd", _graphml),
        ".mmd": Renderer("Mermaid, for Markdown pages", _mermaid),
        ".pnml": Renderer("PNML, a workflow net for ProM, pm4py and WoPeD", _pnml),
        ".bpmn": Renderer("BPMN 2.0 with a diagram, for process editors", _bpmn),
    }
)


def render(graph: TaskGraph, suffix: str) -> str:
    """Return the text of a file with a graph.

    Parameters
    ----------
    graph
        The graph to write.
    suffix
        The suffix of the file's name, such as ``".dot"``; capitals do not matter.

    Raises
    ------
    UnknownNameError
        If no format has this suffix.
    GraphError
        If the format cannot hold one of the names.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["crack egg"]})
    >>> print(render(graph, ".mmd").splitlines()[0])
    flowchart BT
    """
    try:
        renderer = RENDERERS[suffix.lower()]
    except KeyError:
        raise UnknownNameError("output format", suffix, RENDERERS) from None
    return renderer.function(graph)
