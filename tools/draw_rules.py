"""Draws the pictures of `docs/graphs-mean.md`: a choice, an undoing, and steps that go together.

Run it after a change of the drawings; it writes into `docs/pictures`.
"""

from __future__ import annotations

from pathlib import Path

from stepgraph import TaskGraph
from stepgraph.drawing import draw_graph
from stepgraph.files import write_text
from stepgraph.graph import Choice, StepAttributes, Undoing

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"

CHOICE = TaskGraph.from_preconditions(
    {"test": ["build"], "pack": ["test"], "ship": ["pack"], "scrap": ["test"]}
).replace(choices=[Choice([["pack", "ship"], ["scrap"]])])

UNDOES = TaskGraph.from_preconditions(
    {"test": ["build"], "repair": ["test"], "pack": ["test", "repair"]}
).replace(
    attributes={"repair": StepAttributes(optional=True, repeatable=True)},
    undoings=[Undoing("repair", ["test"])],
)

GOES_WITH = TaskGraph.from_preconditions({"pour": ["open"], "close": ["pour"]}).replace(
    attributes={
        "open": StepAttributes(optional=True, goes_with=("close",)),
        "close": StepAttributes(optional=True),
    }
)


def drawings() -> dict[str, str]:
    """Return each picture by its file name."""
    return {
        "rules-choice.svg": draw_graph(CHOICE, direction="LR"),
        "rules-undoes.svg": draw_graph(UNDOES, direction="LR"),
        "rules-goes-with.svg": draw_graph(GOES_WITH, direction="LR"),
    }


if __name__ == "__main__":
    for name, svg in drawings().items():
        write_text(FOLDER / name, svg)
