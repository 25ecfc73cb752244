"""The context of every handler: the store, the readers, the limits and the metrics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from starlette.requests import Request

from stepgraph.web.http import Problem
from stepgraph.web.security import Guard
from stepgraph.web.service.limits import Limits, Rates
from stepgraph.web.service.schema import Observation
from stepgraph.web.service.sessions import Observe, Outcome
from stepgraph.web.service.store import Connect, Store
from stepgraph.web.service.streams import Streams

Query = TypeVar("Query")
Body = TypeVar("Body")

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)

disable_created_metrics()  # type: ignore[no-untyped-call]  # they would double the metrics


class Metrics:
    """The metrics of one service for Prometheus; labels have few values, so series stay few."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "stepgraph_requests", "Requests answered.", ["route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "stepgraph_request_seconds",
            "Time to answer a request, streams excepted.",
            ["route"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self.verdicts = Counter(
            "stepgraph_verdicts",
            "Observations recorded, by kind of verdict.",
            ["kind"],
            registry=self.registry,
        )
        self.repeated = Counter(
            "stepgraph_repeated_observations",
            "Repeated observations, which changed nothing.",
            registry=self.registry,
        )
        self.open_sessions = Gauge(
            "stepgraph_open_sessions", "Sessions that are not finished.", registry=self.registry
        )
        self.streams = Gauge(
            "stepgraph_streams", "Clients that listen for verdicts.", registry=self.registry
        )
        self.commit_seconds = Histogram(
            "stepgraph_commit_seconds",
            "Time until a transaction is on disk.",
            buckets=SECONDS,
            registry=self.registry,
        )
        self.commit_size = Histogram(
            "stepgraph_commit_commands",
            "Commands in a transaction.",
            buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500),
            registry=self.registry,
        )

    def text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self.registry)


@dataclass
class Service:
    """One running service.

    Parameters
    ----------
    connect
        Opens a connection to the store.
    guard
        The access control.
    limits
        The limits on requests.
    """

    connect: Connect
    guard: Guard
    limits: Limits = field(default_factory=Limits)
    metrics: Metrics = field(default_factory=Metrics)
    store: Store = field(init=False)
    streams: Streams = field(init=False)
    rates: Rates = field(init=False)

    def __post_init__(self) -> None:
        self.streams = Streams(self.limits.streams, self.metrics.streams.set)
        self.rates = Rates(self.limits.rate)
        self.store = Store(self.connect, self.limits, self._on_commit)

    def _on_commit(self, sessions: set[str], size: int, seconds: float) -> None:
        self.metrics.commit_size.observe(size)
        self.metrics.commit_seconds.observe(seconds)
        self.streams.wake(sessions)

    async def observe(self, session: str, body: Observation) -> Outcome:
        """Record an observation and count it by its verdict."""
        outcome = await self.store.do(
            Observe(session, body.event, body.step, body.time, body.confidence)
        )
        if outcome.kind:
            self.metrics.verdicts.labels(outcome.kind).inc()
        else:
            self.metrics.repeated.inc()
        return outcome

    def check_visit(self, request: Request) -> None:
        """Check where a request comes from, and count it.

        Raises
        ------
        Problem
            If another site sends it, or its address sends too many.
        """
        self.guard.check_site(request.headers)
        self.check_rate(request.client.host if request.client else "")

    def check_rate(self, address: str) -> None:
        """Count a request.

        Raises
        ------
        Problem
            429 if its address sends too many requests.
        """
        wait = self.rates.take(address)
        if wait:
            seconds = int(wait) + 1
            raise Problem(
                429,
                f"more than {self.limits.rate} requests a second come from {address or 'here'}; "
                f"wait {seconds} s",
                {"Retry-After": str(seconds)},
            )


@dataclass(frozen=True, slots=True)
class Call(Generic[Query, Body]):
    """One request, checked against the declaration of its route.

    Parameters
    ----------
    service
        The service.
    request
        The original request.
    query, body
        Its checked query and body.
    session
        The session id in its address, checked to be a valid name; empty without one.
    graph
        The graph name in its address, unchecked; empty without one.
    """

    service: Service
    request: Request
    query: Query
    body: Body
    session: str = ""
    graph: str = ""
