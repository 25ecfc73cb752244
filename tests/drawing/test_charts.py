from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.charts import Dots, dot_chart
from stepgraph.drawing.chart_parts import COLOURS, round_ticks, series_styles, tick_labels
from stepgraph.drawing.charts import Point, Series, line_chart
from stepgraph.errors import SettingError
from stepgraph.layout.text import printable

from .strategies import NASTY, names

SVG = "{http://www.w3.org/2000/svg}"
FIGURES = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))


def parse(chart: str) -> ET.Element:
    return ET.fromstring(chart)  # noqa: S314 - our own text


def words(chart: str) -> list[str]:
    """Return all texts, visible and not."""
    return [node.text or "" for node in parse(chart).iter() if node.text and node.text.strip()]


def coordinates(chart: str) -> Iterator[tuple[float, float]]:
    """Yield every absolute point that is drawn; texts and points of the legend are relative."""
    root = parse(chart)
    moved = {id(child) for node in root.iter() if node.get("transform") for child in node.iter()}
    for node in root.iter():
        if id(node) in moved:
            shift = re.match(r"translate\((\S+) (\S+)\)", node.get("transform", ""))
            if shift:
                yield float(shift[1]), float(shift[2])
            continue
        for x, y in (("x", "y"), ("x1", "y1"), ("x2", "y2"), ("cx", "cy")):
            if node.get(x) is not None:
                yield float(node.get(x, 0)), float(node.get(y, 0))
        for pair in node.get("points", "").split():
            x, y = pair.split(",")
            yield float(x), float(y)


def assert_inside(chart: str) -> None:
    _, _, width, height = map(float, parse(chart).get("viewBox", "").split())
    for x, y in coordinates(chart):
        assert 0 <= x <= width
        assert 0 <= y <= height


def lines(*series: Series, **settings: object) -> str:
    options = {"title": "T", "x_label": "X", "y_label": "Y", **settings}
    return line_chart(series, **options)  # type: ignore[arg-type]


@st.composite
def series(draw: st.DrawFn) -> Series:
    xs = draw(st.lists(FIGURES, min_size=1, max_size=12, unique=True))
    points = []
    for x in sorted(xs):
        y, below, above = draw(FIGURES), draw(st.floats(0, 1e4)), draw(st.floats(0, 1e4))
        interval = (y - below, y + above) if draw(st.booleans()) else (None, None)
        points.append(Point(x, y, *interval))
    return Series(draw(names()), points, draw(st.booleans()))


@given(st.lists(series(), min_size=1, max_size=20))
def test_lines_are_valid_xml_inside_the_view_box_with_all_names(given: list[Series]) -> None:
    chart = lines(*given)
    assert_inside(chart)
    said = " ".join(words(chart))
    for one in given:
        # XML readers turn a line break in a name, had one got through, into a space.
        assert printable(one.name) in said
    assert len(parse(chart).findall(f".//{SVG}polyline")) == 2 * len(given)


@given(
    st.lists(names(), min_size=1, max_size=30),
    st.lists(st.tuples(names(), FIGURES, st.floats(0, 1e4)), min_size=1, max_size=9),
)
def test_dots_are_valid_xml_inside_the_view_box_with_all_names(
    groups: list[str], given: list[tuple[str, float, float]]
) -> None:
    dots = [Dots(name, [y] * len(groups)) for name, y, _ in given]
    chart = dot_chart(groups, dots, title="T", x_label="X", x_range=(0.0, 100.0))
    assert_inside(chart)
    said = " ".join(words(chart))
    assert all(printable(name) in said for name in [*groups, *(one.name for one in dots)])


def test_title_labels_and_every_figure_are_there_in_words() -> None:
    chart = lines(Series("do", [Point(1, 39.4, 35.1, 43.7), Point(64, 97.7)]), title="F1 & co <b>")
    said = words(chart)
    assert said.count("F1 & co <b>") == 2  # seen and read aloud
    assert {"X", "Y"} <= set(said)
    description = parse(chart).findtext(f"{SVG}desc") or ""
    assert "do: 1: 39.4 (35.1 to 43.7); 64: 97.7." in description
    assert "do, 1: 39.4 (35.1 to 43.7)" in said
    assert parse(chart).get("role") == "img"


