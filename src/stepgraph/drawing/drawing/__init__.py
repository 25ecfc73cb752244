"""Pictures of task graphs: layered, START at the bottom and END on top, as SVG and PNG.

A graph or a comparison becomes a `Picture`; labels are measured, an engine lays it out, a
painter writes SVG, and PNG is made from that. `draw_graph` and `draw_comparison` do all of it.
"""

from __future__ import annotations

from stepgraph.drawing.dot import Direction
from stepgraph.drawing.drawing.engines import ENGINES, get_engine
from stepgraph.drawing.drawing.labels import measure
from stepgraph.drawing.drawing.layout import lay_out
from stepgraph.drawing.drawing.painter import paint
from stepgraph.drawing.drawing.picture import Picture
from stepgraph.drawing.drawing.png import largest_scale, to_png, usual_scale, without_glyph
from stepgraph.drawing.drawing.subjects import picture_of_comparison, picture_of_graph
from stepgraph.drawing.drawing.themes import THEMES, get_theme
from stepgraph.graph import TaskGraph

__all__ = [
    "ENGINES",
    "THEMES",
    "Picture",
    "draw",
    "draw_comparison",
    "draw_graph",
    "largest_scale",
    "picture_of_comparison",
    "picture_of_graph",
    "to_png",
    "usual_scale",
    "without_glyph",
]


def draw_graph(
    graph: TaskGraph,
    *,
    theme: str = "light",
    direction: Direction = "BT",
    engine: str = "auto",
) -> str:
    """Return a drawing of a graph as SVG.

    Parameters
    ----------
    graph
        The graph to draw.
    theme
        ``"light"``, ``"dark"``, or ``"auto"`` for browsers, which then choose.
    direction
        Where the procedure runs: from the bottom to the top, or from left to right. Arrows
        point from a step to its precondition, against it.
    engine
        Who lays it out; see `ENGINES`.

    Raises
    ------
    MissingExtraError
        If no engine is installed.
    UnknownNameError
        If there is no such theme or engine.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["crack egg"]})
    >>> draw_graph(graph)[:42]
    '<svg xmlns="http://www.w3.org/2000/svg" vi'
    """
    return draw(picture_of_graph(graph), theme=theme, direction=direction, engine=engine)


def draw_comparison(
    prediction: TaskGraph,
    truth: TaskGraph,
    *,
    theme: str = "light",
    direction: Direction = "BT",
    engine: str = "auto",
) -> str:
    """Return a drawing of a prediction held against the truth, as SVG.

    Parameters
    ----------
    prediction, truth
        Two graphs of the same procedure.
    theme, direction, engine
        As for `draw_graph`.

    Raises
    ------
    GraphError
        If the graphs have no step in common.
    MissingExtraError
        If no engine is installed.
    UnknownNameError
        If there is no such theme or engine.
    """
    picture = picture_of_comparison(prediction, truth)
    return draw(picture, theme=theme, direction=direction, engine=engine)


def draw(picture: Picture, *, theme: str, direction: Direction, engine: str) -> str:
    """Return any picture as SVG; parameters as for `draw_graph`."""
    colours = get_theme(theme)
    chosen = get_engine(engine)
    labels = [measure(box) for box in picture.boxes]
    sizes = [(label.width, label.height) for label in labels]
    return paint(picture, labels, lay_out(sizes, picture.arrows, chosen, direction), colours)
