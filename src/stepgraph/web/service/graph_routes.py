"""What clients do with graphs over HTTP, and how the service itself stands."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stepgraph._version import __version__
from stepgraph.errors import InputError
from stepgraph.formats.stepgraph_json import graph_from_json
from stepgraph.graph import TaskGraph
from stepgraph.web.service import bodies
from stepgraph.web.service.answers import SAFE_HEADERS, json_response
from stepgraph.web.service.context import Service
from stepgraph.web.service.graphs import put_graph
from stepgraph.web.service.limits import Limits
from stepgraph.web.service.metrics import CONTENT_TYPE
from stepgraph.web.service.problems import Problem, StoreError
from stepgraph.web.service.rows import OPEN, GraphRow, compact, moment

log = logging.getLogger("stepgraph.service")


async def list_graphs(service: Service, request: Request) -> Response:
    """List the graphs that sessions can be opened on."""
    bodies.query(request, ())
    graphs = await service.store.read(lambda tables: [_described(row) for row in tables.graphs()])
    return json_response(compact({"graphs": graphs}))


async def read_graph(service: Service, request: Request) -> Response:
    """Give a version of a graph, by default the current one."""
    name = request.path_params["graph"]
    values = bodies.query(request, ("version",))
    version = bodies.whole(values, "version", 0, 1, 10**9)
    row = None
    if bodies.NAME.fullmatch(name):
        row = await service.store.read(lambda tables: tables.graph(name, version))
    if row is None:
        which = f"version {version} of the graph" if version else "graph"
        raise Problem(
            404, f"there is no {which} {name!r:.80}; GET /v1/graphs lists those there are"
        )
    return json_response(compact({**_described(row), "graph": json.loads(row.content)}))


async def replace_graph(service: Service, request: Request) -> Response:
    """Make a graph the current version of its name; open sessions keep theirs."""
    name = bodies.name_of(request.path_params["graph"], "graph's name")
    limits = service.limits
    content = await bodies.read_json(request, limits.graph_bytes, limits.body_seconds)
    graph = await asyncio.to_thread(parse_graph, content, limits)
    row, changed = await service.store.read(lambda tables: put_graph(tables, name, graph))
    if changed:
        log.info("graph replaced", extra={"about": {"graph": name, "version": row.version}})
    created = changed and row.version == 1
    return json_response(compact({**_described(row), "changed": changed}), 201 if created else 200)


def parse_graph(content: Any, limits: Limits) -> TaskGraph:
    """Return the graph that a client's JSON values describe.

    Raises
    ------
    Problem
        422 if they describe none, or one that is too large.
    """
    if isinstance(content, dict):
        # Counted before anything is built from them.
        for key, most in (("steps", limits.graph_steps), ("edges", limits.graph_edges)):
            value = content.get(key)
            if isinstance(value, list) and len(value) > most:
                raise Problem(422, f"the graph has {len(value)} {key}; at most {most} are taken")
    try:
        graph = graph_from_json(content, "the body")
        for name in (graph.procedure, *graph.steps):
            bodies.check_text(name, "a name in the graph", 10**6, least=0)
        text = compact(content)
        bodies.check_text(text, "the graph", 10**8)
    except InputError as error:
        raise Problem(422, str(error)) from None
    except (OverflowError, RecursionError, TypeError, ValueError) as error:
        raise Problem(422, f"the body is no graph that can be used ({error})") from None
    if r"\u0000" in text:
        raise Problem(422, "the graph has a null character, which no database can hold")
    limits.check_graph(graph, "the graph")
    return graph


async def health(service: Service, request: Request) -> Response:  # noqa: ARG001
    """Say whether the service can work: its store answers."""
    try:
        async with asyncio.timeout(5):
            await service.store.read(lambda tables: tables.ping())
    except TimeoutError:
        raise Problem(503, "the store does not answer") from None
    return json_response(compact({"status": "ok", "stepgraph": __version__}))


async def metrics(service: Service, request: Request) -> Response:  # noqa: ARG001
    """Give the figures for Prometheus."""
    try:
        count = await service.store.read(lambda tables: tables.count(OPEN))
        service.metrics.open_sessions.set(count)
    except StoreError:  # the other figures are wanted all the more
        service.metrics.open_sessions.set(float("nan"))
    text = service.metrics.text()
    return Response(text, headers={**SAFE_HEADERS, "content-type": CONTENT_TYPE})


def _described(row: GraphRow) -> dict[str, Any]:
    content = json.loads(row.content)
    return {
        "name": row.name,
        "version": row.version,
        "procedure": content["procedure"],
        "steps": len(content["steps"]),
        "edges": len(content["edges"]),
        "added": moment(row.added),
    }
