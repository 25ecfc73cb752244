"""The handlers of the studio's page; each request reads or changes the one session."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from msgspec import UNSET, Meta, UnsetType
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from stepgraph.errors import InputError
from stepgraph.graph import Constraints, Edge
from stepgraph.insight import Advice
from stepgraph.sequences import Demonstrations
from stepgraph.web.http import Problem, read_body, read_json
from stepgraph.web.studio.files import SaveTarget, file_name
from stepgraph.web.studio.graph_source import GraphSource
from stepgraph.web.studio.jobs import BusyError, Job, Worker, give_advice, learn_upload, relearn
from stepgraph.web.studio.limits import StudioLimits
from stepgraph.web.studio.session import StudioSession
from stepgraph.web.studio.view import edge_view, page_words, replay_view, session_view, step_view
from stepgraph.web.validation import Input, Nothing, read_input, read_query

_T = TypeVar("_T")
Stated = tuple[tuple[Edge, ...], tuple[Edge, ...]]

StepName = Annotated[str, Meta(min_length=1, max_length=1_000)]
STEP_EDITS = {"optional": True, "required": False}


class Edit(Input, frozen=True, kw_only=True):
    """An edit of a pair of steps, of one step or of the threshold; or undo or redo."""

    edit: Literal[
        "add",
        "remove",
        "pin",
        "forbid",
        "free",
        "optional",
        "required",
        "threshold",
        "undo",
        "redo",
    ]
    step: StepName | UnsetType = UNSET
    needs: StepName | UnsetType = UNSET
    value: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET


class Save(Input, frozen=True, kw_only=True):
    """Whether to overwrite another program's content."""

    overwrite: bool = False


class StepQuery(Input, frozen=True, kw_only=True):
    """The step to show."""

    step: str


class EdgeQuery(StepQuery, frozen=True, kw_only=True):
    """The pair of steps to show."""

    needs: str


class ReplayQuery(Input, frozen=True, kw_only=True):
    """The recording to replay."""

    recording: str


class UploadQuery(Input, frozen=True, kw_only=True):
    """How to use an uploaded file of recordings."""

    name: str
    procedure: str | UnsetType = UNSET
    keep: Literal["no", "yes"] = "no"
    mistakes: Literal["no", "yes"] | UnsetType = UNSET


