"""Every request and answer of the service, declared once.

The checks of requests, the objects that handlers build, and the OpenAPI description all follow
from these classes. `UpTo` names the limits that an operator can set.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal, Self

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Kind, Report, Verdict, explain
from stepgraph.web.service.tables import FINISHED, OPEN, GraphRow, SessionRow, moment
from stepgraph.web.validation import Input, Shape, UpTo

MOST_LISTED = 500

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}(?!\n)$"
"""Names of graphs and sessions: safe in an address, in a file name and in a log."""
_BLANK = r"[\t-\r\u001c- \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
"""The characters that `str.strip` removes; other languages count other characters as spaces."""
_NO_NULL = r"[^\u0000]*$"

Name = Annotated[
    str,
    Meta(
        pattern=NAME_PATTERN,
        description="1 to 64 letters, digits, '.', '_' and '-', the first a letter or digit",
    ),
]
Label = Annotated[
    str,
    UpTo("name_length"),
    Meta(pattern=f"^{_NO_NULL}", description="what people call the session; no null character"),
]
EventId = Annotated[
    str,
    UpTo("name_length"),
    Meta(
        min_length=1,
        pattern=f"^{_NO_NULL}",
        description="the client's own id of this observation; no null character",
    ),
]
StepName = Annotated[
    str,
    UpTo("name_length"),
    Meta(
        min_length=1,
        pattern=rf"^(?!{_BLANK}*(START|END)?{_BLANK}*$){_NO_NULL}",
        description="the name of what was done; not blank, not START or END, no null character",
    ),
]
Time = Annotated[float, Meta(ge=-1e300, le=1e300)]
Fraction = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0)]
Number = Annotated[int, Meta(ge=1)]
Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
KindName = Annotated[str, Meta(extra_json_schema={"enum": [kind.value for kind in Kind]})]
JsonObject = dict[str, Any]


def is_name(text: str) -> bool:
    """Return whether a text can be the name of a graph or a session."""
    return re.search(NAME_PATTERN, text) is not None


# ----------------------------------------------------------------------------------- requests


class OpenSession(Input, frozen=True, kw_only=True):
    """A session to open."""

    graph: Name
    id: Name | None = None
    label: Label | None = None


class Observation(Input, frozen=True, kw_only=True):
    """A step that was just done."""

    event: EventId
    step: StepName
    time: Time | None = None
    confidence: Fraction | None = None


class GraphPath(Input, frozen=True, kw_only=True):
    """The name of a graph in an address."""

    graph: Name


class Edge(Struct, frozen=True, kw_only=True):
    """One edge of a graph file."""

    step: str
    needs: str
    weight: float | None = None


class Graph(Struct, frozen=True, kw_only=True):
    """A graph file as stepgraph writes it: acyclic, START and END connected.

    This class only describes it; `stepgraph.formats` owns the format and checks it.
    """

    format: Literal["stepgraph-graph"]
    version: Literal[1]
    steps: Annotated[list[Annotated[str, UpTo("name_length")]], UpTo("graph_steps")]
    edges: Annotated[list[Edge], UpTo("graph_edges")]
    procedure: str = ""


class SessionsQuery(Input, frozen=True, kw_only=True):
    """Which sessions to list."""

    status: Literal["open", "finished", "all"] = "open"
    limit: Annotated[int, Meta(ge=1, le=MOST_LISTED)] = 100
    before: (
        Annotated[
            str,
            Meta(
                pattern=rf"^[0-9]{{1,12}}\.[0-9]{{1,9}}~{NAME_PATTERN[1:]}",
                description="the 'next' of the page before",
            ),
        ]
        | UnsetType
    ) = UNSET

    @property
    def statuses(self) -> tuple[str, ...]:
        """The statuses to list."""
        return (OPEN, FINISHED) if self.status == "all" else (self.status,)

    @property
    def place(self) -> tuple[float, str] | None:
        """The moment and the id before which the list begins."""
        if self.before is UNSET:
            return None
        opened, _, id_ = str(self.before).partition("~")
        return float(opened), id_


Position = Annotated[int, Meta(ge=0, le=10**9)]


class AfterQuery(Input, frozen=True, kw_only=True):
    """After which verdict to listen."""

    after: Position = 0


class ObservationsQuery(AfterQuery, frozen=True, kw_only=True):
    """Which verdicts to list."""

    limit: Annotated[int, Meta(ge=1, le=MOST_LISTED)] = 100


class VersionQuery(Input, frozen=True, kw_only=True):
    """Which version of a graph to read."""

    version: Annotated[int, Meta(ge=1, le=10**9)] | UnsetType = UNSET


class ExportQuery(Input, frozen=True, kw_only=True):
    """How to write a session."""

    format: Literal["json", "csv"] = "json"


# ------------------------------------------------------------------------------------ answers


class ProblemAnswer(Shape, frozen=True, kw_only=True):
    """The reason why a request failed."""

    status: int
    title: str
    detail: str


class StepVerdict(Shape, frozen=True, kw_only=True):
    """The monitor's verdict on a step."""

    position: Number
    step: str
    kind: KindName
    mistake: bool
    time: float | None
    confidence: Fraction | None
    missing: list[str]
    done_without_it: list[str]
    cause: Number | None
    instead: list[str]
    note: str
    nearest: list[str]
    skipped: list[str]
    executable: list[str]
    progress: Fraction
    sentence: str

    @classmethod
    def of(cls, verdict: Verdict, graph: TaskGraph, **more: Any) -> Self:
        """Return a verdict as clients see it, with the fields that a subclass adds."""
        return cls(**verdict.to_json(), sentence=explain(verdict, graph), **more)


