from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.layout.text import columns, pad, printable, shorten, wrap
from tests.drawing.strategies import names


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", r"a\tb\nc"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\u202e", r"\u202e"),
        ("\ud800", r"\ud800"),
        ("café 卵\u3000x", "café 卵\u3000x"),
        ("👩\u200d🍳", "👩\u200d🍳"),
    ],
)
def test_only_what_could_garble_a_terminal_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_ascii_only_is_ascii(text: str) -> None:
    assert printable(text, ascii_only=True).isascii()


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("卵", 2), ("e\u0301", 1), ("🍳", 2), ("❤\ufe0f", 2)]
)
def test_columns_of_wide_and_combining_characters(text: str, width: int) -> None:
    assert columns(text) == width


@given(names().map(printable), st.integers(4, 40), st.none() | st.integers(1, 4))
def test_wrapped_lines_fit(text: str, width: int, max_lines: int | None) -> None:
    lines = wrap(text, width, max_lines)
    assert all(columns(line) <= width for line in lines)
    assert max_lines is None or 1 <= len(lines) <= max_lines


@given(names().map(printable), st.integers(4, 40))
def test_wrapping_loses_nothing_but_spaces(text: str, width: int) -> None:
    assert "".join("".join(wrap(text, width)).split()) == "".join(text.split())


@given(names().map(printable), st.integers(4, 40))
def test_a_shortened_text_fits_and_says_that_it_is_shortened(text: str, width: int) -> None:
    short = shorten(text, width)
    assert columns(short) <= width
    assert short == text or short.endswith("…")


def test_words_stay_whole_where_they_can() -> None:
    assert wrap("add the whisked eggs", 9) == ("add the", "whisked", "eggs")
    assert wrap("add the whisked eggs", 9, 2) == ("add the", "whisked…")
    assert wrap("incomprehensibilities", 9, 2) == ("incompreh", "ensibili…")


def test_padding_counts_columns_rather_than_characters() -> None:
    assert pad("卵", 4) == "卵  "
