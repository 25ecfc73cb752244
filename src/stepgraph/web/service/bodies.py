"""What a request carries, read within limits and checked field by field."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request

from stepgraph.errors import FormatError
from stepgraph.formats.json_text import parse_json
from stepgraph.sequences import END, START
from stepgraph.web.service.problems import Problem

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""What graphs and sessions are called: safe in an address, in a file name and in a log."""


async def read_json(request: Request, limit: int, seconds: float) -> Any:
    """Return the JSON values of a body.

    Raises
    ------
    Problem
        415 if it is no JSON by its header, 413 if too large, 408 if too slow, 400 if not JSON.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        came = f"is {kind!r:.60}" if kind else "is missing"
        raise Problem(415, f"the header Content-Type {came}; expected application/json")
    body = await read_body(request, limit, seconds)
    try:
        return parse_json(body.decode(), "the body")
    except UnicodeDecodeError as error:
        raise Problem(400, f"the body: byte {error.start} is not UTF-8") from None
    except FormatError as error:
        raise Problem(400, str(error)) from None


def has_body(request: Request) -> bool:
    """Return whether a request carries anything."""
    headers = request.headers
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


async def read_body(request: Request, limit: int, seconds: float) -> bytes:
    """Return a body of a limited size, which must arrive within a time."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        raise _too_large(limit)
    parts = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                size += len(part)
                if size > limit:
                    raise _too_large(limit)
                parts.append(part)
    except TimeoutError:
        raise Problem(
            408, f"the body did not arrive within {seconds:g} s", {"Connection": "close"}
        ) from None
    except ClientDisconnect:
        raise Problem(400, "the body is cut short") from None
    return b"".join(parts)


def _too_large(limit: int) -> Problem:
    # The connection ends with the answer, as the rest of the body is not read.
    return Problem(413, f"the body is larger than {limit} bytes", {"Connection": "close"})


def fields(content: Any, needed: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a JSON object that has what it needs and nothing unknown.

    Raises
    ------
    Problem
        422 if it has not.
    """
    known = ", ".join(map(repr, (*needed, *optional))) or "nothing in it"
    if not isinstance(content, dict):
        raise Problem(422, f"the body is no JSON object; expected one with {known}")
    for name in needed:
        if name not in content:
            raise Problem(422, f"the body has no {name!r}; expected an object with {known}")
    for name in content:
        if name not in (*needed, *optional):
            raise Problem(
                422,
                f"the body has {name!r:.60}, which is of no use; expected an object with {known}",
            )
    return content


def text(content: Mapping[str, Any], name: str, most: int, *, least: int = 1) -> str:
    """Return a field that must be a text of a limited length.

    Raises
    ------
    Problem
        422 if it is not.
    """
    value = content[name]
    if not isinstance(value, str):
        raise Problem(422, f"{name!r} is {value!r:.40}; expected a text")
    return check_text(value, name, most, least=least)


def step(content: Mapping[str, Any], most: int) -> str:
    """Return the field that names a step; anything that somebody may have done is one.

    Raises
    ------
    Problem
        422 if it is no text, blank, or the name of an end of every graph.
    """
    name = text(content, "step", most)
    if not name.strip() or name.strip() in (START, END):
        raise Problem(
            422, f"'step' is {name!r:.40}, which nobody does; expected the name of what was done"
        )
    return name


def check_text(value: str, name: str, most: int, *, least: int = 1) -> str:
    """Check that a text is of a limited length, and that every database can hold it."""
    if not least <= len(value) <= most:
        raise Problem(
            422, f"{name!r} has {len(value)} characters; expected {least} to {most} of them"
        )
    if "\x00" in value:
        raise Problem(422, f"{name!r} has a null character, which no database can hold")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Problem(422, f"{name!r} has half of a character; send whole ones") from None
    return value


def number(content: Mapping[str, Any], name: str) -> float | None:
    """Return a field that may be a number; the monitor judges the number itself."""
    value = content.get(name)
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    raise Problem(422, f"{name!r} is {value!r:.40}; expected a number or null")


def name_of(value: str, what: str) -> str:
    """Return a name that is safe in an address.

    Raises
    ------
    Problem
        422 if it is not.
    """
    if not NAME.fullmatch(value):
        raise Problem(
            422,
            f"the {what} is {value!r:.80}; expected 1 to 64 letters, digits, '.', '_' and '-', "
            "the first a letter or digit",
        )
    return value


def query(request: Request, allowed: tuple[str, ...]) -> dict[str, str]:
    """Return the query of an address, which must hold nothing unknown or twice.

    Raises
    ------
    Problem
        422 if it does.
    """
    values: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name not in allowed:
            known = f"; known are {', '.join(map(repr, allowed))}" if allowed else ""
            raise Problem(422, f"the query has {name!r:.60}, which is of no use{known}")
        if name in values:
            raise Problem(422, f"the query has {name!r} twice")
        values[name] = value
    return values


def whole(values: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    """Return a whole number of a query."""
    raw = values.get(name)
    if raw is None:
        return default
    if re.fullmatch(r"[0-9]{1,12}", raw) and least <= int(raw) <= most:
        return int(raw)
    raise Problem(422, f"{name!r} is {raw!r:.40}; expected a whole number from {least} to {most}")
