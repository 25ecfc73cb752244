"""The paper's table on its data split."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import run_benchmark
from benchmarks.graphs.data_split import PAPER, PAPERS_TOTAL


def write(folder: Path, *recordings: list[tuple[float, float]]) -> None:
    """Write recordings of one recipe as the starts and ends of their segments, in file order."""
    path = folder / "captaincook4d" / "task_graph_generation_annotations.json"
    path.parent.mkdir(parents=True)
    content = {
        str(number): {
            "activity_name": "Tea",
            "scenario": "tea",
            "segments": [{"start_time": start, "end_time": end} for start, end in segments],
        }
        for number, segments in enumerate(recordings)
    }
    path.write_text(json.dumps({"annotations": content, "taxonomy": {}}))


def test_hours_by_each_definition_worked_out_by_hand(tmp_path: Path) -> None:
    write(tmp_path, [(360.0, 720.0), (1800.0, 3600.0), (1080.0, 1440.0)])
    row, total = run_benchmark("data-split", data=tmp_path).rows
    assert (row["recordings"], row["segments"]) == (1, 3)
    found = [row[key] for key in ("hours", "hours_latest", "hours_span", "hours_segments")]
    assert found == pytest.approx([0.4, 1.0, 0.9, 0.7])
    assert total["hours"] == row["hours"]
    assert "paper" not in row
    assert "paper" not in total


def test_a_step_that_was_never_done_is_named_and_does_not_stretch_the_span(tmp_path: Path) -> None:
    write(tmp_path, [(360.0, 720.0), (-1.0, -1.0)])
    result = run_benchmark("data-split", data=tmp_path)
    assert result.rows[0]["hours_span"] == pytest.approx(0.1)
    assert any("1 recordings (Tea) list last a step that was never done" in n for n in result.notes)


def test_the_papers_recordings_and_segments_add_up_and_its_hours_do_not() -> None:
    recordings, segments, hours = (sum(column) for column in zip(*PAPER.values(), strict=True))
    assert (recordings, segments) == PAPERS_TOTAL[:2]
    assert hours == pytest.approx(52.9)


@pytest.mark.real_data
def test_one_definition_gives_the_papers_digits_for_every_recipe(data: Path) -> None:
    *recipes, total = run_benchmark("data-split", data=data).rows
    assert len(recipes) == len(PAPER)
    for row in recipes:
        found = (row["recordings"], row["segments"], round(row["hours"], 1))
        assert found == tuple(row["paper"].values()), row["recipe"]
    assert round(total["hours"], 1) == 53.1 != total["paper"]["hours"]
