from __future__ import annotations

import pytest

from benchmarks import run_benchmark
from benchmarks.recognition import recogniser
from stepgraph.errors import UnknownNameError


def test_each_part_of_the_way_is_measured_beside_controls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recogniser, "STEPS", 5)
    monkeypatch.setattr(recogniser, "TRAINING", 4)
    monkeypatch.setattr(recogniser, "TEST", 4)
    monkeypatch.setattr(recogniser, "DURATION", 15.0)
    result = run_benchmark("recogniser", seeds=1, methods=["linear", "majority", "true-frames"])
    assert [row["camera"] for row in result.rows] == ["looks"] * 3 + ["motions"] * 3
    rows = {row["method"]: row for row in result.rows if row["camera"] == "looks"}
    assert rows["true-frames"]["frame_accuracy"] == 1
    assert rows["true-frames"]["edit_score"] > rows["majority"]["edit_score"]
    assert rows["linear"]["frame_accuracy"] > rows["majority"]["frame_accuracy"]
    assert rows["linear"]["frames_per_second"] > 0
    assert any("simulated features" in note for note in result.notes)


def test_an_unknown_method_is_said() -> None:
    with pytest.raises(UnknownNameError, match="gru"):
        run_benchmark("recogniser", methods=["grru"])
