"""Answers: JSON, problems, and what every one of them tells browsers."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from tgml.web.service.problems import Problem
from tgml.web.service.rows import compact

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
