"""What can be done to sessions, as commands that a store applies many at a time.

A command looks before it writes: it is refused with nothing changed, or done whole. A session's
monitor is made from its observations, and kept ready between transactions.
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
"""How many monitors are kept ready; another session's is made again from its observations."""
PAGE = 1000
"""How many observations are read at a time."""


class Monitors:
    """Monitors by session, each brought up to what the store holds before it is used."""

    def __init__(self, versions: Versions, most: int = MONITORS) -> None:
        self._versions = versions
        self._most = most
        self._kept: OrderedDict[str, Monitor] = OrderedDict()

    def get(self, tables: Tables, session: SessionRow) -> Monitor:
        """Return a session's monitor, with all of its observations taken in."""
        monitor = self._kept.pop(session.id, None)
        if monitor is None or monitor.observed > session.observed:
            monitor = self._versions.monitor(tables, session.graph, session.version)
        catch_up(monitor, tables, session)
        self._kept[session.id] = monitor
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return monitor

    def forget(self, sessions: Iterable[str]) -> None:
        """Drop monitors that have seen more than the store kept."""
        for session in sessions:
            self._kept.pop(session, None)


def catch_up(monitor: Monitor, tables: Tables, session: SessionRow) -> None:
    """Let a monitor observe what the store holds beyond what it has seen."""
    while monitor.observed < session.observed:
        rows = tables.observations(session.id, monitor.observed, PAGE)
        if not rows:
            raise LookupError(f"the store lost observations of the session {session.id!r}")
        for row in rows[: session.observed - monitor.observed]:
            monitor.observe(row.step, row.time, row.confidence)


def unknown_session(session: str) -> Problem:
    """Return the problem of a session that does not exist."""
    return Problem(
        404, f"there is no session {session!r:.80}; POST /v1/sessions opens one and says its id"
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended: whether it did something new, and what is answered."""

    created: bool
    body: str
    kind: str = ""
    """What the verdict on a new observation was."""


@dataclass(frozen=True, slots=True)
class Open:
    """Open a session on the last version of a graph."""

    session: str
    graph: str
    label: str = ""

    def apply(self, unit: Unit) -> Outcome:
        """Open it, or find it open already."""
        known = unit.sessions.get(self.session)
        if known is not None:
            if (known.graph, known.label) != (self.graph, self.label):
                raise Problem(
                    409,
                    f"the session {self.session!r} exists, on the graph {known.graph!r} with the "
                    f"label {known.label!r:.80}; choose another id",
                )
            return Outcome(False, encode(Session.of(known)))
        row = unit.tables.graph(self.graph)
        if row is None:
            raise Problem(
                404, f"there is no graph {self.graph!r}; GET /v1/graphs lists those there are"
            )
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
    """Take in a step; a repeated event id changes nothing and gives the same verdict."""

    session: str
    event: str
    step: str
    time: float | None = None
    confidence: float | None = None

    def apply(self, unit: Unit) -> Outcome:
        """Judge the step, or find the verdict that was given already."""
        session = unit.sessions.get(self.session)
        if session is None:
            raise unknown_session(self.session)
        known = unit.events.get((self.session, self.event))
        if known is not None:
            came = (self.time, self.confidence)
            step = self.step
            if step != known.step:  # it may have come with spaces around it
                step = self._meant(unit.monitors.get(unit.tables, session))
            if step != known.step or came != (known.time, known.confidence):
                raise Problem(
                    409,
                    f"the event {self.event!r:.80} was step {known.position}, {known.step!r:.80}, "
                    "with another step, time or confidence; give each observation its own id",
                )
            return Outcome(False, known.verdict)
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
            verdict = monitor.observe(self._meant(monitor), self.time, self.confidence)
        except InputError as error:
            raise Problem(422, str(error)) from None
        answer = ObservationVerdict.of(verdict, monitor.graph, session=session.id, event=self.event)
        unit.observe(session, monitor, answer)
        return Outcome(True, unit.events[self.session, self.event].verdict, answer.kind)

    def _meant(self, monitor: Monitor) -> str:
        """Return the step's name, without spaces around it unless the graph has them too."""
        return self.step if self.step in monitor.graph.vocabulary else self.step.strip()


@dataclass(frozen=True, slots=True)
class Finish:
    """Finish a session; finishing again gives the same report."""

    session: str

    def apply(self, unit: Unit) -> Outcome:
        """Finish it, or find the report that was given already."""
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
    """What one transaction has read and will write.

    Parameters
    ----------
    tables
        The connection, inside a transaction.
    commands
        What will be applied, so that all of it is read at once.
    monitors
        The monitors of earlier transactions.
    limits
        How much clients may ask for.
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
        """Return how many sessions are open, those of this transaction included."""
        if self._open is None:
            self._open = self.tables.count(OPEN)
        return self._open + len(self._opened)

    def open(self, session: SessionRow) -> None:
        """Add a session."""
        self.sessions[session.id] = self._opened[session.id] = session

    def change(self, session: SessionRow) -> None:
        """Let a session stand as it is now."""
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
        """Write it all."""
        if self._opened:
            self.tables.add_sessions(self._opened[id_] for id_ in sorted(self._opened))
        if self._observed:
            self.tables.add_observations(self._observed)
        if self._changed:
            self.tables.change_sessions(self._changed[id_] for id_ in sorted(self._changed))
