"""The pictures in the documents are what the tool draws."""

from __future__ import annotations

from pathlib import Path

from stepgraph.procedures import load_procedure

from .reading import read

PICTURES = Path(__file__).parents[3] / "docs" / "pictures"
GRAPH = load_procedure("pancakes").graph


def test_the_picture_of_the_pancakes_shows_their_graph() -> None:
    drawing = read((PICTURES / "pancakes.svg").read_text(encoding="utf-8"))
    nodes = GRAPH.vocabulary.nodes
    assert {(nodes[step], nodes[needed]) for step, needed in drawing.edges} == set(GRAPH.edges)


def test_the_comparison_has_every_known_edge() -> None:
    drawing = read((PICTURES / "pancakes-compared.svg").read_text(encoding="utf-8"))
    nodes = GRAPH.vocabulary.nodes
    assert {(nodes[step], nodes[needed]) for step, needed in drawing.edges} >= set(GRAPH.edges)
