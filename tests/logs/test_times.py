from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from stepgraph.errors import FormatError
from stepgraph.logs import LogFilter, profile_log, read_log
from tests.logs.tables import table

pytest.importorskip("duckdb")

DAY = "2024-01-01T00:00:00"
LARGE = 2**60


def order(times: list[Any], kind: Any = None) -> str:
    """Return the order of steps that have these times, the steps in the order of the alphabet."""
    steps = "abc"[: len(times)]
    columns: dict[str, list[Any]] = {
        "case": [1] * len(times),
        "activity": list(steps),
        "time": times,
    }
    demonstrations = read_log(table(columns, time=kind)).only()
    return "".join(demonstrations.names(demonstrations.sequences[0]))


@pytest.mark.parametrize(
    ("times", "kind"),
    [
        ([3, 2, 1], ("timestamp", "ns")),
        ([-1, -2, -1001], ("timestamp", "ns")),
        ([2100, 1999, 1600], ("timestamp", "ns")),
        ([1001, -400, -1600], ("timestamp", "ns", "UTC")),
        ([3000, 2000, 1000], ("timestamp", "ns")),
        ([3, 2, 1], ("timestamp", "us", "UTC")),
        ([".5", ".25", "-.000000001"], None),
        ([f"{DAY}.000000003", f"{DAY}.000000002", f"{DAY}.000000001"], None),
        ([f"{DAY}.00000003Z", f"{DAY}.000000002Z", f"{DAY}.000000001Z"], None),
        ([f"{DAY}.000001", f"{DAY}.000000999", f"{DAY}"], None),
        ([LARGE + 2, LARGE + 1, LARGE], None),
        ([2**64 - 1, 2**64 - 2, 2**64 - 3], ("uint64",)),
        ([str(LARGE + 2), str(LARGE + 1), str(LARGE)], None),
        (["1700000000.000000003", "1700000000.000000002", "1700000000"], None),
        (["1e300", "1e299", "-1e300"], None),
        ([Decimal("12345678901234567.03"), Decimal("12345678901234567.02"), Decimal(1)], None),
        ([3.5, 2.5, -1.5], None),
    ],
)
def test_times_are_told_apart_however_fine_they_are(times: list[Any], kind: Any) -> None:
    assert order(times, kind) == "cba"


def test_a_time_format_may_tell_nanoseconds() -> None:
    times = ["10:00:00.000000900", "10:00:00.000000600"]
    log = table({"case": [1, 1], "activity": ["b", "a"], "time": times})
    demonstrations = read_log(log, time_format="%H:%M:%S.%n").only()
    assert demonstrations.names(demonstrations.sequences[0]) == ("a", "b")


def test_a_day_ends_where_the_next_begins_however_fine_times_are() -> None:
    times = ["2024-05-31 10:00:00", "2024-05-31 23:59:59.9999995"]
    log = table({"case": [1, 1], "activity": ["a", "b"], "time": times})
    assert len(read_log(log, keep=LogFilter(until="2024-05-31")).only()) == 1
    assert len(read_log(log, keep=LogFilter(until="2024-05-31T23:59:59.999999")).only()) == 1
    with pytest.raises(FormatError, match="no recording is left"):
        read_log(log, keep=LogFilter(until="2024-05-31T23:59:59.999998"))


@pytest.mark.parametrize(
    ("times", "kind", "gap"),
    [
        ([-100, 100], ("int8",), 200),
        ([-(2**62), 2**62 + 5], ("int64",), 2.0**63),
        ([0, 2**64 - 1], ("uint64",), 2.0**64),
        ([Decimal(-(10**38) + 1), Decimal(10**38 - 1)], ("decimal128", 38, 0), 2e38),
    ],
)
def test_gaps_may_be_wider_than_times(times: list[Any], kind: Any, gap: float) -> None:
    columns: dict[str, list[Any]] = {"case": [1, 1], "activity": ["a", "b"], "time": times}
    assert profile_log(table(columns, time=kind)).gap_longest == pytest.approx(gap)


def test_moments_before_1970_are_rounded_down() -> None:
    times = ["1969-12-31T23:59:59.9999982", "1969-12-31T23:59:59.9999998"]
    profile = profile_log(table({"case": [1, 1], "activity": ["a", "b"], "time": times}))
    assert profile.since == "1969-12-31T23:59:59.999998"
    assert profile.until == "1969-12-31T23:59:59.999999"


def test_numbers_that_are_not_finite_are_no_times() -> None:
    times = [float("nan"), 1.0, 1.0, float("inf"), 2.0, 1.0]
    log = table({"case": [1, 1, 2, 2, 3, 3], "activity": list("bababa"), "time": times})
    reading = read_log(log)
    demonstrations = reading.only()
    assert [demonstrations.names(one) for one in demonstrations] == [("a", "b")]
    assert "2 recordings, such as '1', lack the time of a step" in " ".join(reading.notes)


@pytest.mark.parametrize("log", [5, [{"case": 1}], None])
def test_what_is_neither_a_path_nor_a_table_is_refused(log: Any) -> None:
    with pytest.raises(FormatError, match=r"the log is of type .*; expected a path, or a table"):
        read_log(log)


def test_tables_that_cannot_be_shown_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    mixed = pandas.DataFrame({"case": [1, "x"], "activity": ["b", "a"], "time": [1, 2]})
    with pytest.raises(FormatError, match="the pandas table: "):
        read_log(mixed)
