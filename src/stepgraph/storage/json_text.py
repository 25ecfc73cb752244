"""JSON as text: read strictly, written for people, and marked with its format and version."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stepgraph.errors import CycleError, FormatError, GraphError, StepgraphError
from stepgraph.files import read_text
from stepgraph.storage.fields import kind_of

VERSION = 1
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
    """Return the content of a JSON text, refusing NaN, infinities and what is given twice."""
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
    """Return JSON text that people can read: one entry of a list of records on a line.

    Raises
    ------
    FormatError
        If a value has no place in JSON, such as NaN or a set.
    """
    try:
        return _lay_out(content)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"this cannot be written as JSON ({error})") from None


def expect_format(content: Any, name: str, where: str) -> None:
    """Check that JSON values say they are of a format, in a version known here."""
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


def located(error: StepgraphError, where: str) -> StepgraphError:
    """Return the same kind of error with the file it came from in front of its message."""
    if isinstance(error, CycleError):
        return CycleError(error.cycle, where)
    kind = GraphError if isinstance(error, GraphError) else FormatError
    return kind(f"{where}: {error}")


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
