"""What comes in with a step, checked once for every kind of monitor."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, NamedTuple

from stepgraph.errors import InputError


class Observation(NamedTuple):
    """Time and confidence of a step as numbers, and a remark where time runs backwards.

    Parameters
    ----------
    time, confidence
        As they came with the step.
    last_time
        The time to compare the next one with.
    note
        A remark, or an empty text.
    """

    time: float | None
    confidence: float | None
    last_time: float | None
    note: str


def as_observation(step: Any, time: Any, confidence: Any, last_time: float | None) -> Observation:
    """Check what came in.

    Raises
    ------
    InputError
        If the step is no text, or time or confidence no number in its range.
    """
    if not isinstance(step, str):
        raise InputError(f"a step is {step!r:.40}; expected its name, a text")
    note = ""
    if time is not None:
        time = as_number(time, "time", step)
        if last_time is not None and time < last_time:
            note = f"time runs backwards: {time:.15g} after {last_time:.15g}"
        last_time = time
    if confidence is not None:
        confidence = as_number(confidence, "confidence", step)
        if not 0 <= confidence <= 1:
            raise InputError(
                f"the confidence of {step!r} is {confidence:g}; expected a number from 0 to 1"
            )
    return Observation(time, confidence, last_time, note)


def as_number(value: Any, what: str, step: str) -> float:
    """Return a finite number.

    Raises
    ------
    InputError
        If it is none.
    """
    # Asked in this order as the question about any real number is a slow one.
    if isinstance(value, float | int | Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise InputError(f"the {what} of {step!r} is {value!r:.40}; expected a finite number")
