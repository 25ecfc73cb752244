"""Checks of settings: each says the setting, what came and what was expected."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Any, TypeVar

from stepgraph.errors import SettingError

Choice = TypeVar("Choice", bound=StrEnum)


def one_of(name: str, value: Any, choices: type[Choice]) -> Choice:
    """Return the choice that a value names."""
    try:
        return choices(value)
    except ValueError:
        expected = ", ".join(choice.value for choice in choices)
        raise SettingError(f"{name} is {value!r}; expected one of {expected}") from None


def check_number(name: str, value: Any, *, low: float, above: bool = False) -> None:
    """Check that a value is a finite number, not below (or, if `above`, above) a bound."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value < low or (above and value == low):
        bound = f"above {low:g}" if above else f"from {low:g} on"
        raise SettingError(f"{name} is {value!r}; expected a number {bound}")


def check_whole(name: str, value: Any, *, low: int) -> None:
    """Check that a value is a whole number, not below a bound."""
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise SettingError(f"{name} is {value!r}; expected a whole number from {low} on")
