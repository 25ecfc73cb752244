"""The table of what the service answers: each route with its handler and its description."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from starlette.requests import Request

from stepgraph.web.service import graph_routes, session_routes
from stepgraph.web.service.context import Service
from stepgraph.web.service.openapi import Operation
from stepgraph.web.service.session_routes import MOST_LISTED

Handler = Callable[[Service, Request], Awaitable[Any]]


class ServiceRoute(NamedTuple):
    """One method of one path."""

    method: str
    path: str
    handler: Handler
    operation: Operation
    stream: bool = False


_LIMIT = {"type": "integer", "minimum": 1, "maximum": MOST_LISTED, "default": 100}
_AFTER = {"type": "integer", "minimum": 0, "maximum": 10**9, "default": 0}

ROUTES = (
    ServiceRoute(
        "GET",
        "/v1/graphs",
        graph_routes.list_graphs,
        Operation("List the graphs that sessions can be opened on.", {200: "Graphs"}),
    ),
    ServiceRoute(
        "GET",
        "/v1/graphs/{graph}",
        graph_routes.read_graph,
        Operation(
            "Read a graph, by default its current version.",
            {200: "GraphVersion"},
            problems=(404,),
            query={"version": {"type": "integer", "minimum": 1, "maximum": 10**9}},
        ),
    ),
    ServiceRoute(
        "PUT",
        "/v1/graphs/{graph}",
        graph_routes.replace_graph,
        Operation(
            "Replace a graph; sessions finish on the version that they began with.",
            {200: "GraphReplaced", 201: "GraphReplaced"},
            takes="Graph",
            problems=(507,),
        ),
    ),
    ServiceRoute(
        "GET",
        "/v1/sessions",
        session_routes.list_sessions,
        Operation(
            "List sessions, the youngest first.",
            {200: "Sessions"},
            query={
                "status": {"type": "string", "enum": ["open", "finished", "all"]},
                "limit": _LIMIT,
                "before": {
                    "type": "string",
                    "pattern": r"^[0-9]{1,12}\.[0-9]{1,9}~[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
                    "description": "The 'next' of the page before.",
                },
            },
        ),
    ),
    ServiceRoute(
        "POST",
        "/v1/sessions",
        session_routes.open_session,
        Operation(
            "Open a session on the current version of a graph.",
            {200: "Session", 201: "Session"},
            takes="OpenSession",
            problems=(404, 409, 507),
        ),
    ),
    ServiceRoute(
        "GET",
        "/v1/sessions/{session}",
        session_routes.read_session,
        Operation("Read how a session stands.", {200: "SessionState"}, problems=(404,)),
    ),
    ServiceRoute(
        "GET",
        "/v1/sessions/{session}/observations",
        session_routes.list_observations,
        Operation(
            "List a session's verdicts.",
            {200: "Verdicts"},
            problems=(404,),
            query={"after": _AFTER, "limit": _LIMIT},
        ),
    ),
    ServiceRoute(
        "POST",
        "/v1/sessions/{session}/observations",
        session_routes.observe,
        Operation(
            "Take in a step that has just been done, and judge it.",
            {200: "Verdict", 201: "Verdict"},
            takes="Observation",
            problems=(404, 409, 507),
        ),
    ),
    ServiceRoute(
        "POST",
        "/v1/sessions/{session}/finish",
        session_routes.finish,
        Operation(
            "Finish a session, and say what was never done.",
            {200: "Report"},
            takes="Nothing",
            body_needed=False,
            problems=(404, 507),
        ),
    ),
    ServiceRoute(
        "GET",
        "/v1/sessions/{session}/export",
        session_routes.export,
        Operation(
            "Give all that is known of a session, or its steps as a recording.",
            {200: "Export,text/csv"},
            problems=(404,),
            query={"format": {"type": "string", "enum": ["json", "csv"]}},
        ),
    ),
    ServiceRoute(
        "GET",
        "/v1/sessions/{session}/events",
        session_routes.session_stream,
        Operation(
            "Listen to a session's verdicts, as server-sent events.",
            {200: "text/event-stream"},
            problems=(404,),
            query={"after": _AFTER},
        ),
        stream=True,
    ),
    ServiceRoute(
        "GET",
        "/v1/events",
        session_routes.all_stream,
        Operation("Listen to how sessions change.", {200: "text/event-stream"}),
        stream=True,
    ),
    ServiceRoute(
        "GET",
        "/healthz",
        graph_routes.health,
        Operation(
            "Say whether the service can work.", {200: "Health"}, problems=(503,), public=True
        ),
    ),
    ServiceRoute(
        "GET",
        "/metrics",
        graph_routes.metrics,
        Operation("Give figures for Prometheus.", {200: "text/plain"}),
    ),
)
