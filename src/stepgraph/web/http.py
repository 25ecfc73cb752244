"""HTTP problems, answers, bodies and pages, shared by the service and the studio.

A request that fails raises a `Problem`, which becomes an answer by RFC 9457. Every answer
carries `SAFE_HEADERS`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from stepgraph.errors import FormatError, StepgraphError
from stepgraph.formats.json_text import parse_json
from stepgraph.web.pages import Page, read_page

SAFE_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
PAGE_HEADERS = {
    **SAFE_HEADERS,
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
}

Endpoint = Callable[[Request], Awaitable[Any]]


class Problem(StepgraphError):  # noqa: N818 - the word of RFC 9457
    """A request that fails.

    Parameters
    ----------
    status
        The HTTP status.
    detail
        Where the problem is, the value received, the value expected, and the remedy.
    headers
        Headers that belong to the status, such as ``Retry-After``.
    """

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        super().__init__(detail)

    def to_json(self) -> dict[str, Any]:
        """Return the problem as plain JSON values."""
        title = HTTPStatus(self.status).phrase
        return {"status": self.status, "title": title, "detail": self.detail}


def compact(content: Any) -> str:
    """Return JSON text without blanks."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def json_response(
    text: str | bytes, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an answer of JSON text."""
    return Response(
        text,
        status,
        media_type="application/json",
        headers={**SAFE_HEADERS, **(headers or {})},
    )


def problem_response(problem: Problem) -> Response:
    """Return the answer that reports a problem."""
    return Response(
        compact(problem.to_json()).encode("utf-8", "backslashreplace"),
        problem.status,
        media_type="application/problem+json",
        headers={**SAFE_HEADERS, **problem.headers},
    )


def show_page(page: Page) -> Endpoint:
    """Return an endpoint that answers with a page for browsers."""
    content = read_page(page)

    async def show(_: Request) -> Response:
        return Response(content, headers={**PAGE_HEADERS, "content-type": page.kind})

    return show


def guarded(page: Endpoint, check: Callable[[Request], None]) -> Endpoint:
    """Return a page that refuses the requests for which a check raises a `Problem`."""

    async def show(request: Request) -> Response:
        try:
            check(request)
            shown: Response = await page(request)
        except Problem as problem:
            return problem_response(problem)
        return shown

    return show


def refuse_unknown(hint: str) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return the handler of addresses and methods that do not exist.

    Parameters
    ----------
    hint
        Where to look instead.
    """

    async def refuse(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        headers = dict(getattr(error, "headers", None) or {})
        path = request.url.path
        if status == 404:
            detail = f"there is nothing at {path!r:.80}; {hint}"
        elif status == 405:
            detail = f"{request.method:.20} is not possible at {path!r:.80}"
        else:
            detail = str(getattr(error, "detail", ""))
        return problem_response(Problem(status, detail, headers))

    return refuse


def has_body(request: Request) -> bool:
    """Return whether a request has a body."""
    headers = request.headers
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


async def read_json(request: Request, most_bytes: int, most_seconds: float) -> Any:
    """Return the JSON values of a body.

    Raises
    ------
    Problem
        415 if the header does not say JSON, 413 if the body is too large, 408 if it is too slow,
        400 if it is not JSON.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        finding = f"is {kind!r:.60}" if kind else "is missing"
        raise Problem(415, f"the header Content-Type {finding}; expected application/json")
    body = await read_body(request, most_bytes, most_seconds)
    try:
        return parse_json(body.decode(), "the body")
    except UnicodeDecodeError as error:
        raise Problem(400, f"the body: byte {error.start} is not UTF-8") from None
    except FormatError as error:
        raise Problem(400, str(error)) from None


async def read_body(request: Request, most_bytes: int, most_seconds: float) -> bytes:
    """Return a body, within limits of size and time.

    Raises
    ------
    Problem
        413 if the body is too large, 408 if it is too slow, 400 if it is cut short.
    """
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > most_bytes:
        raise _too_large(most_bytes)
    parts = []
    size = 0
    try:
        async with asyncio.timeout(most_seconds):
            async for part in request.stream():
                size += len(part)
                if size > most_bytes:
                    raise _too_large(most_bytes)
                parts.append(part)
    except TimeoutError:
        raise Problem(
            408, f"the body did not arrive within {most_seconds:g} s", {"Connection": "close"}
        ) from None
    except ClientDisconnect:
        raise Problem(400, "the body is cut short") from None
    return b"".join(parts)


def _too_large(most_bytes: int) -> Problem:
    # Close the connection after the answer: the rest of the body stays unread.
    return Problem(413, f"the body is larger than {most_bytes} bytes", {"Connection": "close"})
