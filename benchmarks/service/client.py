"""Many clients in one process: each posts a session's observations over one kept connection.

``python -m benchmarks.service.client PLAN RESULTS`` reads a plan and writes what was
answered. It speaks HTTP itself, as a library would cost more than the service that it measures.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


class Connection:
    """One kept connection to the service."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Post JSON and return status and body of the answer.

        Raises
        ------
        OSError, EOFError
            If the service goes away before it has answered.
        """
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        head_bytes = await self._reader.readuntil(b"\r\n\r\n")
        status = int(head_bytes[9:12])
        lower = head_bytes.lower()
        begin = lower.index(b"content-length:") + len(b"content-length:")
        length = int(lower[begin : lower.index(b"\r\n", begin)])
        return status, await self._reader.readexactly(length)

    async def close(self) -> None:
        """Close the connection."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


async def connect(address: str) -> Connection:
    """Connect to a service."""
    parts = urlsplit(address)
    return Connection(*await asyncio.open_connection(parts.hostname, parts.port))


async def run_session(
    address: str,
    session: dict[str, Any],
    pause: float | None = None,
    start: float = 0.0,
    answered: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Open a session and post its observations; return each answer and how long it took.

    Parameters
    ----------
    address
        Where the service listens.
    session
        Its id, graph, and observations as ``[event, step, time]``.
    pause
        Seconds from one observation to the next, by the clock and not by the answer; None posts
        each as soon as the one before is answered.
    start
        When to post the first, on this process's clock.
    answered
        Called after each answer.

    Returns
    -------
    dict
        ``id``, and ``answers`` as ``[status, seconds, body]`` up to the first that failed.
    """
    answers: list[tuple[int, float, str]] = []
    result = {"id": session["id"], "opened": False, "answers": answers}
    connection = None
    try:
        connection = await connect(address)
        opening = {"graph": session["graph"], "id": session["id"]}
        status, _ = await connection.post("/v1/sessions", json.dumps(opening).encode())
        result["opened"] = status in (200, 201)
        path = f"/v1/sessions/{session['id']}/observations"
        if pause is not None:
            await asyncio.sleep(start - time.perf_counter())
        for number, (event, step, at) in enumerate(session["observations"]):
            body = json.dumps({"event": event, "step": step, "time": at}).encode()
            began = time.perf_counter()
            if pause is not None:
                due = start + number * pause
                if due > began:
                    await asyncio.sleep(due - began)
                # Counted from when it was due, so that waiting for the one before counts, too.
                began = due
            status, answer = await connection.post(path, body)
            answers.append((status, time.perf_counter() - began, answer.decode()))
            answered()
    except (OSError, EOFError):  # the service was killed; what was answered counts
        result["lost"] = True
    finally:
        if connection is not None:
            await connection.close()
    return result


async def run(plan: dict[str, Any]) -> dict[str, Any]:
    """Run all sessions of a plan at once; return their results and the seconds it took."""
    sessions = plan["sessions"]
    rate = plan.get("rate")
    pause = None if rate is None else len(sessions) / rate
    began = time.perf_counter()
    first = began + (1.0 if rate else 0.0)
    results = await asyncio.gather(
        *(
            run_session(
                plan["address"], session, pause, first + number * (pause or 0) / len(sessions)
            )
            for number, session in enumerate(sessions)
        )
    )
    return {"seconds": time.perf_counter() - first, "sessions": results}


def main(plan: str, results: str) -> None:
    """Read a plan and write the results."""
    content = json.loads(Path(plan).read_text(encoding="utf-8"))
    try:
        import uvloop
    except ImportError:
        done = asyncio.run(run(content))
    else:
        done = uvloop.run(run(content))
    Path(results).write_text(json.dumps(done), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
