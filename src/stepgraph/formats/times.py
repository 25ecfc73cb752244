"""Times as people write them: one parser for every table.

A time is a number of seconds, a clock's ``HH:MM:SS`` or ``MM:SS``, or an ISO 8601 timestamp. The
parser keeps every digit, so that sorting respects nanoseconds and large whole numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal, InvalidOperation
from enum import StrEnum
from typing import TypeVar

from stepgraph.errors import FormatError
from stepgraph.formats.json_text import shown

OTHER_TIMES = (
    "; with time_format='%d/%m/%Y %H:%M' or the like, a table is read as an event log, which may "
    "have others"
)
"""Advice for a table with times of another kind."""

_CLOCK = re.compile(r"(?:(\d{1,15}):)?(\d{1,15}):(\d{1,2}(?:\.\d+)?)", re.ASCII)
_BEHIND_MICROSECONDS = re.compile(r"[.,]\d{6}(\d{1,3})", re.ASCII)
_EXACT = Context(prec=80)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_Place = TypeVar("_Place", bound=Hashable)


class TimeKind(StrEnum):
    """The notation of a time; all times of one recording share it."""

    SECONDS = "seconds"
    ZONED = "timestamps with a time zone"
    LOCAL = "timestamps without a time zone"


@dataclass(frozen=True, slots=True)
class Time:
    """A time to the last digit.

    Parameters
    ----------
    kind
        Its notation.
    value
        The number of seconds; for a timestamp since 1970, in UTC where it has no zone.
    """

    kind: TimeKind
    value: Decimal


def parse_time(text: str, about: str, advice: str = "") -> Time:
    """Parse the text of a time.

    Parameters
    ----------
    text
        A number of seconds, ``HH:MM:SS``, ``MM:SS``, or an ISO 8601 timestamp.
    about
        The place, for messages.
    advice
        Advice for the end of the error message.

    Raises
    ------
    FormatError
        If it is none of these.

    Examples
    --------
    >>> parse_time("1:02:03.5", "line 2").value
    Decimal('3723.5')
    """
    try:
        seconds = Decimal(text)
    except InvalidOperation:
        found = _clock(text) or _timestamp(text)
        if found is None:
            raise _no_time(text, about, advice) from None
        return found
    if not (seconds.is_finite() and math.isfinite(float(seconds))):
        raise _no_time(text, about, advice)
    return Time(TimeKind.SECONDS, seconds)


def seconds_of_recording(times: Mapping[_Place, Time]) -> dict[_Place, float]:
    """Return a recording's times as seconds, by their places.

    Timestamps become seconds since the recording's first one. So do numbers that a floating
    point number could not tell apart otherwise, such as nanoseconds since 1970.

    Parameters
    ----------
    times
        The times, all of one kind.
    """
    if not times:
        return {}
    values = {place: time.value for place, time in times.items()}
    plain = {place: float(value) for place, value in values.items()}
    is_number = next(iter(times.values())).kind is TimeKind.SECONDS
    if is_number and len(set(plain.values())) == len(set(values.values())):
        return plain
    first = min(values.values())
    return {place: float(_EXACT.subtract(value, first)) for place, value in values.items()}


def _clock(text: str) -> Time | None:
    clock = _CLOCK.fullmatch(text)
    if not clock:
        return None
    hours, minutes, rest = clock.groups()
    if Decimal(rest) >= 60 or (hours and Decimal(minutes) >= 60):
        return None
    whole = int(hours or 0) * 3600 + int(minutes) * 60
    seconds = _EXACT.add(Decimal(whole), Decimal(rest))
    return Time(TimeKind.SECONDS, seconds) if math.isfinite(float(seconds)) else None


def _timestamp(text: str) -> Time | None:
    try:
        moment = datetime.fromisoformat(text)
        is_zoned = moment.utcoffset() is not None
        since = (moment if is_zoned else moment.replace(tzinfo=UTC)) - _EPOCH
    except (ValueError, OverflowError):
        return None
    microseconds = since // timedelta(microseconds=1)
    finer = _BEHIND_MICROSECONDS.search(text)  # a datetime leaves these digits out
    nanoseconds = microseconds * 1000 + (int(finer[1].ljust(3, "0")) if finer else 0)
    return Time(
        TimeKind.ZONED if is_zoned else TimeKind.LOCAL, Decimal(nanoseconds).scaleb(-9, _EXACT)
    )


def _no_time(text: str, about: str, advice: str) -> FormatError:
    return FormatError(
        f"{about} is {shown(text)}; expected seconds, HH:MM:SS, MM:SS or an ISO 8601 timestamp"
        f"{advice}"
    )
