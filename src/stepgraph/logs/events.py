"""The rows of a log as events: named, typed, checked, and merged by activity.

Tables and JSON Lines follow `stepgraph.formats.rows`, row for row, with the same errors. Parquet,
XES and tables in memory come from other programs, so incomplete rows are left out and counted in a
note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stepgraph.errors import FormatError, SettingError, StepgraphError
from stepgraph.formats.reading import UNUSED, lacks_times, names_alike, naming, no_steps
from stepgraph.formats.rows import (
    find_columns,
    lifecycle_notes,
    parse_mark,
    parse_weight,
    two_weights,
)
from stepgraph.formats.times import TimeKind
from stepgraph.logs.engine import Engine, text
from stepgraph.logs.source import Source, stripped
from stepgraph.logs.times import TimeColumn, time_column
from stepgraph.sequences import END, START, Vocabulary

_NUMBERS = ("start", "end", "weight")


@dataclass(frozen=True)
class Events:
    """A description of the engine's table ``events``.

    A row has the codes of its procedure, step and mark, its recording, whether the step was done,
    its time, its end if the log has one, and its weight.

    Parameters
    ----------
    steps, procedures, marks
        The names by their codes.
    rows
        Number of rows of the log.
    order
        The order of a recording's steps: ``"file"``, ``"start"`` or ``"end"``.
    is_marked
        Whether the log marks mistakes or skipped steps.
    is_weighted
        Whether the log has weights.
    is_timed
        Whether the events have a time.
    is_dated
        Whether the times are dates, not just numbers.
    is_zoned
        Whether the times have a zone.
    is_text
        Whether the log is a table or JSON Lines, which the reader of recordings reads as well.
    tells_order
        Whether to note that the order of the rows differs from that of their times.
    notes
        Sentences about what was left out, merged or guessed.
    """

    steps: list[str]
    procedures: list[str]
    marks: list[str | None]
    rows: int
    order: str
    is_marked: bool
    is_weighted: bool
    is_timed: bool
    is_dated: bool
    is_zoned: bool
    is_text: bool
    tells_order: bool
    notes: tuple[str, ...]

    @property
    def sort(self) -> str:
        """SQL for the order of a recording's steps."""
        return "rowid" if self.order == "file" else "time, rowid"


def log_columns(
    source: Source, given: Mapping[str, str], order: str | None
) -> tuple[dict[str, str], list[str]]:
    """Return the column of each role, and notes on the guesses.

    Parameters
    ----------
    source
        The log.
    given
        The columns that the user named, by role; the steps are sorted by ``time``.
    order
        The order of the steps.

    Raises
    ------
    UnknownNameError
        If the user names a missing column.
    FormatError
        If there is no guess for the recording or the step.
    """
    named = dict(given)
    if "time" in named:
        role = "end" if order == "end" else "start"
        if role in named:
            raise SettingError(f"{source.where}: the column of the {role} time is given twice")
        named[role] = named.pop("time")
    with naming(source.where):
        found, notes = find_columns(list(source.columns), named, source.where)
    if source.unread:
        unread = ", ".join(map(repr, source.unread))
        said = [note for note in notes if note.startswith(UNUSED)]
        notes = [note for note in notes if note not in said]
        notes.append(f"{said[0]}, {unread}" if said else f"{UNUSED}{unread}")
    return found, notes


def load_events(
    engine: Engine,
    source: Source,
    columns: Mapping[str, str],
    *,
    order: str | None,
    time_format: str | None,
    procedure: str,
) -> Events:
    """Load events into the engine's table ``events``.

    Parameters
    ----------
    engine, source
        The engine to load into, and the source.
    columns
        The column of each role.
    order
        ``"start"`` or ``"end"`` sorts by time, ``"file"`` keeps the rows' order. By default tables
        and JSON Lines keep it, and others sort by time if they have one.
    time_format
        The format of times other than ISO 8601.
    procedure
        The name of the procedure if there is no column for it.
    """
    order = order or _usual_order(source, columns)
    with engine.errors(source.where):
        raw = _raw(engine, source, columns, procedure)
        names = _names(engine, raw, source)
        marks = _marks(engine, raw, columns)
        times = {
            role: time_column(engine, raw, role, time_format, source.where)
            for role in ("start", "end")
            if role in columns
        }
        _check_kinds(engine, raw, times, source.where)
        _check_weights(engine, raw, columns, source.where)
        lifecycles = _lifecycles(engine, raw) if "lifecycle" in columns else {}
        main = _main_time(order, times, source, is_paired=bool(lifecycles))
        _create(engine, raw, names, times, main, is_marked="mistake" in columns)
        notes = [*names.notes, *_without_recordings(engine, names, source)]
        if lifecycles:
            _merge(engine, order)
            notes += lifecycle_notes(lifecycles)
        notes += _without_times(engine, order, source)
        _check_done(engine, source.where)
    time = times.get(main, TimeColumn("NULL", frozenset()))
    return Events(
        names.steps,
        names.procedures,
        marks,
        names.rows,
        order,
        is_marked="mistake" in columns,
        is_weighted="weight" in columns,
        is_timed=bool(times),
        is_dated=time.is_date,
        is_zoned=time.is_zoned,
        is_text=source.is_text,
        tells_order=source.is_text and (order != "file" or "start" in times),
        notes=tuple(notes),
    )


