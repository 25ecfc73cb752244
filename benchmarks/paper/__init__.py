"""Every table and figure of the paper, recomputed by one command.

`parts` lists them, `work` does and keeps the tasks behind them, and the other modules lay them out.
`Plan` says what a run computes and how long that takes; its `results` come one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from benchmarks.datasets.directory import data_directory
from benchmarks.harness import BenchmarkResult, Request, choose_rows
from benchmarks.paper.parts import PARTS, Part
from benchmarks.paper.work import LEFT_OUT, Outcome, Store, Task, compute
from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.learners import Progress

__all__ = ["PARTS", "Part", "Plan", "Store", "run", "whole"]

TITLE = "Differentiable Task Graph Learning (NeurIPS 2024): its tables and figures, recomputed"


@dataclass(frozen=True)
class Plan:
    """What a run computes.

    Parameters
    ----------
    parts
        The parts, each with the tasks that are asked for.
    request
        The request.
    finished
        The outcomes of tasks that need not be done again, by the tasks' names.
    quick
        Whether tasks that train a transformer are left out.
    notes
        What is wrong with files of finished tasks.
    """

    parts: Sequence[Part]
    request: Request
    finished: dict[str, Outcome] = field(default_factory=dict)
    quick: bool = False
    notes: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        request: Request,
        *,
        parts: Sequence[str] | None = None,
        quick: bool = False,
        store: Store | None = None,
    ) -> Plan:
        """Return the plan of a run.

        Parameters
        ----------
        request
            The request; its methods narrow the rows of all parts.
        parts
            The names of the parts; by default all.
        quick
            Whether to leave out tasks that train a transformer.
        store
            The tasks that are finished; by default none.

        Raises
        ------
        UnknownNameError
            If there is no such part or row.
        SettingError
            If no part has any of the rows.
        """
        chosen = [PARTS[name] for name in choose_rows(parts, PARTS, kind="part")]
        known = dict.fromkeys(
            task.method for part in PARTS.values() for task in part.tasks if task.method
        )
        for name in request.methods or ():
            if name not in known:
                raise UnknownNameError("method", name, known)
        if request.methods is not None:
            chosen = [_narrowed(part, request.methods) for part in chosen]
            chosen = [part for part in chosen if part.tasks]
        if not chosen:
            raise SettingError(
                f"none of the parts {', '.join(parts or ())} has a row "
                f"{', '.join(request.methods or ())}; leave out one of the two"
            )
        finished, notes = {}, []
        for task in _tasks(chosen) if store is not None else ():
            outcome, note = store.load(task)  # type: ignore[union-attr]
            notes += [note] if note else []
            if outcome is not None:
                finished[task.name] = outcome
        return cls(chosen, request, finished, quick, notes)

    def told(self, progress: Progress) -> Plan:
        """Return the same plan, which tells of its progress."""
        return replace(self, request=replace(self.request, progress=progress))

    def open_tasks(self, part: Part | None = None) -> list[Task]:
        """Return the tasks still to be done: all, or those that a part is the first to need."""
        seen: set[str] = set()
        found = []
        for own in self.parts:
            for task in own.tasks:
                wanted = not (self.quick and task.is_slow) and task.name not in self.finished
                if wanted and task.name not in seen:
                    seen.add(task.name)
                    found += [task] if part is None or own is part else []
        return found

    def seconds(self, part: Part | None = None) -> float:
        """Return how long the tasks still to be done are expected to take."""
        seeds = self.request.seeds
        return sum(task.expected_seconds(seeds) for task in self.open_tasks(part))

    def results(self, store: Store | None = None) -> Iterator[BenchmarkResult]:
        """Do the tasks, and yield each part as soon as it is ready.

        Parameters
        ----------
        store
            Where to keep finished tasks; by default nowhere.
        """
        outcomes = dict(self.finished)
        total, done = max(self.seconds(), 1e-9), 0.0
        for part in self.parts:
            for task in part.tasks:
                if task.name in outcomes:
                    continue
                if self.quick and task.is_slow:
                    outcomes[task.name] = Outcome(task, reason=LEFT_OUT)
                    continue
                expected = task.expected_seconds(self.request.seeds)
                outcome = compute(task, self._told(part, task, done, expected, total))
                outcomes[task.name] = outcome
                done += expected
                if store is not None and not outcome.reason:
                    store.save(outcome)
            result = part.lay_out([outcomes[task.name] for task in part.tasks])
            yield replace(result, benchmark=part.name, heading=part.table)
        self.request.progress(1000, 1000, "done")

    def left_out(self, part: Part) -> int:
        """Return how many rows of a part are neither finished nor to be computed."""
        open_ = [task for task in part.tasks if task.name not in self.finished]
        return sum(self.quick and task.is_slow for task in open_)

    def _told(self, part: Part, task: Task, done: float, expected: float, total: float) -> Request:
        """Return the request for a task, whose progress is told as part of the whole."""

        def progress(steps: int, of: int, what: str) -> None:  # noqa: ARG001 - too fine
            share = (done + expected * steps / max(of, 1)) / total
            self.request.progress(round(1000 * share), 1000, f"{part.name}: {task.name}")

        progress(0, 1, "")
        return replace(self.request, progress=progress)


def _narrowed(part: Part, methods: Sequence[str]) -> Part:
    return replace(part, tasks=tuple(task for task in part.tasks if task.method in methods))


def _tasks(parts: Sequence[Part]) -> list[Task]:
    return list({task.name: task for part in parts for task in part.tasks}.values())


def run(request: Request) -> BenchmarkResult:
    """Recompute every table and figure; with methods named, only their rows."""
    data_directory(request.data)
    return whole([*Plan.of(request).results()])


def whole(parts: Sequence[BenchmarkResult]) -> BenchmarkResult:
    """Return the page of the parts that are ready.

    Parameters
    ----------
    parts
        The parts.
    """
    return BenchmarkResult(
        "paper",
        TITLE,
        [{"part": part.benchmark, **row} for part in parts for row in part.rows],
        (),
        list(dict.fromkeys(note for part in parts for note in part.notes)),
        parts=parts,
        heading="The paper's tables and figures",
    )
