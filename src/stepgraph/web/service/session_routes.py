"""What clients do with sessions over HTTP."""

from __future__ import annotations

import csv
import io
import json
import secrets
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stepgraph._version import __version__
from stepgraph.formats.stepgraph_json import graph_to_json
from stepgraph.graph import TaskGraph
from stepgraph.monitoring.plan import Plan
from stepgraph.web.service import bodies
from stepgraph.web.service.answers import SAFE_HEADERS, json_response
from stepgraph.web.service.context import Service
from stepgraph.web.service.monitors import PAGE, catch_up
from stepgraph.web.service.problems import Problem, unknown_session
from stepgraph.web.service.rows import ObservationRow, SessionRow, compact, moment
from stepgraph.web.service.sessions import Finish, Observe, Open
from stepgraph.web.service.streams import EventResponse, all_events, session_events
from stepgraph.web.service.tables import STATUSES, Tables

EXPORT_FORMAT = "stepgraph-session"
MOST_LISTED = 500


async def open_session(service: Service, request: Request) -> Response:
    """Open a session on the current version of a graph."""
    content = bodies.fields(await _json(service, request), ("graph",), ("id", "label"))
    graph = bodies.name_of(bodies.text(content, "graph", 64), "graph")
    label = ""
    if content.get("label") is not None:
        label = bodies.text(content, "label", service.limits.name_length, least=0)
    session = secrets.token_hex(12)
    if content.get("id") is not None:
        session = bodies.name_of(bodies.text(content, "id", 64), "session's id")
    outcome = await service.store.do(Open(session, graph, label))
    location = {"Location": f"/v1/sessions/{session}"}
    return json_response(outcome.body, 201 if outcome.created else 200, location)


async def observe(service: Service, request: Request) -> Response:
    """Take in a step and judge it."""
    command = observation(service, _id(request), await _json(service, request))
    outcome = await service.store.do(command)
    count_observation(service, outcome.kind)
    return json_response(outcome.body, 201 if outcome.created else 200)


def observation(service: Service, session: str, content: Any) -> Observe:
    """Return the command that a client's JSON values stand for.

    Raises
    ------
    Problem
        422 if they stand for none.
    """
    content = bodies.fields(content, ("event", "step"), ("time", "confidence"))
    most = service.limits.name_length
    return Observe(
        session,
        bodies.text(content, "event", most),
        bodies.step(content, most),
        bodies.number(content, "time"),
        bodies.number(content, "confidence"),
    )


def count_observation(service: Service, kind: str) -> None:
    """Count an observation by what was said of it; nothing was said of a repeated one."""
    if kind:
        service.metrics.verdicts.labels(kind).inc()
    else:
        service.metrics.repeated.inc()


async def finish(service: Service, request: Request) -> Response:
    """Finish a session."""
    session = _id(request)
    if bodies.has_body(request):
        bodies.fields(await _json(service, request), (), ())
    return json_response((await service.store.do(Finish(session))).body)


async def list_sessions(service: Service, request: Request) -> Response:
    """List sessions, the youngest first."""
    values = bodies.query(request, ("status", "limit", "before"))
    status = values.get("status", "open")
    if status not in STATUSES:
        raise Problem(422, f"'status' is {status!r:.40}; expected one of {', '.join(STATUSES)}")
    limit = bodies.whole(values, "limit", 100, 1, MOST_LISTED)
    before = _place(values["before"]) if "before" in values else None
    rows = await service.store.read(
        lambda tables: tables.sessions(STATUSES[status], before, limit + 1)
    )
    more = rows[limit - 1] if len(rows) > limit else None
    content = {
        "sessions": [row.to_json() for row in rows[:limit]],
        "next": None if more is None else f"{more.opened!r}~{more.id}",
    }
    return json_response(compact(content))


async def read_session(service: Service, request: Request) -> Response:
    """Say how a session stands."""
    session = _id(request)
    versions = service.store.versions

    def ask(tables: Tables) -> dict[str, Any]:
        row = _row(tables, session)
        monitor = versions.monitor(tables, row.graph, row.version)
        catch_up(monitor, tables, row)
        last = tables.observations(session, row.observed - 1, 1) if row.observed else []
        if last:
            verdict = json.loads(last[0].verdict)
            executable, skipped = verdict["executable"], verdict["skipped"]
        else:
            executable, skipped = list(Plan.of(monitor.graph).executable(0, 0)), []
        return {
            **row.to_json(),
            "performed": list(monitor.performed),
            "accomplished": list(monitor.accomplished),
            "skipped": skipped,
            "executable": executable,
            "report": None if row.report is None else json.loads(row.report),
            "state": monitor.state,
        }

    return json_response(compact(await service.store.read(ask)))