def _usual_order(source: Source, columns: Mapping[str, str]) -> str:
    if source.is_text:
        return "file"
    return next((role for role in ("start", "end") if role in columns), "file")


_ROLES = ("procedure", "recording", "step", "start", "end", "mistake", "weight", "lifecycle")


def _raw(engine: Engine, source: Source, columns: Mapping[str, str], procedure: str) -> str:
    """Return a relation with role names as columns; texts are parsed once."""
    found = {role: source.values[source.columns.index(column)] for role, column in columns.items()}
    inner = ", ".join(f'{value} AS "{role}"' for role, value in found.items())
    query = f"SELECT {inner} FROM {source.relation}"
    types = {str(row[0]): str(row[1]) for row in engine.rows(f"DESCRIBE {query}")}
    tidy = _tidy_roles(engine, source, query, types)

    def value(role: str) -> str:
        if role not in columns:
            return text(procedure) if role == "procedure" else "CAST(NULL AS VARCHAR)"
        written = f'"{role}"'
        if types[role] != "VARCHAR":
            return written if role in ("start", "end") else f"CAST({written} AS VARCHAR)"
        if role not in tidy:
            written = stripped(written)
        if role in _NUMBERS and source.decimal_comma:
            written = f"replace({written}, ',', '.')"
        if role == "lifecycle":
            written = f"lower({written})"
        return f"nullif({written}, '')"

    outer = ", ".join(f'{value(role)} AS "{role}"' for role in _ROLES)
    query = f"SELECT {outer} FROM ({query})"
    if source.is_text:
        engine.run(f"CREATE TABLE raw_events AS {query}")
        return "raw_events"
    engine.run(f"CREATE VIEW raw_view AS {query}")
    return "raw_view"


def _tidy_roles(engine: Engine, source: Source, query: str, types: Mapping[str, str]) -> set[str]:
    """Return the roles whose texts are taken as they are, without a look at every row.

    Typed files have few names of steps and procedures, which are looked at once, and too many
    recordings.
    """
    if source.is_text or source.relation == "xes":
        return set()
    tidy = {"recording"}
    for role in ("procedure", "step"):
        if types.get(role) == "VARCHAR":
            names = engine.rows(f'SELECT DISTINCT "{role}" FROM ({query})')
            if all(name is None or name == name.strip() for (name,) in names):
                tidy.add(role)
    return tidy


@dataclass(frozen=True)
class _Names:
    """The names of steps and procedures, the number of rows, and of those that have both."""

    steps: list[str]
    procedures: list[str]
    rows: int
    named: int
    notes: list[str]


def _names(engine: Engine, raw: str, source: Source) -> _Names:
    groups = engine.rows(f"SELECT procedure, step, count(*) FROM {raw} GROUP BY procedure, step")
    rows = sum(number for _, _, number in groups)
    if not rows:
        raise FormatError(f"{source.where}: no rows; expected one for each step of each recording")
    lacking = {
        "step": sum(number for _, step, number in groups if step is None),
        "procedure": sum(number for procedure, _, number in groups if procedure is None),
    }
    notes: list[str] = []
    for what, number in lacking.items():
        notes += _left_out(source, what, number, rows)
    if source.is_text:
        try:
            Vocabulary(tuple(sorted({step for _, step, _ in groups})))
        except StepgraphError as error:
            raise FormatError(f"{source.where}: {error}") from None
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
        raise FormatError(
            f"{source.where}: no row has a step; name its column (columns={{'step': NAME}})"
        )
    steps = sorted({step for _, step, _ in used})
    procedures = sorted({procedure for procedure, _, _ in used})
    named = sum(number for _, _, number in used)
    return _Names(steps, procedures, rows, named, [*notes, *names_alike(steps)])


