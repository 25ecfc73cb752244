from __future__ import annotations

from typing import Any

import pytest

from stepgraph.errors import SettingError
from stepgraph.learners import get_learner
from stepgraph.postprocess import to_graph
from stepgraph.sequences import Demonstrations


def _needs(recordings: list[str], step: str, **settings: Any) -> tuple[str, ...]:
    learned = get_learner("count-based", **settings).learn(Demonstrations.from_steps(recordings))
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


def test_every_occurrence_counts() -> None:
    # Only the second 'd' tells that 'b' always goes on to 'd'.
    recordings = ["adbd", "a"]
    assert _needs(recordings, "d") == ("b",)
    assert _needs(recordings, "d", repetitions="first") == ("a",)


def test_equal_recordings_each_count() -> None:
    # Of the recordings with 'b' one of three goes on to 'd', of the different ones one of two.
    recordings = ["ad", "a", "bd", "b", "b"]
    assert _needs(recordings, "d") == ("a",)
    assert _needs(recordings, "d", repetitions="first") == ("a", "b")


def test_a_step_that_follows_itself_is_no_precondition_of_its_own() -> None:
    assert _needs(["aab", "aab"], "a") == ()


def test_other_methods_cannot_count_every_occurrence() -> None:
    with pytest.raises(SettingError, match="'all', which only 'count-based' can use; expected one"):
        get_learner("intersection", repetitions="all")
