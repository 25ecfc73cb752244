"""Times as people write them."""

from __future__ import annotations

from datetime import datetime

import pytest

from stepgraph.errors import FormatError
from stepgraph.formats.times import parse_time


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
