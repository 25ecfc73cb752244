from __future__ import annotations

import json
from typing import Any

from stepgraph.logs import LogFilter, profile_log
from tests.logs.conftest import Put
from tests.logs.tables import table


def test_the_profile_counts_what_the_log_holds(tea: str) -> None:
    profile = profile_log(tea, order="start")
    assert (profile.recordings, profile.steps, profile.variants, profile.events) == (3, 2, 2, 6)
    assert (profile.shortest, profile.median, profile.longest) == (2, 2, 2)
    assert (profile.repeating, profile.complete, profile.once) == (0.0, 1.0, 0.5)
    assert profile.since == "2024-05-01T10:00:00"
    assert profile.gap_longest == 300.0
    assert profile.top_variants[0].name == "boil > pour"
    assert profile.top_variants[0].share == 2 / 3
    assert json.loads(json.dumps(profile.to_json()))["columns"]["step"] == "activity"


def test_repetition_is_counted_by_recordings_and_by_step(put: Put) -> None:
    path = put("x.csv", "case,activity\n1,a\n1,b\n1,a\n2,a\n2,b\n3,a\n3,b\n4,a\n4,b\n")
    profile = profile_log(path)
    assert profile.repeating == 0.25
    assert {one.name: one.repeated for one in profile.top_steps} == {"a": 0.25, "b": 0.0}


def test_problems_are_named(put: Put) -> None:
    rows = "".join(f"{number},a,2024-01-01\n{number},b,2024-01-01\n" for number in range(25))
    odd = "".join(f"x{number},odd {number},2024-01-01\n" for number in range(5))
    profile = profile_log(put("x.csv", f"case,activity,time\n{rows}{odd}"))
    said = " ".join(profile.problems)
    assert "25 events have the time of the one before" in said
    assert "17 % of the recordings begin or end in an unusual way" in said
    assert "5 steps come in one recording only" in said


def test_filters_apply_to_the_profile(tea: str) -> None:
    assert profile_log(tea, order="start", keep=LogFilter(first_step="boil")).recordings == 2


def test_a_year_beyond_the_calendar_is_said_as_a_number() -> None:
    times = [1_704_067_200, 576_780_000_000]
    columns: dict[str, list[Any]] = {"case": [1, 1], "activity": ["a", "b"], "time": times}
    profile = profile_log(table(columns, time=("timestamp", "s")))
    assert (profile.since, profile.until) == ("2024-01-01T00:00:00", "the year 20247")


def test_the_figures_of_a_filtered_log_are_of_what_is_left(tea: str) -> None:
    dated = profile_log(tea, order="start", keep=LogFilter(until="2024-05-01"))
    assert (dated.recordings, dated.events) == (1, 2)
    assert (dated.since, dated.until) == ("2024-05-01T10:00:00", "2024-05-01T10:02:00")
    assert (dated.gap_median, dated.gap_longest) == (120, 120)
    assert not any("go by sequences" in note for note in dated.notes)
    chosen = profile_log(tea, order="start", keep=LogFilter(first_step="boil"))
    assert (chosen.recordings, chosen.events, chosen.gap_longest) == (2, 4, 300)
    assert "times and gaps are those of all recordings: " in chosen.notes[-1]


def test_moments_have_a_zone_where_the_log_has_one(put: Put) -> None:
    zoned = put("z.csv", "case,activity,time\n1,a,2024-03-01T00:30:00+01:00\n")
    assert profile_log(zoned).since == "2024-02-29T23:30:00+00:00"