async def list_observations(service: Service, request: Request) -> Response:
    """List a session's verdicts."""
    session = _id(request)
    values = bodies.query(request, ("after", "limit"))
    after = bodies.whole(values, "after", 0, 0, 10**9)
    limit = bodies.whole(values, "limit", 100, 1, MOST_LISTED)

    def ask(tables: Tables) -> list[ObservationRow]:
        _row(tables, session)
        return tables.observations(session, after, limit + 1)

    rows = await service.store.read(ask)
    following = rows[limit - 1].position if len(rows) > limit else None
    verdicts = ",".join(row.verdict for row in rows[:limit])
    return json_response(f'{{"verdicts":[{verdicts}],"next":{compact(following)}}}')


async def export(service: Service, request: Request) -> Response:
    """Give all that the store holds of a session, as JSON or as recordings in CSV."""
    session = _id(request)
    values = bodies.query(request, ("format",))
    kind = values.get("format", "json")
    if kind not in ("json", "csv"):
        raise Problem(422, f"'format' is {kind!r:.40}; expected json or csv")

    def ask(tables: Tables) -> str:
        row = _row(tables, session)
        rows: list[ObservationRow] = []
        while len(rows) < row.observed:
            rows += tables.observations(session, len(rows), PAGE)
        rows = rows[: row.observed]
        if kind == "csv":
            return _as_csv(row, rows)
        graph = service.store.versions.monitor(tables, row.graph, row.version).graph
        return _as_json(row, graph, rows)

    text = await service.store.read(ask)
    headers = {"Content-Disposition": f'attachment; filename="{session}.{kind}"'}
    if kind == "json":
        return json_response(text, headers=headers)
    return Response(text, media_type="text/csv", headers={**SAFE_HEADERS, **headers})


async def session_stream(service: Service, request: Request) -> EventResponse:
    """Send a session's verdicts as they are given."""
    session = _id(request)
    values = bodies.query(request, ("after",))
    after = bodies.whole(values, "after", 0, 0, 10**9)
    # A browser that connects again names the last verdict that it has seen.
    last = {"after": request.headers["last-event-id"]} if "last-event-id" in request.headers else {}
    after = max(after, bodies.whole(last, "after", 0, 0, 10**9))
    await service.store.read(lambda tables: _row(tables, session))
    return EventResponse(
        session_events(service.store, service.streams, session, after), SAFE_HEADERS
    )


async def all_stream(service: Service, request: Request) -> EventResponse:
    """Send sessions whenever they change."""
    bodies.query(request, ())
    return EventResponse(all_events(service.store, service.streams, time.time()), SAFE_HEADERS)


async def _json(service: Service, request: Request) -> Any:
    limits = service.limits
    return await bodies.read_json(request, limits.body_bytes, limits.body_seconds)


def _id(request: Request) -> str:
    session = str(request.path_params["session"])
    if not bodies.NAME.fullmatch(session):
        raise unknown_session(session)
    return session


def _row(tables: Tables, session: str) -> SessionRow:
    row = tables.session(session)
    if row is None:
        raise unknown_session(session)
    return row


def _place(raw: str) -> tuple[float, str]:
    opened, _, id_ = raw.partition("~")
    try:
        if not bodies.NAME.fullmatch(id_) or not 0 <= float(opened) < 1e15:
            raise ValueError
        return float(opened), id_
    except ValueError:
        raise Problem(
            422, f"'before' is {raw!r:.60}; expected the 'next' of the page before"
        ) from None


def _as_json(session: SessionRow, graph: TaskGraph, rows: list[ObservationRow]) -> str:
    """Return all that is known of a session; verdicts are put in as they were answered."""
    head = compact(
        {
            "format": EXPORT_FORMAT,
            "version": 1,
            "stepgraph": __version__,
            "session": session.to_json(),
            "graph": graph_to_json(graph),
        }
    )
    entries = []
    for row in rows:
        entry = {
            "event": row.event,
            "step": row.step,
            "time": row.time,
            "confidence": row.confidence,
            "received": moment(row.received),
        }
        entries.append(f'{compact(entry)[:-1]},"verdict":{row.verdict}}}')
    return f'{head[:-1]},"observations":[{",".join(entries)}],"report":{session.report or "null"}}}'


def _as_csv(session: SessionRow, rows: list[ObservationRow]) -> str:
    """Return a session as a recording that `stepgraph learn` reads, its mistakes marked.

    What was never done is known once the session is finished.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["recording", "step", "start", "mistake", "procedure"])
    for row in rows:
        verdict = json.loads(row.verdict)
        mistake = verdict["kind"] if verdict["mistake"] else ""
        start = "" if row.time is None else repr(row.time)
        writer.writerow([session.id, row.step, start, mistake, session.graph])
    # Of somebody who did nothing at all there is nothing to learn, nor a recording to mark.
    for step in json.loads(session.report)["open"] if session.report and rows else ():
        writer.writerow([session.id, step, "", "skipped", session.graph])
    return out.getvalue()