class ObservationVerdict(StepVerdict, frozen=True, kw_only=True):
    """The answer to an observation."""

    session: Name
    event: str


class Verdicts(Shape, frozen=True, kw_only=True):
    """A page of verdicts."""

    verdicts: list[ObservationVerdict]
    next: Count | None


class SessionReport(Shape, frozen=True, kw_only=True):
    """The report on a finished session."""

    session: Name
    observed: Count
    mistakes: Count
    open: list[str]
    progress: Fraction
    verdicts: list[StepVerdict]

    @classmethod
    def of(cls, session: str, report: Report, graph: TaskGraph) -> SessionReport:
        """Return a report as clients see it."""
        return cls(
            session=session,
            observed=report.observed,
            mistakes=report.mistakes,
            open=list(report.open),
            progress=report.progress,
            verdicts=[StepVerdict.of(verdict, graph) for verdict in report.verdicts],
        )


class LastMistake(Shape, frozen=True, kw_only=True):
    """The last mistake, as a list of sessions shows it."""

    position: Number
    step: str
    kind: KindName
    sentence: str


class Session(Shape, frozen=True, kw_only=True):
    """A session and its progress."""

    id: Name
    label: str
    graph: Name
    version: Number
    status: Literal["open", "finished"]
    opened: Moment
    updated: Moment
    finished: Moment | None
    observed: Count
    mistakes: Count
    progress: Fraction
    last_step: str | None
    last_kind: str | None
    last_mistake: LastMistake | None

    @classmethod
    def of(cls, row: SessionRow, **more: Any) -> Self:
        """Return a session as clients see it, with the fields that a subclass adds."""
        return cls(
            id=row.id,
            label=row.label,
            graph=row.graph,
            version=row.version,
            status="open" if row.status == OPEN else "finished",
            opened=moment(row.opened),
            updated=moment(row.updated),
            finished=None if row.finished is None else moment(row.finished),
            observed=row.observed,
            mistakes=row.mistakes,
            progress=row.progress,
            last_step=row.last_step,
            last_kind=row.last_kind,
            last_mistake=verbatim(row.last_mistake),
            **more,
        )


class Sessions(Shape, frozen=True, kw_only=True):
    """A page of sessions."""

    sessions: list[Session]
    next: str | None


class SessionState(Session, frozen=True, kw_only=True):
    """The whole state of a session; `stepgraph.Monitor.resume` takes its field `state`."""

    performed: list[str]
    accomplished: list[str]
    skipped: list[str]
    executable: list[str]
    report: SessionReport | None
    state: JsonObject


class ExportedObservation(Shape, frozen=True, kw_only=True):
    """One observation with its verdict."""

    event: str
    step: str
    time: float | None
    confidence: Fraction | None
    received: Moment
    verdict: ObservationVerdict


class Export(Shape, frozen=True, kw_only=True):
    """A whole session, with its graph."""

    format: Literal["stepgraph-session"]
    version: Literal[1]
    stepgraph: str
    session: Session
    graph: JsonObject
    observations: list[ExportedObservation]
    report: SessionReport | None


class GraphEntry(Shape, frozen=True, kw_only=True):
    """A graph, as a list of graphs shows it."""

    name: Name
    version: Number
    procedure: str
    steps: Count
    edges: Count
    added: Moment

    @classmethod
    def of(cls, row: GraphRow, **more: Any) -> Self:
        """Return a graph's entry, with the fields that a subclass adds."""
        content = json.loads(row.content)
        return cls(
            name=row.name,
            version=row.version,
            procedure=content["procedure"],
            steps=len(content["steps"]),
            edges=len(content["edges"]),
            added=moment(row.added),
            **more,
        )


class Graphs(Shape, frozen=True, kw_only=True):
    """The graphs that sessions can be opened on."""

    graphs: list[GraphEntry]


class GraphVersion(GraphEntry, frozen=True, kw_only=True):
    """One version of a graph, with its content."""

    graph: JsonObject


class GraphReplaced(GraphEntry, frozen=True, kw_only=True):
    """The answer to the replacement of a graph."""

    changed: bool


class Health(Shape, frozen=True, kw_only=True):
    """The service can work."""

    status: Literal["ok"]
    stepgraph: str


def encode(answer: Struct) -> str:
    """Return an answer as JSON text."""
    return msgspec.json.encode(answer).decode()


def verbatim(text: str | None) -> Any:
    """Return JSON text from the store for an answer to include unchanged; None stays None."""
    return None if text is None else msgspec.Raw(text.encode())
