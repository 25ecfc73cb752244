"""Learning many procedures: batches, workers, and checkpoints of finished batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Protocol

from stepgraph.errors import InputError
from stepgraph.learners import Progress, no_progress
from stepgraph.pipeline.options import LearningOptions
from stepgraph.pipeline.outcomes import Checkpoint, Outcome, fingerprint_of, learn_batch
from stepgraph.pipeline.workers import WorkerDiedError, Workers, set_aside
from stepgraph.sequences import Demonstrations

MOST_PROCEDURES = 250
"""Maximum number of procedures in a batch: enough to share the cost of an epoch's many small
operations, few enough that a run has more batches than workers."""
MOST_PAIRS = 4_000_000
"""Maximum number of pairs of steps in the sequences of a batch; a larger procedure is a batch of
its own, which the learner cuts into chunks."""
UNBOUNDED = 2**62
"""No limit."""


Fetch = Callable[[Sequence[str]], Sequence[Demonstrations]]
"""Returns the recordings of some procedures, by their names."""


class Sized(Protocol):
    """The name and size of a procedure, known before its recordings are read."""

    @property
    def name(self) -> str:
        """The name of the procedure."""

    @property
    def variants(self) -> int:
        """Number of distinct sequences."""

    @property
    def longest(self) -> int:
        """The length of its longest sequence."""


@dataclass(frozen=True)
class Batch:
    """Procedures that are learned together.

    Parameters
    ----------
    number
        Its number among the batches, from 0.
    procedures
        Their names.
    """

    number: int
    procedures: tuple[str, ...]


def cut_batches(
    sizes: Iterable[Sized],
    *,
    most: int = MOST_PROCEDURES,
    most_pairs: int = MOST_PAIRS,
) -> list[Batch]:
    """Cut procedures into batches of similar size.

    The batches depend on the procedures alone, never on the number of workers, so the results do
    not either. If there are several batches, the first and cheapest is cut again into a half, a
    quarter and two eighths: done last, these let all workers end together.

    Parameters
    ----------
    sizes
        The procedures.
    most, most_pairs
        Maximum number of procedures, and of pairs of steps, in a batch.

    Examples
    --------
    >>> from stepgraph.logs import ProcedureSize
    >>> lengths = {"a": 5, "b": 50, "c": 6, "d": 51}
    >>> sizes = [ProcedureSize(name, 3, 9, longest) for name, longest in lengths.items()]
    >>> [batch.procedures for batch in cut_batches(sizes, most=2)]
    [('a',), ('c',), ('b', 'd')]
    """
    batches = _full_batches(sizes, most, most_pairs)
    if len(batches) > 1:
        first = batches[0]
        ends = [len(first) // part for part in (8, 4, 2, 1)]
        pieces = [first[start:end] for start, end in pairwise([0, *ends])]
        batches[:1] = [piece for piece in pieces if piece]
    return [Batch(number, names) for number, names in enumerate(batches)]


def _full_batches(sizes: Iterable[Sized], most: int, most_pairs: int) -> list[tuple[str, ...]]:
    batches: list[tuple[str, ...]] = []
    names: list[str] = []
    pairs = 0
    for size in sorted(sizes, key=lambda size: (size.longest, size.variants, size.name)):
        own = size.variants * (size.longest + 2) ** 2
        if names and (len(names) == most or pairs + own > most_pairs):
            batches.append(tuple(names))
            names, pairs = [], 0
        names.append(size.name)
        pairs += own
    if names:
        batches.append(tuple(names))
    return batches


@dataclass(frozen=True)
class LearningReport:
    """The outcomes of many procedures.

    Parameters
    ----------
    outcomes
        One for each procedure, in the order given.
    batches, resumed
        Number of batches, and of those that an earlier run had finished.
    notes
        Sentences about the run, such as about a worker that died.
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


@dataclass(frozen=True, eq=False)  # joblib's Dask backend hashes it, and options are not hashable
class _Work:
    """The work of one task; it goes to other processes, so it holds plain values only."""

    options: LearningOptions
    progress: Progress = no_progress

    def __call__(self, task: _Task) -> tuple[int, str, list[Outcome]]:
        outcomes = learn_batch(task.procedures, self.options, self.progress)
        return task.batch.number, task.fingerprint, outcomes


def learn_procedures(
    procedures: Iterable[Demonstrations] | Iterable[Sized],
    options: LearningOptions | None = None,
    *,
    fetch: Fetch | None = None,
    workers: Workers | int | None = None,
    checkpoint: str | Path | None = None,
    progress: Progress = no_progress,
    most: int = MOST_PROCEDURES,
    most_pairs: int = MOST_PAIRS,
) -> LearningReport:
    """Learn the graphs of many procedures.

    Parameters
    ----------
    procedures
        Their recordings; or their sizes, such as a `Log` has them, with `fetch` to get the
        recordings of a batch when its turn comes.
    options
        How to learn.
    fetch
        Returns the recordings of some procedures.
    workers
        The workers, or the number of processes; by default one for each core.
    checkpoint
        A folder that keeps finished batches, so that an interrupted run goes on from there.
    progress
        Called with the number of procedures done; in a single batch, with the progress of learning.
    most, most_pairs
        The limits of a batch; see `cut_batches`.

    Raises
    ------
    StepgraphError
        If the run as a whole fails; the failure of a single procedure is in the report.

    Examples
    --------
    >>> tea = Demonstrations.from_steps([["boil", "pour"]], procedure="tea")
    >>> egg = Demonstrations.from_steps([["crack", "whisk", "fry"]], procedure="egg")
    >>> report = learn_procedures([tea, egg], LearningOptions("intersection"))
    >>> [outcome.graph for outcome in report.outcomes]
    [TaskGraph('tea', 2 steps, 3 edges), TaskGraph('egg', 3 steps, 4 edges)]
    """
    options = options or LearningOptions()
    sizes, fetch = _sizes(procedures, fetch)
    if options.learner().learns_from_all:
        most, most_pairs = max(len(sizes), 1), UNBOUNDED
    batches = cut_batches(sizes, most=most, most_pairs=most_pairs)
    team = workers if isinstance(workers, Workers) else Workers(workers)
    if len(batches) <= 1 and team.scheduler is None:
        team = Workers(1)
        work = _Work(options, progress)
    else:
        work = _Work(options)
    run = _Run(batches, fetch, work, progress)
    with set_aside():
        run.go(team, None if checkpoint is None else Checkpoint(checkpoint))
    place = {size.name: number for number, size in enumerate(sizes)}
    return LearningReport(
        tuple(sorted(run.outcomes, key=lambda outcome: place[outcome.procedure])),
        len(batches),
        run.resumed,
        tuple(run.notes),
    )


class _Run:
    """The state of a run."""

    def __init__(self, batches: list[Batch], fetch: Fetch, work: _Work, progress: Progress) -> None:
        self._pending = {batch.number: batch for batch in batches}
        self._fetch = fetch
        self._work = work
        self._progress = progress
        self._total = sum(len(batch.procedures) for batch in batches)
        self._lock = Lock()  # joblib takes tasks in threads of its own
        self.outcomes: list[Outcome] = []
        self._failed = 0
        self.resumed = 0
        self.notes: list[str] = []

    def go(self, workers: Workers, checkpoint: Checkpoint | None) -> None:
        """Do all batches; retry those whose worker dies, then one at a time.

        The largest come first, so that all workers end at about the same time.
        """
        self._tell()
        deaths = 0
        with workers.map(self._work) as run:
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
                fingerprint = fingerprint_of(given, self._work.options)
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
