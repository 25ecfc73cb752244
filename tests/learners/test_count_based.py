from __future__ import annotations

from stepgraph.learners import get_learner
from stepgraph.postprocess import to_graph
from stepgraph.sequences import Demonstrations


def _needs(recordings: list[str], step: str) -> tuple[str, ...]:
    learned = get_learner("count-based").learn(Demonstrations.from_steps(recordings))
    return to_graph(learned.adjacency).graph.preconditions_of(step)


def test_a_step_needs_what_most_often_came_directly_before_it() -> None:
    # 'a' goes on to 'd' always, 'b' every other time.
    assert _needs(["cad", "bad", "bd"], "d") == ("a",)


def test_equally_frequent_predecessors_both_count() -> None:
    assert _needs(["ac", "bc"], "c") == ("a", "b")


def test_of_a_cycle_the_least_probable_edge_is_dropped() -> None:
    # 'a' directly before 'b' twice of three times that 'a' goes on, 'b' before 'a' once of three.
    recordings = ["xab", "yab", "bay"]
    assert "a" in _needs(recordings, "b")
    assert "b" not in _needs(recordings, "a")
