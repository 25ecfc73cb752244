from __future__ import annotations

from dataclasses import asdict

import pytest

from stepgraph.drawing.themes import DARK, LIGHT, THEMES, Theme, get_theme
from stepgraph.errors import UnknownNameError

both = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(first: str, second: str) -> float:
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


@both
@pytest.mark.parametrize("on", ["paper", "box", "end_box"])
def test_words_stand_out_from_what_they_are_written_on(theme: Theme, on: str) -> None:
    assert _contrast(theme.ink, getattr(theme, on)) >= 7
    assert _contrast(theme.faint, getattr(theme, on)) >= 4.5


@both
@pytest.mark.parametrize(
    "line", ["edge", "missing", "spurious", "outline", "choice", "undoes", "goes_with"]
)
def test_lines_stand_out_from_the_paper(theme: Theme, line: str) -> None:
    assert _contrast(getattr(theme, line), theme.paper) >= 4.5


def test_the_theme_of_the_screen_knows_every_colour_of_both() -> None:
    style = THEMES["auto"].style
    for theme in (LIGHT, DARK):
        for name, colour in asdict(theme).items():
            if name != "style":
                assert f"--stepgraph-{name.replace('_', '-')}:{colour}" in style


def test_an_unknown_theme_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'dark'"):
        get_theme("drak")
