"""Times as people write them, and as a recording has them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from stepgraph.errors import FormatError
from stepgraph.formats.times import TimeKind, parse_time, seconds_of_recording


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", "12"),
        ("-1.5", "-1.5"),
        ("1e3", "1000"),
        ("2:05", "125"),
        ("90:00", "5400"),
        ("01:02:03", "3723"),
        ("01:02:03.25", "3723.25"),
    ],
)
def test_seconds_are_understood(text: str, expected: str) -> None:
    assert parse_time(text, "here").value == Decimal(expected)
    assert parse_time(text, "here").kind is TimeKind.SECONDS


@pytest.mark.parametrize(
    ("text", "expected", "kind"),
    [
        ("1970-01-02", "86400", TimeKind.LOCAL),
        ("1970-01-01T00:00:00.5", "0.5", TimeKind.LOCAL),
        ("1970-01-01 00:00:00.000000001Z", "0.000000001", TimeKind.ZONED),
        ("1970-01-01T01:00:00+01:00", "0", TimeKind.ZONED),
        ("1969-12-31T23:59:59.9999998", "-0.0000002", TimeKind.LOCAL),
    ],
)
def test_timestamps_are_understood_to_the_nanosecond(
    text: str, expected: str, kind: TimeKind
) -> None:
    assert parse_time(text, "here").value == Decimal(expected)
    assert parse_time(text, "here").kind is kind


@pytest.mark.parametrize(
    "texts",
    [
        ("1700000000000000001", "1700000000000000002"),
        ("2024-01-01T00:00:00.000000001", "2024-01-01T00:00:00.000000002"),
    ],
)
def test_times_of_a_recording_stay_apart(texts: tuple[str, str]) -> None:
    one, other = texts
    seconds = seconds_of_recording({text: parse_time(text, "here") for text in texts})
    assert seconds[one] < seconds[other]


def test_seconds_stay_what_they_are_and_timestamps_begin_with_the_recording() -> None:
    numbers = {text: parse_time(text, "here") for text in ("5", "7.5")}
    assert seconds_of_recording(numbers) == {"5": 5.0, "7.5": 7.5}
    moments = {text: parse_time(text, "here") for text in ("2024-01-01", "2024-01-02")}
    assert list(seconds_of_recording(moments).values()) == [0.0, 86400.0]
    assert seconds_of_recording({}) == {}


@pytest.mark.parametrize(
    "text", ["later", "1:60", "1:99:00", "1:2:3:4", "inf", "nan", "1e999", "2024-13-01", ":5"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"^here is .*ISO 8601"):
        parse_time(text, "here")
