"""When an event was: any way of writing time that duckdb knows, as one number to sort by."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from stepgraph.errors import FormatError, SettingError
from stepgraph.logs.engine import Engine, text

# A zone is only looked for behind a time of day: the end of a date looks like one.
_ZONE = r":\d\d(\.\d+)?\s*([Zz]|[+-]\d\d(:?\d\d)?|[A-Za-z][A-Za-z_/+-]+)$"

_EXACT = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
    "UBIGINT", "DECIMAL",
)  # fmt: skip
_ROUNDED = ("FLOAT", "DOUBLE", "UHUGEINT")

# What a decimal of the engine holds to the last digit, where a floating point number may not.
_PLAIN_NUMBER = r"^[+-]?(\d{1,28}(\.\d{0,9})?|\.\d{1,9})$"
_NANOSECONDS = ("TIMESTAMP_NS", "TIMESTAMPTZ_NS", "TIMESTAMP_NS WITH TIME ZONE")
_FINER = r"\.\d{6}(\d{1,3})"
"""The digits of a time of day behind its microseconds."""


@dataclass(frozen=True)
class TimeColumn:
    """How to get a number out of a time column.

    Parameters
    ----------
    expression
        SQL for the number: microseconds since 1970 in UTC, or the log's own number; NULL for one
        that is not finite.
    is_date
        Whether it is a moment and not just a number.
    is_zoned
        Whether the log says in which zone its moments are.
    """

    expression: str
    is_date: bool
    is_zoned: bool = False


def time_column(
    engine: Engine, relation: str, column: str, time_format: str | None, where: str
) -> TimeColumn:
    """Find out how times are written.

    Parameters
    ----------
    engine, relation
        Where the events are.
    column
        The time column, as SQL.
    time_format
        How times are written, in the manner of strptime, where they are no ISO 8601.
    where
        The log, for messages.

    Raises
    ------
    FormatError
        If times are written in several ways, or in one that is not known.
    """
    ((_, kind, *_),) = engine.rows(f"DESCRIBE SELECT {column} FROM {relation}")
    if kind == "VARCHAR":
        if time_format is not None:
            return _with_format(engine, relation, column, time_format, where)
        return _texts(engine, relation, column, where)
    if time_format is not None:
        raise SettingError(
            f"{where}: the time column holds {kind}, not texts; leave the time format out"
        )
    if kind in _NANOSECONDS:
        return _nanoseconds(engine, relation, column, is_zoned=kind != "TIMESTAMP_NS")
    finite = f"CASE WHEN isfinite({column}) THEN {column} END"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return TimeColumn(f"epoch_us({finite})", is_date=True, is_zoned=True)
    if kind.startswith("TIMESTAMP") or kind == "DATE":
        return TimeColumn(f"epoch_us(CAST({finite} AS TIMESTAMP))", is_date=True)
    if kind.startswith(_EXACT):
        return TimeColumn(column, is_date=False)
    if kind.startswith(_ROUNDED):
        number = f"CAST({column} AS DOUBLE)"
        return TimeColumn(f"CASE WHEN isfinite({number}) THEN {number} END", is_date=False)
    raise FormatError(f"{where}: the time column holds {kind}; expected timestamps or numbers")


def moment(value: str | datetime, option: str, *, end: bool = False) -> int:
    """Return a date or a moment as microseconds since 1970 in UTC.

    Parameters
    ----------
    value
        A datetime, or ISO 8601.
    option
        The setting, for messages.
    end
        Whether a date means its end rather than its beginning.
    """
    given = value
    if isinstance(given, str):
        is_day = len(given.strip()) == 10
        try:
            given = datetime.fromisoformat(given.strip())
        except ValueError:
            raise SettingError(
                f"{option} is {value!r}; expected a date such as 2024-05-31, or a date and time"
            ) from None
        if end and is_day:
            given += timedelta(days=1) - timedelta(microseconds=1)
    if given.tzinfo is None:
        given = given.replace(tzinfo=UTC)
    return (given - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _with_format(
    engine: Engine, relation: str, column: str, time_format: str, where: str
) -> TimeColumn:
    parsed = f"try_strptime({column}, {text(time_format)})"
    number, example = engine.row(
        f"SELECT count(*), min({column}) FROM {relation} "
        f"WHERE {column} IS NOT NULL AND {parsed} IS NULL"
    )
    if number:
        raise FormatError(
            f"{where}: {number} times, such as {example!r:.60}, are not written as "
            f"{time_format!r} says; see the manual of strptime"
        )
    is_zoned = "%z" in time_format.lower()
    ((_, kind, *_),) = engine.rows(f"DESCRIBE SELECT {parsed} FROM {relation}")
    if kind in _NANOSECONDS:
        return _nanoseconds(engine, relation, parsed, is_zoned=is_zoned)
    return TimeColumn(f"epoch_us(CAST({parsed} AS TIMESTAMPTZ))", is_date=True, is_zoned=is_zoned)


def _nanoseconds(engine: Engine, relation: str, stamp: str, *, is_zoned: bool) -> TimeColumn:
    """Return how to get a number out of moments that the engine knows to the nanosecond."""
    # Not by a cast to microseconds, which rounds.
    count = f"epoch_ns({stamp})"
    behind = f"(({count} % 1000 + 1000) % 1000)"
    whole = f"(({count} - {behind}) // 1000)"
    fine = engine.row(f"SELECT count(*) FROM {relation} WHERE {behind} <> 0")[0]
    return TimeColumn(_finer(whole, behind) if fine else whole, is_date=True, is_zoned=is_zoned)


def _finer(microseconds: str, nanoseconds: str) -> str:
    """Return SQL for microseconds with the nanoseconds that follow them."""
    return (
        f"CAST({microseconds} AS DECIMAL(38, 3)) + CAST({nanoseconds} / 1000.0 AS DECIMAL(38, 3))"
    )


def _texts(engine: Engine, relation: str, column: str, where: str) -> TimeColumn:
    trimmed = f"trim({column})"
    stamp = f"try_cast({trimmed} AS TIMESTAMPTZ)"
    kinds = engine.rows(
        f"""
        SELECT CASE
            WHEN try_cast({trimmed} AS DOUBLE) IS NOT NULL
                THEN CASE WHEN isfinite(try_cast({trimmed} AS DOUBLE)) THEN 1 ELSE 4 END
            WHEN {stamp} IS NULL OR NOT isfinite({stamp}) THEN 4
            WHEN regexp_matches({trimmed}, {text(_ZONE)}) THEN 2
            ELSE 3 END AS kind, count(*), min({column})
        FROM {relation} WHERE {trimmed} <> '' GROUP BY kind ORDER BY kind
        """
    )
    names = {
        1: "numbers",
        2: "timestamps with a time zone",
        3: "timestamps without a time zone",
        4: "texts that are no time",
    }
    if len(kinds) > 1 or (kinds and kinds[0][0] == 4):
        found = ", ".join(
            f"{number} {names[kind]} (such as {example!r:.60})" for kind, number, example in kinds
        )
        raise FormatError(
            f"{where}: the times are {found}; write all times alike, or say how with "
            "--time-format, or take the order of the rows with --order file"
        )

    def some(condition: str) -> bool:
        return bool(engine.row(f"SELECT count(*) FROM {relation} WHERE {condition}")[0])

    if kinds and kinds[0][0] == 1:
        plain = f"regexp_matches({trimmed}, {text(_PLAIN_NUMBER)})"
        kind = "DOUBLE" if some(f"{trimmed} <> '' AND NOT {plain}") else "DECIMAL(38, 9)"
        return TimeColumn(f"try_cast({trimmed} AS {kind})", is_date=False)
    is_zoned = bool(kinds) and kinds[0][0] == 2
    digits = f"regexp_extract({trimmed}, {text(_FINER)}, 1)"
    if some(f"try_cast({digits} AS INTEGER) > 0"):
        behind = f"coalesce(try_cast(rpad({digits}, 3, '0') AS INTEGER), 0)"
        return TimeColumn(_finer(f"epoch_us({stamp})", behind), is_date=True, is_zoned=is_zoned)
    return TimeColumn(f"epoch_us({stamp})", is_date=True, is_zoned=is_zoned)
