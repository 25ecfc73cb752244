from __future__ import annotations

from datetime import datetime

import pytest

from stepgraph.errors import FormatError
from stepgraph.formats.values import SHOWN, as_name, as_seconds, parse_mark, parse_time, shown


def test_what_is_large_is_counted_instead_of_shown() -> None:
    assert shown({"a": 1}) == "{'a': 1}"
    assert shown([1, 2]) == "[1, 2]"
    assert shown({str(number): "x" * 20 for number in range(9)}) == "an object with 9 entries"
    assert shown([["x" * 90] * 3]) == "a list of 1 entry"
    assert len(shown("x" * 1000)) <= SHOWN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", 12.0),
        ("-1.5", -1.5),
        ("1e3", 1000.0),
        ("2:05", 125.0),
        ("90:00", 5400.0),
        ("01:02:03", 3723.0),
        ("01:02:03.25", 3723.25),
        ("2024-05-01", datetime(2024, 5, 1)),
        ("2024-05-01T10:00:00.5", datetime(2024, 5, 1, 10, 0, 0, 500000)),
    ],
)
def test_times_are_understood(text: str, expected: object) -> None:
    assert parse_time(text, "here") == expected


@pytest.mark.parametrize(
    "text", ["later", "1:60", "1:99:00", "1:2:3:4", "inf", "nan", "1e999", "2024-13-01", ":5"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"^here is .*ISO 8601"):
        parse_time(text, "here")


@pytest.mark.parametrize(
    "text", ["", "0", "0.0", "False", "NO", "n", "N/A", "-", "correct", "ok", "none", "fine", " "]
)
def test_marks_that_say_right(text: str) -> None:
    assert parse_mark(text) == (None, True)


@pytest.mark.parametrize("text", ["1", "1.0", "true", "Yes", "Y"])
def test_marks_that_say_wrong(text: str) -> None:
    assert parse_mark(text) == ("mistake", True)


@pytest.mark.parametrize("text", ["skipped", "Missing", "omitted", "missing_step", "NOT DONE"])
def test_marks_that_say_left_out(text: str) -> None:
    assert parse_mark(text) == (None, False)


def test_any_other_mark_is_kept() -> None:
    assert parse_mark(" Order Error ") == ("Order Error", True)


@pytest.mark.parametrize("value", [None, True, 1.5, [], {}, "", "  "])
def test_what_is_no_name_is_refused(value: object) -> None:
    with pytest.raises(FormatError, match="expected a text"):
        as_name(value, "it")


def test_a_whole_number_may_be_a_name() -> None:
    assert as_name(12, "it") == "12"


@pytest.mark.parametrize("value", [None, True, "1", 10**400, float("inf"), []])
def test_what_is_no_number_of_seconds_is_refused(value: object) -> None:
    with pytest.raises(FormatError, match="expected a number of seconds"):
        as_seconds(value, "it")


def test_values_are_shown_short() -> None:
    assert len(shown(["long"] * 1000)) < 100
    assert shown(None) == "null"
