from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FormatError
from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes
from stepgraph.monitoring import Kind, Monitor, explain
from tests.strategies import STEP_NAMES, task_graphs

TEA = TaskGraph.from_preconditions(
    {"pour": ["boil"], "sweeten": ["pour"], "stir": ["sweeten"], "drink": ["stir"]}
).replace(attributes={"sweeten": StepAttributes(optional=True)})


def test_leaving_out_an_optional_step_is_no_mistake_now_or_at_the_end() -> None:
    monitor = Monitor(TEA)
    kinds = [monitor.observe(step).kind for step in ("boil", "pour", "stir", "drink")]
    assert set(kinds) == {Kind.CORRECT}
    report = monitor.finish()
    assert report.is_clean
    assert report.progress == 1


def test_an_optional_step_out_of_place_is_a_mistake_of_its_own() -> None:
    monitor = Monitor(TEA)
    for step in ("boil", "pour", "stir"):
        monitor.observe(step)
    verdict = monitor.observe("sweeten")
    assert verdict.kind is Kind.TOO_LATE
    assert verdict.is_mistake
    assert monitor.mistakes == 1
    assert "comes after it if it is done at all" in explain(verdict, TEA)


def test_what_an_optional_step_needs_is_still_missed() -> None:
    monitor = Monitor(TEA)
    monitor.observe("boil")
    assert monitor.observe("stir").missing == ("pour",)


def test_an_optional_step_is_offered_until_its_time_has_passed() -> None:
    monitor = Monitor(TEA)
    monitor.observe("boil")
    assert set(monitor.observe("pour").executable) == {"sweeten", "stir"}
    assert monitor.observe("stir").executable == ("drink",)


def test_a_state_does_not_go_on_where_other_steps_are_optional() -> None:
    state = Monitor(TEA).state
    strict = TEA.replace(attributes={})
    with pytest.raises(FormatError, match="another graph"):
        Monitor.resume(strict, state)


@given(task_graphs(), st.data())
def test_verdicts_agree_with_the_graph_whatever_is_optional(
    graph: TaskGraph, data: st.DataObject
) -> None:
    optional = data.draw(st.sets(st.sampled_from(graph.steps)))
    graph = graph.replace(attributes={step: StepAttributes(optional=True) for step in optional})
    known = [step for step in STEP_NAMES if step in graph.steps]
    sequence = data.draw(st.lists(st.sampled_from(known), max_size=8, unique=True))
    monitor = Monitor(graph)
    for step in sequence:
        monitor.observe(step)
    assert (monitor.mistakes == 0) == graph.is_valid(sequence)
    assert monitor.finish().is_clean == graph.is_valid(sequence, complete=True) or not set(
        graph.steps
    ) - optional <= set(sequence)
