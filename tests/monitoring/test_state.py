from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FileError, FormatError
from stepgraph.graph import TaskGraph
from stepgraph.graph.attributes import StepAttributes
from stepgraph.monitoring import Monitor
from stepgraph.monitoring.fingerprint import fingerprint
from tests.strategies import JSON_VALUES, STEP_NAMES, task_graphs

MIX = TaskGraph.from_preconditions({"mix": ["egg", "milk"]}, procedure="batter")
TIMES = st.none() | st.floats(-1e6, 1e6)
STEPS = st.lists(st.tuples(st.sampled_from([*STEP_NAMES, "unknown"]), TIMES), max_size=12)


@given(task_graphs(), STEPS, st.data())
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
    monitor = Monitor(MIX)
    monitor.observe("mix", time=2)
    monitor.observe("egg")
    return monitor.state


def test_a_file_holds_a_session(tmp_path: Path) -> None:
    monitor = Monitor.resume(MIX, saved())
    path = tmp_path / "session.json"
    monitor.save(path)
    assert Monitor.resume(MIX, path).state == saved()


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        Monitor.resume(MIX, tmp_path / "nowhere.json")


def test_the_state_of_another_graph_is_refused() -> None:
    other = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "bake": []}, procedure="cake")
    with pytest.raises(FormatError, match=r"another graph, of 'batter', .* this graph 'cake'"):
        Monitor.resume(other, saved())


def test_what_is_wrong_with_a_state_is_said_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    Monitor.resume(MIX, saved()).save(path)
    other = TaskGraph.from_preconditions({"mix": ["egg"]})
    with pytest.raises(FormatError, match=r"session\.json: the state of a session with another"):
        Monitor.resume(other, path)
    with pytest.raises(FormatError, match=r"^the state: the state of a session with another"):
        Monitor.resume(other, saved())


def test_a_graph_without_a_name_is_not_named() -> None:
    with pytest.raises(FormatError, match="cannot go on with this graph; use the graph"):
        Monitor.resume(TaskGraph.from_preconditions({"mix": ["egg"]}), saved())


def test_a_fingerprint_stays_the_same_as_saved_sessions_hold_it() -> None:
    assert fingerprint(MIX) == "1507ffbd597527587b4a0871bbc1222e"
    optional = MIX.replace(attributes={"egg": StepAttributes(optional=True)})
    assert fingerprint(optional) == "841763f852524fce13336df39202e3db"


def test_weights_make_no_other_graph() -> None:
    weighted = TaskGraph(MIX.steps, MIX.edges, weights={("mix", "egg"): 0.9})
    assert Monitor.resume(weighted, saved()).performed == ("egg", "mix")


def test_a_state_of_a_newer_version_is_refused() -> None:
    with pytest.raises(FormatError, match="install a newer stepgraph"):
        Monitor.resume(MIX, {**saved(), "version": 2})


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
        Monitor.resume(MIX, state)


@given(st.sampled_from(["format", "version", "graph", "steps", "now", "undo"]), JSON_VALUES)
def test_whatever_a_file_holds_is_refused_with_a_message(key: str, value: Any) -> None:
    state = {**saved(), key: value}
    try:
        Monitor.resume(MIX, state).finish()
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
    with pytest.raises(FormatError, match=r"the state is .*; expected what 'state' gave"):
        Monitor.resume(MIX, state)
