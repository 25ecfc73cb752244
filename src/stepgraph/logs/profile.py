"""The profile of a log, to look at before learning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from math import floor
from typing import Any

from stepgraph.logs.engine import Engine
from stepgraph.logs.filters import usual
from stepgraph.logs.log import Log, open_log

MOST = 10
"""Maximum number of steps, variants and procedures to list; the counts are complete."""
_YEAR = 31_556_952_000_000
"""The microseconds of a year, on average."""


@dataclass(frozen=True)
class Listed:
    """A step, variant or procedure of a log, with its frequency.

    Parameters
    ----------
    name
        The step, the procedure, or the steps of the variant.
    recordings, share
        Number of recordings that show it, and their share.
    repeated
        For a step: the share of its recordings that repeat it.
    """

    name: str
    recordings: int
    share: float
    repeated: float = 0.0


@dataclass(frozen=True)
class LogProfile:
    """The profile of a log.

    Parameters
    ----------
    log
        The name of the log.
    columns, guessed
        The column of each role, and the guessed ones among these.
    rows, events
        Number of rows of the log, and of events in its recordings.
    recordings, steps, variants, procedures
        Numbers of each; a variant is a sequence of steps that one or more recordings share.
    shortest, median, longest
        Lengths of recordings, in steps.
    repeating
        The share of the recordings that repeat a step.
    once
        The share of the variants that only one recording has.
    complete
        The share of the recordings that begin and end as recordings of their procedure usually do.
    since, until
        The first and the last moment, if times are dates; without a zone if the log has none.
    gap_median, gap_longest
        The time between two steps of a recording, in seconds if times are dates.
    tied
        Number of events with the time of the one before; the order of the rows decides between
        them. This number, the moments and the gaps cover all recordings between the dates; the
        other filters do not affect them.
    top_procedures, top_steps, top_variants, rarest_steps
        The most frequent ones, and the rarest steps.
    problems
        Possible problems to check before learning.
    notes
        Sentences about what was left out, merged or guessed.
    """

    log: str
    columns: Mapping[str, str]
    guessed: tuple[str, ...]
    rows: int
    events: int
    recordings: int
    steps: int
    variants: int
    procedures: int
    shortest: int
    median: int
    longest: int
    repeating: float
    once: float
    complete: float
    since: str | None
    until: str | None
    gap_median: float | None
    gap_longest: float | None
    tied: int
    top_procedures: tuple[Listed, ...]
    top_steps: tuple[Listed, ...]
    rarest_steps: tuple[Listed, ...]
    top_variants: tuple[Listed, ...]
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the profile as plain JSON values."""
        return asdict(self)


def profile_log(log: Any, **options: Any) -> LogProfile:
    """Return the profile of a log.

    Parameters
    ----------
    log
        As for `open_log`.
    **options
        The options of `open_log`.
    """
    with open_log(log, **options) as opened, opened.engine.errors(opened.where):
        return _profile(opened)


def _profile(log: Log) -> LogProfile:
    engine, names = log.engine, log.events.steps
    total = sum(size.recordings for size in log.procedures)
    engine.run(  # whatever their marks
        "CREATE OR REPLACE TABLE sequences AS "
        "SELECT procedure, steps, sum(n) AS n FROM variants GROUP BY procedure, steps"
    )
    variants, once, repeating = engine.row(
        """
        SELECT count(*), count(*) FILTER (WHERE n = 1),
            coalesce(sum(n) FILTER (WHERE len(list_distinct(steps)) < len(steps)), 0)
        FROM sequences
        """
    )
    lengths = engine.rows(
        "SELECT len(steps) AS length, round(sum(n))::BIGINT FROM sequences "
        "GROUP BY length ORDER BY length"
    )
    steps = [
        Listed(names[code], round(shown), float(shown) / total, float(again) / float(shown))
        for code, shown, again in engine.rows(
            """
            SELECT step, sum(n) AS shown, coalesce(sum(n) FILTER (WHERE times > 1), 0) FROM (
                SELECT variant, any_value(n) AS n, step, count(*) AS times
                FROM (SELECT rowid AS variant, n, unnest(steps) AS step FROM sequences)
                GROUP BY variant, step)
            GROUP BY step ORDER BY shown DESC, step
            """
        )
    ]
    top = engine.rows(
        f"SELECT procedure, steps, n FROM sequences ORDER BY n DESC, procedure, steps LIMIT {MOST}"
    )
    several = len(log.procedures) > 1
    listed = tuple(
        Listed(
            (f"{log.events.procedures[procedure]}: " if several else "")
            + " > ".join(names[step] for step in codes),
            round(number),
            float(number) / total,
        )
        for procedure, codes, number in top
    )
    complete = _complete(engine) / total
    gaps = _gaps(log) if log.events.is_timed else (None,) * 4 + (0,)
    by_size = sorted(log.procedures, key=lambda size: (-size.recordings, size.name))
    profile = {
        "repeating": float(repeating) / total,
        "once": once / variants,
        "complete": complete,
        "tied": gaps[4],
    }
    return LogProfile(
        log.where,
        log.columns,
        log.guessed,
        log.events.rows,
        int(engine.row("SELECT sum(n * len(steps)) FROM sequences")[0]),
        total,
        len(steps),
        variants,
        len(log.procedures),
        lengths[0][0],
        _median(lengths),
        lengths[-1][0],
        float(repeating) / total,
        once / variants,
        complete,
        *gaps,
        tuple(
            Listed(size.name, size.recordings, size.recordings / total) for size in by_size[:MOST]
        ),
        tuple(steps[:MOST]),
        tuple(steps[: -MOST - 1 : -1]),
        listed,
        tuple(_problems(log, profile, steps, total)),
        (*log.notes, *_of_all(log)),
    )


