from __future__ import annotations

import struct
import sys

import pytest

from stepgraph.drawing import draw_graph
from stepgraph.drawing.png import largest_scale, to_png, usual_scale, without_glyph
from stepgraph.errors import MissingExtraError, SettingError
from stepgraph.graph import TaskGraph

pytest.importorskip("resvg_py", reason="needs the extra 'draw'")

GRAPH = TaskGraph.from_preconditions({"mix": ["crack the egg"]})


def _size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack_from(">II", png, 16)
    return width, height


def test_the_picture_is_as_large_as_the_scale_says() -> None:
    svg = draw_graph(GRAPH)
    once, twice = _size(to_png(svg, scale=1)), _size(to_png(svg, scale=2))
    assert twice[0] == pytest.approx(2 * once[0], abs=2)
    assert twice[1] == pytest.approx(2 * once[1], abs=2)


def test_the_same_drawing_gives_the_same_bytes() -> None:
    assert to_png(draw_graph(GRAPH)) == to_png(draw_graph(GRAPH))


def test_words_are_painted_without_any_font_of_the_machine() -> None:
    svg = draw_graph(GRAPH)
    assert not without_glyph([svg])  # so the machine's fonts are not looked at
    without_words = svg.replace(">crack the egg</text>", "></text>")
    assert without_words != svg
    assert to_png(svg) != to_png(without_words)


def test_what_the_font_lacks_is_named() -> None:
    assert without_glyph(["egg 卵", "ok\n"]) == ("卵",)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), 1e6])
def test_a_scale_that_cannot_be_is_refused(scale: float) -> None:
    with pytest.raises(SettingError, match="the scale is"):
        to_png(draw_graph(GRAPH), scale=scale)


def test_a_large_drawing_has_a_smaller_largest_scale() -> None:
    wide = TaskGraph.from_preconditions({f"step {n}": [] for n in range(100)})
    assert largest_scale(draw_graph(wide)) < largest_scale(draw_graph(GRAPH))


def _of_size(width: float, height: float, lines: int = 0) -> str:
    edges = '<g class="edge"/>' * lines
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">{edges}</svg>'


def test_a_small_drawing_is_painted_at_twice_its_size() -> None:
    svg = draw_graph(GRAPH)
    assert usual_scale(svg) == 2.0
    assert _size(to_png(svg)) == _size(to_png(svg, scale=2.0))


def test_a_larger_drawing_is_painted_at_its_own_size_so_that_it_is_quick() -> None:
    assert usual_scale(_of_size(1000, 800)) == pytest.approx(1.2247, abs=1e-3)
    assert usual_scale(_of_size(2000, 1500)) == 1.0


def test_a_drawing_beyond_that_is_scaled_down_the_more_lines_it_has() -> None:
    huge = usual_scale(_of_size(10_000, 4_000))
    assert huge == pytest.approx(0.5)
    assert usual_scale(_of_size(10_000, 4_000, lines=1000)) < huge
    assert usual_scale(_of_size(10_000, 4_000, lines=100_000)) > 0.2


def test_a_theme_for_browsers_is_no_picture() -> None:
    with pytest.raises(SettingError, match="'light' or 'dark'"):
        to_png(draw_graph(GRAPH, theme="auto"))


def test_without_resvg_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(
        MissingExtraError, match=r"pip install 'stepgraph\[draw\]', or write an .svg"
    ):
        to_png(draw_graph(GRAPH))
