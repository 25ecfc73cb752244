"""The limits on requests to the service."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, fields

from stepgraph.errors import SettingError
from stepgraph.graph import TaskGraph
from stepgraph.web.http import Problem

ADDRESSES = 10_000
"""Maximum number of addresses whose rates are counted; the least recent ones are dropped."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on requests; a request beyond a limit fails with a reason.

    Parameters
    ----------
    body_bytes
        The size of a request's body.
    graph_bytes
        The size of the body that replaces a graph.
    graph_steps, graph_edges
        The size of a graph.
    name_length
        Characters in a step's name, an event id or a label.
    open_sessions
        Sessions that are open at a time.
    observations
        Observations in one session.
    streams
        Clients that listen for live verdicts at a time.
    rate
        Requests a second from one address, twice as many in a burst.
    body_seconds
        How long a request's body may take to arrive.
    head_bytes, head_seconds
        The size of the request line with all headers, and how long they may take to arrive.
    """

    body_bytes: int = 64 * 1024
    graph_bytes: int = 4 * 1024 * 1024
    graph_steps: int = 1000
    graph_edges: int = 20_000
    name_length: int = 200
    open_sessions: int = 1000
    observations: int = 10_000
    streams: int = 100
    rate: int = 1000
    body_seconds: float = 10.0
    head_bytes: int = 32 * 1024
    head_seconds: float = 10.0

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) <= 0:
                raise SettingError(
                    f"the limit {field.name} is {getattr(self, field.name)}; expected more than 0"
                )

    def check_graph(self, graph: TaskGraph, where: str) -> None:
        """Check that a graph is within the limits.

        Raises
        ------
        Problem
            If it is too large, or a step's name too long to be observed.
        """
        for count, most, what in (
            (len(graph.steps), self.graph_steps, "steps"),
            (len(graph.edges), self.graph_edges, "edges"),
        ):
            if count > most:
                raise Problem(422, f"{where}: {count} {what}; at most {most} are allowed")
        for step in graph.steps:
            if len(step) > self.name_length:
                raise Problem(
                    422,
                    f"{where}: the step {step[:60]!r} ... has {len(step)} characters; at most "
                    f"{self.name_length} are allowed (limit name_length)",
                )


class Rates:
    """A token bucket for each address, which fills at the rate and holds two seconds' worth.

    Parameters
    ----------
    rate
        Requests a second.
    clock
        Returns seconds since any fixed moment.
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> float:
        """Count a request; return 0, or the seconds until the address may send another one."""
        now = self._clock()
        left, since = self._buckets.pop(address, (2 * self._rate, now))
        left = min(2 * self._rate, left + (now - since) * self._rate)
        wait = 0.0 if left >= 1 else (1 - left) / self._rate
        self._buckets[address] = (left if wait else left - 1, now)
        if len(self._buckets) > ADDRESSES:
            self._buckets.popitem(last=False)
        return wait
