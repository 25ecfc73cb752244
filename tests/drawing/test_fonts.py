from __future__ import annotations

import pytest

from stepgraph.drawing.fonts import FONT_FILE, carried_font


def test_the_licence_of_the_font_lies_beside_it() -> None:
    assert "Bitstream Vera" in (FONT_FILE.parent / "LICENSE").read_text()


# By the font's own tables: advances of 1401, 651 and 1716 units of 2048.
@pytest.mark.parametrize(("text", "ems"), [("A", 1401 / 2048), (" ", 651 / 2048), ("—", 1.0)])
def test_widths_are_those_of_the_font(text: str, ems: float) -> None:
    assert carried_font().width(text, 100) == pytest.approx(100 * ems, abs=0.05)


def test_a_line_is_as_wide_as_its_characters() -> None:
    font = carried_font()
    assert font.width("mix", 13) == pytest.approx(sum(font.width(c, 13) for c in "mix"))


@pytest.mark.parametrize("text", ["Stir", "ñandú", "Ελλάδα", "Кириллица", "חמם", "سخّن", "→ ½ °"])
def test_the_scripts_of_many_languages_are_there(text: str) -> None:
    assert all(map(carried_font().covers, text))


def test_what_is_not_there_is_known_and_still_has_a_width() -> None:
    assert not carried_font().covers("卵")
    assert carried_font().width("卵", 10) > carried_font().width("x", 10)


def test_joiners_and_marks_need_no_glyph() -> None:
    assert all(map(carried_font().covers, "\u200d\ufe0f\u0301"))
