"""The variants of a log: equal recordings counted together, and filters on them.

The table ``variants`` has each sequence of steps once, with its marks and skipped steps, its number
of recordings and the name of the first of them. Filters go by date, completeness and frequency.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from stepgraph.errors import FormatError, SettingError, UnknownNameError
from stepgraph.formats.reading import order_note
from stepgraph.logs.engine import Engine
from stepgraph.logs.events import Events
from stepgraph.logs.times import moment

ROWS_AT_ONCE = 25_000_000
"""Maximum number of events to sort at once; more are sorted in parts, to bound memory."""
USUAL_SHARE = 0.05
"""Minimum share of a procedure's recordings for a usual first or last step."""


@dataclass(frozen=True)
class LogFilter:
    """Filters of a log, applied in the order of the fields; all are optional.

    Parameters
    ----------
    since, until
        Keep recordings that lie entirely between these moments. A date without a time means
        the whole day; a moment without a zone is in UTC.
    complete
        Keep only recordings that begin and end as recordings of their procedure usually do: with
        a step that begins, or ends, at least one in twenty of them.
    first_step, last_step
        Keep only recordings that begin, or end, with this step.
    min_step
        Minimum number of recordings of a step in its procedure.
    min_variant
        Minimum number of recordings of a sequence.
    top_variants
        Maximum number of sequences of each procedure; the most frequent are kept.

    Raises
    ------
    SettingError
        If a value is invalid.
    """

    since: str | datetime | None = None
    until: str | datetime | None = None
    complete: bool = False
    first_step: str | None = None
    last_step: str | None = None
    min_step: int = 1
    min_variant: int = 1
    top_variants: int | None = None

    def __post_init__(self) -> None:
        for name in ("min_step", "min_variant", "top_variants"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < 1):
                raise SettingError(f"{name} is {value!r}; expected a whole number from 1 on")
        since, until = self.bounds
        if since is not None and until is not None and since > until:
            raise SettingError(f"since={self.since!r} is later than until={self.until!r}")

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """The dates as microseconds since 1970."""
        return (
            None if self.since is None else moment(self.since, "since"),
            None if self.until is None else moment(self.until, "until", end=True),
        )

    @property
    def inside(self) -> str:
        """SQL for whether a recording lies between the dates, over the times of its events."""
        since, until = self.bounds
        parts = [f"min(time) >= {since}"] if since is not None else []
        # Below the next microsecond, because times may be finer than the limit.
        if until is not None:
            parts.append(f"greatest(max(time), max(ended)) < {until + 1}")
        return f"coalesce({' AND '.join(parts)}, false)" if parts else "true"

    @property
    def by_sequence(self) -> bool:
        """Whether there are filters other than the dates."""
        return self != LogFilter(self.since, self.until)

    def apply(self, engine: Engine, steps: list[str], where: str) -> list[str]:
        """Filter the table ``variants``; return notes on it.

        Parameters
        ----------
        engine
            The engine with the table ``variants``.
        steps
            The step names by their codes.
        where
            The log, for messages.

        Raises
        ------
        FormatError
            If nothing is left.
        """
        notes = []
        for what, statements in self._statements(steps, where):
            before = _recordings(engine)
            for statement in statements:
                engine.run(statement)
            after = _recordings(engine)
            if not after:
                raise FormatError(
                    f"{where}: no recording is left: none of {before} {what}; "
                    "look at the log with 'stepgraph inspect'"
                )
            if after < before:
                notes.append(f"{before - after} of {before} recordings left out: not one {what}")
        return notes

    def _statements(self, steps: list[str], where: str) -> list[tuple[str, list[str]]]:
        found: list[tuple[str, list[str]]] = []
        if self.complete:
            both = f"{usual('list_first')} AND {usual('list_last')}"
            found.append(
                ("begins and ends as is usual", [f"DELETE FROM variants WHERE NOT ({both})"])
            )
        for name, place, verb in (
            (self.first_step, "list_first", "begins"),
            (self.last_step, "list_last", "ends"),
        ):
            if name is not None:
                if name not in steps:
                    raise UnknownNameError("step", name, steps, where)
                found.append(
                    (
                        f"{verb} with {name!r}",
                        [f"DELETE FROM variants WHERE {place}(steps) <> {steps.index(name)}"],
                    )
                )
        if self.min_step > 1:
            found.append(
                (f"shows a step that {self.min_step} recordings show", _rare_steps(self.min_step))
            )
        if self.min_variant > 1:
            found.append(
                (
                    f"has a sequence that {self.min_variant} recordings have",
                    [
                        (
                            f"CREATE OR REPLACE TABLE variants AS SELECT * FROM variants QUALIFY "
                            f"sum(n) OVER (PARTITION BY procedure, steps) >= {self.min_variant}"
                        )
                    ],
                )
            )
        if self.top_variants is not None:
            found.append(
                (
                    f"has one of the {self.top_variants} most frequent sequences",
                    [
                        f"""
                        CREATE OR REPLACE TABLE variants AS SELECT * EXCLUDE (shown) FROM (
                            SELECT *, sum(n) OVER (PARTITION BY procedure, steps) AS shown
                            FROM variants)
                        QUALIFY dense_rank() OVER (PARTITION BY procedure
                            ORDER BY shown DESC, steps) <= {self.top_variants}
                        """
                    ],
                )
            )
        return found