def _left_out(source: Source, what: str, number: int, rows: int) -> Iterator[str]:
    """Yield a note on rows that lack a name; raise if each must have one."""
    if number == rows:
        raise FormatError(
            f"{source.where}: no row has a {what}; name its column (columns={{{what!r}: NAME}})"
        )
    if number and source.is_text:
        raise FormatError(
            f"{source.where}: the {what} is missing in {number} of {rows} rows; fill it in, or "
            "remove these rows"
        )
    if number:
        yield f"{number} of {rows} rows have no {what} and were left out"


def _without_recordings(engine: Engine, names: _Names, source: Source) -> list[str]:
    lacking = names.named - engine.row("SELECT count(*) FROM events")[0]
    rows = names.named if lacking == names.named else names.rows
    return list(_left_out(source, "recording", lacking, rows))


def _marks(engine: Engine, raw: str, columns: Mapping[str, str]) -> list[str | None]:
    """Fill the table ``marks`` (text, code, whether done); return the marks by code."""
    if "mistake" not in columns:
        return [None]
    written = [row[0] for row in engine.rows(f"SELECT DISTINCT mistake FROM {raw} ORDER BY 1")]
    parsed = {one: parse_mark(one) for one in written if one is not None}
    codes: dict[str | None, int] = {None: 0}
    engine.run("CREATE TABLE marks (written VARCHAR, code INTEGER, done BOOLEAN)")
    for one, (mark, done) in parsed.items():
        code = codes.setdefault(mark, len(codes))
        engine.run(f"INSERT INTO marks VALUES ({text(one)}, {code}, {done})")
    return list(codes)


def _check_kinds(engine: Engine, raw: str, times: Mapping[str, TimeColumn], where: str) -> None:
    """Check that all times of a recording are of one kind."""
    if len(frozenset().union(*(time.kinds for time in times.values()))) < 2:
        return
    both = " || ".join(f"list({time.kind})" for time in times.values() if time.kind != "NULL")
    found = engine.rows(
        f"""
        SELECT recording, kinds FROM (
            SELECT recording, list_sort(list_distinct({both or "[]"})) AS kinds
            FROM {raw} GROUP BY procedure, recording)
        WHERE len(kinds) > 1 ORDER BY recording LIMIT 1
        """
    )
    for recording, kinds in found:
        mixed = " and ".join(list(TimeKind)[kind] for kind in kinds)
        raise FormatError(
            f"{where}: recording {recording!r} mixes {mixed}; write all its times alike"
        )


def _check_weights(engine: Engine, raw: str, columns: Mapping[str, str], where: str) -> None:
    """Check that a recording has one weight, and fill the table ``weights`` with them all."""
    engine.run("CREATE TABLE weights (written VARCHAR, value DOUBLE)")
    if "weight" not in columns:
        return
    for recording, one, other in engine.rows(
        f"SELECT recording, min(weight), max(weight) FROM {raw} GROUP BY procedure, recording "
        "HAVING min(weight) <> max(weight) ORDER BY recording LIMIT 1"
    ):
        raise FormatError(f"{where}: {two_weights(recording, one, other)}")
    for (written,) in engine.rows(f"SELECT DISTINCT weight FROM {raw} WHERE weight IS NOT NULL"):
        weight = parse_weight(written, f"{where}: the weight")
        engine.run(f"INSERT INTO weights VALUES ({text(written)}, {weight!r})")


def _main_time(
    order: str, times: Mapping[str, TimeColumn], source: Source, *, is_paired: bool
) -> str:
    """Return the main time of events: that which sorts, or the first available."""
    first = next(iter(times), "start")
    if order == "file" or order in times:
        return first if order == "file" else order
    if times and (not source.is_text or (is_paired and order == "end")):
        return first  # the end of a pair is the time of its completion
    raise FormatError(
        f"{source.where}: no column has {order} times, the steps cannot be sorted by them; read "
        "them in the order of the file (order='file') or name the column"
    )


