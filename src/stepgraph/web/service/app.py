"""The service as an ASGI application: checks, handlers, problems, logs and metrics."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from stepgraph.web.http import (
    Endpoint,
    Problem,
    compact,
    guarded,
    has_body,
    json_response,
    problem_response,
    read_json,
    refuse_unknown,
    show_page,
)
from stepgraph.web.pages import PAGES
from stepgraph.web.service.context import Call, Service
from stepgraph.web.service.handlers import live
from stepgraph.web.service.openapi import describe
from stepgraph.web.service.routes import ROUTES, ServiceRoute
from stepgraph.web.service.schema import is_name
from stepgraph.web.service.sessions import unknown_session
from stepgraph.web.service.tables import StoreError
from stepgraph.web.validation import Input, read_input, read_query, with_limits

QUIET = ("observe", "health", "metrics")
"""Frequent routes, logged at debug level only."""
log = logging.getLogger("stepgraph.service")


def make_app(service: Service) -> Starlette:
    """Return the application of a service; it starts and stops the store."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        service.store.start()
        try:
            yield
        finally:
            service.streams.close()
            await service.store.stop()

    async def socket(connection: WebSocket) -> None:
        await live(service, connection)

    content = describe(ROUTES, service.limits, needs_token=service.guard.needs_token)
    description = compact(content)

    async def openapi(_: Request) -> Response:
        return json_response(description)

    routes: list[BaseRoute] = [
        _route(service, route)
        # Routes are tried one after another, so the frequent ones come first.
        for route in sorted(ROUTES, key=lambda route: route.name not in QUIET)
    ]
    routes += [
        WebSocketRoute("/v1/sessions/{session}/live", socket),
        Route("/openapi.json", guarded(openapi, service.check_visit)),
    ]
    routes += [
        Route(path, guarded(show_page(page), service.check_visit)) for path, page in PAGES.items()
    ]
    return Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={
            HTTPException: refuse_unknown("GET /openapi.json lists the routes"),
            Exception: _as_failure,
        },
    )


def _route(service: Service, route: ServiceRoute) -> Route:
    result = Route(route.path, _endpoint(service, route), methods=[route.method])
    if route.stream and result.methods:
        result.methods.discard("HEAD")  # it would stay open as long as the stream
    return result


def _checker(service: Service, route: ServiceRoute) -> Endpoint:
    """Return an endpoint that checks a request against its route and calls the handler."""
    limits = service.limits
    most_bytes = getattr(limits, route.body_limit)
    takes = None if route.takes is None else with_limits(route.takes, limits)

    async def call(request: Request) -> Any:
        session = str(request.path_params.get("session", ""))
        if session and not is_name(session):
            raise unknown_session(session)
        query = None if route.query is None else read_query(route.query, request)
        body = None
        if takes is not None and (route.body_needed or has_body(request)):
            body = await read_json(request, most_bytes, limits.body_seconds)
            if issubclass(takes, Input):
                body = read_input(takes, body)
        graph = str(request.path_params.get("graph", ""))
        return await route.handler(Call(service, request, query, body, session, graph))

    return call


def _endpoint(service: Service, route: ServiceRoute) -> Endpoint:
    """Return an endpoint that guards, times, counts and logs the requests of a route."""
    name = route.name
    handle = _checker(service, route)
    level = logging.DEBUG if name in QUIET else logging.INFO
    metrics = service.metrics
    seconds_of = metrics.seconds.labels(name)
    counters: dict[int, Any] = {}

    async def answer(request: Request) -> Any:
        began = time.perf_counter()
        try:
            service.check_visit(request)
            if not route.public:
                service.guard.check_token(request.headers)
            if route.stream:
                return await _streamed(service, handle, request, name)
            response = await handle(request)
        except Problem as problem:
            response = problem_response(problem)
            if isinstance(problem, StoreError):
                log.error(problem.detail, extra={"about": {"route": name}})
        except Exception:
            log.exception("a request failed", extra={"about": {"route": name}})
            response = problem_response(Problem(500, "the service failed; its log says more"))
        seconds = time.perf_counter() - began
        seconds_of.observe(seconds)
        status = response.status_code
        if status not in counters:
            counters[status] = metrics.requests.labels(name, str(status))
        counters[status].inc()
        if log.isEnabledFor(level):
            about = {
                "route": name,
                "status": status,
                "ms": round(1000 * seconds, 1),
                **request.path_params,
            }
            log.log(level, "answered", extra={"about": about})
        return response

    return answer


async def _streamed(service: Service, handle: Endpoint, request: Request, name: str) -> Any:
    """Return an answer that occupies one of the places for readers until it ends."""
    held = ExitStack()
    held.enter_context(service.streams.place())
    try:
        inner = await handle(request)
    except BaseException:
        held.close()
        raise
    service.metrics.requests.labels(name, "200").inc()
    log.info("listening", extra={"about": {"route": name, **request.path_params}})

    async def hold(scope: Any, receive: Any, send: Any) -> None:
        with held:
            await inner(scope, receive, send)

    return hold


async def _as_failure(request: Request, error: Exception) -> Response:
    log.error("a request failed", exc_info=error, extra={"about": {"path": request.url.path}})
    return problem_response(Problem(500, "the service failed; its log says more"))
