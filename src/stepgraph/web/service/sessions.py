"""Commands on sessions, which a store applies in batches.

A command checks before it writes: it either fails and changes nothing, or succeeds as a whole. A
session's monitor is rebuilt from its observations and cached between transactions.
"""

from __future__ import annotations

import dataclasses
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from stepgraph.errors import InputError
from stepgraph.monitoring import Monitor
from stepgraph.web.http import Problem
from stepgraph.web.service.graphs import Versions
from stepgraph.web.service.limits import Limits
from stepgraph.web.service.schema import (
    LastMistake,
    ObservationVerdict,
    Session,
    SessionReport,
    encode,
)
from stepgraph.web.service.tables import FINISHED, OPEN, ObservationRow, SessionRow, Tables

MONITORS = 5000
"""Maximum number of cached monitors; others are rebuilt from their observations."""
PAGE = 1000
"""Number of observations to read at a time."""


class Monitors:
    """A cache of monitors by session, each updated from the store before use."""

    def __init__(self, versions: Versions, most: int = MONITORS) -> None:
        self._versions = versions
        self._most = most
        self._kept: OrderedDict[str, Monitor] = OrderedDict()

    def get(self, tables: Tables, session: SessionRow) -> Monitor:
        """Return a session's monitor after all of its observations."""
        monitor = self._kept.pop(session.id, None)
        if monitor is None or monitor.observed > session.observed:
            monitor = self._versions.monitor(tables, session.graph, session.version)
        catch_up(monitor, tables, session)
        self._kept[session.id] = monitor
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return monitor

    def forget(self, sessions: Iterable[str]) -> None:
        """Drop monitors that have observed steps that the store did not commit."""
        for session in sessions:
            self._kept.pop(session, None)


def catch_up(monitor: Monitor, tables: Tables, session: SessionRow) -> None:
    """Let a monitor observe the observations in the store that it has not seen yet."""
    while monitor.observed < session.observed:
        rows = tables.observations(session.id, monitor.observed, PAGE)
        if not rows:
            raise LookupError(f"the store lost observations of the session {session.id!r}")
        for row in rows[: session.observed - monitor.observed]:
            monitor.observe(row.step, row.time, row.confidence)


