"""Figures for Prometheus; their labels are of few values, so that they stay few."""

from __future__ import annotations

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST

CONTENT_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)

disable_created_metrics()  # type: ignore[no-untyped-call]  # a figure more for each figure, which nobody reads


class Metrics:
    """The figures of one service."""

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
            "Observations taken in, by what was said.",
            ["kind"],
            registry=self.registry,
        )
        self.repeated = Counter(
            "stepgraph_repeated_observations",
            "Observations that had come before and changed nothing.",
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
            "Time of a transaction, until it is on disk.",
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
        """Return all figures in Prometheus's text format."""
        return generate_latest(self.registry)
