"""A run over many procedures: batches out, outcomes in, progress, failures, checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from stepgraph.errors import InputError
from stepgraph.learners import Progress, get_learner, no_progress
from stepgraph.pipeline import DEFAULT_METHOD, with_constraints
from stepgraph.runs.batches import MOST_PAIRS, MOST_PROCEDURES, Batch, Sized, cut_batches
from stepgraph.runs.checkpoint import Checkpoint, fingerprint_of
from stepgraph.runs.collection import set_aside
from stepgraph.runs.outcome import Outcome, learn_batch
from stepgraph.runs.workers import WorkerDiedError, Workers
from stepgraph.sequences import Demonstrations

Fetch = Callable[[Sequence[str]], Sequence[Demonstrations]]
"""Returns the recordings of some procedures, by their names."""


@dataclass(frozen=True)
class RunReport:
    """What became of a run.

    Parameters
    ----------
    outcomes
        One for each procedure, by name.
    batches, resumed
        How many batches there were, and how many an earlier run had finished.
    notes
        What happened on the way, such as a worker that died.
    """

    outcomes: tuple[Outcome, ...]
    batches: int
    resumed: int = 0
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The procedures that failed."""
        return tuple(outcome for outcome in self.outcomes if outcome.error)

    @property
    def learned(self) -> tuple[Outcome, ...]:
        """The procedures that were learned."""
        return tuple(outcome for outcome in self.outcomes if not outcome.error)


@dataclass(frozen=True, eq=False)
class _Task:
    batch: Batch
    fingerprint: str
    procedures: tuple[Demonstrations, ...]


@dataclass(frozen=True, eq=False)  # joblib's Dask backend hashes it, and options are no hashable
class _Work:
    """What a worker does; it goes to other processes, so it holds nothing but plain values."""

    method: str
    options: Mapping[str, Any]

    def __call__(self, task: _Task) -> tuple[int, str, list[Outcome]]:
        outcomes = learn_batch(task.procedures, self.method, self.options)
        return task.batch.number, task.fingerprint, outcomes


def learn_run(
    procedures: Iterable[Demonstrations] | Iterable[Sized],
    method: str = DEFAULT_METHOD,
    *,
    fetch: Fetch | None = None,
    workers: Workers | None = None,
    checkpoint: str | Path | None = None,
    progress: Progress = no_progress,
    most: int = MOST_PROCEDURES,
    most_pairs: int = MOST_PAIRS,
    **options: Any,
) -> RunReport:
    """Learn the graphs of many procedures.

    Parameters
    ----------
    procedures
        Their recordings; or their sizes, such as a `Log` has them, with `fetch` to get the
        recordings of a batch when its turn comes.
    method
        A name in `stepgraph.learners.LEARNERS`.
    fetch
        Returns the recordings of some procedures.
    workers
        Who does the work; by default one process for each core.
    checkpoint
        A folder that keeps finished batches, so that an interrupted run goes on from there.
    progress
        Told how many procedures are done.
    most, most_pairs
        How large a batch may be; see `cut_batches`.
    **options
        Those of `stepgraph.pipeline.learn_all`: seed, threshold, relaxed, with_mistakes, settings.

    Raises
    ------
    StepgraphError
        If something is wrong with the run as a whole; a procedure's own failure is in the report.
    """
    reserved = ("seed", "threshold", "relaxed", "with_mistakes")
    settings = {name: value for name, value in options.items() if name not in reserved}
    get_learner(method, **with_constraints(settings))
    sizes, fetch = _sizes(procedures, fetch)
    batches = cut_batches(sizes, most=most, most_pairs=most_pairs)
    run = _Run(batches, fetch, _Work(method, options), progress)
    with set_aside():
        run.go(workers or Workers(), None if checkpoint is None else Checkpoint(checkpoint))
    return RunReport(
        tuple(sorted(run.outcomes, key=lambda outcome: outcome.procedure)),
        len(batches),
        run.resumed,
        tuple(run.notes),
    )


