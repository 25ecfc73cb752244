"""The routes of the service: each with its handler, its input and its answers.

The checks of a request (`app`) and the description (`openapi`) follow from this table.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from msgspec import Struct

from stepgraph.web.service import handlers
from stepgraph.web.service.context import Call
from stepgraph.web.service.schema import (
    AfterQuery,
    Export,
    ExportQuery,
    Graph,
    GraphReplaced,
    Graphs,
    GraphVersion,
    Health,
    Observation,
    ObservationsQuery,
    ObservationVerdict,
    OpenSession,
    Session,
    SessionReport,
    Sessions,
    SessionsQuery,
    SessionState,
    Verdicts,
    VersionQuery,
)
from stepgraph.web.validation import Input, Nothing

Handler = Callable[[Call[Any, Any]], Awaitable[Any]]
Answer = type[Struct] | str
"""The shape of a JSON answer, or the media type of another one."""


@dataclass(frozen=True)
class ServiceRoute:
    """One method of one path.

    Parameters
    ----------
    method, path
        The HTTP method and the address.
    handler
        The function that answers.
    summary
        The purpose, in one line.
    answers
        The shapes of the answers, by status.
    takes
        The shape of the body; None for no body. A body that is no `Input` goes to the handler as
        JSON values.
    body_needed
        Whether the body is required.
    body_limit
        The limit on the body's size.
    query
        The shape of the query; None to ignore the query.
    problems
        The statuses of problems that are specific to this route.
    public
        Whether the route needs no token.
    stream
        Whether the answer goes on until the client leaves.
    """

    method: str
    path: str
    handler: Handler
    summary: str
    answers: Mapping[int, Answer | tuple[Answer, ...]]
    takes: type[Struct] | None = None
    body_needed: bool = True
    body_limit: Literal["body_bytes", "graph_bytes"] = "body_bytes"
    query: type[Input] | None = None
    problems: tuple[int, ...] = ()
    public: bool = False
    stream: bool = False

    @property
    def name(self) -> str:
        """The name of the operation."""
        return str(getattr(self.handler, "__name__", ""))


ROUTES = (
    ServiceRoute(
        "GET",
        "/v1/graphs",
        handlers.list_graphs,
        "List the graphs that sessions can be opened on.",
        {200: Graphs},
        query=Nothing,
    ),
    ServiceRoute(
        "GET",
        "/v1/graphs/{graph}",
        handlers.read_graph,
        "Read a graph, by default its current version.",
        {200: GraphVersion},
        query=VersionQuery,
        problems=(404,),
    ),
    ServiceRoute(
        "PUT",
        "/v1/graphs/{graph}",
        handlers.replace_graph,
        "Replace a graph; open sessions keep the version that they began with.",
        {200: GraphReplaced, 201: GraphReplaced},
        takes=Graph,
        body_limit="graph_bytes",
        problems=(507,),
    ),
    ServiceRoute(
        "GET",
        "/v1/sessions",
        handlers.list_sessions,
        "List sessions, the youngest first.",
        {200: Sessions},
        query=SessionsQuery,
    ),
    ServiceRoute(
        "POST",
        "/v1/sessions",
        handlers.open_session,
        "Open a session on the current version of a graph.",
        {200: Session, 201: Session},
        takes=OpenSession,
        problems=(404, 409, 507),
    ),
    ServiceRoute(
        "GET",
        "/v1/sessions/{session}",
        handlers.read_session,
        "Read the state of a session.",
        {200: SessionState},
        problems=(404,),
    ),
    ServiceRoute(
        "GET",
        "/v1/sessions/{session}/observations",
        handlers.list_observations,
        "List a session's verdicts.",
        {200: Verdicts},
        query=ObservationsQuery,
        problems=(404,),
    ),
    ServiceRoute(
        "POST",
        "/v1/sessions/{session}/observations",
        handlers.observe,
        "Record a step that was just done, and judge it.",
        {200: ObservationVerdict, 201: ObservationVerdict},
        takes=Observation,
        problems=(404, 409, 507),
    ),
    ServiceRoute(
        "POST",
        "/v1/sessions/{session}/finish",
        handlers.finish,
        "Finish a session, and report the steps that were never done.",
        {200: SessionReport},
        takes=Nothing,
        body_needed=False,
        problems=(404, 507),
    ),
    ServiceRoute(
        "GET",
        "/v1/sessions/{session}/export",
        handlers.export,
        "Export a whole session, or its steps as a recording.",
        {200: (Export, "text/csv")},
        query=ExportQuery,
        problems=(404,),
    ),
    ServiceRoute(
        "GET",
        "/v1/sessions/{session}/events",
        handlers.session_stream,
        "Listen to a session's verdicts, as server-sent events.",
        {200: "text/event-stream"},
        query=AfterQuery,
        problems=(404,),
        stream=True,
    ),
    ServiceRoute(
        "GET",
        "/v1/events",
        handlers.all_stream,
        "Listen to changes of all sessions, as server-sent events.",
        {200: "text/event-stream"},
        query=Nothing,
        stream=True,
    ),
    ServiceRoute(
        "GET",
        "/healthz",
        handlers.health,
        "Report whether the service can work.",
        {200: Health},
        problems=(503,),
        public=True,
    ),
    ServiceRoute(
        "GET",
        "/metrics",
        handlers.metrics,
        "Read the metrics, for Prometheus.",
        {200: "text/plain"},
    ),
)
