"""Answers: JSON, problems, and what every one of them tells browsers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from stepgraph.web.service.problems import Problem
from stepgraph.web.service.rows import compact

SAFE_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


def json_response(
    text: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an answer of JSON text."""
    return Response(
        text.encode(),
        status,
        media_type="application/json",
        headers={**SAFE_HEADERS, **(headers or {})},
    )


def problem_response(problem: Problem) -> Response:
    """Return an answer that says what went wrong."""
    return Response(
        compact(problem.to_json()).encode("utf-8", "backslashreplace"),
        problem.status,
        media_type="application/problem+json",
        headers={**SAFE_HEADERS, **problem.headers},
    )


def refusals(where: str) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return what answers requests that lead nowhere.

    Parameters
    ----------
    where
        Where there is something, in words.
    """

    async def refuse(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        headers = dict(getattr(error, "headers", None) or {})
        path = request.url.path
        if status == 404:
            detail = f"there is nothing at {path!r:.80}; {where}"
        elif status == 405:
            detail = f"{request.method:.20} is not possible at {path!r:.80}"
        else:
            detail = str(getattr(error, "detail", ""))
        return problem_response(Problem(status, detail, headers))

    return refuse
