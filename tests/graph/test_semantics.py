"""The state machine behind every tool."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.graph import Choice, StepAttributes, TaskGraph, Undoing
from stepgraph.monitoring import Monitor
from tests.strategies import graphs_with_rules

BENCH = TaskGraph.from_preconditions(
    {
        "test": ["build"],
        "repair": ["test"],
        "pack": ["test", "repair"],
        "ship": ["pack"],
        "scrap": ["test", "repair"],
    }
).replace(
    attributes={"repair": StepAttributes(optional=True, repeatable=True)},
    choices=[Choice([["pack", "ship"], ["scrap"]])],
    undoings=[Undoing("repair", ["test"])],
)


@pytest.mark.parametrize(
    ("steps", "valid", "complete"),
    [
        ("build test pack ship", True, True),
        ("build test scrap", True, True),
        ("build test", True, False),
        ("build test pack", True, False),
        ("build test scrap pack", False, False),
        ("build test repair pack ship", False, False),
        ("build test repair test pack ship", True, True),
        ("build test repair test repair test scrap", True, True),
        ("build test repair", True, False),
        ("build test test scrap", False, False),
        ("build test scrap repair", False, False),
    ],
)
def test_choices_and_undoing(steps: str, valid: bool, complete: bool) -> None:
    assert BENCH.is_valid(steps.split()) is valid
    assert BENCH.is_valid(steps.split(), complete=True) is complete


def test_what_can_be_done_follows_the_choice_and_the_undoing() -> None:
    assert BENCH.executable(["build", "test"]) == ("repair", "pack", "scrap")
    assert BENCH.executable(["build", "test", "pack"]) == ("ship",)
    assert BENCH.executable(["build", "repair"]) == ("test",)


def test_what_needs_an_alternative_waits_for_the_one_that_was_taken() -> None:
    graph = TaskGraph.from_preconditions({"end": ["a1", "b"], "a1": ["a0"]}).replace(
        choices=[Choice([["a0", "a1"], ["b"]])]
    )
    assert graph.is_valid(["b", "end"], complete=True)
    assert graph.is_valid(["a0", "a1", "end"], complete=True)
    assert not graph.is_valid(["a0", "end"])
    assert not graph.is_valid(["end"])


LATE = TaskGraph.from_preconditions({"late": ["other"], "other": ["early"]}).replace(
    choices=[Choice([["early"], ["late"]])]
)


def test_a_step_between_two_alternatives_does_not_wait_for_the_later_one() -> None:
    assert LATE.executable() == ("other", "early")
    assert LATE.is_valid(["other", "late"], complete=True)
    assert LATE.is_valid(["early", "other"], complete=True)
    assert not LATE.is_valid(["other"], complete=True)
    assert not LATE.is_valid(["other", "early"]), "its place is before 'other'"


def test_only_steps_of_an_alternative_that_have_to_be_done_make_others_wait() -> None:
    graph = TaskGraph.from_preconditions({"end": ["a", "tip"], "b": ["end"]}).replace(
        attributes={"tip": StepAttributes(optional=True)},
        choices=[Choice([["a"], ["b", "tip"]])],
    )
    assert graph.is_valid(["end", "b"], complete=True)
    assert graph.is_valid(["tip", "end", "b"], complete=True)
    assert not graph.is_valid(["tip", "end"], complete=True)


def test_an_optional_choice_has_to_be_made_where_all_its_alternatives_go_with_a_step() -> None:
    graph = TaskGraph(["inspect", "good", "bad"], []).replace(
        attributes={
            "inspect": StepAttributes(optional=True, goes_with=("good", "bad")),
        },
        choices=[Choice([["good"], ["bad"]], optional=True)],
    )
    inspect = 1 << graph.vocabulary.node("inspect")
    assert graph.is_valid([], complete=True)
    assert not graph.is_valid(["inspect"], complete=True)
    assert graph.is_valid(["inspect", "bad"], complete=True)
    assert len(graph.semantics.undecided(inspect)) == 1
    assert not graph.semantics.undecided(0)
    assert graph.semantics.progress(inspect) == 0


def test_an_optional_choice_may_be_left_out_but_has_its_place() -> None:
    graph = TaskGraph.from_preconditions({"end": ["a", "b"]}).replace(
        choices=[Choice([["a"], ["b"]], optional=True)]
    )
    assert graph.is_valid(["end"], complete=True)
    assert graph.is_valid(["a", "end"], complete=True)
    assert not graph.is_valid(["end", "a"])
    assert not graph.is_valid(["a", "b", "end"])


def test_a_choice_within_an_alternative_is_due_once_that_is_begun() -> None:
    graph = TaskGraph(
        "abcd", [], choices=[Choice([["a", "b", "c"], ["d"]]), Choice([["b"], ["c"]])]
    )
    assert graph.is_valid("d", complete=True)
    assert graph.is_valid("ab", complete=True)
    assert graph.is_valid("ca", complete=True)
    assert not graph.is_valid("a", complete=True)
    assert not graph.is_valid("abc", complete=True)


def test_whoever_does_a_step_also_does_what_goes_with_it() -> None:
    optional = StepAttributes(optional=True)
    graph = TaskGraph.from_preconditions({"close": ["open"], "end": ["close"]}).replace(
        attributes={
            "open": StepAttributes(optional=True, goes_with=("close",)),
            "close": optional,
        }
    )
    assert graph.is_valid(["end"], complete=True)
    assert graph.is_valid(["open", "close", "end"], complete=True)
    assert not graph.is_valid(["open", "end"])
    assert not graph.is_valid(["open"], complete=True)
    assert graph.is_valid(["close", "end"], complete=True)


def test_undoing_does_not_pass_along_the_order_but_reaches_all_that_needs_it() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "u": ["a"], "v": ["a"]})
    graph = graph.replace(undoings=[Undoing("u", ["a"])])
    assert not graph.is_valid("abuc")
    assert graph.is_valid("abuacv", complete=True)


@given(graphs_with_rules(), st.data())
def test_the_monitor_is_clean_exactly_where_the_graph_says_valid(
    graph: TaskGraph, data: st.DataObject
) -> None:
    steps = data.draw(st.lists(st.sampled_from(graph.steps), max_size=10))
    monitor = Monitor(graph)
    verdicts = [monitor.observe(step) for step in steps]
    assert (not any(verdict.is_mistake for verdict in verdicts)) is graph.is_valid(steps)
    assert monitor.finish().is_clean is graph.is_valid(steps, complete=True)


@given(graphs_with_rules(), st.data())
def test_doing_what_is_executable_is_valid(graph: TaskGraph, data: st.DataObject) -> None:
    monitor = Monitor(graph)
    possible = graph.executable()
    for _ in range(8):
        if not possible:
            break
        verdict = monitor.observe(data.draw(st.sampled_from(possible)))
        assert not verdict.is_mistake
        possible = verdict.executable


def test_a_step_that_goes_with_one_alternative_belongs_to_it() -> None:
    graph = TaskGraph("abc", []).replace(
        attributes={"c": StepAttributes(optional=True, goes_with=("a",))},
        choices=[Choice([["a"], ["b"]])],
    )
    assert not graph.is_valid("bc")
    assert not graph.is_valid("cb")
    assert graph.is_valid("ca", complete=True)
    assert not graph.is_valid("c", complete=True)


def test_what_may_be_done_leads_to_no_choice_that_cannot_be_made() -> None:
    graph = TaskGraph.from_preconditions({"c": ["a"], "e": ["b"]})
    graph = graph.replace(choices=[Choice([["a"], ["b"]])])
    assert graph.executable(["e"]) == ("a",)
    assert graph.is_valid("eac", complete=True)
    assert not graph.is_valid("ec")
