"""What the live service is measured with: the service as a process, its clients, and the judge.

`ServiceProcess` runs the real command line. ``python -m benchmarks.cost.service_client PLAN
RESULTS`` is many clients in one process: each posts a session's observations over one kept
connection, and speaks HTTP itself, as a library would cost more than the service that it measures.
`make_sessions` makes the sessions beforehand; `count_wrong` compares every answer with a monitor's.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from stepgraph.errors import UnavailableError
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Monitor, explain


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


SECONDS = 30.0
READY = "listening at "


class ServiceProcess:
    """A running `stepgraph serve`.

    Parameters
    ----------
    arguments
        What to give it beyond a free port.
    log
        Where its log goes; by default nowhere.
    variables
        Environment variables beyond ours.

    Raises
    ------
    UnavailableError
        If it ends before it listens.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        log: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        with (log or Path(os.devnull)).open("ab") as stream:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-m", "stepgraph.cli.main", "serve", "--port", "0", *arguments],
                stdout=subprocess.PIPE,
                stderr=stream,
                env={**os.environ, **(variables or {})},
                text=True,
            )
        line = self.process.stdout.readline() if self.process.stdout else ""
        if not line.startswith(READY):
            self.process.wait(SECONDS)
            self._close()
            said = log.read_text()[-500:] if log else ""
            raise UnavailableError(f"stepgraph serve does not start: {line or said}")
        self.address = line.removeprefix(READY).strip()

    def get(self, path: str) -> Any:
        """Return the JSON values at a path."""
        with urllib.request.urlopen(self.address + path, timeout=SECONDS) as answer:  # noqa: S310
            return json.load(answer)

    def stop(self) -> int:
        """Ask it to stop, wait until it has, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(SECONDS)
        self._close()
        return code

    def kill(self) -> None:
        """End it at once, with no chance to finish anything."""
        self.process.kill()
        self.process.wait(SECONDS)
        self._close()

    def _close(self) -> None:
        if self.process.stdout:
            self.process.stdout.close()

    def __enter__(self) -> ServiceProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.stop()
        self._close()


REPEATS = 0.02
"""The share of observations that are sent twice, as after a lost answer."""


def make_sessions(
    graphs: Mapping[str, TaskGraph], sessions: int, observations: int, seed: int = 0
) -> list[dict[str, Any]]:
    """Return sessions of people who mostly know what to do.

    Parameters
    ----------
    graphs
        Graphs by the names that the service knows them by.
    sessions
        How many.
    observations
        How many in all, spread evenly; some are sent again besides.
    seed
        Of the random draws.
    """
    rng = random.Random(seed)
    names = sorted(graphs)
    made = []
    for number in range(sessions):
        name = names[number % len(names)]
        count = observations // sessions + (number < observations % sessions)
        posts: list[list[Any]] = []
        done: list[str] = []
        for place in range(count):
            step = _step(rng, graphs[name], done)
            posts.append([f"e{place}", step, round(2.5 * place + rng.random(), 3)])
            if rng.random() < REPEATS:
                posts.append(posts[-1])
        made.append({"id": f"s{seed}-{number}", "graph": name, "observations": posts})
    return made


def _step(rng: random.Random, graph: TaskGraph, done: list[str]) -> str:
    draw = rng.random()
    if draw < 0.02:
        return f"something else {rng.randrange(100)}"
    ready = graph.executable(done)
    step = rng.choice(ready if ready and draw < 0.8 else graph.steps)
    if step not in done:
        done.append(step)
    return step


def expected_answers(graph: TaskGraph, session: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a monitor says, offline, to each post of a session."""
    monitor = Monitor(graph)
    said: dict[str, dict[str, Any]] = {}
    expected = []
    for event, step, at in session["observations"]:
        if event not in said:
            verdict = monitor.observe(step, at)
            said[event] = {
                "session": session["id"],
                "event": event,
                **verdict.to_json(),
                "sentence": explain(verdict, graph),
            }
        expected.append(said[event])
    return expected


def count_wrong(
    graphs: Mapping[str, TaskGraph],
    sessions: Sequence[Mapping[str, Any]],
    results: Sequence[Mapping[str, Any]],
) -> int:
    """Return how many answers differ from offline replay, in content or in status."""
    wrong = 0
    for session, result in zip(sessions, results, strict=True):
        expected = expected_answers(graphs[session["graph"]], session)
        seen: set[str] = set()
        for wanted, (status, _, body) in zip(expected, result["answers"], strict=False):
            right = 200 if wanted["event"] in seen else 201
            seen.add(wanted["event"])
            wrong += status != right or json.loads(body) != wanted
    return wrong


if __name__ == "__main__":
    main(*sys.argv[1:])