def _recordings(engine: Engine) -> float:
    number = float(engine.row("SELECT coalesce(sum(n), 0) FROM variants")[0])
    return int(number) if number.is_integer() else number


def usual(place: str) -> str:
    """Return the SQL condition for a usual first or last step.

    Parameters
    ----------
    place
        ``"list_first"`` or ``"list_last"``.
    """
    return f"""
        (procedure, {place}(steps)) IN (
            SELECT (procedure, step) FROM (
                SELECT procedure, step, here, sum(here) OVER (PARTITION BY procedure) AS everywhere
                FROM (
                    SELECT procedure, {place}(steps) AS step, sum(n) AS here
                    FROM variants GROUP BY procedure, {place}(steps)))
            WHERE here >= {USUAL_SHARE} * everywhere)
        """


def _rare_steps(least: int) -> list[str]:
    return [
        f"""
        CREATE OR REPLACE TABLE frequent AS
        SELECT procedure, list(step) AS kept FROM (
            SELECT procedure, step, sum(n) AS shown FROM (
                SELECT procedure, unnest(list_distinct(steps)) AS step, n FROM variants)
            GROUP BY ALL HAVING shown >= {least})
        GROUP BY procedure
        """,
        f"""
        CREATE OR REPLACE TABLE variants AS
        SELECT procedure, steps, marks, skipped, sum(n) AS n, arg_min(id, first) AS id,
            min(first) AS first
        FROM (
            SELECT procedure, {_kept("steps")} AS steps,
                list_transform(
                    list_filter(list_zip(steps, marks), lambda pair: list_contains(kept, pair[1])),
                    lambda pair: pair[2]) AS marks,
                {_kept("skipped")} AS skipped, n, id, first
            FROM variants JOIN frequent USING (procedure))
        WHERE len(steps) > 0 GROUP BY procedure, steps, marks, skipped
        """,
    ]


def _kept(steps: str) -> str:
    return f"list_filter({steps}, lambda step: list_contains(kept, step))"