class _Run:
    """A run on its way."""

    def __init__(self, batches: list[Batch], fetch: Fetch, work: _Work, progress: Progress) -> None:
        self._pending = {batch.number: batch for batch in batches}
        self._fetch = fetch
        self._work = work
        self._progress = progress
        self._total = sum(len(batch.procedures) for batch in batches)
        self._lock = Lock()  # joblib asks for tasks from threads of its own
        self.outcomes: list[Outcome] = []
        self._failed = 0
        self.resumed = 0
        self.notes: list[str] = []

    def go(self, workers: Workers, checkpoint: Checkpoint | None) -> None:
        """Do all batches; those whose worker dies are tried again, then one at a time.

        The largest come first, so that all workers end at about the same time.
        """
        self._tell()
        alone = Workers(1) if len(self._pending) <= 1 and workers.scheduler is None else workers
        deaths = 0
        with alone.map(self._work) as run:
            while self._pending:
                before = len(self._pending)
                try:
                    # One batch at a time after two deaths, to find the one that kills its worker.
                    wanted = list(self._pending.values())[::-1][: 1 if deaths > 1 else None]
                    with closing(run(self._tasks(wanted, checkpoint))) as results:
                        for number, fingerprint, outcomes in results:
                            if checkpoint is not None:
                                checkpoint.keep(fingerprint, outcomes)
                            self._done(number, outcomes)
                    if deaths > 1 and len(self._pending) < before:
                        deaths = 1 if self._pending else 0
                except WorkerDiedError as error:
                    self._died(wanted, deaths, str(error))
                    deaths += 1

    def _tasks(self, wanted: list[Batch], checkpoint: Checkpoint | None) -> Iterator[_Task]:
        for batch in wanted:
            given = tuple(self._fetch(batch.procedures))
            fingerprint = ""
            if checkpoint is not None:
                fingerprint = fingerprint_of(given, self._work.method, self._work.options)
                earlier = checkpoint.find(fingerprint)
                if earlier is not None:
                    self.resumed += 1
                    self._done(batch.number, earlier)
                    continue
            yield _Task(batch, fingerprint, given)

    def _done(self, number: int, outcomes: Sequence[Outcome]) -> None:
        with self._lock:
            if self._pending.pop(number, None) is not None:
                self.outcomes += outcomes
                self._failed += sum(bool(outcome.error) for outcome in outcomes)
                self._tell()

    def _died(self, wanted: list[Batch], deaths: int, reason: str) -> None:
        if deaths <= 1:
            self.notes.append(f"a worker died ({reason:.200}); its batches are tried again")
            return
        (batch,) = wanted
        if len(batch.procedures) == 1:
            error = f"its worker died, out of memory perhaps ({reason:.200})"
            self._done(batch.number, [Outcome(batch.procedures[0], error=error)])
            return
        # Each half becomes a batch of its own, until the procedure that kills is found.
        del self._pending[batch.number]
        middle = len(batch.procedures) // 2
        for half in (batch.procedures[:middle], batch.procedures[middle:]):
            number = max(self._pending, default=batch.number) + 1
            number = max(number, batch.number + 1)
            self._pending[number] = Batch(number, half)

    def _tell(self) -> None:
        said = f", {self._failed} failed" if self._failed else ""
        done = len(self.outcomes)
        self._progress(done, self._total, f"{done} of {self._total} procedures learned{said}")


@dataclass(frozen=True)
class _Size:
    name: str
    variants: int
    longest: int


def _sizes(
    procedures: Iterable[Demonstrations] | Iterable[Sized], fetch: Fetch | None
) -> tuple[list[Sized], Fetch]:
    if fetch is not None:
        return list(procedures), fetch  # type: ignore[arg-type]
    given: dict[str, Demonstrations] = {}
    for one in procedures:
        if not isinstance(one, Demonstrations):
            raise InputError(f"a run got {type(one).__name__}; expected Demonstrations")
        if one.procedure in given:
            raise InputError(f"two procedures are called {one.procedure!r}; names must differ")
        given[one.procedure] = one
    sizes: list[Sized] = [
        _Size(name, len(one.sequences), max([len(sequence.steps) for sequence in one.sequences]))
        for name, one in given.items()
    ]
    return sizes, lambda names: [given[name] for name in names]
