"""Edges that were learned and that are hardly probable."""

from __future__ import annotations

from stepgraph.graph import TaskGraph
from stepgraph.graph.attributes import EdgeEvidence
from stepgraph.graph.doubtful import NAMED, doubtful

CHAIN = TaskGraph.from_preconditions(
    {"a": [], "b": ["a"], "c": ["b"], "d": ["c"], "e": ["d"], "f": ["e"]}
)


def chain(*probabilities: float) -> TaskGraph:
    """Return the chain, b's edge the first, each broken by 2 of 5 recordings."""
    given = dict(zip("bcdef", probabilities, strict=False))
    edges = [edge for edge in CHAIN.edges if edge[0] in given]
    return CHAIN.replace(
        evidence={edge: EdgeEvidence(3, 2, 0, probability=given[edge[0]]) for edge in edges}
    )


def test_the_least_probable_comes_first() -> None:
    assert list(doubtful(chain(0.4, 0.9, 0.123))) == [
        "doubtful (12 % probable): 'd' needs 'c', which 2 of 5 recordings break",
        "doubtful (40 % probable): 'b' needs 'a', which 2 of 5 recordings break",
    ]


def test_an_edge_as_probable_as_not_is_not_doubtful() -> None:
    assert list(doubtful(chain(0.5))) == []
    assert list(doubtful(CHAIN)) == []


def test_beyond_some_the_others_are_counted() -> None:
    assert len(list(doubtful(chain(*[0.1] * NAMED)))) == NAMED
    assert list(doubtful(chain(*[0.1] * (NAMED + 1))))[NAMED:] == ["1 more edge is doubtful"]
    assert list(doubtful(chain(*[0.1] * (NAMED + 2))))[NAMED:] == ["2 more edges are doubtful"]


def test_only_the_edges_asked_about_are_told() -> None:
    graph = chain(0.1, 0.2, 0.3)
    assert [said[:24] for said in doubtful(graph, among={("c", "b"), ("d", "a")})] == [
        "doubtful (20 % probable)"
    ]
    assert list(doubtful(graph, among=())) == []
