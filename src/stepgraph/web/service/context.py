"""What every request handler of one service shares."""

from __future__ import annotations

from dataclasses import dataclass, field

from stepgraph.web.service.limits import Limits, Rates
from stepgraph.web.service.metrics import Metrics
from stepgraph.web.service.security import Guard
from stepgraph.web.service.store import Connect, Store
from stepgraph.web.service.streams import Streams


@dataclass
class Service:
    """One running service.

    Parameters
    ----------
    connect
        Opens a connection to the store.
    guard
        Who may ask.
    limits
        How much.
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
