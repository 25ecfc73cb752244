"""Times as people write them."""

from __future__ import annotations

import math
import re
from datetime import datetime

from stepgraph.errors import FormatError
from stepgraph.formats.json_text import shown

_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d{1,2}(?:\.\d+)?)", re.ASCII)


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
