from __future__ import annotations

import pytest

from stepgraph.cli.tables import lay_out

TITLES = ["method", "F1", "about"]
ROWS = [
    ["do", "89.7", "gradient descent on the weights of all edges"],
    ["no-order", "5.0", "nothing needs anything"],
]


def test_figures_stand_to_the_right_and_texts_to_the_left() -> None:
    assert lay_out(["name", "F1"], [["do", "89.7"], ["no-order", "5.0"]], width=40) == [
        "name        F1",
        "────────  ────",
        "do        89.7",
        "no-order   5.0",
    ]


def test_the_widest_text_is_wrapped_at_blanks() -> None:
    assert lay_out(TITLES, ROWS, width=40) == [
        "method      F1  about",
        "────────  ────  ────────────────────────",
        "do        89.7  gradient descent on the",
        "                weights of all edges",
        "no-order   5.0  nothing needs anything",
    ]


@pytest.mark.parametrize("width", [27, 40, 60, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, lay_out(TITLES, ROWS, width=width))) <= width


def test_a_terminal_too_narrow_for_columns_gets_blocks() -> None:
    assert lay_out(TITLES, ROWS[1:], width=20) == [
        "method: no-order",
        "F1: 5.0",
        "about: nothing needs",
        "anything",
    ]


def test_characters_of_two_columns_keep_the_columns_straight() -> None:
    lines = lay_out(["name", "n"], [["卵", "1"], ["egg", "2"]], width=40)
    assert lines[2:] == ["卵     1", "egg    2"]


def test_ascii_is_enough_where_nothing_else_can_be_shown() -> None:
    lines = lay_out(["name"], [["sauté"]], width=40, unicode=False)
    assert "".join(lines).isascii()


def test_a_table_without_rows_is_its_heading() -> None:
    assert lay_out(["name", "F1"], [], width=40) == ["name  F1", "────  ──"]
