"""The drawing of a graph for the page: SVG whose colours the page's own style sheet gives."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from stepgraph.drawing.graph_svg import measure, paint
from stepgraph.drawing.picture import Arrow, Picture, picture_of_graph
from stepgraph.drawing.placement import Placement, place_parts
from stepgraph.drawing.themes import get_theme
from stepgraph.web.studio.states import State

# The page allows no style but that of its own files, which have the same colours.
_THEME = replace(get_theme("auto"), style="")


def draw_state(state: State) -> str:
    """Return the drawing of a graph as SVG.

    Each box has the attribute ``data-node``, its place among START, the steps and END; each
    arrow ``data-edge``, the places of the step and of its precondition.
    """
    shown = picture_of_graph(state.graph)
    # The page has the title and the legend beside the drawing.
    picture = Picture("", shown.boxes, shown.arrows, (), shown.summary)
    labels = [measure(box) for box in picture.boxes]
    sizes = tuple((label.width, label.height) for label in labels)
    placement = _placed(sizes, tuple((arrow.step, arrow.precondition) for arrow in picture.arrows))
    return paint(picture, labels, placement, _THEME)


@lru_cache(maxsize=64)
def _placed(sizes: tuple[tuple[float, float], ...], ends: tuple[tuple[int, int], ...]) -> Placement:
    """Return where everything goes; undo and redo come back to what was placed before."""
    return place_parts(sizes, [Arrow(*pair) for pair in ends])
