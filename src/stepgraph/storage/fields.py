"""Values of JSON fields, each checked for its kind; what does not fit says where it is."""

from __future__ import annotations

import math
from typing import Any

from stepgraph.errors import FormatError


def as_text(value: Any, where: str) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise FormatError(f"{where} is {kind_of(value)}; expected a text")
    return value


def as_texts(value: Any, where: str) -> tuple[str, ...]:
    """Return a list of step names."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise FormatError(f"{where} is {kind_of(value)}; expected a list of step names")
    return tuple(value)


def as_number(value: Any, where: str) -> float:
    """Return a finite number."""
    number = finite_number(value)
    if number is not None:
        return number
    raise FormatError(f"{where} is {value!r:.40}; expected a finite number")


def as_numbers(value: Any, where: str) -> tuple[float, ...] | None:
    """Return a list of numbers, or None where nothing is there."""
    if value is None:
        return None
    if not isinstance(value, list):
        raise FormatError(f"{where} is {kind_of(value)}; expected a list of numbers")
    return tuple(as_number(item, where) for item in value)


def as_marks(value: Any, where: str) -> tuple[str | None, ...] | None:
    """Return a list of texts and nulls, or None where nothing is there."""
    if value is None:
        return None
    if not isinstance(value, list) or not all(
        item is None or isinstance(item, str) for item in value
    ):
        raise FormatError(f"{where} is {kind_of(value)}; expected a list of texts and nulls")
    return tuple(value)


def kind_of(value: Any) -> str:
    """Return in words what kind of JSON value came."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    if value is None:
        return "missing"
    return names.get(
        type(value), "a number" if isinstance(value, int | float) else str(type(value))
    )


def finite_number(value: Any) -> float | None:
    """Return a number, or None where something else came, such as true or a number too large.

    Examples
    --------
    >>> finite_number(3), finite_number(True), finite_number(10**400)
    (3.0, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
