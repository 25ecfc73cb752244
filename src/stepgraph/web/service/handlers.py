"""The handlers of the service's routes, called with checked requests."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import logging
import secrets
import time
from typing import Any

from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from stepgraph._version import __version__
from stepgraph.errors import FormatError
from stepgraph.formats.json_text import parse_json
from stepgraph.formats.stepgraph_json import graph_to_json
from stepgraph.graph import TaskGraph
from stepgraph.monitoring.plan import Plan
from stepgraph.web.http import SAFE_HEADERS, Problem, compact, json_response, problem_response
from stepgraph.web.service.context import Call, Service
from stepgraph.web.service.graphs import parse_graph, put_graph
from stepgraph.web.service.schema import (
    AfterQuery,
    Export,
    ExportedObservation,
    ExportQuery,
    GraphEntry,
    GraphPath,
    GraphReplaced,
    Graphs,
    GraphVersion,
    Health,
    Observation,
    ObservationsQuery,
    OpenSession,
    Session,
    Sessions,
    SessionsQuery,
    SessionState,
    Verdicts,
    VersionQuery,
    encode,
    is_name,
    verbatim,
)
from stepgraph.web.service.sessions import PAGE, Finish, Open, catch_up, unknown_session
from stepgraph.web.service.streams import EventResponse, all_events, session_events
from stepgraph.web.service.tables import (
    OPEN,
    ObservationRow,
    SessionRow,
    StoreError,
    Tables,
    moment,
)
from stepgraph.web.validation import Nothing, read_input, read_texts, with_limits

GOING_AWAY = 1001
HEALTH_SECONDS = 5
log = logging.getLogger("stepgraph.service")


async def list_graphs(call: Call[Nothing, None]) -> Response:
    """List the graphs that sessions can be opened on."""
    rows = await call.service.store.read(lambda tables: tables.graphs())
    return json_response(encode(Graphs(graphs=[GraphEntry.of(row) for row in rows])))


async def read_graph(call: Call[VersionQuery, None]) -> Response:
    """Return a version of a graph, by default the current one."""
    name, version = call.graph, call.query.version or 0
    row = None
    if is_name(name):
        row = await call.service.store.read(lambda tables: tables.graph(name, version))
    if row is None:
        which = f"version {version} of the graph" if version else "graph"
        raise Problem(404, f"there is no {which} {name!r:.80}; GET /v1/graphs lists the graphs")
    return json_response(encode(GraphVersion.of(row, graph=verbatim(row.content))))


async def replace_graph(call: Call[None, Any]) -> Response:
    """Make a graph the current version of its name; open sessions keep theirs."""
    name = read_input(GraphPath, {"graph": call.graph}).graph
    graph = await asyncio.to_thread(parse_graph, call.body, call.service.limits)
    row, changed = await call.service.store.read(lambda tables: put_graph(tables, name, graph))
    if changed:
        log.info("graph replaced", extra={"about": {"graph": name, "version": row.version}})
    created = changed and row.version == 1
    answer = GraphReplaced.of(row, changed=changed)
    return json_response(encode(answer), 201 if created else 200)


async def list_sessions(call: Call[SessionsQuery, None]) -> Response:
    """List sessions, the youngest first."""
    query, limit = call.query, call.query.limit
    rows = await call.service.store.read(
        lambda tables: tables.sessions(query.statuses, query.place, limit + 1)
    )
    more = rows[limit - 1] if len(rows) > limit else None
    answer = Sessions(
        sessions=[Session.of(row) for row in rows[:limit]],
        next=None if more is None else f"{more.opened!r}~{more.id}",
    )
    return json_response(encode(answer))


async def open_session(call: Call[None, OpenSession]) -> Response:
    """Open a session on the current version of a graph."""
    session = secrets.token_hex(12) if call.body.id is None else call.body.id
    outcome = await call.service.store.do(Open(session, call.body.graph, call.body.label or ""))
    location = {"Location": f"/v1/sessions/{session}"}
    return json_response(outcome.body, 201 if outcome.created else 200, location)


async def observe(call: Call[None, Observation]) -> Response:
    """Record a step and judge it."""
    outcome = await call.service.observe(call.session, call.body)
    return json_response(outcome.body, 201 if outcome.created else 200)


async def finish(call: Call[None, Nothing | None]) -> Response:
    """Finish a session."""
    return json_response((await call.service.store.do(Finish(call.session))).body)


async def read_session(call: Call[None, None]) -> Response:
    """Return the state of a session."""
    versions = call.service.store.versions

    def ask(tables: Tables) -> SessionState:
        row = _row(tables, call.session)
        monitor = versions.monitor(tables, row.graph, row.version)
        catch_up(monitor, tables, row)
        last = tables.observations(call.session, row.observed - 1, 1) if row.observed else []
        if last:
            verdict = json.loads(last[0].verdict)
            executable, skipped = verdict["executable"], verdict["skipped"]
        else:
            executable, skipped = list(Plan.of(monitor.graph).executable(0, 0)), []
        return SessionState.of(
            row,
            performed=list(monitor.performed),
            accomplished=list(monitor.accomplished),
            skipped=skipped,
            executable=executable,
            report=verbatim(row.report),
            state=monitor.state,
        )

    return json_response(encode(await call.service.store.read(ask)))


async def list_observations(call: Call[ObservationsQuery, None]) -> Response:
    """List a session's verdicts."""
    after, limit = call.query.after, call.query.limit

    def ask(tables: Tables) -> list[ObservationRow]:
        _row(tables, call.session)
        return tables.observations(call.session, after, limit + 1)

    rows = await call.service.store.read(ask)
    answer = Verdicts(
        verdicts=[verbatim(row.verdict) for row in rows[:limit]],
        next=rows[limit - 1].position if len(rows) > limit else None,
    )
    return json_response(encode(answer))


