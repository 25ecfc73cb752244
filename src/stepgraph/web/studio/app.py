"""The studio as an ASGI application, guarded and within limits, and the server that runs it."""

from __future__ import annotations

import logging
import secrets
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from stepgraph.errors import (
    CycleError,
    FileError,
    StepgraphError,
    UnavailableError,
    UnknownNameError,
)
from stepgraph.web.http import (
    Endpoint,
    Problem,
    compact,
    guarded,
    json_response,
    problem_response,
    refuse_unknown,
    show_page,
)
from stepgraph.web.pages import STUDIO_PAGES
from stepgraph.web.security import Guard
from stepgraph.web.server import LocalServer, address_of, bounded_heads, listen
from stepgraph.web.studio.files import ChangedError
from stepgraph.web.studio.handlers import Handlers
from stepgraph.web.studio.jobs import BusyError
from stepgraph.web.studio.view import page_words

log = logging.getLogger("stepgraph.studio")


class CycleProblem(Problem):
    """An edit that would close a cycle; the page shows it on the drawing."""

    def __init__(self, error: CycleError) -> None:
        super().__init__(422, str(error))
        self.cycle = error.cycle

    def to_json(self) -> dict[str, Any]:
        """Return the problem as plain JSON values, with the cycle."""
        return {**super().to_json(), "cycle": list(self.cycle)}


def make_app(handlers: Handlers, guard: Guard) -> Starlette:
    """Return the application of one studio.

    Parameters
    ----------
    handlers
        The handlers of its requests.
    guard
        The access control.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await run_in_threadpool(handlers.worker.close)

    table: tuple[tuple[str, str, Endpoint], ...] = (
        ("GET", "/api/state", handlers.state),
        ("GET", "/api/step", handlers.step),
        ("GET", "/api/edge", handlers.edge),
        ("GET", "/api/replay", handlers.replay),
        ("POST", "/api/edit", handlers.edit),
        ("POST", "/api/save", handlers.save),
        ("POST", "/api/upload", handlers.upload),
        ("POST", "/api/relearn", handlers.relearn),
        ("POST", "/api/advise", handlers.advise),
        ("GET", "/api/advice", handlers.advice),
        ("GET", "/api/job", handlers.job),
        ("POST", "/api/cancel", handlers.cancel),
    )
    routes: list[BaseRoute] = [
        Route(path, _api(guard, answer), methods=[method]) for method, path, answer in table
    ]

    def check(request: Request) -> None:
        guard.check_site(request.headers)

    routes += [Route(path, guarded(show_page(page), check)) for path, page in STUDIO_PAGES.items()]
    return Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={
            HTTPException: refuse_unknown("the studio's page is at /"),
            Exception: _as_failure,
        },
    )


def _api(guard: Guard, answer: Endpoint) -> Endpoint:
    """Return an endpoint that guards a request of the page and turns errors into problems."""

    async def answered(request: Request) -> Response:
        try:
            guard.check_site(request.headers)
            guard.check_token(request.headers)
            return json_response(compact(await answer(request)))
        except Exception as error:  # each becomes a problem
            return problem_response(as_problem(error))

    return answered


def as_problem(error: Exception) -> Problem:
    """Return an error as a problem for the page, with its status."""
    match error:
        case Problem():
            return error
        case CycleError():
            return CycleProblem(error)
        case BusyError() | ChangedError():
            return Problem(409, str(error))
        case UnknownNameError():
            return Problem(404 if error.kind == "recording" else 422, str(error))
        case FileError():
            return Problem(507, str(error))
        case UnavailableError():
            return Problem(503, str(error))
        case StepgraphError():
            return Problem(422, page_words(str(error)))
    log.error("a request failed", exc_info=error)
    return Problem(500, "the studio failed and changed nothing; its terminal says more")


async def _as_failure(request: Request, error: Exception) -> Response:
    del request
    return problem_response(as_problem(error))


HOST = "127.0.0.1"
SHUTDOWN_SECONDS = 3


def make_server(handlers: Handlers, token: str) -> uvicorn.Server:
    """Return the server of a studio.

    Parameters
    ----------
    handlers
        The handlers of its requests.
    token
        The token of the page, which keeps other pages and other users out.
    """
    config = uvicorn.Config(
        make_app(handlers, Guard(HOST, token)),
        http=bounded_heads(),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    return LocalServer(config)


def run_studio(
    handlers: Handlers,
    *,
    port: int = 0,
    browser: bool = True,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve the page until a signal stops it.

    Parameters
    ----------
    handlers
        The handlers of its requests.
    port
        The port to listen on; 0 takes a free one.
    browser
        Whether to open the page.
    ready
        Called with the page's address, which holds the token.

    Raises
    ------
    FileError
        If the port cannot be used.
    """
    token = secrets.token_urlsafe(24)
    listening = listen(HOST, port)
    try:
        # The token stands after the '#', which browsers do not send.
        address = f"{address_of(listening)}/#{token}"
        ready(address)
        if browser:
            webbrowser.open(address)
        make_server(handlers, token).run(sockets=[listening])
    finally:
        listening.close()
        handlers.worker.close()
