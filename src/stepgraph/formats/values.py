"""Checks of JSON values, and what people write for times and mistakes."""

from __future__ import annotations

import math
import re
import reprlib
from datetime import datetime
from typing import Any

from stepgraph.errors import FormatError
from stepgraph.storage.fields import finite_number

SHOWN = 60
"""Objects and lists that take more characters than this are counted, not shown."""
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d{1,2}(?:\.\d+)?)", re.ASCII)
_RIGHT = frozenset({"", "0", "0.0", "false", "f", "no", "n", "none", "n/a", "na", "-"}) | frozenset(
    {"correct", "right", "ok", "okay", "good", "fine"}
)
_WRONG = frozenset({"1", "1.0", "true", "t", "yes", "y"})
_LEFT_OUT = frozenset({"skipped", "missing", "omitted", "missing step", "not done"})


def shown(value: object) -> str:
    """Return a value as an error message shows it: short, whatever its size."""
    text = "null" if value is None else reprlib.repr(value)
    if len(text) > SHOWN and isinstance(value, (dict, list)):
        what = "an object with" if isinstance(value, dict) else "a list of"
        return f"{what} {len(value)} {'entry' if len(value) == 1 else 'entries'}"
    return text


def as_object(value: Any, about: str) -> dict[str, Any]:
    """Return a JSON object, or say that something else came."""
    if not isinstance(value, dict):
        raise FormatError(f"{about} is {shown(value)}; expected an object")
    return value


def as_list(value: Any, about: str) -> list[Any]:
    """Return a JSON list, or say that something else came."""
    if not isinstance(value, list):
        raise FormatError(f"{about} is {shown(value)}; expected a list")
    return value


def as_name(value: Any, about: str) -> str:
    """Return a name or an id, which may be a whole number; blanks around it are dropped."""
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError:  # Python writes no number of more than 4300 digits
            raise FormatError(f"{about} is a number too long to be a name") from None
    if not isinstance(value, str) or not value.strip():
        raise FormatError(f"{about} is {shown(value)}; expected a text")
    return value.strip()


def as_seconds(value: Any, about: str) -> float:
    """Return a number of seconds."""
    seconds = finite_number(value)
    if seconds is not None:
        return seconds
    raise FormatError(f"{about} is {shown(value)}; expected a number of seconds")


def parse_time(text: str, about: str, advice: str = "") -> float | datetime:
    """Return a time that somebody wrote, as seconds or as a moment.

    Parameters
    ----------
    text
        A number of seconds, ``HH:MM:SS``, ``MM:SS``, or an ISO 8601 timestamp.
    about
        The place, for messages.
    advice
        What to do if it is none, for the end of the message.

    Examples
    --------
    >>> parse_time("1:02:03.5", "line 2")
    3723.5
    """
    try:
        seconds = float(text)
    except ValueError:
        clock = _CLOCK.fullmatch(text)
        if not clock:
            return _moment(text, about, advice)
        hours, minutes, rest = clock.groups()
        if float(rest) >= 60 or (hours and float(minutes) >= 60):
            raise _no_time(text, about, advice) from None
        seconds = float(hours or 0) * 3600 + float(minutes) * 60 + float(rest)
    if not math.isfinite(seconds):
        raise _no_time(text, about, advice)
    return seconds


def _moment(text: str, about: str, advice: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise _no_time(text, about, advice) from None


def _no_time(text: str, about: str, advice: str) -> FormatError:
    return FormatError(
        f"{about} is {shown(text)}; expected seconds, HH:MM:SS, MM:SS or an ISO 8601 timestamp"
        f"{advice}"
    )


def parse_weight(text: str, about: str) -> float:
    """Return how many recordings one stands for."""
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not math.isfinite(weight) or weight <= 0:
        raise FormatError(f"{about} is {shown(text)}; expected a finite number above 0")
    return weight


def parse_mark(text: str) -> tuple[str | None, bool]:
    """Return the mistake mark that somebody wrote, and whether the step was done at all.

    Examples
    --------
    >>> parse_mark("no"), parse_mark("1"), parse_mark("spilled"), parse_mark("Skipped")
    ((None, True), ('mistake', True), ('spilled', True), (None, False))
    """
    text = text.strip()
    folded = text.casefold()
    if folded in _RIGHT:
        return None, True
    if folded in _WRONG:
        return "mistake", True
    if re.sub(r"[\s_-]+", " ", folded) in _LEFT_OUT:
        return None, False
    return text, True
