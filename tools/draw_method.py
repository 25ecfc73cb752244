"""Draws the pictures of `docs/method.md` from a procedure that ships with stepgraph.

Run it after a change of the learners or of the drawings; it writes into `docs/pictures`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stepgraph import TaskGraph, learn, load_procedure
from stepgraph.drawing import draw_comparison, draw_graph
from stepgraph.files import write_text

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
PROCEDURE = load_procedure("seed-tray")


def learned_from(count: int) -> TaskGraph:
    """Return what the first recordings without a mistake have in common."""
    clean = PROCEDURE.demonstrations.without_marked_mistakes()
    return learn(replace(clean, sequences=clean.sequences[:count]), method="intersection")


def drawings() -> dict[str, str]:
    """Return each picture by its file name."""
    spoiled = learn(PROCEDURE.demonstrations, method="intersection", with_mistakes=True)
    return {
        "method-one-recording.svg": draw_graph(learned_from(1)),
        "method-three-recordings.svg": draw_graph(learned_from(3)),
        "method-all-recordings.svg": draw_graph(learned_from(12)),
        "method-mistakes.svg": draw_comparison(spoiled, PROCEDURE.graph),
    }


if __name__ == "__main__":
    for name, svg in drawings().items():
        write_text(FOLDER / name, svg)
