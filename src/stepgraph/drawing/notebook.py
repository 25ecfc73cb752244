"""A graph in a notebook: a drawing where one can be made, and always text."""

from __future__ import annotations

from stepgraph.drawing.terminal import draw
from stepgraph.errors import UnavailableError
from stepgraph.graph import TaskGraph

WIDTH = 100


def show_graph(graph: TaskGraph) -> dict[str, str]:
    """Return a graph in the forms that a notebook can choose from, by their MIME type.

    Parameters
    ----------
    graph
        The graph. Without the extra ``draw`` and without Graphviz there is only text.
    """
    from stepgraph.drawing.drawing import draw_graph

    shown = {"text/plain": "\n".join([repr(graph), *draw(graph, width=WIDTH, unicode=True)])}
    try:
        shown["image/svg+xml"] = draw_graph(graph, theme="auto")
    except UnavailableError:
        return shown
    return shown