def count_variants(engine: Engine, keep: LogFilter, events: Events, where: str) -> list[str]:
    """Fill the table ``variants`` from the events; return notes on what is left out."""
    parts = max(1, -(-engine.row("SELECT count(*) FROM events")[0] // ROWS_AT_ONCE))
    for part in range(parts):
        some = f"WHERE hash(recording) % {parts} = {part}" if parts > 1 else ""
        query = _variants(f"events {some}", "recording", keep, events)
        engine.run(f"{'INSERT INTO parts' if part else 'CREATE TABLE parts AS'} {query}")
    notes = []
    shared = engine.row("SELECT sum(recordings) FROM parts WHERE procedure <> other")[0]
    if shared:
        notes.append(_split(engine, keep, int(shared), events))
    engine.run(
        """
        CREATE TABLE variants AS SELECT procedure, steps, marks, skipped, sum(n) AS n,
            arg_min(id, first) AS id, min(first) AS first
        FROM parts WHERE inside GROUP BY procedure, steps, marks, skipped
        """
    )
    total, kept, moved = engine.row(
        "SELECT sum(recordings)::BIGINT, (sum(recordings) FILTER (WHERE inside))::BIGINT, "
        "sum(moved)::BIGINT FROM parts"
    )
    engine.run("DROP TABLE parts")
    if not kept:
        raise FormatError(
            f"{where}: no recording is left: none of {total} lies between the dates as a whole"
        )
    if kept < total:
        notes.append(f"{total - kept} of {total} recordings left out: not between the dates")
    on_order = order_note(moved, total, events.order) if events.tells_order else None
    return [*notes, *([on_order] if on_order else [])]


def _variants(rows: str, key: str, keep: LogFilter, events: Events) -> str:
    """Return the query for the variants of some events, by their recordings' key."""
    done = " FILTER (WHERE done)" if events.is_marked else ""
    marks = skipped = "[]::INTEGER[]"
    if events.is_marked:
        marks = f"list(mark ORDER BY {events.sort}){done}"
        skipped = "list(step ORDER BY rowid) FILTER (WHERE NOT done)"
    weight = "1"
    if events.is_weighted:
        weight = "coalesce((SELECT value FROM weights WHERE written = weight), 1)"
    moved = "0"
    if events.tells_order:
        times = f"list(time ORDER BY rowid){done}"
        complete = f"count(time){done} = count(*){done}"
        moved = f"CASE WHEN {complete} THEN ({times} <> list_sort({times}))::INTEGER ELSE 0 END"
    once = "list_filter(skipped, lambda step, place: list_position(skipped, step) = place)"
    return f"""
        SELECT procedure, other, steps, marks, skipped, sum({weight}) AS n,
            arg_min(recording, first) AS id, min(first) AS first, count(*) AS recordings,
            sum(moved) AS moved, inside
        FROM (SELECT * REPLACE (coalesce({once}, []) AS skipped) FROM (
            SELECT min(procedure) AS procedure, max(procedure) AS other, recording,
                list(step ORDER BY {events.sort}){done} AS steps, {marks} AS marks,
                {skipped} AS skipped, max(weight) AS weight, min(rowid) AS first,
                {moved} AS moved, {keep.inside} AS inside
            FROM {rows} GROUP BY {key}))
        GROUP BY procedure, other, steps, marks, skipped, inside
        """


def _split(engine: Engine, keep: LogFilter, number: int, events: Events) -> str:
    """Count recordings of several procedures once in each of them."""
    engine.run(
        "CREATE TABLE shared AS SELECT recording FROM events GROUP BY recording "
        "HAVING min(procedure) <> max(procedure)"
    )
    engine.run("DELETE FROM parts WHERE procedure <> other")
    some = "events WHERE recording IN (SELECT recording FROM shared)"
    engine.run(f"INSERT INTO parts {_variants(some, 'procedure, recording', keep, events)}")
    example, one, other = engine.row(
        "SELECT recording, min(procedure), max(procedure) FROM events "
        "WHERE recording = (SELECT min(recording) FROM shared) GROUP BY recording"
    )
    subject = f"{number} recordings are" if number > 1 else "a recording is"
    return (
        f"{subject} listed under more than one procedure, such as {example!r} under "
        f"{events.procedures[one]!r} and {events.procedures[other]!r}; each procedure keeps its "
        "own part"
    )