def _create(
    engine: Engine,
    raw: str,
    names: _Names,
    times: Mapping[str, TimeColumn],
    main: str,
    *,
    is_marked: bool,
) -> None:
    """Create the table ``events``; `main` is its main time."""
    engine.run(_enum("step_name", names.steps))
    engine.run(_enum("procedure_name", names.procedures))
    mark, done = "0", "true"
    if is_marked:
        mark = "coalesce((SELECT code FROM marks WHERE written = mistake), 0)"
        done = "coalesce((SELECT done FROM marks WHERE written = mistake), true)"
    time = times[main].expression if main in times else "CAST(NULL AS BIGINT)"
    ended = times["end"].expression if main == "start" and "end" in times else "NULL"
    engine.run(
        f"""
        CREATE TABLE events AS SELECT
            enum_code(CAST(procedure AS procedure_name))::INTEGER AS procedure, recording,
            enum_code(CAST(step AS step_name))::INTEGER AS step, {mark} AS mark, {done} AS done,
            {time} AS time, {ended} AS ended, weight, lifecycle
        FROM {raw} WHERE recording IS NOT NULL AND step IS NOT NULL
            AND procedure IS NOT NULL AND step NOT IN ('{START}', '{END}')
        """
    )
    engine.run("DROP TABLE IF EXISTS raw_events")


def _enum(type_name: str, values: Sequence[str]) -> str:
    return f"CREATE TYPE {type_name} AS ENUM ({', '.join(map(text, values))})"


def _without_times(engine: Engine, order: str, source: Source) -> list[str]:
    """Leave out recordings that cannot be sorted; refuse them in tables and JSON Lines."""
    if (
        order == "file"
        or not engine.row("SELECT count(*) FROM events WHERE done AND time IS NULL")[0]
    ):
        return []
    lacking = "SELECT DISTINCT procedure, recording FROM events WHERE done AND time IS NULL"
    number, example = engine.row(f"SELECT count(*), min(recording) FROM ({lacking})")
    if source.is_text:
        raise FormatError(f"{source.where}: {lacks_times(example, order)}")
    engine.run(f"DELETE FROM events WHERE (procedure, recording) IN ({lacking})")
    if not engine.row("SELECT count(*) FROM events")[0]:
        raise FormatError(
            f"{source.where}: every recording lacks the time of a step; take the order of the rows "
            "with order='file', or name another column with columns={'start': NAME}"
        )
    return [
        (
            f"{number} recordings, such as {example!r}, lack the time of a step and were left out; "
            "order='file' keeps them in the order of the rows"
        )
    ]


def _check_done(engine: Engine, where: str) -> None:
    """Check that every recording has a step that was done."""
    if not engine.row("SELECT count(*) FROM events WHERE NOT done")[0]:
        return
    for (recording,) in engine.rows(
        "SELECT recording FROM events GROUP BY procedure, recording "
        "HAVING NOT bool_or(done) ORDER BY recording LIMIT 1"
    ):
        raise FormatError(f"{where}: {no_steps(recording, skipped=True)}")


def _lifecycles(engine: Engine, raw: str) -> dict[str, int]:
    """Return the number of rows by lifecycle; empty if all rows have the same.

    If all rows start, or all complete, each is a step.
    """
    kinds = dict(
        engine.rows(f"SELECT coalesce(lifecycle, 'complete'), count(*) FROM {raw} GROUP BY 1")
    )
    return {} if set(kinds) <= {"complete"} or set(kinds) <= {"start"} else kinds


def _merge(engine: Engine, order: str) -> None:
    """Join the start and the completion of an activity into one event."""
    time = "max(coalesce(ended, time))" if order == "end" else "min(time)"
    engine.run(
        f"""
        CREATE TABLE merged AS SELECT procedure, recording, step,
            coalesce(arg_min(mark, place) FILTER (WHERE mark > 0), 0) AS mark,
            bool_and(done) AS done,
            CASE WHEN count(time) = count(*) THEN {time} END AS time,
            max(coalesce(ended, time)) AS ended, max(weight) AS weight,
            CAST(NULL AS VARCHAR) AS lifecycle
        FROM (
            SELECT *, row_number() OVER (PARTITION BY procedure, recording, step, kind
                                         ORDER BY time NULLS LAST, place) AS number
            FROM (SELECT *, rowid AS place, coalesce(lifecycle, 'complete') AS kind FROM events)
            WHERE kind IN ('start', 'complete'))
        GROUP BY procedure, recording, step, number ORDER BY min(place)
        """
    )
    engine.run("DROP TABLE events")
    engine.run("ALTER TABLE merged RENAME TO events")