def _median(counted: list[tuple[int, int]]) -> int:
    """Return the median of values with counts, in ascending order."""
    left = sum(number for _, number in counted) / 2
    for value, number in counted:
        left -= number
        if left <= 0:
            return value
    return counted[-1][0]


def _complete(engine: Engine) -> int:
    both = f"{usual('list_first')} AND {usual('list_last')}"
    return int(engine.row(f"SELECT coalesce(sum(n), 0) FROM variants WHERE {both}")[0])


def _gaps(log: Log) -> tuple[str | None, str | None, float | None, float | None, int]:
    some = ""
    if log.keep.bounds != (None, None):
        some = (
            "WHERE (procedure, recording) IN (SELECT (procedure, recording) FROM events "
            f"GROUP BY procedure, recording HAVING {log.keep.inside})"
        )
    ((_, kind, *_),) = log.engine.rows("DESCRIBE SELECT time FROM events")
    wide = "time"  # wide enough for a difference of two
    if kind == "HUGEINT" or kind.startswith("DECIMAL(38,0)"):
        wide = "time::DOUBLE"
    elif "INT" in kind:
        wide = "time::HUGEINT"
    first, last, middle, longest, tied = log.engine.row(
        f"""
        SELECT min(time), max(time), approx_quantile(gap::DOUBLE, 0.5), max(gap),
            count(*) FILTER (WHERE gap = 0)
        FROM (SELECT time, {wide} - lag({wide}) OVER
            (PARTITION BY procedure, recording ORDER BY time, rowid) AS gap FROM events {some})
        """
    )
    is_dated = log.events.is_dated
    scale = 1e6 if is_dated else 1.0
    in_seconds = (None if value is None else float(value) / scale for value in (middle, longest))
    if not is_dated:
        return None, None, *in_seconds, tied
    zone = UTC if log.events.is_zoned else None
    return _moment(floor(first), zone), _moment(floor(last), zone), *in_seconds, tied


def _moment(microseconds: int, zone: tzinfo | None) -> str:
    try:
        return (
            datetime(1970, 1, 1, tzinfo=zone) + timedelta(microseconds=microseconds)
        ).isoformat()
    except OverflowError:  # the engine knows years that Python does not
        return f"the year {1970 + microseconds // _YEAR}"


def _of_all(log: Log) -> list[str]:
    """Return a note on the figures that some filters do not affect."""
    if not log.events.is_timed or not log.keep.by_sequence:
        return []
    dated = " between the dates" if log.keep.bounds != (None, None) else ""
    return [f"times and gaps are those of all recordings{dated}: the other filters go by sequences"]


def _problems(log: Log, profile: Mapping[str, float], steps: list[Listed], total: int) -> list[str]:
    found = []
    if not log.events.is_timed:
        found.append("no time column was found: the order of the rows is taken")
    if profile["tied"]:
        found.append(
            f"{profile['tied']:.0f} events have the time of the one before: the order of the rows "
            "decides between them"
        )
    if profile["complete"] < 0.9:
        found.append(
            f"{100 * (1 - profile['complete']):.0f} % of the recordings begin or end in an unusual "
            "way: cut off, or still going on? (complete=True leaves them out)"
        )
    if profile["once"] > 0.8 and total > 20:
        found.append(
            f"{100 * profile['once']:.0f} % of the variants come once only: many free orders, or "
            "steps that are too detailed"
        )
    rare = [step.name for step in steps if step.recordings == 1]
    if rare and total > 20:
        shown = ", ".join(map(repr, rare[:3])) + (", ..." if len(rare) > 3 else "")
        found.append(
            f"{len(rare)} steps come in one recording only, such as {shown} (min_step=2 leaves "
            "them out)"
        )
    single = sum(size.recordings == 1 for size in log.procedures)
    if single:
        found.append(f"{single} of {len(log.procedures)} procedures have one recording only")
    return found
