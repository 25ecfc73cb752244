"""Live verdicts as server-sent events.

A reader has a position in the store, not a queue. Each write wakes it, and it reads on from its
position at its own pace. So a slow reader costs no memory and misses nothing, a reader that
reconnects names its position, and the servers of a fleet need not talk to each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager

from starlette.types import Receive, Scope, Send

from stepgraph.web.http import SAFE_HEADERS, Problem, compact
from stepgraph.web.service.schema import Session, encode
from stepgraph.web.service.sessions import unknown_session
from stepgraph.web.service.store import Store
from stepgraph.web.service.tables import FINISHED, SessionRow

POLL_SECONDS = 1.0
"""How often to look for the writes of other servers."""
CALM_SECONDS = 0.25
"""How long to gather changes of all sessions before sending them."""
SIGN_OF_LIFE_SECONDS = 15.0
STALLED_SECONDS = 60.0
"""How long a reader may accept nothing before its stream ends."""
PAGE = 200
MOST_CHANGED = 100_000
MARGIN_SECONDS = 5.0
"""How far apart the clocks of a fleet may be."""


class Streams:
    """The readers of live verdicts.

    Parameters
    ----------
    most
        Maximum number of readers.
    on_change
        Called with the number of readers whenever it changes.
    """

    def __init__(self, most: int, on_change: Callable[[float], None] = lambda _: None) -> None:
        self._most = most
        self._on_change = on_change
        self._waiting: dict[str | None, set[asyncio.Event]] = {}
        self._count = 0
        self.closing = False

    def wake(self, sessions: Iterable[str]) -> None:
        """Wake the readers of sessions, and those of all sessions."""
        for key in (*sessions, None):
            for event in self._waiting.get(key, ()):
                event.set()

    def close(self) -> None:
        """End every stream, because the service stops."""
        self.closing = True
        for events in self._waiting.values():
            for event in events:
                event.set()

    @contextmanager
    def reader(self, session: str | None) -> Iterator[asyncio.Event]:
        """Return an event that is set when a session changes; None stands for any session."""
        event = asyncio.Event()
        self._waiting.setdefault(session, set()).add(event)
        try:
            yield event
        finally:
            self._waiting[session].discard(event)
            if not self._waiting[session]:
                del self._waiting[session]

    @contextmanager
    def place(self) -> Iterator[None]:
        """Occupy one of the places for readers.

        Raises
        ------
        Problem
            429 if none is left.
        """
        if self._count >= self._most:
            raise Problem(
                429,
                f"{self._most} clients listen already, which is the limit; try again later",
                {"Retry-After": "10"},
            )
        self._count += 1
        self._on_change(self._count)
        try:
            yield
        finally:
            self._count -= 1
            self._on_change(self._count)


async def session_events(
    store: Store, streams: Streams, session: str, after: int
) -> AsyncIterator[str]:
    """Yield a session's verdicts after a position, then new ones, and its report at the end."""
    with streams.reader(session) as event:
        while not streams.closing:
            event.clear()
            row, seen = await store.read(
                lambda tables, after=after: (  # type: ignore[misc]
                    tables.session(session),
                    tables.observations(session, after, PAGE),
                )
            )
            for entry in seen:
                yield f"id: {entry.position}\nevent: verdict\ndata: {entry.verdict}\n\n"
                after = entry.position
            if row is None:
                raise unknown_session(session)
            if row.status == FINISHED and after >= row.observed:
                yield f"event: finished\ndata: {row.report}\n\n"
                return
            if not seen:
                yield ""
                await _woken(event)


async def all_events(store: Store, streams: Streams, since: float) -> AsyncIterator[str]:
    """Yield the current state of each session that changes."""
    sent: dict[str, tuple[int, str]] = {}
    with streams.reader(None) as event:
        while not streams.closing:
            event.clear()
            rows: list[SessionRow] = await store.read(
                lambda tables, since=since: tables.changed_since(  # type: ignore[misc]
                    since - MARGIN_SECONDS, MOST_CHANGED
                )
            )
            fresh = [row for row in rows if sent.get(row.id) != (row.observed, row.status)]
            for row in fresh:
                sent[row.id] = (row.observed, row.status)
                yield f"event: session\ndata: {encode(Session.of(row))}\n\n"
            if rows:
                since = max(since, rows[-1].updated)
            if not fresh:
                yield ""
            # Changes before the margin are not read again, so there is no need to remember them.
            near = {row.id for row in rows}
            sent = {id_: state for id_, state in sent.items() if id_ in near}
            await _woken(event)
            await asyncio.sleep(CALM_SECONDS)


async def _woken(event: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(event.wait(), POLL_SECONDS)
    except TimeoutError:
        return


class EventResponse:
    """An answer that lasts as long as there are events and a client reads them.

    Parameters
    ----------
    events
        The texts to send; an empty text becomes a sign of life.
    """

    def __init__(self, events: AsyncIterator[str]) -> None:
        self._events = events
        self._headers = {
            "content-type": "text/event-stream; charset=utf-8",
            "x-accel-buffering": "no",
            **SAFE_HEADERS,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send until the events end, or the client leaves or stops reading."""
        headers = [(name.encode(), value.encode()) for name, value in self._headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        sender = asyncio.ensure_future(self._send(send))
        gone = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({sender, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sender, gone):
                task.cancel()
            await asyncio.gather(sender, gone, return_exceptions=True)

    async def _send(self, send: Send) -> None:
        clock = asyncio.get_running_loop().time
        last = clock()
        await self._write(send, ": stepgraph\n\n")
        try:
            async for text in self._events:
                if text or clock() - last > SIGN_OF_LIFE_SECONDS:
                    await self._write(send, text or ": still here\n\n")
                    last = clock()
        except Problem as problem:
            await self._write(send, f"event: problem\ndata: {compact(problem.to_json())}\n\n")
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, send: Send, text: str) -> None:
        message = {"type": "http.response.body", "body": text.encode(), "more_body": True}
        # The server waits while the connection is full.
        await asyncio.wait_for(send(message), STALLED_SECONDS)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
