"""JSON, read strictly and written for people; values checked for their kind.

An error gives the place and the reason. stepgraph's own files name their format and version.
"""

from __future__ import annotations

import json
import math
import reprlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stepgraph.errors import FormatError
from stepgraph.files import read_text

VERSION = 2
"""The version of every format that stepgraph writes."""


def read_json(path: str | Path) -> Any:
    """Return the content of a JSON file.

    Raises
    ------
    FileError
        As `read_text`.
    FormatError
        If it is not JSON; the message gives the line and column.
    """
    return parse_json(read_text(path), str(path))


def parse_json(text: str, where: str) -> Any:
    """Return the content of a JSON text; refuse NaN, infinities and duplicate keys."""
    try:
        return json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_without_doubles,
        )
    except json.JSONDecodeError as error:
        raise FormatError(
            f"{where}: line {error.lineno}, column {error.colno}: not JSON ({error.msg})"
        ) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: not JSON that can be used ({error})") from None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        counted = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counted.items() if count > 1)
        raise ValueError(f"an object has {twice!r:.60} twice")
    return content


def dump_json(content: Any) -> str:
    """Return readable JSON text: one entry of a list of records on a line.

    Raises
    ------
    FormatError
        If JSON cannot hold a value, such as NaN or a set.
    """
    try:
        return _lay_out(content)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"this cannot be written as JSON ({error})") from None


def expect_format(content: Any, name: str, where: str) -> None:
    """Check that JSON values name a format, in a known version."""
    if not isinstance(content, dict) or content.get("format") != name:
        came = content.get("format") if isinstance(content, dict) else kind_of(content)
        raise FormatError(f'{where}: expected a file with "format": "{name}", came {came!r}')
    version = content.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FormatError(f"{where}: the version is {version!r}; expected a whole number from 1 on")
    if version > VERSION:
        raise FormatError(
            f"{where}: written in version {version} of the format, this stepgraph reads up to "
            f"{VERSION}; install a newer stepgraph"
        )


def _lay_out(content: Mapping[str, Any]) -> str:
    lines = ["{"]
    for position, (key, value) in enumerate(content.items()):
        comma = "," if position + 1 < len(content) else ""
        if isinstance(value, list) and value and isinstance(value[0], dict | list):
            rows = ",\n".join(f"    {_dumps(row)}" for row in value)
            lines.append(f"  {_dumps(key)}: [\n{rows}\n  ]{comma}")
        else:
            text = _dumps(value, indent=2).replace("\n", "\n  ")
            lines.append(f"  {_dumps(key)}: {text}{comma}")
    return "\n".join([*lines, "}", ""])


def _dumps(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits:.40} is too large a number")
    return number


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


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
    """Return a list of numbers, or None for no value."""
    if value is None:
        return None
    if not isinstance(value, list):
        raise FormatError(f"{where} is {kind_of(value)}; expected a list of numbers")
    return tuple(as_number(item, where) for item in value)


def as_marks(value: Any, where: str) -> tuple[str | None, ...] | None:
    """Return a list of texts and nulls, or None for no value."""
    if value is None:
        return None
    if not isinstance(value, list) or not all(
        item is None or isinstance(item, str) for item in value
    ):
        raise FormatError(f"{where} is {kind_of(value)}; expected a list of texts and nulls")
    return tuple(value)


def kind_of(value: Any) -> str:
    """Return the kind of a JSON value in words."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    if value is None:
        return "missing"
    return names.get(
        type(value), "a number" if isinstance(value, int | float) else str(type(value))
    )


def finite_number(value: Any) -> float | None:
    """Return a number, or None for anything else, such as true or a number too large.

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


SHOWN = 60
"""Maximum number of characters of an object or list in a message; longer ones are counted."""


def shown(value: object) -> str:
    """Return a short text of a value, for an error message."""
    text = "null" if value is None else reprlib.repr(value)
    if len(text) > SHOWN and isinstance(value, (dict, list)):
        what = "an object with" if isinstance(value, dict) else "a list of"
        return f"{what} {len(value)} {'entry' if len(value) == 1 else 'entries'}"
    return text


def as_object(value: Any, about: str) -> dict[str, Any]:
    """Check that a value is a JSON object and return it."""
    if not isinstance(value, dict):
        raise FormatError(f"{about} is {shown(value)}; expected an object")
    return value


def as_list(value: Any, about: str) -> list[Any]:
    """Check that a value is a JSON list and return it."""
    if not isinstance(value, list):
        raise FormatError(f"{about} is {shown(value)}; expected a list")
    return value


def as_name(value: Any, about: str) -> str:
    """Return a name or an id, which may be a whole number, without surrounding blanks."""
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
