"""The time of an event as one number to sort by.

Texts follow `stepgraph.formats.times`. SQL reads the two usual spellings, plain numbers and ISO
8601 timestamps, at the engine's speed; every other distinct text goes through the parser once.
Typed columns, such as those of Parquet, keep their type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import numpy as np

from stepgraph.errors import FormatError, SettingError
from stepgraph.formats.times import OTHER_TIMES, Time, TimeKind, parse_time
from stepgraph.logs.engine import Engine, text

_EXACT = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
    "UBIGINT", "DECIMAL",
)  # fmt: skip
_ROUNDED = ("FLOAT", "DOUBLE", "UHUGEINT")
_NANOSECONDS = ("TIMESTAMP_NS", "TIMESTAMPTZ_NS", "TIMESTAMP_NS WITH TIME ZONE")

_PLAIN_NUMBER = r"[+-]?(\d{1,28}(\.\d{0,9})?|\.\d{1,9})"
"""Numbers that a decimal of the engine holds to the last digit."""
_ZONE = r"(Z|[+-](0\d|1[0-4]):[0-5]\d)"
_PLAIN_TIMESTAMP = (
    r"[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
    rf"([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{{1,9}})?)?{_ZONE}?)?"
)
_FINER = r"\.\d{6}(\d{1,3})"
"""The digits of a time of day behind its microseconds."""
_NUMBER, _FINE_MOMENT = "DECIMAL(38, 9)", "DECIMAL(38, 3)"
_LARGEST = Decimal(10) ** 28
_AT_ONCE = 10_000


@dataclass(frozen=True)
class TimeColumn:
    """The conversion of a time column to numbers.

    Parameters
    ----------
    expression
        SQL for the number: microseconds since 1970 in UTC, or the log's own number; NULL if missing
        or not finite.
    kinds
        The notations of the times.
    kind
        SQL for the kind of a row's time: its place among the values of `TimeKind`.
    """

    expression: str
    kinds: frozenset[TimeKind]
    kind: str = "NULL"

    @property
    def is_date(self) -> bool:
        """Whether the times are moments and not just numbers."""
        return bool(self.kinds) and TimeKind.SECONDS not in self.kinds

    @property
    def is_zoned(self) -> bool:
        """Whether the times have a zone."""
        return self.kinds == {TimeKind.ZONED}


def time_column(
    engine: Engine, relation: str, column: str, time_format: str | None, where: str
) -> TimeColumn:
    """Detect the notation of a time column.

    Parameters
    ----------
    engine, relation
        The engine and the relation of the events.
    column
        The time column, ``"start"`` or ``"end"``.
    time_format
        The format of times other than ISO 8601, as for strptime.
    where
        The log, for messages.

    Raises
    ------
    FormatError
        If the notation of a time is unknown.
    """
    place = f'"{column}"'
    ((_, kind, *_),) = engine.rows(f"DESCRIBE SELECT {place} FROM {relation}")
    if kind == "VARCHAR":
        if time_format is not None:
            return _with_format(engine, relation, place, time_format, where)
        return _Texts(engine, relation, column, where).column()
    if time_format is not None:
        raise SettingError(
            f"{where}: the time column holds {kind}, not texts; leave the time format out"
        )
    if kind in _NANOSECONDS:
        return _nanoseconds(engine, relation, place, is_zoned=kind != "TIMESTAMP_NS")
    finite = f"CASE WHEN isfinite({place}) THEN {place} END"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return TimeColumn(f"epoch_us({finite})", _dated(is_zoned=True))
    if kind.startswith("TIMESTAMP") or kind == "DATE":
        return TimeColumn(f"epoch_us(CAST({finite} AS TIMESTAMP))", _dated(is_zoned=False))
    if kind.startswith(_EXACT):
        return TimeColumn(place, frozenset({TimeKind.SECONDS}))
    if kind.startswith(_ROUNDED):
        number = f"CAST({place} AS DOUBLE)"
        finite = f"CASE WHEN isfinite({number}) THEN {number} END"
        return TimeColumn(finite, frozenset({TimeKind.SECONDS}))
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


def _dated(*, is_zoned: bool) -> frozenset[TimeKind]:
    return frozenset({TimeKind.ZONED if is_zoned else TimeKind.LOCAL})


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
    return TimeColumn(f"epoch_us(CAST({parsed} AS TIMESTAMPTZ))", _dated(is_zoned=is_zoned))


def _nanoseconds(engine: Engine, relation: str, stamp: str, *, is_zoned: bool) -> TimeColumn:
    """Return the conversion of timestamps with nanoseconds."""
    # Not a cast to microseconds, which rounds.
    count = f"epoch_ns({stamp})"
    behind = f"(({count} % 1000 + 1000) % 1000)"
    whole = f"(({count} - {behind}) // 1000)"
    fine = engine.row(f"SELECT count(*) FROM {relation} WHERE {behind} <> 0")[0]
    return TimeColumn(_finer(whole, behind) if fine else whole, _dated(is_zoned=is_zoned))


def _finer(microseconds: str, nanoseconds: str) -> str:
    """Return SQL for microseconds with the nanoseconds that follow them."""
    return (
        f"CAST({microseconds} AS {_FINE_MOMENT}) + CAST({nanoseconds} / 1000.0 AS {_FINE_MOMENT})"
    )


class _Texts:
    """A column of texts: the usual ones in SQL, the others through the parser."""

    def __init__(self, engine: Engine, relation: str, column: str, where: str) -> None:
        self.engine, self.relation, self.name, self.where = engine, relation, column, where
        self.place = place = f'"{column}"'
        self.is_number = f"regexp_full_match({place}, {text(_PLAIN_NUMBER)})"
        self.stamp = f"try_cast({place} AS TIMESTAMPTZ)"
        self.is_stamp = (
            f"(regexp_full_match({place}, {text(_PLAIN_TIMESTAMP)}) AND {self.stamp} IS NOT NULL)"
        )
        self.is_zoned = f"regexp_matches({place}, {text(':.*' + _ZONE + '$')})"
        self.finer = f"regexp_extract({place}, {text(_FINER)}, 1)"

    def column(self) -> TimeColumn:
        """Return the conversion of the texts."""
        found = self.engine.rows(
            f"""
            SELECT kind, count(*) FILTER (WHERE kind > 0 AND try_cast({self.finer} AS INTEGER) > 0)
            FROM (SELECT {self.place}, {self._kind({})} AS kind FROM {self.relation}
                WHERE {self.place} IS NOT NULL)
            GROUP BY kind ORDER BY kind
            """
        )
        counts = {kind: fine for kind, fine in found if kind is not None}
        parsed = dict(self._others()) if len(counts) < len(found) else {}
        order = list(TimeKind)
        kinds = {order[kind] for kind in counts} | {time.kind for time in parsed.values()}
        number_type = _NUMBER if all(map(_is_plain, parsed.values())) else "DOUBLE"
        is_fine = any(counts.values())
        moment_type = _FINE_MOMENT if is_fine or any(map(_is_fine, parsed.values())) else "BIGINT"
        column_type = number_type if TimeKind.SECONDS in kinds else moment_type
        kind = self._kind(parsed) if len(kinds) > 1 else "NULL"
        return TimeColumn(
            self._expression(parsed, kinds, column_type, is_fine=is_fine), frozenset(kinds), kind
        )

    def _others(self) -> Iterator[tuple[str, Time]]:
        """Yield the other texts and their times; raise on the first invalid one."""
        query = (
            f"SELECT {self.place}, min(recording) FROM {self.relation} WHERE {self.place} IS NOT "
            f"NULL AND NOT {self.is_number} AND NOT {self.is_stamp} GROUP BY ALL ORDER BY ALL"
        )
        rows = self.engine.connection.execute(query)
        while batch := rows.fetchmany(_AT_ONCE):
            for written, recording in batch:
                about = f"recording {recording!r}: the {self.name} time"
                try:
                    yield written, parse_time(written, about, OTHER_TIMES)
                except FormatError as error:
                    raise FormatError(f"{self.where}: {error}") from None

    def _expression(
        self, parsed: dict[str, Time], kinds: set[TimeKind], column_type: str, *, is_fine: bool
    ) -> str:
        number, moment = self.place, f"epoch_us({self.stamp})"
        if is_fine:
            behind = f"coalesce(try_cast(rpad({self.finer}, 3, '0') AS INTEGER), 0)"
            moment = _finer(moment, behind)
        if not parsed and kinds == {TimeKind.SECONDS}:
            return f"CAST({number} AS {column_type})"
        if not parsed and TimeKind.SECONDS not in kinds:
            return f"CAST({moment} AS {column_type})"
        return f"""CASE WHEN {self.is_number} THEN CAST({number} AS {column_type})
            WHEN {self.is_stamp} THEN CAST({moment} AS {column_type})
            {self._looked_up(parsed, "value", column_type)} END"""

    def _kind(self, parsed: dict[str, Time]) -> str:
        return f"""CASE WHEN {self.is_number} THEN 0
            WHEN {self.is_stamp} THEN CASE WHEN {self.is_zoned} THEN 1 ELSE 2 END
            {self._looked_up(parsed, "kind", "INTEGER")} END"""

    def _looked_up(self, parsed: dict[str, Time], what: str, kind: str) -> str:
        if not parsed:
            return ""
        table = f"times_of_{self.name}"
        order = list(TimeKind)
        arrays = {
            "written": np.array(list(parsed), dtype=object),
            "value": np.array([_in_sql(time) for time in parsed.values()], dtype=object),
            "kind": np.array([order.index(time.kind) for time in parsed.values()]),
        }
        self.engine.connection.register("parsed_times", arrays)
        self.engine.run(f"CREATE OR REPLACE TABLE {table} AS SELECT * FROM parsed_times")
        self.engine.connection.unregister("parsed_times")
        return f"ELSE (SELECT CAST({what} AS {kind}) FROM {table} WHERE written = {self.place})"


def _is_plain(time: Time) -> bool:
    """Return whether a decimal of the engine holds a time; moments always fit."""
    exponent = time.value.as_tuple().exponent
    return time.kind is not TimeKind.SECONDS or (
        isinstance(exponent, int) and exponent >= -9 and abs(time.value) < _LARGEST
    )


def _is_fine(time: Time) -> bool:
    return time.kind is not TimeKind.SECONDS and time.value.scaleb(6) % 1 != 0


def _in_sql(time: Time) -> str:
    value = time.value if time.kind is TimeKind.SECONDS else time.value.scaleb(6)
    return format(value, "f") if _is_plain(time) else repr(float(value))
