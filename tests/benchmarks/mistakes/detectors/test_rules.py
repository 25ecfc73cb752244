from __future__ import annotations

import pytest

from benchmarks.mistakes.detectors import (
    ALWAYS_CORRECT,
    ALWAYS_MISTAKE,
    AlwaysBefore,
    AtRandom,
    FromPosition,
    GraphRule,
    UnseenStep,
)
from stepgraph.errors import SettingError
from stepgraph.graph import TaskGraph
from stepgraph.sequences import Demonstrations, Vocabulary

TEA = Demonstrations.from_steps(
    ["abcd", "bacd", "abdc"], vocabulary=Vocabulary(("a", "b", "c", "d", "never"))
)


def test_a_graph_flags_missing_preconditions_and_unknown_steps() -> None:
    rule = GraphRule(TaskGraph.from_preconditions({"mix": ["egg"]}))
    assert rule.flags(["mix", "egg", "mix", "moon"]) == (True, False, False, True)


def test_always_before_asks_for_what_every_recording_did_first() -> None:
    rule = AlwaysBefore.learn(TEA)
    assert rule.needed["c"] == {"a", "b"}
    assert rule.needed["a"] == frozenset()
    assert rule.flags("acbd") == (False, True, False, False)


def test_a_lower_share_asks_for_more() -> None:
    assert AlwaysBefore.learn(TEA, 0.6).needed["d"] == {"a", "b", "c"}


def test_a_step_of_the_vocabulary_that_nobody_did_is_a_mistake() -> None:
    for rule in (AlwaysBefore.learn(TEA), UnseenStep.learn(TEA)):
        assert rule.flags(["a", "never"]) == (False, True)


def test_a_repeated_step_is_checked_by_its_first_time() -> None:
    rule = AlwaysBefore.learn(Demonstrations.from_steps(["abab", "aba"]))
    assert rule.needed == {"a": frozenset(), "b": {"a"}}


def test_positions_count_from_one() -> None:
    assert FromPosition(3).flags("abcd") == (False, False, True, True)
    assert ALWAYS_MISTAKE.flags("ab") == (True, True)
    assert ALWAYS_CORRECT.flags("ab") == (False, False)


def test_half_way_is_where_a_mistake_is_expected_in_a_training_recording() -> None:
    assert FromPosition.half_way(Demonstrations.from_steps(["abcde"])).first == 3
    assert FromPosition.half_way(Demonstrations.from_steps(["abcd", "abcde"])).first == 3
    assert FromPosition.half_way(Demonstrations.from_steps(["abcdef"])).first == 4


def test_at_random_flags_one_segment_of_a_recording_that_may_be_cut_anywhere() -> None:
    rule = AtRandom.once_a_recording(Demonstrations.from_steps(["abc", "abcde"]))
    assert rule.share == pytest.approx(2 / 5)
    steps = [str(number) for number in range(10_000)]
    assert sum(rule.flags(steps)) == pytest.approx(4_000, abs=200)


def test_at_random_is_the_same_again_and_another_with_another_seed() -> None:
    steps = [str(number) for number in range(100)]
    assert AtRandom(0.5, 1).flags(steps) == AtRandom(0.5, 1).flags(steps)
    assert AtRandom(0.5, 1).flags(steps) != AtRandom(0.5, 2).flags(steps)


def test_at_random_two_recordings_that_begin_alike_are_drawn_for_apart() -> None:
    rule = AtRandom(0.5)
    assert len({rule.flags("abcdefgh") for _ in range(20)}) > 10


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_the_share_at_random_is_a_probability(share: float) -> None:
    with pytest.raises(SettingError, match="expected a number from 0 to 1"):
        AtRandom(share)


@pytest.mark.parametrize("share", [0, 1.1])
def test_a_share_is_above_zero_and_at_most_one(share: float) -> None:
    with pytest.raises(SettingError, match=f"the share is {share}"):
        AlwaysBefore.learn(TEA, share)
