from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from stepgraph.drawing.panels import draw_panels, picture_of_moment, truth_and_prediction
from stepgraph.drawing.png import to_png
from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.graph import TaskGraph
from tests.drawing.svg_reading import SVG, Read, read

TRUTH = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "fry": ["mix"]})
PREDICTION = TaskGraph.from_preconditions({"mix": ["egg"], "milk": ["egg"], "fry": ["mix", "milk"]})


def _panels(svg: str) -> list[Read]:
    return [Read(panel) for panel in ET.fromstring(svg).findall(f"{SVG}svg")]  # noqa: S314


def test_truth_and_prediction_stand_side_by_side_with_all_their_edges() -> None:
    svg = draw_panels(truth_and_prediction(PREDICTION, TRUTH), title="pancakes <1>")
    truth, prediction = _panels(svg)
    assert "pancakes <1>" in read(svg).texts
    assert len(truth.edges) == len(TRUTH.edges)
    assert len(prediction.edges) == len(PREDICTION.edges)
    assert float(prediction.root.attrib["x"]) >= float(truth.root.attrib["x"]) + truth.size[0]


def test_edges_that_the_other_graph_lacks_are_counted_and_look_different() -> None:
    truth, prediction = _panels(draw_panels(truth_and_prediction(PREDICTION, TRUTH)))
    common = set(TRUTH.edges) & set(PREDICTION.edges)
    missing, spurious = len(TRUTH.edges) - len(common), len(PREDICTION.edges) - len(common)
    assert f"missing from the prediction: {missing}" in truth.texts
    assert f"spurious, not in the truth: {spurious}" in prediction.texts
    dashed = [
        group for group in prediction.edges.values() if "dasharray" in str(ET.tostring(group))
    ]
    assert len(dashed) == spurious


def test_panels_stand_on_one_line_inside_the_drawing() -> None:
    svg = draw_panels(truth_and_prediction(PREDICTION, TRUTH), title="a")
    width, height = read(svg).size
    for panel in _panels(svg):
        assert float(panel.root.attrib["y"]) + panel.size[1] == pytest.approx(height)
        assert float(panel.root.attrib["x"]) + panel.size[0] <= width + 0.01


def test_a_moment_shows_what_is_done_now_and_missing() -> None:
    picture = picture_of_moment(TRUTH, ["egg", "egg"], "mix", title="too early")
    marks = {box.name: box.mark for box in picture.boxes}
    assert marks == {"START": "", "egg": "done: 1", "milk": "missing", "mix": "now", "END": ""}
    assert [box.name for box in picture.boxes if box.done] == ["egg"]
    assert "missing: 'milk'" in picture.summary


def test_the_beginning_of_a_recording_is_a_moment_too() -> None:
    picture = picture_of_moment(TRUTH, [], "egg")
    assert [box.name for box in picture.boxes] == ["START", "egg", "END"]


def test_panels_become_a_png_like_any_drawing() -> None:
    pytest.importorskip("resvg_py")
    svg = draw_panels([picture_of_moment(TRUTH, ["egg"], "mix")])
    assert to_png(svg).startswith(b"\x89PNG")


def test_nothing_to_draw_and_unknown_themes_are_refused() -> None:
    with pytest.raises(SettingError, match="at least one"):
        draw_panels([])
    with pytest.raises(UnknownNameError, match="did you mean 'dark'"):
        draw_panels(truth_and_prediction(PREDICTION, TRUTH), theme="drak")
