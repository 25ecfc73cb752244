from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import run_benchmark
from benchmarks.harness import MissingDataError


def _write(folder: Path, orders: list[str]) -> None:
    base = folder / "captaincook4d"
    (base / "ground_truth_task_graphs").mkdir(parents=True)
    ids = {letter: number for number, letter in enumerate("abc", start=1)}
    recordings = {
        str(number): {
            "recording_id": str(number),
            "activity_name": "Green Tea",
            "steps": [
                {
                    "step_id": ids[letter],
                    "description": f"Step-{letter}",
                    "start_time": -1.0 if letter not in order else float(order.index(letter)),
                    "end_time": 9.0,
                }
                for letter in (*order, *(set("abc") - set(order)))
            ],
        }
        for number, order in enumerate(orders)
    }
    (base / "complete_step_annotations.json").write_text(json.dumps(recordings))
    truth = {
        "steps": {"0": "START", "1": "Step -a", "2": "Step -b", "3": "Step -c", "4": "END"},
        "edges": [[0, 1], [1, 2], [2, 3], [3, 4]],
    }
    (base / "ground_truth_task_graphs" / "greentea.json").write_text(json.dumps(truth))


def test_every_recording_counts_and_skipped_steps_are_left_out(tmp_path: Path) -> None:
    _write(tmp_path, ["abc", "abc", "abc", "abc", "abc", "ab", "cab"])
    result = run_benchmark("captaincook4d-unfiltered", data=tmp_path, methods=["robust", "do"])
    f1 = {row["method"]: row["f1"] for row in result.rows}
    assert "all 7 recordings" in result.title
    assert f1["robust"] == 1.0 > f1["do"]
    assert "paper" not in result.rows[1]


def test_without_the_step_annotations_the_message_names_them(tmp_path: Path) -> None:
    (tmp_path / "captaincook4d" / "ground_truth_task_graphs").mkdir(parents=True)
    with pytest.raises(MissingDataError, match="complete_step_annotations"):
        run_benchmark("captaincook4d-unfiltered", data=tmp_path)


@pytest.mark.real_data
def test_the_robust_learner_survives_real_mistakes(data: Path) -> None:
    methods = ["robust", "intersection", "do"]
    result = run_benchmark("captaincook4d-unfiltered", data=data, methods=methods, seeds=1)
    f1 = {row["method"]: row["f1"] for row in result.rows}
    assert f1["robust"] > 0.8
    assert f1["intersection"] == pytest.approx(0.597, abs=0.0005)
    assert f1["do"] < 0.5
