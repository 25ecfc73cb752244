"""Steps that may be left out: what waits for them, and when they are closed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes
from tests.graph.examples import with_optional
from tests.strategies import task_graphs


def test_nothing_waits_for_an_optional_step_but_for_what_that_one_needs() -> None:
    graph = with_optional("b")
    assert graph.missing_before("c", []) == ("a",)
    assert graph.missing_before("c", ["a"]) == ()
    assert graph.executable(["a"]) == ("b", "c", "x")
    assert graph.is_valid(["a", "c", "x", "d"], complete=True)
    assert not graph.is_valid(["c"])


def test_an_optional_step_keeps_its_place() -> None:
    graph = with_optional("b")
    assert not graph.is_valid(["a", "c", "b"])
    assert "b" not in graph.executable(["a", "c"])
    again = graph.replace(attributes={"b": StepAttributes(optional=True, repeatable=True)})
    assert again.is_valid(["a", "b", "c", "b"])


@given(task_graphs(), st.data())
def test_an_optional_step_is_open_until_any_step_after_it_is_done(
    graph: TaskGraph, data: st.DataObject
) -> None:
    optional = data.draw(st.sets(st.sampled_from(graph.steps)))
    graph = graph.replace(attributes={step: StepAttributes(optional=True) for step in optional})
    done = data.draw(st.sets(st.sampled_from(graph.steps)))
    for step in optional - done:
        waits = bool(graph.missing_before(step, done))
        passed = any(step in graph.all_preconditions_of(other) for other in done)
        assert (step in graph.executable(done)) == (not waits and not passed)


def test_an_optional_step_is_closed_by_a_step_on_any_of_the_ways_from_it() -> None:
    edges = [("b", "a"), ("c", "a"), ("d", "b"), ("e", "c")]
    graph = TaskGraph("abcde", edges, attributes={"a": StepAttributes(optional=True)})
    assert not any("a" in graph.executable([later]) for later in "bcde")


def test_optional_steps_in_a_row_are_all_passed_over() -> None:
    graph = with_optional("b", "c", "x")
    assert graph.missing_before("d", []) == ("a",)
    assert graph.is_valid(["a", "d"], complete=True)
    assert graph.in_order() == ("a", "b", "c", "x", "d")
