"""When an event was: any way of writing time that duckdb knows, as one number to sort by."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tgml.errors import FormatError, SettingError
from tgml.logs.engine import Engine, text

# A zone is only looked for behind a time of day: the end of a date looks like one.
_ZONE = r":\d\d(\.\d+)?\s*([Zz]|[+-]\d\d(:?\d\d)?|[A-Za-z][A-Za-z_/+-]+)$"

_NUMBERS = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
    "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL",
)  # fmt: skip


@dataclass(frozen=True)
class TimeColumn:
    """How to get a number out of a time column.

    Parameters
    ----------
    expression
        SQL for the number: microseconds since 1970 in UTC, or the log's own number.
    is_date
        Whether it is a moment and not just a number.
    """

    expression: str
    is_date: bool


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
    if kind == "TIMESTAMP WITH TIME ZONE":
        return TimeColumn(f"epoch_us({column})", is_date=True)
    if kind.startswith("TIMESTAMP") or kind == "DATE":
        return TimeColumn(f"epoch_us(CAST({column} AS TIMESTAMP))", is_date=True)
    if kind.startswith(_NUMBERS):
        return TimeColumn(f"CAST({column} AS DOUBLE)", is_date=False)
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
    return TimeColumn(f"epoch_us(CAST({parsed} AS TIMESTAMPTZ))", is_date=True)


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
    if kinds and kinds[0][0] == 1:
        return TimeColumn(f"try_cast({trimmed} AS DOUBLE)", is_date=False)
    return TimeColumn(f"epoch_us({stamp})", is_date=True)
