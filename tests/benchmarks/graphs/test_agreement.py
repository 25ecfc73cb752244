"""Where Direct Optimization ends at the intersection order."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import run_benchmark
from benchmarks.harness import MissingDataError


def write(folder: Path, *orders: str) -> None:
    """Write recordings of a salad whose steps are letters."""
    path = folder / "50salads" / "50salads.csv"
    path.parent.mkdir(parents=True)
    rows = [
        f"{number},0,1,{step}"
        for number, order in enumerate(orders)
        for step in ("action_start", *order, "action_end")
    ]
    path.write_text("\n".join(["recording,first_frame,last_frame,step", *rows]) + "\n")


def test_both_agree_on_complete_recordings_and_part_where_a_step_is_left_out(
    tmp_path: Path,
) -> None:
    write(tmp_path, "abc", "acb", "bc")
    methods = ["50salads", "50salads-complete"]
    every, complete = run_benchmark("agreement", data=tmp_path, methods=methods, seeds=2).rows
    assert (every["recordings"], every["left_out"]) == (3, 1)
    assert (complete["recordings"], complete["left_out"]) == (2, 0)
    # 'b' and 'c' need 'a' in every recording that has it; the third one does without.
    assert every["step_edges_intersection"] == 2
    assert every["step_edges_common"] == 0
    assert complete["step_edges_common"] == complete["step_edges_do"] == 2
    assert (every["graphs_equal"], complete["graphs_equal"]) == (0, 2)
    assert complete["graphs"] == 2


def test_data_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"50salads\.csv is missing"):
        run_benchmark("agreement", data=tmp_path, methods=["50salads"])


@pytest.mark.real_data
def test_on_50_salads_half_of_the_edges_between_steps_are_common(data: Path) -> None:
    methods = ["50salads", "50salads-complete"]
    every, complete = run_benchmark("agreement", data=data, methods=methods, seeds=1).rows
    keys = ("step_edges_do", "step_edges_intersection", "step_edges_common")
    assert [every[key] for key in keys] == [15, 25, 12]
    assert complete["graphs_equal"] == complete["graphs"]