class Handlers:
    """The handlers of one studio's requests.

    Parameters
    ----------
    session
        The session to edit.
    target
        The file to save to.
    limits
        The limits of the studio.
    with_mistakes
        Whether to learn also from recordings with marked mistakes; an upload may change it.
    """

    def __init__(
        self,
        session: StudioSession,
        target: SaveTarget,
        limits: StudioLimits | None = None,
        *,
        with_mistakes: bool = False,
    ) -> None:
        self.session = session
        self.target = target
        self.limits = limits or StudioLimits()
        self.worker = Worker(self.limits.work_seconds)
        self._with_mistakes = with_mistakes
        self._lock = threading.Lock()
        self._advice: tuple[Demonstrations, Stated, Advice] | None = None

    async def _locked(self, action: Callable[..., _T], *arguments: Any) -> _T:
        """Run a function on the session in a thread, one at a time."""

        def run() -> _T:
            with self._lock:
                return action(*arguments)

        return await run_in_threadpool(run)

    def _view(self, messages: tuple[str, ...] = ()) -> dict[str, Any]:
        return {
            **session_view(self.session, self.target),
            "with_mistakes": self._with_mistakes,
            "said": list(messages),
        }

    async def state(self, request: Request) -> dict[str, Any]:
        """Return the whole state of the page."""
        read_query(Nothing, request)
        return await self._locked(self._view)

    async def step(self, request: Request) -> dict[str, Any]:
        """Return the details of a step."""
        name = read_query(StepQuery, request).step
        return await self._locked(step_view, self.session, name)

    async def edge(self, request: Request) -> dict[str, Any]:
        """Return the details of a pair of steps."""
        pair = read_query(EdgeQuery, request)
        return await self._locked(edge_view, self.session, pair.step, pair.needs)

    async def replay(self, request: Request) -> dict[str, Any]:
        """Return the monitor's verdicts on a recording."""
        name = read_query(ReplayQuery, request).recording
        return await self._locked(replay_view, self.session, name)

    async def edit(self, request: Request) -> dict[str, Any]:
        """Make an edit, or take one back."""
        action = self._action(read_input(Edit, await self._json(request)))

        def change() -> dict[str, Any]:
            if self.worker.is_busy and self.worker.job.kind != "advice":
                raise BusyError(
                    "the studio is learning the graph; wait until it is done, or cancel it"
                )
            return self._view(action() or ())

        return await self._locked(change)

    def _action(self, body: Edit) -> Callable[[], tuple[str, ...] | None]:
        session, edit = self.session, body.edit
        if edit in ("undo", "redo"):
            return session.undo if edit == "undo" else session.redo
        if edit == "threshold":
            value = _needed(body, "value")
            return lambda: session.set_threshold(value)
        step = _needed(body, "step")
        if edit in STEP_EDITS:
            return lambda: session.mark_optional(step, STEP_EDITS[edit])
        needs = _needed(body, "needs")
        method: Callable[[str, str], tuple[str, ...]] = getattr(session, edit)
        return lambda: method(step, needs)

    async def save(self, request: Request) -> dict[str, Any]:
        """Write the graph to its file."""
        overwrite = read_input(Save, await self._json(request)).overwrite

        def save() -> dict[str, Any]:
            self.target.save(self.session.to_save(), overwrite=overwrite)
            self.session.saved()
            return self._view()

        return await self._locked(save)

    async def upload(self, request: Request) -> dict[str, Any]:
        """Read a file of recordings and start to learn from it."""
        query = read_query(UploadQuery, request)
        name, keep = file_name(query.name), query.keep == "yes"
        with_mistakes = self._with_mistakes
        if query.mistakes is not UNSET:
            with_mistakes = query.mistakes == "yes"
        if self.worker.is_busy:
            raise BusyError("busy with another task; wait until it is done, or cancel it")
        content = await read_body(request, self.limits.upload_bytes, self.limits.body_seconds)
        arguments = (
            content,
            name,
            query.procedure or None,
            self.session.state.source if keep else None,
            with_mistakes,
            self.limits,
        )

        def opened(source: GraphSource) -> str:
            with self._lock:
                self.session.opened(source, keep_graph=keep)
                self._with_mistakes = with_mistakes
            count = len(source.demonstrations or ())
            how = "evidence from" if keep else "learned from"
            return f"{how} {name}: {count} recordings, {len(source.graph.steps)} steps"

        job = await run_in_threadpool(self.worker.start, "upload", learn_upload, arguments, opened)
        return _job_view(job)

    async def relearn(self, request: Request) -> dict[str, Any]:
        """Start to learn again, with the pinned and forbidden edges."""
        await self._nothing(request)
        demonstrations = self._recordings("learn from")
        name = self.session.state.source.file_name
        arguments = (demonstrations, name, self.session.graph, self._with_mistakes)

        def relearned(found: GraphSource) -> str:
            with self._lock:
                changes = self.session.relearned(found)
            return f"learned again: {'; '.join(changes) or 'nothing changed'}"

        job = await run_in_threadpool(self.worker.start, "relearn", relearn, arguments, relearned)
        return _job_view(job)

    async def advise(self, request: Request) -> dict[str, Any]:
        """Start to work out what to record next."""
        await self._nothing(request)
        demonstrations = self._recordings("give advice on")
        constraints = self.session.state.edits.constraints
        arguments = (demonstrations, constraints)

        def advised(advice: Advice) -> str:
            with self._lock:
                self._advice = (demonstrations, _stated(constraints), advice)
            return "advice is ready"

        job = await run_in_threadpool(self.worker.start, "advice", give_advice, arguments, advised)
        return _job_view(job)

    async def advice(self, request: Request) -> dict[str, Any]:
        """Return the advice for the current recordings, if it is ready."""
        read_query(Nothing, request)
        with self._lock:
            known = self._advice
        state = self.session.state
        current = state.source.demonstrations
        if known is None or known[0] is not current or known[1] != _stated(state.edits.constraints):
            return {"ready": False, "possible": current is not None}
        return {"ready": True, "possible": True, **known[2].to_json()}

    async def job(self, request: Request) -> dict[str, Any]:
        """Return the state of the task."""
        read_query(Nothing, request)
        return _job_view(self.worker.job)

    async def cancel(self, request: Request) -> dict[str, Any]:
        """Stop the task."""
        await self._nothing(request)
        return _job_view(await run_in_threadpool(self.worker.cancel))

    def _recordings(self, what: str) -> Demonstrations:
        demonstrations = self.session.state.source.demonstrations
        if demonstrations is None:
            raise InputError(f"there are no recordings to {what}; upload a file of them first")
        return demonstrations

    async def _json(self, request: Request) -> Any:
        return await read_json(request, self.limits.body_bytes, self.limits.body_seconds)

    async def _nothing(self, request: Request) -> None:
        read_input(Nothing, await self._json(request))


def _needed(body: Edit, field: Literal["step", "needs", "value"]) -> Any:
    value = getattr(body, field)
    if value is UNSET:
        raise Problem(422, f"the edit {body.edit!r} has no {field!r}; add it")
    return value


def _stated(constraints: Constraints) -> Stated:
    """Return the constraints that advice depends on."""
    return constraints.required, tuple(constraints.never)


def _job_view(job: Job) -> dict[str, Any]:
    return {**dataclasses.asdict(job), "what": page_words(job.what)}
