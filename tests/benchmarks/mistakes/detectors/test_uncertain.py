from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.mistakes.detectors.uncertain import BUDGET, UncertainRule
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Confusion

CHAIN = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["c"], "e": ["d"], "f": ["e"]})
RULE = UncertainRule.learn(CHAIN, ["abcdef"] * 20, error_rate=0.2)


def test_a_step_missed_by_the_recogniser_is_borne_and_a_plain_rule_bears_none() -> None:
    bearing, certain = (
        UncertainRule(CHAIN, Confusion.even(CHAIN.steps, rate), threshold=0.5) for rate in (0.2, 0)
    )
    assert not any(bearing.flags("abdef"))
    assert certain.flags("abdef") == (False, False, True, False, False)


def test_training_recordings_themselves_raise_no_more_alarms_than_allowed() -> None:
    assert sum(RULE.flags("abcdef")) <= BUDGET


@given(st.lists(st.sampled_from("abcdefx"), max_size=8), st.integers(0, 8))
def test_a_flag_depends_on_the_steps_up_to_it_only(steps: list[str], cut: int) -> None:
    assert RULE.flags(steps)[:cut] == RULE.flags(steps[:cut])


@pytest.mark.parametrize("steps", ["x", "abx"])
def test_a_step_that_the_graph_lacks_is_flagged(steps: str) -> None:
    assert RULE.flags(steps)[-1]
