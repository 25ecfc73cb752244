"""A log's rows as events: named, typed, checked, and those of one activity merged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stepgraph.errors import FormatError
from stepgraph.logs.columns import Mapped
from stepgraph.logs.engine import Engine, name, text
from stepgraph.logs.source import Source
from stepgraph.logs.times import TimeColumn, time_column
from stepgraph.sequences import END, START


@dataclass(frozen=True)
class Events:
    """What the engine's table ``events`` holds: procedure, recording, step, time.

    Parameters
    ----------
    steps, procedures
        The names by their codes.
    rows
        How many rows the log has.
    is_timed
        Whether the events have a time to sort by.
    is_dated
        Whether it is a moment and not just a number.
    is_zoned
        Whether the log says in which zone its moments are.
    notes
        What was left out, merged or guessed.
    """

    steps: list[str]
    procedures: list[str]
    rows: int
    is_timed: bool
    is_dated: bool
    is_zoned: bool
    notes: tuple[str, ...]


def load_events(
    engine: Engine,
    source: Source,
    mapped: Mapped,
    *,
    order: str | None,
    time_format: str | None,
    procedure: str,
) -> Events:
    """Load events into the engine's table ``events``.

    Parameters
    ----------
    engine, source
        Where to load to and from.
    mapped
        Which column holds what.
    order
        ``"start"`` or ``"end"`` sorts by time, ``"file"`` keeps the rows' order; by default by
        time where there is a time column.
    time_format
        How times are written, where they are no ISO 8601.
    procedure
        What to call the procedure where no column says.
    """
    with engine.errors(source.where):
        raw = _raw(engine, source, mapped, procedure, is_timed=order != "file")
        steps, procedures, rows, named, notes = _facts(engine, raw, source.where)
        is_timed = "time" in mapped and order != "file"
        time = TimeColumn("CAST(NULL AS BIGINT)", is_date=False)
        if is_timed:
            time = time_column(engine, raw, "time", time_format, source.where)
        engine.run(_enum("step_name", steps))
        engine.run(_enum("procedure_name", procedures))
        engine.run(
            f"""
            CREATE TABLE events AS SELECT
                enum_code(CAST(procedure AS procedure_name))::INTEGER AS procedure, recording,
                enum_code(CAST(step AS step_name))::INTEGER AS step, {time.expression} AS time,
                transition
            FROM {raw} WHERE recording IS NOT NULL AND step IS NOT NULL
                AND procedure IS NOT NULL AND step NOT IN ('{START}', '{END}')
            """
        )
        engine.run("DROP TABLE IF EXISTS raw_events")
        lacking = named - engine.row("SELECT count(*) FROM events")[0]
        if lacking == named:
            raise FormatError(
                f"{source.where}: no row has a recording; name its column (--recording-column NAME)"
            )
        if lacking:
            notes.append(f"{lacking} of {rows} rows have no recording and were left out")
        if is_timed:
            notes += _without_times(engine, source.where)
        if "lifecycle" in mapped:
            notes += _merged(engine, order or "start")
    return Events(steps, procedures, rows, is_timed, time.is_date, time.is_zoned, tuple(notes))


def _raw(engine: Engine, source: Source, mapped: Mapped, procedure: str, *, is_timed: bool) -> str:
    """Return a relation with our own column names; texts are parsed once and kept."""
    is_text = source.relation.startswith(("read_csv", "read_json", "xes"))

    def trimmed(role: str) -> str:
        value = f"CAST({name(mapped[role])} AS VARCHAR)"
        # Recordings have too many names to trim where a typed file has written them.
        return f"nullif({f'trim({value})' if is_text or role != 'recording' else value}, '')"

    transition = (
        f"lower({trimmed('lifecycle')})" if "lifecycle" in mapped else "CAST(NULL AS VARCHAR)"
    )
    time = name(mapped["time"]) if is_timed and "time" in mapped else "NULL"
    query = f"""
        SELECT {trimmed("procedure") if "procedure" in mapped else text(procedure)} AS procedure,
            {trimmed("recording")} AS recording, {trimmed("step")} AS step, {time} AS time,
            {transition} AS transition
        FROM {source.relation}
        """
    if source.relation.startswith(("read_csv", "read_json")):
        engine.run(f"CREATE TABLE raw_events AS {query}")
        return "raw_events"
    engine.run(f"CREATE VIEW raw_view AS {query}")
    return "raw_view"


def _facts(
    engine: Engine, raw: str, where: str
) -> tuple[list[str], list[str], int, int, list[str]]:
    """Return the names of steps and procedures, and notes on rows without them.

    Between them stand the number of rows, and of those that have both names.
    """
    groups = engine.rows(f"SELECT procedure, step, count(*) FROM {raw} GROUP BY procedure, step")
    rows = sum(number for _, _, number in groups)
    if not rows:
        raise FormatError(f"{where}: no rows; expected one for each step of each recording")
    lacking = {
        "step": sum(number for _, step, number in groups if step is None),
        "procedure": sum(number for procedure, _, number in groups if procedure is None),
    }
    for what, number in lacking.items():
        if number == rows:
            raise FormatError(
                f"{where}: no row has a {what}; name its column (--{what}-column NAME)"
            )
    notes = [
        f"{number} of {rows} rows have no {what} and were left out"
        for what, number in lacking.items()
        if number
    ]
    for placed in (START, END):
        number = sum(number for _, step, number in groups if step == placed)
        if number:
            notes.append(f"{number} rows of {placed!r} were left out: stepgraph adds it itself")
    used = [
        (procedure, step, number)
        for procedure, step, number in groups
        if procedure is not None and step not in (None, START, END)
    ]
    if not used:
        raise FormatError(f"{where}: no row has a step; name its column (--step-column NAME)")
    steps = sorted({step for _, step, _ in used})
    procedures = sorted({procedure for procedure, _, _ in used})
    named = sum(number for _, _, number in used)
    return steps, procedures, rows, named, [*notes, *_alike(steps)]


def _alike(steps: list[str]) -> Iterator[str]:
    folded: dict[str, list[str]] = {}
    for step in steps:
        folded.setdefault(" ".join(step.casefold().split()), []).append(step)
    for names in folded.values():
        if len(names) > 1:
            yield (
                f"the steps {', '.join(map(repr, names))} differ only in upper and lower case or "
                f"blanks; kept as {len(names)} steps"
            )


def _enum(type_name: str, values: list[str]) -> str:
    return f"CREATE TYPE {type_name} AS ENUM ({', '.join(map(text, values))})"


def _without_times(engine: Engine, where: str) -> list[str]:
    if not engine.row("SELECT count(*) FROM events WHERE time IS NULL")[0]:
        return []
    lacking = "SELECT DISTINCT procedure, recording FROM events WHERE time IS NULL"
    number, example = engine.row(f"SELECT count(*), min(recording) FROM ({lacking})")
    engine.run(f"DELETE FROM events WHERE (procedure, recording) IN ({lacking})")
    if not engine.row("SELECT count(*) FROM events")[0]:
        raise FormatError(
            f"{where}: every recording lacks the time of a step; take the order of the rows with "
            "--order file, or name another column with --time-column"
        )
    return [
        (
            f"{number} recordings, such as {example!r}, lack the time of a step and were left out; "
            "--order file keeps them in the order of the rows"
        )
    ]


def _merged(engine: Engine, order: str) -> list[str]:
    """Make one event of the start and the completion of an activity."""
    kinds = dict(
        engine.rows(
            "SELECT coalesce(transition, 'complete'), count(*) FROM events GROUP BY 1 ORDER BY 1"
        )
    )
    if set(kinds) <= {"complete"} or set(kinds) <= {"start"}:
        return []
    before = sum(kinds.values())
    time = "max(time)" if order == "end" else "min(time)"
    place = "max(place)" if order == "end" else "min(place)"
    engine.run(
        f"""
        CREATE TABLE merged AS SELECT procedure, recording, step, {time} AS time, transition
        FROM (
            SELECT procedure, recording, step, time, place, CAST(NULL AS VARCHAR) AS transition,
                row_number() OVER (PARTITION BY procedure, recording, step, kind
                                   ORDER BY time, place) AS number
            FROM (SELECT *, rowid AS place, coalesce(transition, 'complete') AS kind FROM events)
            WHERE kind IN ('start', 'complete'))
        GROUP BY procedure, recording, step, transition, number ORDER BY {place}
        """
    )
    engine.run("DROP TABLE events")
    engine.run("ALTER TABLE merged RENAME TO events")
    after = engine.row("SELECT count(*) FROM events")[0]
    notes = [
        (
            f"lifecycle: the start and the completion of a step are one, {before} events make "
            f"{after} steps, in the order of their {'ends' if order == 'end' else 'starts'}"
        )
    ]
    others = [
        f"{number} {kind!r}" for kind, number in kinds.items() if kind not in ("start", "complete")
    ]
    if others:
        notes.append(f"lifecycle: left out were {', '.join(others)}")
    return notes