def unknown_session(session: str) -> Problem:
    """Return the problem of a session that does not exist."""
    return Problem(
        404, f"there is no session {session!r:.80}; POST /v1/sessions opens one and returns its id"
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a command: whether it did something new, and the answer."""

    created: bool
    body: str
    kind: str = ""
    """The kind of verdict on a new observation."""


@dataclass(frozen=True, slots=True)
class Open:
    """Open a session on the latest version of a graph."""

    session: str
    graph: str
    label: str = ""

    def apply(self, unit: Unit) -> Outcome:
        """Open the session, or return the one with the same id."""
        existing = unit.sessions.get(self.session)
        if existing is not None:
            if (existing.graph, existing.label) != (self.graph, self.label):
                raise Problem(
                    409,
                    f"the session {self.session!r} already exists, on the graph {existing.graph!r} "
                    f"with the label {existing.label!r:.80}; choose another id",
                )
            return Outcome(False, encode(Session.of(existing)))
        row = unit.tables.graph(self.graph)
        if row is None:
            raise Problem(404, f"there is no graph {self.graph!r}; GET /v1/graphs lists the graphs")
        if unit.count_open() >= unit.limits.open_sessions:
            raise Problem(
                429,
                f"{unit.limits.open_sessions} sessions are open, which is the limit; finish one",
                {"Retry-After": "10"},
            )
        now = unit.now
        session = SessionRow(
            self.session, self.label, self.graph, row.version, OPEN, now, updated=now
        )
        progress = unit.monitors.get(unit.tables, session).progress
        session = dataclasses.replace(session, progress=progress)
        unit.open(session)
        return Outcome(True, encode(Session.of(session)))


@dataclass(frozen=True, slots=True)
class Observe:
    """Record a step; a repeated event id changes nothing and returns the same verdict."""

    session: str
    event: str
    step: str
    time: float | None = None
    confidence: float | None = None

    def apply(self, unit: Unit) -> Outcome:
        """Judge the step, or return the earlier verdict on the same event."""
        session = unit.sessions.get(self.session)
        if session is None:
            raise unknown_session(self.session)
        earlier = unit.events.get((self.session, self.event))
        if earlier is not None:
            step = self.step
            if step != earlier.step:  # spaces around the name make no difference
                step = self._step_name(unit.monitors.get(unit.tables, session))
            same_values = (self.time, self.confidence) == (earlier.time, earlier.confidence)
            if step != earlier.step or not same_values:
                raise Problem(
                    409,
                    f"the event {self.event!r:.80} was step {earlier.position}, "
                    f"{earlier.step!r:.80}, with another step, time or confidence; "
                    "give each observation its own id",
                )
            return Outcome(False, earlier.verdict)
        if session.status != OPEN:
            raise Problem(
                409, f"the session {self.session!r} is finished; open another one for more steps"
            )
        if session.observed >= unit.limits.observations:
            raise Problem(
                409,
                f"the session {self.session!r} has {session.observed} observations, which is the "
                "limit; finish it and open another one",
            )
        monitor = unit.monitors.get(unit.tables, session)
        try:
            verdict = monitor.observe(self._step_name(monitor), self.time, self.confidence)
        except InputError as error:
            raise Problem(422, str(error)) from None
        answer = ObservationVerdict.of(verdict, monitor.graph, session=session.id, event=self.event)
        unit.observe(session, monitor, answer)
        return Outcome(True, unit.events[self.session, self.event].verdict, answer.kind)

    def _step_name(self, monitor: Monitor) -> str:
        """Return the step's name, stripped of spaces unless the graph's name has them too."""
        return self.step if self.step in monitor.graph.vocabulary else self.step.strip()


@dataclass(frozen=True, slots=True)
class Finish:
    """Finish a session; finishing again gives the same report."""

    session: str

    def apply(self, unit: Unit) -> Outcome:
        """Finish the session, or return its earlier report."""
        session = unit.sessions.get(self.session)
        if session is None:
            raise unknown_session(self.session)
        if session.report is not None:
            return Outcome(False, session.report)
        monitor = unit.monitors.get(unit.tables, session)
        report = monitor.finish()
        body = encode(SessionReport.of(session.id, report, monitor.graph))
        unit.change(
            dataclasses.replace(
                session,
                status=FINISHED,
                finished=unit.now,
                updated=unit.now,
                mistakes=report.mistakes,
                report=body,
            )
        )
        return Outcome(True, body)


Command: TypeAlias = Open | Observe | Finish


class Unit:
    """The rows that one transaction has read and will write.

    Parameters
    ----------
    tables
        The connection, inside a transaction.
    commands
        The commands to apply; their rows are read at once.
    monitors
        The cached monitors.
    limits
        The limits on requests.
    clock
        Seconds since 1970.
    """

    def __init__(
        self,
        tables: Tables,
        commands: Iterable[Command],
        monitors: Monitors,
        limits: Limits,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.tables = tables
        self.monitors = monitors
        self.limits = limits
        self.now = clock()
        self._opened: dict[str, SessionRow] = {}
        self._changed: dict[str, SessionRow] = {}
        self._observed: list[ObservationRow] = []
        self._open: int | None = None
        commands = list(commands)
        ids = sorted({command.session for command in commands})
        pairs = sorted({(c.session, c.event) for c in commands if isinstance(c, Observe)})
        self.sessions = {row.id: row for row in tables.lock_sessions(ids)}
        self.events = {(row.session, row.event): row for row in tables.find_events(pairs)}

    def count_open(self) -> int:
        """Return the number of open sessions, including those of this transaction."""
        if self._open is None:
            self._open = self.tables.count(OPEN)
        return self._open + len(self._opened)

    def open(self, session: SessionRow) -> None:
        """Add a session."""
        self.sessions[session.id] = self._opened[session.id] = session

    def change(self, session: SessionRow) -> None:
        """Change a session."""
        self.sessions[session.id] = self._changed[session.id] = session

    def observe(self, session: SessionRow, monitor: Monitor, answer: ObservationVerdict) -> None:
        """Add an observation with its verdict."""
        row = ObservationRow(
            session.id,
            answer.position,
            answer.event,
            answer.step,
            answer.time,
            answer.confidence,
            self.now,
            encode(answer),
        )
        self._observed.append(row)
        self.events[session.id, row.event] = row
        last_mistake = session.last_mistake
        if answer.mistake:
            shown = LastMistake(
                position=answer.position,
                step=answer.step,
                kind=answer.kind,
                sentence=answer.sentence,
            )
            last_mistake = encode(shown)
        self.change(
            dataclasses.replace(
                session,
                updated=self.now,
                observed=monitor.observed,
                mistakes=monitor.mistakes,
                progress=answer.progress,
                last_step=answer.step,
                last_kind=answer.kind,
                last_mistake=last_mistake,
            )
        )

    @property
    def touched(self) -> set[str]:
        """The sessions that this transaction writes."""
        return self._opened.keys() | self._changed.keys()

    def write(self) -> None:
        """Write all changes."""
        if self._opened:
            self.tables.add_sessions(self._opened[id_] for id_ in sorted(self._opened))
        if self._observed:
            self.tables.add_observations(self._observed)
        if self._changed:
            self.tables.change_sessions(self._changed[id_] for id_ in sorted(self._changed))
