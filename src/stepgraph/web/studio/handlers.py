"""What the studio answers to its page: each request reads or changes the one session."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from stepgraph.errors import InputError
from stepgraph.formats.json_text import finite_number
from stepgraph.insight import Advice
from stepgraph.sequences import Demonstrations
from stepgraph.web.service.bodies import fields, query, read_body, read_json, text
from stepgraph.web.service.problems import Problem
from stepgraph.web.studio.basis import Basis
from stepgraph.web.studio.limits import StudioLimits
from stepgraph.web.studio.session import StudioSession
from stepgraph.web.studio.target import SaveTarget
from stepgraph.web.studio.tasks import give_advice, learn_upload, relearn
from stepgraph.web.studio.upload import file_name
from stepgraph.web.studio.view import edge_view, replay_view, session_view, step_view
from stepgraph.web.studio.work import BusyError, Worker

_T = TypeVar("_T")

LONGEST_NAME = 1_000
"""Characters in a step's name, as requests carry it."""
PAIR_EDITS = ("add", "remove", "pin", "forbid", "free")
STEP_EDITS = {"optional": True, "required": False}


class Handlers:
    """What answers the page of one sitting.

    Parameters
    ----------
    session
        What is edited.
    target
        Where it is saved.
    limits
        How much may be asked for.
    with_mistakes
        Whether to learn also from recordings with marked mistakes.
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
        self._advice: tuple[Demonstrations, Advice] | None = None

    async def _locked(self, action: Callable[..., _T], *arguments: Any) -> _T:
        """Run what reads or changes the session in a thread, one at a time."""

        def run() -> _T:
            with self._lock:
                return action(*arguments)

        return await run_in_threadpool(run)

    def _view(self, said: tuple[str, ...] = ()) -> dict[str, Any]:
        return {**session_view(self.session, self.target), "said": list(said)}

    async def state(self, request: Request) -> dict[str, Any]:
        """Give all that the page shows at once."""
        query(request, ())
        return await self._locked(self._view)

    async def step(self, request: Request) -> dict[str, Any]:
        """Give what is known of a step."""
        name = _needed(query(request, ("step",)), "step")
        return await self._locked(step_view, self.session, name)

    async def edge(self, request: Request) -> dict[str, Any]:
        """Give what is known of a pair of steps."""
        values = query(request, ("step", "needs"))
        pair = _needed(values, "step"), _needed(values, "needs")
        return await self._locked(edge_view, self.session, *pair)

    async def replay(self, request: Request) -> dict[str, Any]:
        """Give what the monitor says of a recording."""
        name = _needed(query(request, ("recording",)), "recording")
        return await self._locked(replay_view, self.session, name)

    async def edit(self, request: Request) -> dict[str, Any]:
        """Make an edit, or take one back."""
        content = fields(await self._json(request), ("edit",), ("step", "needs", "value"))
        edit = text(content, "edit", 20)
        action = self._action(edit, content)

        def change() -> dict[str, Any]:
            if self.worker.is_busy and self.worker.job.kind != "advice":
                raise BusyError("the graph is being learned; wait until it is, or cancel that")
            return self._view(action() or ())

        return await self._locked(change)

    def _action(self, edit: str, content: dict[str, Any]) -> Callable[[], tuple[str, ...] | None]:
        session = self.session
        if edit in ("undo", "redo"):
            return session.undo if edit == "undo" else session.redo
        if edit in PAIR_EDITS:
            step, needs = (_field(content, name) for name in ("step", "needs"))
            method: Callable[[str, str], tuple[str, ...]] = getattr(session, edit)
            return lambda: method(step, needs)
        if edit in STEP_EDITS:
            step = _field(content, "step")
            return lambda: session.mark_optional(step, STEP_EDITS[edit])
        if edit == "threshold":
            value = content.get("value")
            threshold = finite_number(value)
            if threshold is None:
                raise Problem(422, f"'value' is {value!r:.40}; expected a number from 0 to 1")
            return lambda: session.set_threshold(threshold)
        known = ", ".join((*PAIR_EDITS, *STEP_EDITS, "threshold", "undo", "redo"))
        raise Problem(422, f"the edit is {edit!r}; expected one of {known}")

    async def save(self, request: Request) -> dict[str, Any]:
        """Write the graph to its file."""
        content = fields(await self._json(request), (), ("overwrite",))
        overwrite = content.get("overwrite", False)
        if not isinstance(overwrite, bool):
            raise Problem(422, f"'overwrite' is {overwrite!r:.40}; expected true or false")

        def save() -> dict[str, Any]:
            self.target.save(self.session.to_save(), overwrite=overwrite)
            self.session.saved()
            return self._view()

        return await self._locked(save)

    async def upload(self, request: Request) -> dict[str, Any]:
        """Take a file of recordings, and begin to learn from it."""
        values = query(request, ("name", "procedure", "keep"))
        name = file_name(_needed(values, "name"))
        if values.get("keep", "no") not in ("no", "yes"):
            raise Problem(422, f"'keep' is {values['keep']!r:.40}; expected yes or no")
        keep = values.get("keep") == "yes"
        if self.worker.is_busy:
            raise BusyError("busy with another task; wait until it is done, or cancel it")
        content = await read_body(request, self.limits.upload_bytes, self.limits.body_seconds)
        arguments = (
            content,
            name,
            values.get("procedure"),
            self.session.state.basis if keep else None,
            self._with_mistakes,
            self.limits,
        )

        def opened(basis: Basis) -> str:
            with self._lock:
                self.session.opened(basis, keep_graph=keep)
            count = len(basis.demonstrations or ())
            how = "evidence from" if keep else "learned from"
            return f"{how} {name}: {count} recordings, {len(basis.graph.steps)} steps"

        job = await run_in_threadpool(self.worker.start, "upload", learn_upload, arguments, opened)
        return dataclasses.asdict(job)

    async def relearn(self, request: Request) -> dict[str, Any]:
        """Begin to learn anew, with what is pinned and forbidden."""
        await self._nothing(request)
        basis, edits = self.session.state.basis, self.session.state.edits
        given = self._recordings("learn from")
        arguments = (given, basis.source, edits.must, edits.never, self._with_mistakes)

        def relearned(found: Basis) -> str:
            with self._lock:
                said = self.session.relearned(found)
            return "; ".join(("learned anew", *said))

        job = await run_in_threadpool(self.worker.start, "relearn", relearn, arguments, relearned)
        return dataclasses.asdict(job)

    async def advise(self, request: Request) -> dict[str, Any]:
        """Begin to work out what to record next."""
        await self._nothing(request)
        given = self._recordings("give advice on")

        def advised(advice: Advice) -> str:
            with self._lock:
                self._advice = (given, advice)
            return "advice is ready"

        job = await run_in_threadpool(self.worker.start, "advice", give_advice, (given,), advised)
        return dataclasses.asdict(job)

    async def advice(self, request: Request) -> dict[str, Any]:
        """Give the advice for the recordings at hand, if it has been worked out."""
        query(request, ())
        with self._lock:
            known = self._advice
        current = self.session.state.basis.demonstrations
        if known is None or known[0] is not current:
            return {"ready": False, "possible": current is not None}
        return {"ready": True, "possible": True, **known[1].to_json()}

    async def job(self, request: Request) -> dict[str, Any]:
        """Say how the work stands."""
        query(request, ())
        return dataclasses.asdict(self.worker.job)

    async def cancel(self, request: Request) -> dict[str, Any]:
        """Stop the work."""
        await self._nothing(request)
        return dataclasses.asdict(await run_in_threadpool(self.worker.cancel))

    def _recordings(self, what: str) -> Demonstrations:
        given = self.session.state.basis.demonstrations
        if given is None:
            raise InputError(f"there are no recordings to {what}; upload a file of them first")
        return given

    async def _json(self, request: Request) -> Any:
        return await read_json(request, self.limits.body_bytes, self.limits.body_seconds)

    async def _nothing(self, request: Request) -> None:
        fields(await self._json(request), (), ())


def _field(content: dict[str, Any], name: str) -> str:
    if name not in content:
        raise Problem(422, f"the body has no {name!r}; expected the name of a step")
    return text(content, name, LONGEST_NAME)


def _needed(values: dict[str, str], name: str) -> str:
    if name not in values:
        raise Problem(422, f"the query has no {name!r}")
    return values[name]