def test_a_value_twice_as_high_is_drawn_twice_as_high() -> None:
    chart = lines(Series("s", [Point(0, 25), Point(1, 50), Point(3, 100)]), y_range=(0, 100))
    polyline = parse(chart).find(f".//{SVG}polyline")
    assert polyline is not None
    (x0, y0), (x1, y1), (x3, y3) = (
        map(float, pair.split(",")) for pair in polyline.get("points", "").split()
    )
    assert (y1 - y3) == pytest.approx(2 * (y0 - y1), abs=0.1)
    assert (x3 - x0) == pytest.approx(3 * (x1 - x0), abs=0.1)


def test_a_logarithmic_axis_gives_each_doubling_the_same_room() -> None:
    counts = (1, 2, 4, 8)
    chart = lines(Series("s", [Point(x, x) for x in counts]), x_logarithmic=True)
    polyline = parse(chart).find(f".//{SVG}polyline")
    assert polyline is not None
    xs = [float(pair.split(",")[0]) for pair in polyline.get("points", "").split()]
    steps = [right - left for left, right in pairwise(xs)]
    assert steps == pytest.approx([steps[0]] * 3, abs=0.02)
    assert {"1", "2", "4", "8"} <= set(words(chart))


def test_dots_left_out_are_neither_drawn_nor_told() -> None:
    chart = dot_chart(["a", "b"], [Dots("s", [None, 3.0])], title="T", x_label="X", x_range=(0, 9))
    described = parse(chart).findtext(f"{SVG}desc") or ""
    assert described.endswith("s: b: 3.")


def test_a_control_has_no_band_and_is_grey() -> None:
    points = [Point(0, 1, 0, 2), Point(1, 1, 0, 2)]
    bands = [
        parse(lines(Series("s", points, muted))).findall(f".//{SVG}polygon[@fill-opacity]")
        for muted in (False, True)
    ]
    assert [len(found) for found in bands] == [1, 0]
    assert COLOURS[0] not in lines(Series("s", points, muted=True))


def test_styles_differ_in_more_than_their_colour() -> None:
    found = series_styles([False] * (2 * len(COLOURS)) + [True] * 3)
    assert len({(look.dash, look.marker, look.hollow) for look in found}) == len(found)


def test_long_names_are_cut_on_the_page_and_kept_for_the_mouse() -> None:
    name = next(name for name in NASTY if len(name) == 120)
    chart = lines(Series(name, [Point(0, 1)]))
    assert name in words(chart)
    assert any(text.endswith("…") for text in words(chart))


def test_the_same_figures_give_the_same_bytes() -> None:
    given = Series("s", [Point(0.1 + 0.2, 1 / 3), Point(1, -0.0001)])
    assert lines(given) == lines(given)
    assert '"-0"' not in lines(given)


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_ticks_are_few_and_reach_around_all_values(low: float, length: float) -> None:
    high = low + length
    ticks = round_ticks(low, high)
    slack = 1e-6 * max(abs(low), abs(high), 1)
    assert ticks[0] <= low + slack
    assert ticks[-1] >= high - slack
    assert 2 <= len(ticks) <= 9
    assert len(set(tick_labels(ticks))) == len(ticks)


def test_a_difference_that_no_figure_shows_is_no_fall() -> None:
    chart = lines(Series("s", [Point(1, 31.651), Point(2, 31.6509)]))
    drawn = re.findall(r'<polyline[^>]*points="([^"]*)"', chart)[-1]
    heights = [float(point.split(",")[1]) for point in drawn.split()]
    assert heights[0] == pytest.approx(heights[1], abs=1)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: lines(), "at least one series"),
        (lambda: lines(Series("s", [])), "'s' has no points"),
        (lambda: lines(Series("s", [Point(0, math.nan)])), "holds nan"),
        (lambda: lines(Series("s", [Point(0, 1)]), x_logarithmic=True), "cannot show 0"),
        (lambda: dot_chart([], [], title="", x_label="", x_range=(0, 1)), "at least one group"),
        (
            lambda: dot_chart(["a"], [Dots("s", [1, 2])], title="", x_label="", x_range=(0, 1)),
            "2 values for 1 groups",
        ),
    ],
)
def test_figures_that_cannot_be_drawn_are_refused(draw: object, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        draw()  # type: ignore[operator]
