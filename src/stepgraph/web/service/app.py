"""The service as an ASGI application: checks, handlers, problems, logs and figures."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from stepgraph.web.pages import PAGES, Page, read_page
from stepgraph.web.service.answers import SAFE_HEADERS, json_response, problem_response, refusals
from stepgraph.web.service.context import Service
from stepgraph.web.service.openapi import describe
from stepgraph.web.service.problems import Problem, StoreError
from stepgraph.web.service.routes import ROUTES, ServiceRoute
from stepgraph.web.service.rows import compact
from stepgraph.web.service.sockets import check_rate, live

PAGE_HEADERS = {
    **SAFE_HEADERS,
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
}
QUIET = ("observe", "health", "metrics")
"""Routes that are asked so often that only a debug log has them."""
log = logging.getLogger("stepgraph.service")

Endpoint = Callable[[Request], Awaitable[Any]]


def make_app(service: Service) -> Starlette:
    """Return the application of a service; the store runs while the application does."""

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

    described = [(route.method, route.path, _name(route), route.operation) for route in ROUTES]
    content = describe(described, service.limits, needs_token=service.guard.needs_token)
    description = compact(content)

    async def openapi(_: Request) -> Response:
        return json_response(description)

    routes: list[BaseRoute] = [
        _route(service, route)
        # Routes are tried one after another, so those that are asked most come first.
        for route in sorted(ROUTES, key=lambda route: _name(route) not in QUIET)
    ]
    routes += [
        WebSocketRoute("/v1/sessions/{session}/live", socket),
        Route("/openapi.json", _guarded(service, openapi)),
    ]
    routes += [Route(path, _guarded(service, _shown(page))) for path, page in PAGES.items()]
    return Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={
            HTTPException: refusals("GET /openapi.json describes what there is"),
            Exception: _as_failure,
        },
    )


def _route(service: Service, route: ServiceRoute) -> Route:
    made = Route(route.path, _endpoint(service, route), methods=[route.method])
    if route.stream and made.methods:
        made.methods.discard("HEAD")  # the head of a stream would go on for as long as the stream
    return made


def _name(route: ServiceRoute) -> str:
    return route.handler.__name__


def _endpoint(service: Service, route: ServiceRoute) -> Endpoint:
    """Return what answers a route: checked, timed, counted and logged."""
    name = _name(route)
    level = logging.DEBUG if name in QUIET else logging.INFO
    metrics = service.metrics
    seconds_of = metrics.seconds.labels(name)
    counters: dict[int, Any] = {}

    async def answer(request: Request) -> Any:
        began = time.perf_counter()
        try:
            guard, headers = service.guard, request.headers
            guard.check_site(headers)
            check_rate(service, request.client.host if request.client else "")
            if not route.operation.public:
                guard.check_token(headers)
            if route.stream:
                return await _streamed(service, route, request, name)
            response = await route.handler(service, request)
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


async def _streamed(service: Service, route: ServiceRoute, request: Request, name: str) -> Any:
    """Return an answer that holds one of the places for readers while it goes on."""
    held = ExitStack()
    held.enter_context(service.streams.place())
    try:
        inner = await route.handler(service, request)
    except BaseException:
        held.close()
        raise
    service.metrics.requests.labels(name, "200").inc()
    log.info("listening", extra={"about": {"route": name, **request.path_params}})

    async def hold(scope: Any, receive: Any, send: Any) -> None:
        with held:
            await inner(scope, receive, send)

    return hold


def _guarded(service: Service, endpoint: Endpoint) -> Endpoint:
    """Return what answers a page that holds no data and so needs no token."""

    async def answer(request: Request) -> Any:
        try:
            service.guard.check_site(request.headers)
            check_rate(service, request.client.host if request.client else "")
            return await endpoint(request)
        except Problem as problem:
            return problem_response(problem)

    return answer


def _shown(page: Page) -> Endpoint:
    content = read_page(page)

    async def show(_: Request) -> Response:
        return Response(content, headers={**PAGE_HEADERS, "content-type": page.kind})

    return show


async def _as_failure(request: Request, error: Exception) -> Response:
    log.error("a request failed", exc_info=error, extra={"about": {"path": request.url.path}})
    return problem_response(Problem(500, "the service failed; its log says more"))
