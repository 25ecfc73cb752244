"""What the studio answers to its page: each request reads or changes the one session."""

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
    """An edit of a pair of steps, of one step or of the threshold; or one taken back."""

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
    """Whether to overwrite what another program wrote."""

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
    """How to take a file of recordings."""

    name: str
    procedure: str | UnsetType = UNSET
    keep: Literal["no", "yes"] = "no"
    mistakes: Literal["no", "yes"] | UnsetType = UNSET


class Handlers:
    """What answers the page of one studio.

    Parameters
    ----------
    session
        What is edited.
    target
        Where it is saved.
    limits
        How much may be asked for.
    with_mistakes
        Whether to learn also from recordings with marked mistakes, until an upload chooses.
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
        """Run what reads or changes the session in a thread, one at a time."""

        def run() -> _T:
            with self._lock:
                return action(*arguments)

        return await run_in_threadpool(run)

    def _view(self, said: tuple[str, ...] = ()) -> dict[str, Any]:
        return {
            **session_view(self.session, self.target),
            "with_mistakes": self._with_mistakes,
            "said": list(said),
        }

    async def state(self, request: Request) -> dict[str, Any]:
        """Give all that the page shows at once."""
        read_query(Nothing, request)
        return await self._locked(self._view)

    async def step(self, request: Request) -> dict[str, Any]:
        """Give what is known of a step."""
        name = read_query(StepQuery, request).step
        return await self._locked(step_view, self.session, name)

    async def edge(self, request: Request) -> dict[str, Any]:
        """Give what is known of a pair of steps."""
        pair = read_query(EdgeQuery, request)
        return await self._locked(edge_view, self.session, pair.step, pair.needs)

    async def replay(self, request: Request) -> dict[str, Any]:
        """Give what the monitor says of a recording."""
        name = read_query(ReplayQuery, request).recording
        return await self._locked(replay_view, self.session, name)

    async def edit(self, request: Request) -> dict[str, Any]:
        """Make an edit, or take one back."""
        action = self._action(read_input(Edit, await self._json(request)))

        def change() -> dict[str, Any]:
            if self.worker.is_busy and self.worker.job.kind != "advice":
                raise BusyError("the graph is being learned; wait until it is, or cancel that")
            return self._view(action() or ())

        return await self._locked(change)

    def _action(self, asked: Edit) -> Callable[[], tuple[str, ...] | None]:
        session, edit = self.session, asked.edit
        if edit in ("undo", "redo"):
            return session.undo if edit == "undo" else session.redo
        if edit == "threshold":
            value = _needed(asked, "value")
            return lambda: session.set_threshold(value)
        step = _needed(asked, "step")
        if edit in STEP_EDITS:
            return lambda: session.mark_optional(step, STEP_EDITS[edit])
        needs = _needed(asked, "needs")
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
        """Take a file of recordings, and begin to learn from it."""
        asked = read_query(UploadQuery, request)
        name, keep = file_name(asked.name), asked.keep == "yes"
        with_mistakes = self._with_mistakes
        if asked.mistakes is not UNSET:
            with_mistakes = asked.mistakes == "yes"
        if self.worker.is_busy:
            raise BusyError("busy with another task; wait until it is done, or cancel it")
        content = await read_body(request, self.limits.upload_bytes, self.limits.body_seconds)
        arguments = (
            content,
            name,
            asked.procedure or None,
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
        """Begin to learn again, with what is pinned and forbidden."""
        await self._nothing(request)
        given = self._recordings("learn from")
        name = self.session.state.source.file_name
        arguments = (given, name, self.session.graph, self._with_mistakes)

        def relearned(found: GraphSource) -> str:
            with self._lock:
                said = self.session.relearned(found)
            return f"learned again: {'; '.join(said)}" if said else "learned again: nothing changed"

        job = await run_in_threadpool(self.worker.start, "relearn", relearn, arguments, relearned)
        return _job_view(job)

    async def advise(self, request: Request) -> dict[str, Any]:
        """Begin to work out what to record next."""
        await self._nothing(request)
        given = self._recordings("give advice on")
        constraints = self.session.state.edits.constraints
        arguments = (given, constraints)

        def advised(advice: Advice) -> str:
            with self._lock:
                self._advice = (given, _stated(constraints), advice)
            return "advice is ready"

        job = await run_in_threadpool(self.worker.start, "advice", give_advice, arguments, advised)
        return _job_view(job)

    async def advice(self, request: Request) -> dict[str, Any]:
        """Give the advice for the recordings at hand, if it has been worked out."""
        read_query(Nothing, request)
        with self._lock:
            known = self._advice
        state = self.session.state
        current = state.source.demonstrations
        if known is None or known[0] is not current or known[1] != _stated(state.edits.constraints):
            return {"ready": False, "possible": current is not None}
        return {"ready": True, "possible": True, **known[2].to_json()}

    async def job(self, request: Request) -> dict[str, Any]:
        """Say how the work stands."""
        read_query(Nothing, request)
        return _job_view(self.worker.job)

    async def cancel(self, request: Request) -> dict[str, Any]:
        """Stop the work."""
        await self._nothing(request)
        return _job_view(await run_in_threadpool(self.worker.cancel))

    def _recordings(self, what: str) -> Demonstrations:
        given = self.session.state.source.demonstrations
        if given is None:
            raise InputError(f"there are no recordings to {what}; upload a file of them first")
        return given

    async def _json(self, request: Request) -> Any:
        return await read_json(request, self.limits.body_bytes, self.limits.body_seconds)

    async def _nothing(self, request: Request) -> None:
        read_input(Nothing, await self._json(request))


def _needed(asked: Edit, field: Literal["step", "needs", "value"]) -> Any:
    value = getattr(asked, field)
    if value is UNSET:
        raise Problem(422, f"the edit {asked.edit!r} has no {field!r}; add it")
    return value


def _stated(constraints: Constraints) -> Stated:
    """Return what advice depends on."""
    return constraints.required, tuple(constraints.never)


def _job_view(job: Job) -> dict[str, Any]:
    return {**dataclasses.asdict(job), "what": page_words(job.what)}
