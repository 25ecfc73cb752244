from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import run_benchmark
from benchmarks.graphs import understanding
from stepgraph.errors import UnknownNameError
from stepgraph.sequences import Demonstrations


def test_recordings_for_test_are_not_among_those_for_training() -> None:
    given = Demonstrations.from_steps(["abcd", "abdc", "bacd", "acbd", "abcd"])
    halves = understanding.Halves.of(given)
    ids = [{recording.id for recording in half} for half in (halves.train, halves.test)]
    assert not ids[0] & ids[1]
    assert ids[0] | ids[1] == {recording.id for recording in given}


def test_triplets_are_consecutive_first_occurrences() -> None:
    halves = understanding.Halves.of(Demonstrations.from_steps(["abacd", "dcba"]))
    assert halves.triplets.tolist() == [[1, 2, 3], [2, 3, 4]]


@pytest.mark.real_data
def test_the_control_answers_as_many_as_was_measured(data: Path) -> None:
    result = run_benchmark(
        "understanding", data=data, methods=["majority-order", "random-matrices"]
    )
    control, chance = result.rows
    assert "1306 triplets" in result.title
    assert (round(control["ordering"], 3), round(control["future"], 3)) == (0.864, 0.874)
    assert chance["ordering"] == pytest.approx(0.5, abs=0.02)
    assert chance["future"] == pytest.approx(0.5, abs=0.02)
    assert chance["published_ordering"] > 0.7
    assert chance["published_future"] > 0.65


@pytest.mark.parametrize("method", ["tgt-text", "tgt-video-simulated"])
def test_networks_learn_an_order_that_never_changes(
    method: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STEPGRAPH_CACHE", str(tmp_path))
    monkeypatch.setitem(understanding.SETTINGS, "epochs", 60)
    steps = ["crack egg", "whisk egg", "heat pan", "fry egg"]
    halves = understanding.Halves.of(Demonstrations.from_steps([steps] * 4, procedure="eggs"))
    answers = understanding.ANSWER[method]([halves], 0)
    assert {name: len(own) for name, own in answers.items()}["ordering"] == 4
    assert np.mean(answers["ordering"]) == np.mean(answers["future"]) == 1.0


def test_unknown_rows_are_refused(data: Path) -> None:
    with pytest.raises(UnknownNameError, match="tgt-text"):
        run_benchmark("understanding", data=data, methods=["tgt-txt"])
