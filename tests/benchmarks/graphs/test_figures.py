from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from benchmarks import run_benchmark
from stepgraph.errors import SettingError, UnknownNameError
from tests.cli.samples import two_recipes
from tests.drawing.svg_reading import SVG, Read


def _panels(svg: str) -> list[Read]:
    return [Read(panel) for panel in ET.fromstring(svg).findall(f"{SVG}svg")]  # noqa: S314


def test_each_recipe_is_drawn_as_truth_and_prediction_that_agree_with_its_scores(
    tmp_path: Path,
) -> None:
    result = run_benchmark("figures", data=two_recipes(tmp_path), methods=["intersection"])
    assert list(result.charts) == ["01-chain", "02-free"]
    for row in result.rows:
        truth, prediction = _panels(result.charts[row["figure"]])
        assert len(truth.edges) == row["common"] + row["missing"]
        assert len(prediction.edges) == row["common"] + row["spurious"]
        assert f"in both: {row['common']}" in truth.texts


@pytest.mark.real_data
def test_the_papers_training_is_drawn_for_all_recipes_under_their_names(data: Path) -> None:
    result = run_benchmark("figures", data=data)
    assert {row["method"] for row in result.rows} == {"do-paper"}
    assert len(result.rows) == len(result.charts) == 24
    assert "Spicy Tuna Avocado Wraps" in {row["recipe"] for row in result.rows}


def test_the_figures_show_one_method_that_exists() -> None:
    with pytest.raises(SettingError, match="expected one"):
        run_benchmark("figures", methods=["do", "msg2"])
    with pytest.raises(UnknownNameError, match="unknown method 'dp'"):
        run_benchmark("figures", methods=["dp-paper"])
