from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from stepgraph.alignment import align, conformance
from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes
from stepgraph.sequences import Demonstrations
from tests.strategies import demonstrations, task_graphs

FREE = TaskGraph.from_preconditions({"a": [], "b": []})


def slow_precision(graph: TaskGraph, log: Demonstrations) -> float:
    """Return the precision as its definition says it, one recording and prefix at a time."""
    orders = [
        [m.step for m in align(graph, log.names(s)).moves if m.kind != "inserted"] for s in log
    ]
    allowed = shown = 0
    for order in orders:
        for place in range(len(order)):
            prefix = order[:place]
            allowed += len(graph.executable(prefix))
            shown += len({other[place] for other in orders if other[:place] == prefix})
    return shown / allowed


@given(task_graphs(), demonstrations())
@settings(deadline=None)
def test_precision_is_what_its_definition_says(graph: TaskGraph, log: Demonstrations) -> None:
    result = conformance(graph, log)
    assert result.precision == slow_precision(graph, log)
    assert 0 < result.precision <= 1
    assert [alignment.recording for alignment in result.alignments] == [s.id for s in log]
    assert [a.moves for a in result.alignments] == [align(graph, log.names(s)).moves for s in log]


def test_a_chain_is_as_precise_as_can_be() -> None:
    chain = TaskGraph.from_preconditions({"b": ["a"]})
    assert conformance(chain, Demonstrations.from_steps([["b"], ["b", "a"]])).precision == 1


def test_a_log_with_every_order_makes_a_free_graph_precise() -> None:
    assert conformance(FREE, Demonstrations.from_steps(["ab", "ba"])).precision == 1
    assert conformance(FREE, Demonstrations.from_steps(["ab"])).precision == pytest.approx(2 / 3)


def test_fitness_of_a_log_weighs_recordings_by_what_they_could_cost() -> None:
    result = conformance(FREE, Demonstrations.from_steps(["ab", "aaaa"]))
    assert result.cost == 4
    assert result.fitness == pytest.approx(1 - 4 / (4 + 6))


def test_a_recording_counts_as_often_as_it_weighs() -> None:
    once = Demonstrations.from_steps({"1": "ab", "2": "aaaa", "3": "ba"})
    weights = {"1": 3, "2": 2, "3": 1}
    weighted = replace(
        once, sequences=tuple(replace(s, weight=weights[s.id]) for s in once.sequences)
    )
    repeated = Demonstrations.from_steps(["ab", "ab", "ab", "aaaa", "aaaa", "ba"])
    one, other = conformance(FREE, weighted), conformance(FREE, repeated)
    assert (one.cost, one.fitness, one.precision) == (other.cost, other.fitness, other.precision)


def test_an_optional_step_left_out_is_no_part_of_a_prefix() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"]})
    graph = graph.replace(attributes={"a": StepAttributes(optional=True)})
    result = conformance(graph, Demonstrations.from_steps(["b"]))
    # At first the graph allows a and b, of which b is shown.
    assert (result.fitness, result.precision) == (1, 0.5)
