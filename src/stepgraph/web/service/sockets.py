"""A session over a WebSocket: each message an observation, each answer its verdict."""

from __future__ import annotations

from starlette.websockets import WebSocket, WebSocketDisconnect

from stepgraph.errors import FormatError
from stepgraph.formats.json_text import parse_json
from stepgraph.web.service import bodies
from stepgraph.web.service.answers import problem_response
from stepgraph.web.service.context import Service
from stepgraph.web.service.problems import Problem, unknown_session
from stepgraph.web.service.rows import compact
from stepgraph.web.service.session_routes import count_observation, observation

GOING_AWAY = 1001


async def live(service: Service, socket: WebSocket) -> None:
    """Judge what a client sends until it leaves.

    A message that cannot be used is answered with its problem, and the connection goes on; what
    is no WebSocket frame ends the connection, with everything acknowledged kept.
    """
    session = str(socket.path_params["session"])
    address = socket.client.host if socket.client else ""
    try:
        service.guard.check_site(socket.headers)
        check_rate(service, address)
        service.guard.check_token(socket.headers)
        if not bodies.NAME.fullmatch(session):
            raise unknown_session(session)
        if await service.store.read(lambda tables: tables.session(session)) is None:
            raise unknown_session(session)
        with service.streams.place():
            await socket.accept()
            await _talk(service, socket, session, address)
    except Problem as problem:
        await socket.send_denial_response(problem_response(problem))
    except WebSocketDisconnect:
        return


async def _talk(service: Service, socket: WebSocket, session: str, address: str) -> None:
    while not service.streams.closing:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        try:
            check_rate(service, address)
            text = message.get("text")
            if text is None:
                raise Problem(400, "the message is binary; expected JSON text")
            try:
                content = parse_json(text, "the message")
            except FormatError as error:
                raise Problem(400, str(error)) from None
            outcome = await service.store.do(observation(service, session, content))
            count_observation(service, outcome.kind)
            answer = outcome.body
        except Problem as problem:
            answer = compact({"problem": problem.to_json()})
        await socket.send_text(answer.encode("utf-8", "backslashreplace").decode())
    await socket.close(GOING_AWAY)


def check_rate(service: Service, address: str) -> None:
    """Count a request.

    Raises
    ------
    Problem
        429 if there were too many from its address.
    """
    wait = service.rates.take(address)
    if wait:
        seconds = int(wait) + 1
        raise Problem(
            429,
            f"more than {service.limits.rate} requests a second come from {address or 'here'}; "
            f"wait {seconds} s",
            {"Retry-After": str(seconds)},
        )
