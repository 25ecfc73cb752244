"""Sessions behind a recogniser saved, resumed and taken back, and states that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FormatError, InputError
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import (
    UncertainMonitor,
    UncertainVerdict,
)
from stepgraph.monitoring.session import UNDO_LIMIT
from tests.monitoring.samples import CHAIN, OTHER, RATES, STREAMS
from tests.strategies import JSON_VALUES, STEP_NAMES, task_graphs


@given(task_graphs(), STREAMS, RATES, st.data())
def test_a_resumed_session_gives_exactly_the_verdicts_of_one_never_left(
    graph: TaskGraph, steps: list[str], rate: float, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(steps)))
    settings: dict[str, Any] = {
        "error_rate": rate,
        "threshold": 0.3,
        "mistake_rate": 0.2,
        "beam": 8,
    }
    whole = UncertainMonitor(graph, **settings)
    expected = [whole.observe(step, time=1.0).to_json() for step in steps]
    first = UncertainMonitor(graph, **settings)
    found = [first.observe(step, time=1.0).to_json() for step in steps[:cut]]
    second = UncertainMonitor.resume(graph, json.loads(json.dumps(first.state)))
    found += [second.observe(step, time=1.0).to_json() for step in steps[cut:]]
    assert found == expected
    assert second.state == whole.state
    for _ in range(min(len(steps), UNDO_LIMIT)):
        second.undo()
    assert second.state["now"] == UncertainMonitor(graph).state["now"]


def test_undo_without_an_observation_is_said() -> None:
    with pytest.raises(InputError, match="no observation"):
        UncertainMonitor(CHAIN).undo()


def test_a_file_holds_a_session_and_another_graph_is_refused(tmp_path: Path) -> None:
    monitor = UncertainMonitor(CHAIN)
    monitor.observe("b")
    monitor.save(tmp_path / "s.json")
    assert UncertainMonitor.resume(CHAIN, tmp_path / "s.json").state == monitor.state
    with pytest.raises(FormatError, match=r"s\.json: the state of a session with another graph"):
        UncertainMonitor.resume(OTHER, tmp_path / "s.json")


@given(
    st.sampled_from(["now", "undo", "confusion", "threshold", "mistake_rate", "beam", "version"]),
    JSON_VALUES,
)
def test_whatever_a_state_holds_is_refused_with_a_message_or_can_be_used(
    key: str, value: Any
) -> None:
    state = UncertainMonitor(OTHER).state
    try:
        monitor = UncertainMonitor.resume(OTHER, state | {key: value})
    except FormatError as error:
        assert str(error).startswith("the state")  # noqa: PT017 - it need not be raised
    else:
        assert isinstance(monitor.observe("a"), UncertainVerdict)


@pytest.mark.parametrize(
    ("name", "value"), [("observed", -1), ("observed", 0.5), ("settled", 1), ("time", "3")]
)
def test_a_state_with_counts_that_are_none_is_refused(name: str, value: Any) -> None:
    state = UncertainMonitor(CHAIN).state
    state["now"][name] = value
    with pytest.raises(FormatError, match=name):
        UncertainMonitor.resume(CHAIN, state)


def test_a_state_whose_beam_is_no_whole_number_is_refused() -> None:
    with pytest.raises(FormatError, match=r"'beam' is 1\.5; expected a whole number"):
        UncertainMonitor.resume(CHAIN, UncertainMonitor(CHAIN).state | {"beam": 1.5})


@pytest.mark.parametrize(
    "change", [{"version": 99}, {"format": "stepgraph-monitor-state"}, {"graph": "another"}]
)
def test_a_state_of_another_kind_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match="the state"):
        UncertainMonitor.resume(OTHER, UncertainMonitor(OTHER).state | change)


def test_a_state_that_can_undo_what_was_not_observed_is_refused() -> None:
    monitor = UncertainMonitor(OTHER)
    for step in "ab":
        monitor.observe(step)
    state = monitor.state
    for undo in ([state["undo"][0]], state["undo"][::-1], [*state["undo"], state["now"]]):
        with pytest.raises(FormatError, match="what it can undo is not what was observed last"):
            UncertainMonitor.resume(OTHER, state | {"undo": undo})
    with pytest.raises(FormatError, match=r"'undo' is \{\}"):
        UncertainMonitor.resume(OTHER, UncertainMonitor(OTHER).state | {"undo": {}})
    resumed = UncertainMonitor.resume(OTHER, state | {"undo": state["undo"][1:]})
    resumed.undo()
    assert resumed.observed == 1


def test_a_state_that_does_not_say_what_was_lacking_is_refused() -> None:
    state = UncertainMonitor(OTHER).state
    state["now"]["about"] = ["0"]
    with pytest.raises(FormatError, match="what its last observations lacked"):
        UncertainMonitor.resume(OTHER, state)


@pytest.mark.parametrize(
    "weights", [[], [0], [-0.5, 1.5], [1.5], [float("nan")], [1.0, 1.0], [0.1]]
)
def test_a_state_whose_numbers_are_no_probabilities_is_refused(weights: list[float]) -> None:
    state = UncertainMonitor(OTHER).state
    state["now"]["beam"] = [["0", "0", "0", 0, weight] for weight in weights]
    with pytest.raises(FormatError, match="not probabilities"):
        UncertainMonitor.resume(OTHER, state)


@given(task_graphs(max_steps=5), STREAMS, st.sampled_from([*STEP_NAMES, "unknown"]))
def test_undo_after_a_step_is_as_if_it_had_never_come(
    graph: TaskGraph, steps: list[str], step: str
) -> None:
    monitor = UncertainMonitor(graph)
    for earlier in steps:
        monitor.observe(earlier)
    before = monitor.state["now"]
    monitor.observe(step)
    monitor.undo()
    assert monitor.state["now"] == before
