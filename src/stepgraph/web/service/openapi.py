"""The service's description of itself (OpenAPI 3.1), made from the table of its routes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from stepgraph._version import __version__
from stepgraph.web.service.limits import Limits
from stepgraph.web.service.schemas import NAME_PATTERN, schemas

PROBLEMS = {
    400: "The body is not JSON.",
    401: "The API token is missing or wrong.",
    403: "The page of another site asks.",
    404: "There is no such session or graph.",
    408: "The headers or the body did not arrive in time.",
    409: "The session is finished or full, or the id stands for something else.",
    413: "The body is too large.",
    415: "The body is not declared to be JSON.",
    421: "The request is for another host.",
    422: "The content is not what is expected; the detail says what is.",
    429: "Too many requests, sessions or listeners.",
    431: "The request line and the headers are too large.",
    503: "The store cannot be used now; nothing was kept, try again.",
    507: "The store's disk is full; nothing was kept.",
}
ALWAYS = (401, 403, 408, 421, 429, 431, 503)
"""What may be answered to any request that reads the store."""
BODY = (400, 413, 415, 422)
"""What may be answered to any request with a body."""


@dataclass(frozen=True)
class Operation:
    """How one route is described.

    Parameters
    ----------
    summary
        What it does, in one line.
    answers
        By status, the name of the shape that is answered, or a media type with a slash.
    takes
        The name of the shape of the body; empty for none.
    body_needed
        Whether the body may not be left out.
    problems
        Statuses of its own problems.
    query
        The parameters of its query with their shapes.
    public
        Whether it is answered without a token.
    """

    summary: str
    answers: Mapping[int, str]
    takes: str = ""
    body_needed: bool = True
    problems: tuple[int, ...] = ()
    query: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    public: bool = False


def describe(
    routes: Iterable[tuple[str, str, str, Operation]], limits: Limits, *, needs_token: bool
) -> dict[str, Any]:
    """Return the description.

    Parameters
    ----------
    routes
        Method, path, name and operation of each route.
    limits
        How much clients may ask for.
    needs_token
        Whether clients must send a token.
    """
    paths: dict[str, dict[str, Any]] = {}
    for method, path, name, operation in routes:
        paths.setdefault(path, {})[method.lower()] = _operation(
            path, name, operation, needs_token=needs_token
        )
    components: dict[str, Any] = {"schemas": schemas(limits)}
    if needs_token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "stepgraph",
            "version": __version__,
            "description": "Sessions of people doing procedures, judged step by step as they "
            "happen. What is acknowledged is on disk. Verdicts also come over the WebSocket "
            "/v1/sessions/{session}/live, one for each observation sent.",
        },
        "paths": paths,
        "components": components,
    }


def _operation(path: str, name: str, operation: Operation, *, needs_token: bool) -> dict[str, Any]:
    described: dict[str, Any] = {"operationId": name, "summary": operation.summary}
    parameters = [
        {
            "name": key,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "pattern": NAME_PATTERN},
        }
        for key in ("session", "graph")
        if f"{{{key}}}" in path
    ]
    parameters += [
        {"name": key, "in": "query", "schema": dict(schema)}
        for key, schema in operation.query.items()
    ]
    if parameters:
        described["parameters"] = parameters
    if operation.takes:
        described["requestBody"] = {
            "required": operation.body_needed,
            "content": {"application/json": {"schema": _reference(operation.takes)}},
        }
    responses: dict[str, Any] = {}
    shapes: dict[int, dict[str, Any]] = {}
    for status, shape in operation.answers.items():
        for part in shape.split(","):
            media = part if "/" in part else "application/json"
            content = {} if "/" in part else {"schema": _reference(part)}
            shapes.setdefault(status, {})[media] = content
    for status, content in shapes.items():
        about = "Nothing new: the same as before." if len(shapes) > 1 and status == 200 else "Done."
        responses[str(status)] = {"description": about, "content": content}
    always = (421, 403, 429) if operation.public else ALWAYS
    query = (422,) if operation.query or operation.takes else ()
    body = BODY if operation.takes else ()
    for status in sorted({*always, *query, *body, *operation.problems}):
        responses[str(status)] = {
            "description": PROBLEMS[status],
            "content": {"application/problem+json": {"schema": _reference("Problem")}},
        }
    described["responses"] = responses
    if needs_token and not operation.public:
        described["security"] = [{"token": []}]
    return described


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
