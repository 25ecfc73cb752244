"""A session takes steps and takes them back, refuses what makes no sense, and stays small."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FileError, FormatError, InputError
from stepgraph.formats.json_text import VERSION
from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes
from stepgraph.monitoring import Kind, Monitor
from stepgraph.monitoring.session import UNDO_LIMIT, fingerprint
from stepgraph.sequences import START
from tests.strategies import JSON_VALUES, STEP_NAMES, task_graphs

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


BATTER = TaskGraph.from_preconditions({"mix": ["egg", "milk"]}, procedure="batter")
TIMES = st.none() | st.floats(-1e6, 1e6)
TIMED_STEPS = st.lists(st.tuples(st.sampled_from([*STEP_NAMES, "unknown"]), TIMES), max_size=12)


@given(task_graphs(), TIMED_STEPS, st.data())
def test_a_resumed_session_gives_the_verdicts_of_one_never_left(
    graph: TaskGraph, steps: list[tuple[str, float | None]], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(steps)))
    whole = Monitor(graph)
    expected = [whole.observe(step, time) for step, time in steps]
    first = Monitor(graph)
    verdicts = [first.observe(step, time) for step, time in steps[:cut]]
    second = Monitor.resume(graph, json.loads(json.dumps(first.state)))
    verdicts += [second.observe(step, time) for step, time in steps[cut:]]
    assert verdicts == expected
    assert second.finish() == whole.finish()
    assert second.state == whole.state
    for _ in steps:
        second.undo()
    assert second.state == Monitor(graph).state


@given(task_graphs(), st.data())
def test_a_graph_with_its_steps_in_another_order_goes_on_the_same(
    graph: TaskGraph, data: st.DataObject
) -> None:
    steps = data.draw(st.lists(st.sampled_from(graph.steps), max_size=8))
    other = TaskGraph(data.draw(st.permutations(graph.steps)), graph.edges)
    monitor = Monitor(graph)
    for step in steps:
        monitor.observe(step)
    resumed = Monitor.resume(other, monitor.state)
    assert set(resumed.performed) == set(monitor.performed)
    assert set(resumed.accomplished) == set(monitor.accomplished)


def saved() -> dict[str, Any]:
    monitor = Monitor(BATTER)
    monitor.observe("mix", time=2)
    monitor.observe("egg")
    return monitor.state


def test_a_file_holds_a_session(tmp_path: Path) -> None:
    monitor = Monitor.resume(BATTER, saved())
    path = tmp_path / "session.json"
    monitor.save(path)
    assert Monitor.resume(BATTER, path).state == saved()


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        Monitor.resume(BATTER, tmp_path / "nowhere.json")


def test_the_state_of_another_graph_is_refused() -> None:
    other = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "bake": []}, procedure="cake")
    with pytest.raises(FormatError, match=r"another graph, of 'batter', .* this graph 'cake'"):
        Monitor.resume(other, saved())


def test_what_is_wrong_with_a_state_is_said_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    Monitor.resume(BATTER, saved()).save(path)
    other = TaskGraph.from_preconditions({"mix": ["egg"]})
    with pytest.raises(FormatError, match=r"session\.json: the state of a session with another"):
        Monitor.resume(other, path)
    with pytest.raises(FormatError, match=r"^the state: the state of a session with another"):
        Monitor.resume(other, saved())


def test_a_graph_without_a_name_is_not_named() -> None:
    with pytest.raises(FormatError, match="cannot go on with this graph; use the graph"):
        Monitor.resume(TaskGraph.from_preconditions({"mix": ["egg"]}), saved())


def test_a_fingerprint_stays_the_same_as_saved_sessions_hold_it() -> None:
    assert fingerprint(BATTER) == "1507ffbd597527587b4a0871bbc1222e"
    optional = BATTER.replace(attributes={"egg": StepAttributes(optional=True)})
    assert fingerprint(optional) == "841763f852524fce13336df39202e3db"


def test_weights_make_no_other_graph() -> None:
    weighted = TaskGraph(BATTER.steps, BATTER.edges, weights={("mix", "egg"): 0.9})
    assert Monitor.resume(weighted, saved()).performed == ("egg", "mix")


def test_a_state_of_a_newer_version_is_refused() -> None:
    with pytest.raises(FormatError, match="install a newer stepgraph"):
        Monitor.resume(BATTER, {**saved(), "version": VERSION + 1})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("observed", -1),
        ("observed", True),
        ("performed", [3]),
        ("performed", "egg"),
        ("performed", [0, 1, 2]),
        ("missing", [[1, 9]]),
        ("missing", [[1]]),
        ("missing", []),
        ("time", "noon"),
        ("time", float("inf")),
        ("mistakes", 3),
    ],
)
def test_a_state_that_no_session_can_have_is_refused(key: str, value: object) -> None:
    state = saved()
    state["now"][key] = value
    with pytest.raises(FormatError):
        Monitor.resume(BATTER, state)


@given(st.sampled_from(["format", "version", "graph", "steps", "now", "undo"]), JSON_VALUES)
def test_whatever_a_file_holds_is_refused_with_a_message(key: str, value: Any) -> None:
    state = {**saved(), key: value}
    try:
        Monitor.resume(BATTER, state).finish()
    except FormatError:
        return
    assert state == saved() or key == "undo"


def test_what_undo_goes_back_to_leads_up_to_now() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"]})
    monitor = Monitor(graph)
    for step in ("a", "b", "c"):
        monitor.observe(step)
    first, second, third = monitor.state["undo"]
    for undo in ([first, third], [second, first, third], [first, second, second]):
        with pytest.raises(FormatError, match="'undo' does not lead up to 'now'"):
            Monitor.resume(graph, {**monitor.state, "undo": undo})
    nothings: list[Any] = [3, None, []]
    for wrong in nothings:
        with pytest.raises(FormatError, match="entry 2 of 'undo'"):
            Monitor.resume(graph, {**monitor.state, "undo": [first, wrong, third]})
    assert Monitor.resume(graph, {**monitor.state, "undo": [third]}).observed == 3


@pytest.mark.parametrize("state", [None, 3, ["a"]])
def test_what_is_neither_a_state_nor_a_path_is_refused(state: Any) -> None:
    with pytest.raises(FormatError, match=r"the state is .*; expected the value of 'state'"):
        Monitor.resume(BATTER, state)
