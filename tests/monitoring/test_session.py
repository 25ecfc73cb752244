"""A session takes steps and takes them back, refuses what makes no sense, and stays small."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import InputError
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Kind, Monitor
from stepgraph.monitoring.session import UNDO_LIMIT
from stepgraph.sequences import START
from tests.strategies import STEP_NAMES, task_graphs

MIX = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "bake": ["mix", "milk"]})
STEPS = st.lists(st.sampled_from([*STEP_NAMES, "unknown", START]), max_size=12)


@given(task_graphs(), STEPS, st.sampled_from([*STEP_NAMES, "unknown"]))
def test_undo_after_a_step_is_as_if_it_had_never_come(
    graph: TaskGraph, steps: list[str], more: str
) -> None:
    monitor = Monitor(graph)
    for step in steps:
        monitor.observe(step)
    before = monitor.state
    monitor.observe(more, time=3, confidence=0.5)
    monitor.undo()
    assert monitor.state == before


@given(task_graphs(), STEPS)
def test_everything_can_be_taken_back_within_the_limit(graph: TaskGraph, steps: list[str]) -> None:
    monitor = Monitor(graph)
    for step in steps:
        monitor.observe(step)
    for _ in steps:
        monitor.undo()
    assert monitor.state == Monitor(graph).state


def test_two_steps_at_the_same_time_are_not_backwards() -> None:
    monitor = Monitor(MIX)
    monitor.observe("egg", time=3)
    assert monitor.observe("milk", time=3).note == ""


def test_time_that_runs_backwards_is_noted_and_the_session_goes_on() -> None:
    monitor = Monitor(MIX)
    monitor.observe("egg", time=5)
    verdict = monitor.observe("milk", time=3)
    assert verdict.note == "time runs backwards: 3 after 5"
    assert verdict.kind is Kind.CORRECT
    assert monitor.observe("mix", time=4).note == ""


@pytest.mark.parametrize(
    ("step", "values"),
    [
        (3, {}),
        (["egg"], {}),
        ("egg", {"time": float("nan")}),
        ("egg", {"time": "soon"}),
        ("egg", {"time": True}),
        ("egg", {"time": 10**400}),
        ("egg", {"confidence": 1.5}),
        ("egg", {"confidence": float("nan")}),
        ("egg", {"confidence": -0.1}),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_and_changes_nothing(
    step: object, values: dict[str, float]
) -> None:
    monitor = Monitor(MIX)
    with pytest.raises(InputError, match=f"(a|the) {next(iter(values), 'step')} .* expected"):
        monitor.observe(step, **values)  # type: ignore[arg-type]
    assert monitor.state == Monitor(MIX).state


def test_nothing_to_take_back_is_an_error() -> None:
    with pytest.raises(InputError, match="no observation"):
        Monitor(MIX).undo()


@pytest.mark.parametrize("restarted", [False, True])
def test_a_long_session_can_take_back_its_last_steps_only(restarted: bool) -> None:
    monitor = Monitor(MIX).restarted() if restarted else Monitor(MIX)
    for _ in range(UNDO_LIMIT + 5):
        monitor.observe("egg")
    for _ in range(UNDO_LIMIT):
        monitor.undo()
    assert monitor.observed == 5
    with pytest.raises(InputError, match=f"last {UNDO_LIMIT}"):
        monitor.undo()


def test_a_restarted_monitor_knows_nothing_of_the_session_before() -> None:
    monitor = Monitor(TaskGraph.from_preconditions({"mix": ["egg"]}))
    said = monitor.observe("mix").to_json()
    other = monitor.restarted()
    assert (other.observed, other.mistakes, other.performed) == (0, 0, ())
    assert other.observe("mix").to_json() == said
    assert monitor.observed == 1
    with pytest.raises(InputError):
        monitor.restarted().undo()


@given(
    task_graphs(),
    STEPS,
    st.sampled_from(
        [
            {"time": float("nan")},
            {"time": "3"},
            {"time": True},
            {"confidence": 1.5},
            {"confidence": -0.1},
            {"confidence": "sure"},
        ]
    ),
)
def test_what_cannot_be_observed_leaves_the_session_as_it_was(
    graph: TaskGraph, steps: list[str], odd: dict[str, Any]
) -> None:
    monitor = Monitor(graph)
    for step in steps:
        monitor.observe(step, time=1.0)
    before = monitor.state
    with pytest.raises(InputError):
        monitor.observe(graph.steps[0], **odd)
    with pytest.raises(InputError):
        monitor.observe(3)  # type: ignore[arg-type]
    assert monitor.state == before


@given(task_graphs(), st.data())
def test_a_session_stays_small_however_long_it_runs(graph: TaskGraph, data: st.DataObject) -> None:
    steps = data.draw(st.lists(st.sampled_from([*graph.steps, "unknown"]), min_size=1, max_size=9))
    monitor = Monitor(graph)
    for step in steps * 100:
        monitor.observe(step)
    per_moment = 150 + 30 * len(graph.steps)
    assert len(json.dumps(monitor.state)) < 500 + (UNDO_LIMIT + 1) * per_moment
