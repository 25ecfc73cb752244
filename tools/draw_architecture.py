"""Draws which of stepgraph's packages, and benchmarks, imports which, from the imports themselves.

Run `python -m tools.draw_architecture` after a change of imports: it writes
`docs/pictures/architecture.svg`. An import that follows from two others is not drawn, as a task
graph leaves out what follows.
"""

from __future__ import annotations

from pathlib import Path

import grimp
import networkx as nx

from stepgraph.drawing import draw_picture
from stepgraph.drawing.picture import Arrow, Box, Picture
from stepgraph.files import write_text

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "architecture.svg"
BESIDE = "benchmarks"
"""The package beside stepgraph, drawn as a whole."""
ASIDE = {"__main__", "_version"}  # a way in, and a number


def imports() -> nx.DiGraph:
    """Return which package imports which, inside functions included."""
    modules = grimp.build_graph("stepgraph", BESIDE, cache_dir=None)
    found = nx.DiGraph()
    found.add_nodes_from({_package(name) for name in modules.modules} - ASIDE - {""})
    for importer in modules.modules:
        for imported in modules.find_modules_directly_imported_by(importer):
            edge = _package(importer), _package(imported)
            if edge[0] != edge[1] and not {*edge} & {*ASIDE, ""}:
                found.add_edge(*edge)
    return found


def drawn() -> nx.DiGraph:
    """Return the imports that do not follow from others."""
    return nx.transitive_reduction(imports())


def picture() -> str:
    """Return the drawing."""
    shown = drawn()
    # What most others rest on goes first, where a task graph has its START; the way in goes last.
    names = sorted(shown, key=lambda name: (-len(nx.ancestors(shown, name)), name))
    place = {name: number for number, name in enumerate(names)}
    arrows = tuple(Arrow(place[a], place[b]) for a, b in sorted(shown.edges))
    boxes = tuple(Box(name) for name in names)
    summary = "An arrow goes from a package to one that it imports."
    return draw_picture(Picture("", boxes, arrows, summary=summary), theme="light", direction="BT")


def _package(module: str) -> str:
    if module.split(".")[0] == BESIDE:
        return BESIDE
    return module.split(".")[1] if "." in module else ""


if __name__ == "__main__":
    write_text(PICTURE, picture())
