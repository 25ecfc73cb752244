from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import run_benchmark
from stepgraph.errors import SettingError
from tests.drawing.svg_reading import read


@pytest.mark.real_data
def test_each_recipe_has_a_figure_that_agrees_with_its_scores(data: Path) -> None:
    result = run_benchmark("figures", data=data, methods=["intersection"])
    assert len(result.rows) == len(result.charts) == 24
    for row in result.rows:
        drawing = read(result.charts[row["figure"]])
        assert len(drawing.edges) == row["common"] + row["missing"] + row["spurious"]
        assert f"in both: {row['common']}" in drawing.texts


def test_the_figures_show_one_method() -> None:
    with pytest.raises(SettingError, match="expected one"):
        run_benchmark("figures", methods=["do", "msg2"])
