"""What is kept of a log, and what is said of the rest."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph.errors import FormatError, SettingError, UnknownNameError
from stepgraph.logs import LogFilter, read_log
from tests.logs.conftest import Put, variants


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ({"since": "2024-05-02"}, {("boil", "pour"): 1.0, ("pour", "boil"): 1.0}),
        ({"until": "2024-05-02"}, {("boil", "pour"): 2.0}),
        ({"since": "2024-05-01T10:01:00", "until": "2024-05-02"}, {("boil", "pour"): 1.0}),
        ({"first_step": "boil"}, {("boil", "pour"): 2.0}),
        ({"last_step": "boil"}, {("pour", "boil"): 1.0}),
        ({"min_variant": 2}, {("boil", "pour"): 2.0}),
        ({"top_variants": 1}, {("boil", "pour"): 2.0}),
    ],
)
def test_filters_keep_what_they_say(
    keep: dict[str, Any], expected: dict[tuple[str, ...], float], tea: str
) -> None:
    reading = read_log(tea, keep=LogFilter(**keep), order="start")
    assert variants(reading.only()) == expected
    assert sum(" of 3 recordings left out: not " in note for note in reading.notes) >= 1


def test_rare_steps_are_left_out_of_their_recordings(put: Put) -> None:
    path = put("x.csv", "case,activity\n1,a\n1,b\n2,a\n2,odd\n2,b\n3,odd one out\n")
    reading = read_log(path, keep=LogFilter(min_step=2))
    assert variants(reading.only()) == {("a", "b"): 2.0}


def test_complete_recordings_begin_and_end_as_is_usual(put: Put) -> None:
    rows = "".join(f"{number},a\n{number},b\n{number},c\n" for number in range(30))
    path = put("x.csv", f"case,activity\n{rows}cut off,a\ncut off,b\n")
    reading = read_log(path, keep=LogFilter(complete=True))
    assert variants(reading.only()) == {("a", "b", "c"): 30.0}


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        ({"since": "2030-01-01"}, "none of 3 lies between the dates"),
        ({"first_step": "boil", "last_step": "boil"}, "none of 2 ends with 'boil'"),
        (
            {"min_variant": 9},
            "none of 3 has a sequence that 9 recordings have; .*stepgraph inspect",
        ),
    ],
)
def test_a_log_with_nothing_left_says_which_filter_did_it(
    keep: dict[str, Any], message: str, tea: str
) -> None:
    with pytest.raises(FormatError, match=message):
        read_log(tea, keep=LogFilter(**keep), order="start")


def test_filters_that_cannot_be_are_refused(tea: str, put: Put) -> None:
    with pytest.raises(SettingError, match="since is 'May'; expected a date"):
        LogFilter(since="May")
    with pytest.raises(SettingError, match="later than"):
        LogFilter(since="2024-02-01", until="2024-01-01")
    with pytest.raises(SettingError, match="top_variants is 0"):
        LogFilter(top_variants=0)
    with pytest.raises(UnknownNameError, match="unknown step 'boill'; did you mean 'boil'"):
        read_log(tea, keep=LogFilter(first_step="boill"))
    path = put("n.csv", "case,activity,time\n1,a,1\n")
    with pytest.raises(SettingError, match="numbers as times"):
        read_log(path, keep=LogFilter(since="2024-01-01"))
