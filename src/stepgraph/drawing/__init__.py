"""Task graphs as pictures: SVG, PNG, text for a terminal, and notebook output.

A graph or a comparison becomes a `Picture` (`picture`), `placement` places its parts, `graph_svg`
writes SVG, and `png` turns SVG into PNG. `draw_graph` and `draw_comparison` do all of it.
`stepgraph.drawing.terminal` draws text. `stepgraph.formats` writes files for other programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.graph import TaskGraph

if TYPE_CHECKING:
    from stepgraph.drawing.picture import Picture
    from stepgraph.formats.dot import Direction

__all__ = [
    "draw_comparison",
    "draw_graph",
    "draw_picture",
    "show_in_notebook",
]

_NOTEBOOK_WIDTH = 100


# Each function imports its modules when it is called, so that the package loads at once.


def draw_graph(
    graph: TaskGraph,
    *,
    theme: str = "light",
    direction: Direction = "BT",
) -> str:
    """Return a drawing of a graph as SVG.

    Parameters
    ----------
    graph
        The graph to draw.
    theme
        ``"light"``, ``"dark"``, or ``"auto"`` for browsers, which then choose.
    direction
        The direction of the procedure: from the bottom to the top, or from left to right. Arrows
        point from a step to its precondition, against this direction.

    Raises
    ------
    UnknownNameError
        If there is no such theme.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["crack egg"]})
    >>> draw_graph(graph)[:42]
    '<svg xmlns="http://www.w3.org/2000/svg" vi'
    """
    from stepgraph.drawing.picture import picture_of_graph

    return draw_picture(picture_of_graph(graph), theme=theme, direction=direction)


def draw_comparison(
    prediction: TaskGraph,
    truth: TaskGraph,
    *,
    theme: str = "light",
    direction: Direction = "BT",
) -> str:
    """Return a drawing that compares a prediction with the truth, as SVG.

    Parameters
    ----------
    prediction, truth
        Two graphs of the same procedure.
    theme, direction
        As for `draw_graph`.

    Raises
    ------
    GraphError
        If the graphs have no step in common.
    UnknownNameError
        If there is no such theme.
    """
    from stepgraph.drawing.picture import picture_of_comparison

    picture = picture_of_comparison(prediction, truth)
    return draw_picture(picture, theme=theme, direction=direction)


def draw_picture(picture: Picture, *, theme: str, direction: Direction) -> str:
    """Return any picture as SVG; parameters as for `draw_graph`."""
    from stepgraph.drawing.graph_svg import measure, measure_word, paint
    from stepgraph.drawing.placement import place_parts
    from stepgraph.drawing.themes import get_theme

    colours = get_theme(theme)
    labels = [measure(box) for box in picture.boxes]
    sizes = [(label.width, label.height) for label in labels]
    placement = place_parts(
        sizes,
        picture.arrows,
        direction,
        rules=picture.rules,
        word_sizes=[measure_word(rule) for rule in picture.rules],
    )
    return paint(picture, labels, placement, colours)


def show_in_notebook(graph: TaskGraph) -> dict[str, str]:
    """Return a graph in the forms that a notebook can choose from, by their MIME type.

    Parameters
    ----------
    graph
        The graph.
    """
    from stepgraph.drawing.terminal import draw

    lines = [repr(graph), *draw(graph, width=_NOTEBOOK_WIDTH, unicode=True)]
    return {"text/plain": "\n".join(lines), "image/svg+xml": draw_graph(graph, theme="auto")}
