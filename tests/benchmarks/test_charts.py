from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from benchmarks.charts import Dots, dot_chart
from stepgraph.errors import SettingError

SVG = "{http://www.w3.org/2000/svg}"


def _draw(groups: list[str], *series: Dots) -> str:
    return dot_chart(groups, series, title="F1", x_label="%", x_range=(0, 100))


def test_every_group_and_figure_is_there_for_eyes_and_for_readers() -> None:
    groups = [f"recipe {n} <&>" for n in range(24)]
    values = [float(4 * n) for n in range(24)]
    root = ET.fromstring(_draw(groups, Dots("do", values), Dots("llm", values[::-1])))  # noqa: S314
    titles = [element.text for element in root.iter(f"{SVG}title")]
    assert "recipe 3 <&>, do: 12" in titles
    assert len(titles) == 1 + 2 * 24
    description = root.find(f"{SVG}desc")
    assert description is not None
    assert "recipe 23 <&>: 92" in (description.text or "")


def test_names_and_dots_stay_inside_the_picture() -> None:
    root = ET.fromstring(_draw(["a" * 200], Dots("do", [100.0])))  # noqa: S314
    width = float(root.attrib["width"])
    for line in root.iter(f"{SVG}line"):
        assert 0 <= float(line.attrib["x1"]) <= width


def test_the_same_figures_give_the_same_bytes() -> None:
    assert _draw(["a"], Dots("do", [1.0])) == _draw(["a"], Dots("do", [1.0]))


@pytest.mark.parametrize("values", [[], [1.0, 2.0], [float("nan")]])
def test_figures_that_do_not_fit_are_refused(values: list[float]) -> None:
    with pytest.raises(SettingError):
        _draw(["a"], Dots("do", values))