async def export(call: Call[ExportQuery, None]) -> Response:
    """Return a whole session as JSON, or its steps as a recording in CSV."""
    kind = call.query.format
    versions = call.service.store.versions

    def ask(tables: Tables) -> str:
        row = _row(tables, call.session)
        rows: list[ObservationRow] = []
        while len(rows) < row.observed:
            rows += tables.observations(call.session, len(rows), PAGE)
        rows = rows[: row.observed]
        if kind == "csv":
            return _as_csv(row, rows)
        return _as_json(row, versions.monitor(tables, row.graph, row.version).graph, rows)

    text = await call.service.store.read(ask)
    headers = {"Content-Disposition": f'attachment; filename="{call.session}.{kind}"'}
    if kind == "json":
        return json_response(text, headers=headers)
    return Response(text, media_type="text/csv", headers={**SAFE_HEADERS, **headers})


async def session_stream(call: Call[AfterQuery, None]) -> EventResponse:
    """Send a session's verdicts as they arise."""
    service, session, after = call.service, call.session, call.query.after
    last = call.request.headers.get("last-event-id")
    if last is not None:  # a browser that connects again names the last verdict that it has seen
        after = max(after, read_texts(AfterQuery, {"after": last}, "Last-Event-ID").after)
    await service.store.read(lambda tables: _row(tables, session))
    return EventResponse(session_events(service.store, service.streams, session, after))


async def all_stream(call: Call[Nothing, None]) -> EventResponse:
    """Send sessions whenever they change."""
    service = call.service
    return EventResponse(all_events(service.store, service.streams, time.time()))


async def health(call: Call[None, None]) -> Response:
    """Report whether the service can work, that is, whether its store answers."""
    try:
        async with asyncio.timeout(HEALTH_SECONDS):
            await call.service.store.read(lambda tables: tables.ping())
    except TimeoutError:
        raise Problem(503, "the store does not answer") from None
    return json_response(encode(Health(status="ok", stepgraph=__version__)))


async def metrics(call: Call[None, None]) -> Response:
    """Return the metrics for Prometheus."""
    current = call.service.metrics
    try:
        count = await call.service.store.read(lambda tables: tables.count(OPEN))
        current.open_sessions.set(count)
    except StoreError:  # the other metrics matter all the more then
        current.open_sessions.set(float("nan"))
    headers = {**SAFE_HEADERS, "content-type": CONTENT_TYPE_LATEST}
    return Response(current.text(), headers=headers)


async def live(service: Service, socket: WebSocket) -> None:
    """Judge the observations that a client sends over a WebSocket, until it leaves.

    Each message is an observation, each answer its verdict. The answer to an invalid message is
    its problem, and the connection stays open. An invalid WebSocket frame closes the connection;
    acknowledged observations stay in the store.
    """
    session = str(socket.path_params["session"])
    address = socket.client.host if socket.client else ""
    try:
        service.guard.check_site(socket.headers)
        service.check_rate(address)
        service.guard.check_token(socket.headers)
        if not is_name(session):
            raise unknown_session(session)
        await service.store.read(lambda tables: _row(tables, session))
        with service.streams.place():
            await socket.accept()
            await _talk(service, socket, session, address)
    except Problem as problem:
        await socket.send_denial_response(problem_response(problem))
    except WebSocketDisconnect:
        return


async def _talk(service: Service, socket: WebSocket, session: str, address: str) -> None:
    shape = with_limits(Observation, service.limits)
    while not service.streams.closing:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        try:
            service.check_rate(address)
            text = message.get("text")
            if text is None:
                raise Problem(400, "the message is binary; expected JSON text")
            try:
                content = parse_json(text, "the message")
            except FormatError as error:
                raise Problem(400, str(error)) from None
            body = read_input(shape, content, "the message")
            answer = (await service.observe(session, body)).body
        except Problem as problem:
            answer = compact({"problem": problem.to_json()})
        await socket.send_text(answer.encode("utf-8", "backslashreplace").decode())
    await socket.close(GOING_AWAY)


def _row(tables: Tables, session: str) -> SessionRow:
    row = tables.session(session)
    if row is None:
        raise unknown_session(session)
    return row


def _as_json(session: SessionRow, graph: TaskGraph, rows: list[ObservationRow]) -> str:
    """Return a whole session, with its verdicts exactly as they were sent."""
    observations = [
        ExportedObservation(
            event=row.event,
            step=row.step,
            time=row.time,
            confidence=row.confidence,
            received=moment(row.received),
            verdict=verbatim(row.verdict),
        )
        for row in rows
    ]
    answer = Export(
        format="stepgraph-session",
        version=1,
        stepgraph=__version__,
        session=Session.of(session),
        graph=graph_to_json(graph),
        observations=observations,
        report=verbatim(session.report),
    )
    return encode(answer)


def _as_csv(session: SessionRow, rows: list[ObservationRow]) -> str:
    """Return a session as a recording that `stepgraph learn` reads, its mistakes marked.

    A finished session also has a row for each step that was never done.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["recording", "step", "start", "mistake", "procedure"])
    for row in rows:
        verdict = json.loads(row.verdict)
        mistake = verdict["kind"] if verdict["mistake"] else ""
        start = "" if row.time is None else repr(row.time)
        writer.writerow([session.id, row.step, start, mistake, session.graph])
    # A session without any step is no recording.
    for step in json.loads(session.report)["open"] if session.report and rows else ():
        writer.writerow([session.id, step, "", "skipped", session.graph])
    return out.getvalue()
