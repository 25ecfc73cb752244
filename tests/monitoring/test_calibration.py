from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgml.errors import FormatError, InputError, SettingError
from tgml.graph import TaskGraph
from tgml.monitoring import Calibration, Confusion, calibrate
from tgml.monitoring.calibration import lowest_threshold

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
    assert read.monitor(GRAPH).threshold == found.threshold
    with pytest.raises(FormatError, match="another graph"):
        read.monitor(TaskGraph.from_preconditions({"mix": ["egg"]}))


@pytest.mark.parametrize(
    "change", [{"threshold": 2}, {"threshold": "x"}, {"confusion": {}}, {"version": 9}]
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
