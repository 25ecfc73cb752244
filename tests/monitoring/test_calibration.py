from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FormatError, InputError, SettingError
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Calibration, Confusion, UncertainMonitor, calibrate
from stepgraph.monitoring.calibration import lowest_threshold

GRAPH = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "rest": ["mix"], "fry": ["rest"]})
RECORDINGS = [["egg", "milk", "mix", "rest", "fry"], ["milk", "egg", "mix", "rest", "fry"]]
ERRORS = Confusion.even(GRAPH.steps, 0.2)


@given(
    st.lists(st.lists(st.floats(0, 0.99)), min_size=1),
    st.floats(0, 3),
    st.sampled_from([0.05, 0.5]),
)
def test_no_more_reach_a_threshold_than_the_budget_allows(
    judged: list[list[float]], budget: float, lowest: float
) -> None:
    threshold = lowest_threshold(judged, budget, lowest)
    assert threshold is not None
    assert threshold >= lowest
    alarms = sum(value >= threshold for found in judged for value in found)
    assert alarms <= budget * len(judged)


@pytest.mark.parametrize(
    ("judged", "budget", "expected"),
    [
        ([[0.1, 0.6, 0.8]], 2, 0.35),  # between the last one allowed and the first one that is not
        ([[0.1, 0.6, 0.8]], 0, 0.9),
        ([[0.1], [0.6]], 0.5, 0.35),
        ([[0.5]], 0, 0.75),  # one at the lowest threshold would reach it
        ([[0.4, 0.6, 0.8]], 3, 0.05),
    ],
)
def test_the_threshold_lies_midway_above_what_the_budget_does_not_allow(
    judged: list[list[float]], budget: float, expected: float
) -> None:
    lowest = 0.5 if judged == [[0.5]] else 0.05
    assert lowest_threshold(judged, budget, lowest) == pytest.approx(expected)


def test_a_budget_that_nothing_exhausts_gives_the_lowest_threshold() -> None:
    assert lowest_threshold([[0.1, 0.6]] * 20, 1e308, 0.05) == 0.05
    assert lowest_threshold([[0.1, 0.6]] * 20, 2, 0.05) == 0.05


def test_of_two_neighbouring_numbers_the_greater_is_the_threshold() -> None:
    lower = 0.3
    for _ in range(10):
        upper = math.nextafter(lower, 1.0)
        assert lowest_threshold([[lower, upper]], 1, 0.05) == upper
        lower = upper


@pytest.mark.parametrize("budget", [-1, float("inf"), float("nan")])
def test_a_budget_that_is_no_number_is_refused(budget: float) -> None:
    with pytest.raises(SettingError, match=f"the budget is {budget}"):
        calibrate(GRAPH, [["a"]], Confusion.even(GRAPH.steps, 0.1), budget=budget)


def test_a_smaller_budget_needs_a_higher_threshold() -> None:
    found = [calibrate(GRAPH, RECORDINGS, ERRORS, budget=budget) for budget in (0.5, 0.1, 0)]
    thresholds = [calibration.threshold for calibration in found]
    assert thresholds == sorted(thresholds)
    assert thresholds[0] < thresholds[-1]
    assert all(entry.false_alarms <= entry.budget for entry in found)


def test_the_same_seed_finds_the_same_threshold() -> None:
    first, again = (calibrate(GRAPH, RECORDINGS, ERRORS, budget=0.1, seed=3) for _ in range(2))
    assert first == again


def test_a_file_holds_a_calibration_that_begins_monitors(tmp_path: Path) -> None:
    found = calibrate(GRAPH, RECORDINGS, ERRORS, budget=0.1)
    found.save(tmp_path / "a.json")
    read = Calibration.read(tmp_path / "a.json")
    assert read == found
    with pytest.raises(FormatError, match="another graph"):
        read.monitor(TaskGraph.from_preconditions({"mix": ["egg"]}))


def test_its_monitor_has_the_settings_that_the_threshold_was_found_for() -> None:
    found = calibrate(GRAPH, RECORDINGS, ERRORS, mistake_rate=0.2, copies=2)
    expected = UncertainMonitor(
        GRAPH, confusion=ERRORS, mistake_rate=0.2, threshold=found.threshold
    )
    assert found.monitor(GRAPH).state == expected.state


def test_its_monitor_raises_the_alarms_that_were_counted() -> None:
    streams = [["milk", "mix", "fry"], ["egg", "fry", "rest"], ["rest", "mix"]]
    found = calibrate(GRAPH, streams, ERRORS, budget=1, mistake_rate=0.3, recognised=True)
    alarms = 0
    for stream in streams:
        monitor = found.monitor(GRAPH)
        alarms += sum(monitor.observe(step).is_mistake for step in stream)
    assert found.false_alarms == alarms / 3 > 0


def test_half_an_alarm_a_recording_is_allowed_and_the_seed_is_zero_unless_told_otherwise() -> None:
    assert calibrate(GRAPH, RECORDINGS, ERRORS) == calibrate(
        GRAPH, RECORDINGS, ERRORS, budget=0.5, seed=0
    )


@pytest.mark.parametrize(
    "change",
    [
        {"threshold": 1.5},
        {"threshold": 1},
        {"threshold": 0},
        {"mistake_rate": 1},
        {"mistake_rate": 0},
        {"threshold": "x"},
        {"budget": True},
        {"confusion": {}},
        {"version": 9},
    ],
)
def test_a_file_that_holds_no_calibration_is_refused(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    content = calibrate(GRAPH, RECORDINGS, ERRORS, copies=1).to_json() | change
    (tmp_path / "a.json").write_text(json.dumps(content))
    with pytest.raises(FormatError, match=r"a\.json"):
        Calibration.read(tmp_path / "a.json")


def test_what_a_recogniser_saw_is_judged_as_it_is() -> None:
    found = calibrate(GRAPH, [["mix"]], ERRORS, budget=0, recognised=True)
    assert (found.recordings, found.false_alarms) == (1, 0)


def test_a_graph_that_contradicts_the_recordings_for_certain_is_said() -> None:
    with pytest.raises(InputError, match="mistakes for certain"):
        calibrate(GRAPH, [["mix", "egg"]], Confusion.even(GRAPH.steps, 0.0), budget=0)


@pytest.mark.parametrize("settings", [{"budget": -1}, {"copies": 0}])
def test_settings_out_of_range_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        calibrate(GRAPH, RECORDINGS, ERRORS, **settings)


@given(
    st.lists(st.lists(st.floats(0, 0.99)), min_size=1),
    st.floats(0, 3),
    st.sampled_from([0.05, 0.5]),
)
def test_no_threshold_that_flags_more_keeps_the_budget(
    judged: list[list[float]], budget: float, lowest: float
) -> None:
    threshold = lowest_threshold(judged, budget, lowest)
    assert threshold is not None
    values = [value for found in judged for value in found]
    unflagged = [value for value in values if lowest <= value < threshold]
    if unflagged:
        alarms = sum(value >= max(unflagged) for value in values)
        assert alarms > budget * len(judged) or alarms > int(budget * len(judged))
