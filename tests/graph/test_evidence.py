from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from stepgraph.errors import GraphError
from stepgraph.graph import Provenance, TaskGraph
from stepgraph.graph.evidence import (
    EXAMPLES,
    MOST_DOUBTFUL,
    EdgeEvidence,
    StepAttributes,
    doubtful,
)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
@pytest.mark.parametrize("name", ["done", "repeated"])
def test_a_share_that_is_none_is_refused(name: str, share: float) -> None:
    shares: dict[str, Any] = {"done": 1.0, "repeated": 0.0, name: share}
    with pytest.raises(GraphError, match=f"the share '{name}'"):
        StepAttributes(**shares)


@pytest.mark.parametrize("count", [-1, float("inf"), float("nan")])
@pytest.mark.parametrize("name", ["held", "broken", "silent"])
def test_a_count_that_is_none_is_refused(name: str, count: float) -> None:
    counts: dict[str, Any] = {"held": 1.0, "broken": 1.0, "silent": 1.0, name: count}
    with pytest.raises(GraphError, match=name):
        EdgeEvidence(**counts)


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_a_probability_that_is_none_is_refused(probability: float) -> None:
    with pytest.raises(GraphError, match="the probability of an edge"):
        EdgeEvidence(1, 0, 0, probability=probability)


@pytest.mark.parametrize(
    ("broken", "probability", "doubtful"),
    [(1, 0.49, True), (1, 0.5, False), (0, 0.1, False), (1, None, False), (0.5, 0.0, True)],
)
def test_what_recordings_break_and_is_improbable_is_doubtful(
    broken: float, probability: float | None, doubtful: bool
) -> None:
    assert EdgeEvidence(3, broken, 0, probability=probability).doubtful is doubtful


def test_only_some_recordings_are_named() -> None:
    evidence = EdgeEvidence(100, 0, 0, tuple(map(str, range(100))))
    assert len(evidence.held_in) == EXAMPLES
    assert evidence.held == 100


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
    assert len(list(doubtful(chain(*[0.1] * MOST_DOUBTFUL)))) == MOST_DOUBTFUL
    assert list(doubtful(chain(*[0.1] * (MOST_DOUBTFUL + 1))))[MOST_DOUBTFUL:] == [
        "1 more edge is doubtful"
    ]
    assert list(doubtful(chain(*[0.1] * (MOST_DOUBTFUL + 2))))[MOST_DOUBTFUL:] == [
        "2 more edges are doubtful"
    ]


def test_only_the_edges_asked_about_are_told() -> None:
    graph = chain(0.1, 0.2, 0.3)
    assert [said[:24] for said in doubtful(graph, among={("c", "b"), ("d", "a")})] == [
        "doubtful (20 % probable)"
    ]
    assert list(doubtful(graph, among=())) == []


LEARNED = Provenance(
    "robust",
    {"errors": 1.5},
    3,
    recordings=12,
    notes=["a step was left out"],  # type: ignore[arg-type]
    history=[{"edit": "pin"}],  # type: ignore[arg-type]
    other={"author": "Ada"},
)


def test_lists_become_tuples_and_mappings_are_read_only() -> None:
    assert LEARNED.notes == ("a step was left out",)
    assert LEARNED.history == ({"edit": "pin"},)
    for mapping in (LEARNED.settings, LEARNED.other):
        with pytest.raises(TypeError):
            mapping["x"] = 1  # type: ignore[index]


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))],  # noqa: S301
    ids=["copy", "deepcopy", "pickle"],
)
def test_copies_are_equal(copied: Any) -> None:
    assert copied(LEARNED) == LEARNED
    graph = TaskGraph("ab", [("b", "a")], provenance=LEARNED)
    assert copied(graph).provenance == LEARNED


def test_a_graph_takes_another_provenance_and_stays_as_it_is() -> None:
    graph = TaskGraph("ab", [("b", "a")], weights={("b", "a"): 0.5}, procedure="tea")
    told = graph.with_provenance(LEARNED)
    assert (told, told.weights, told.procedure) == (graph, graph.weights, "tea")
    assert told.provenance == LEARNED
    assert graph.provenance == Provenance()
    assert told.executable(["a"]) == ("b",)
