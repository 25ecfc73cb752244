"""The OpenAPI 3.1 description of the service, which follows from the table of its routes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from stepgraph._version import __version__
from stepgraph.web.service.limits import Limits
from stepgraph.web.service.routes import Answer, ServiceRoute
from stepgraph.web.service.schema import GraphPath, ProblemAnswer
from stepgraph.web.validation import REFERENCE, schemas_of, with_limits

PROBLEMS = {
    400: "The body is not JSON.",
    401: "The API token is missing or wrong.",
    403: "The request comes from a page of another site.",
    404: "There is no such session or graph.",
    408: "The headers or the body did not arrive in time.",
    409: "The session is finished or full, or the id is already in use.",
    413: "The body is too large.",
    415: "The body is not declared to be JSON.",
    421: "The request is for another host.",
    422: "The content is not valid; the detail says what is expected.",
    429: "Too many requests, sessions or listeners.",
    431: "The request line and the headers are too large.",
    503: "The store cannot be used now; nothing was stored, try again.",
    507: "The store's disk is full; nothing was stored.",
}
ALWAYS = (401, 403, 408, 421, 429, 431, 503)
"""Problems of any request that reads the store."""
BODY = (400, 413, 415, 422)
"""Problems of any request with a body."""

_INFO = {
    "title": "stepgraph",
    "version": __version__,
    "description": "Sessions of people doing procedures, judged step by step as they happen. An "
    "acknowledged observation is on disk. The WebSocket /v1/sessions/{session}/live takes "
    "observations too, and answers each with its verdict.",
}


def describe(
    routes: Iterable[ServiceRoute], limits: Limits, *, needs_token: bool
) -> dict[str, Any]:
    """Return the description of a service.

    Parameters
    ----------
    routes
        Its routes.
    limits
        Its limits on requests.
    needs_token
        Whether clients must send a token.
    """
    routes = list(routes)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        described = _operation(route)
        if needs_token and not route.public:
            described["security"] = [{"token": []}]
        paths.setdefault(route.path, {})[route.method.lower()] = described
    components: dict[str, Any] = {"schemas": schemas_of(_shapes(routes, limits))}
    if needs_token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return {"openapi": "3.1.0", "info": _INFO, "paths": paths, "components": components}


def _shapes(routes: Iterable[ServiceRoute], limits: Limits) -> list[type[Struct]]:
    """Return the shapes that routes name, each once; those of bodies have their limits."""
    found: dict[type[Struct], None] = {ProblemAnswer: None}
    for route in routes:
        if route.takes is not None:
            found[with_limits(route.takes, limits)] = None
        for answer in _answers(route):
            if not isinstance(answer, str):
                found[answer] = None
    return list(found)


def _answers(route: ServiceRoute) -> list[Answer]:
    return [part for answer in route.answers.values() for part in _parts(answer)]


def _parts(answer: Answer | tuple[Answer, ...]) -> tuple[Answer, ...]:
    return answer if isinstance(answer, tuple) else (answer,)


def _operation(route: ServiceRoute) -> dict[str, Any]:
    described: dict[str, Any] = {"operationId": route.name, "summary": route.summary}
    parameters = _parameters(route)
    if parameters:
        described["parameters"] = parameters
    if route.takes is not None:
        described["requestBody"] = {
            "required": route.body_needed,
            "content": {"application/json": {"schema": _reference(route.takes)}},
        }
    described["responses"] = {**_responses(route), **_problems(route)}
    return described


def _parameters(route: ServiceRoute) -> list[dict[str, Any]]:
    name = schemas_of([GraphPath])["GraphPath"]["properties"]["graph"]
    found = [
        {"name": key, "in": "path", "required": True, "schema": dict(name)}
        for key in ("session", "graph")
        if f"{{{key}}}" in route.path
    ]
    if route.query is not None:
        properties = schemas_of([route.query])[route.query.__name__]["properties"]
        found += [
            {"name": key, "in": "query", "schema": schema} for key, schema in properties.items()
        ]
    return found


def _responses(route: ServiceRoute) -> dict[str, Any]:
    found = {}
    for status, answer in route.answers.items():
        again = len(route.answers) > 1 and status == 200
        content: dict[str, Any] = {}
        for part in _parts(answer):
            if isinstance(part, str):
                content[part] = {}
            else:
                content["application/json"] = {"schema": _reference(part)}
        about = "Repeated: the same answer as before." if again else "Done."
        found[str(status)] = {"description": about, "content": content}
    return found


def _problems(route: ServiceRoute) -> dict[str, Any]:
    statuses = {*((403, 421, 429) if route.public else ALWAYS), *route.problems}
    if route.query is not None:
        statuses.add(422)
    if route.takes is not None:
        statuses.update(BODY)
    content = {"application/problem+json": {"schema": _reference(ProblemAnswer)}}
    return {
        str(status): {"description": PROBLEMS[status], "content": content}
        for status in sorted(statuses)
    }


def _reference(shape: type[Struct]) -> dict[str, str]:
    return {"$ref": REFERENCE.format(name=shape.__name__)}
