"""Rules counted from traces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.mistakes.counted_rules import CountedRules

TRACES = st.lists(st.text("abcd", min_size=1, max_size=8), min_size=1, max_size=6)


@given(TRACES)
def test_every_trace_keeps_the_rules_that_it_was_counted_for(traces: list[str]) -> None:
    rules = CountedRules.of(traces)
    assert all(rules.fits(trace, "abc") for trace in traces)


@given(TRACES, st.text("abcd", min_size=1, max_size=8))
def test_more_kinds_of_rules_never_accept_more(traces: list[str], trace: str) -> None:
    rules = CountedRules.of(traces)
    said = [rules.fits(trace, kinds) for kinds in ("a", "ab", "abc")]
    assert said == sorted(said, reverse=True)


@pytest.mark.parametrize(
    ("trace", "kinds", "fits"),
    [
        ("acd", "a", True),
        ("adc", "a", False),  # d came last in every trace
        ("cad", "a", True),  # one trace has a on both sides of c
        ("cbd", "a", False),  # b came before c where both were done
        ("bd", "a", True),  # nothing is out of order,
        ("bd", "b", False),  # but every trace with b has a
        ("abbd", "ab", True),
        ("abbd", "c", False),  # nobody did b twice
        ("abcad", "c", True),
        ("abad", "c", False),  # c came between two a
        ("axd", "", False),  # no trace has x
    ],
)
def test_each_kind_of_rule_is_kept_or_broken(trace: str, kinds: str, fits: bool) -> None:
    rules = CountedRules.of(["abd", "acd", "abcad"])
    assert rules.fits(trace, kinds) is fits


def test_steps_that_never_met_have_no_order() -> None:
    rules = CountedRules.of(["ab", "ac"])
    assert rules.fits("abc", "abc")
    assert rules.fits("acb", "abc")
