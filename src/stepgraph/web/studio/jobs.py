"""Long tasks in a separate process, with progress, cancelling and a time limit.

`Worker` runs one task at a time: learning from a file, learning again, or giving advice.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any, Literal

from stepgraph.errors import InputError, StepgraphError
from stepgraph.graph import Constraints, TaskGraph
from stepgraph.insight import Advice, advise
from stepgraph.pipeline import LearningOptions, learn_together
from stepgraph.sequences import Demonstrations
from stepgraph.web.studio.files import read_upload
from stepgraph.web.studio.graph_source import METHOD, GraphSource
from stepgraph.web.studio.limits import StudioLimits

Stage = Literal["idle", "running", "done", "failed", "cancelled"]
Report = Callable[[float, str], None]
"""Called with the progress, from 0 to 1, and the current activity in words."""
Task = Callable[..., Any]
"""A picklable function whose first argument is a `Report`; its arguments are picklable too."""


@dataclass(frozen=True)
class Job:
    """The state of a task.

    Parameters
    ----------
    number
        The number of the task, from 1 on; 0 before the first.
    kind
        The kind of task.
    stage
        Its stage.
    done
        Its progress, from 0 to 1.
    what
        Its current activity, or the reason of its failure, in words.
    seconds
        The time so far.
    about
        Details of a failure, such as names to choose from.
    """

    number: int = 0
    kind: str = ""
    stage: Stage = "idle"
    done: float = 0.0
    what: str = ""
    seconds: float = 0.0
    about: tuple[str, ...] = ()


class Worker:
    """Runs one task at a time in another process.

    Parameters
    ----------
    seconds
        Maximum time for a task.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._job = Job()
        self._began = 0.0
        self._process: Any = None
        self._keeping = False  # the result is being applied, too late to cancel
        self._thread: threading.Thread | None = None

    @property
    def job(self) -> Job:
        """The state of the last task."""
        with self._lock:
            job = self._job
            if job.stage == "running":
                job = replace(job, seconds=time.monotonic() - self._began)
            return job

    @property
    def is_busy(self) -> bool:
        """Whether a task is running."""
        return self.job.stage == "running"

    def start(
        self, kind: str, task: Task, arguments: tuple[Any, ...], finish: Callable[[Any], str]
    ) -> Job:
        """Start a task.

        Parameters
        ----------
        kind
            The kind of task, for the page.
        task, arguments
            The function to call in the other process, and its arguments after the `Report`.
        finish
            Called with the result, in a thread of this process; returns the outcome in words.

        Raises
        ------
        BusyError
            If a task is already running.
        """
        with self._lock:
            if self._job.stage == "running":
                raise BusyError(f"busy with another task ({self._job.kind}); wait, or cancel it")
            self._job = Job(self._job.number + 1, kind, "running", 0.0, "starting")
            self._began = time.monotonic()
            self._keeping = False
            # Spawn, because a fork would copy the locks of this process's threads.
            context = multiprocessing.get_context("spawn")
            here, there = context.Pipe(duplex=False)
            self._process = context.Process(
                target=_work, args=(there, task, arguments), daemon=True
            )
            self._process.start()
            there.close()
            self._thread = threading.Thread(
                target=self._watch,
                args=(self._job.number, here, self._process, finish),
                daemon=True,
            )
            self._thread.start()
        return self.job

    def cancel(self) -> Job:
        """Stop the task and discard its result."""
        with self._lock:
            if self._job.stage == "running" and not self._keeping:
                self._settle("cancelled", "cancelled")
                self._process.kill()
        return self.job

    def close(self) -> None:
        """Stop the task and wait until its process has ended."""
        self.cancel()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _watch(
        self, number: int, pipe: Connection, process: Any, finish: Callable[[Any], str]
    ) -> None:
        """Follow the other process until it succeeds, fails, is cancelled or takes too long."""
        limit = self._began + self._seconds
        try:
            while True:
                if not pipe.poll(max(limit - time.monotonic(), 0.0)):
                    self._end(
                        number,
                        "failed",
                        f"stopped after {self._seconds:g} s, the time limit; try fewer "
                        "recordings or fewer steps",
                    )
                    return
                kind, *content = pipe.recv()
                if kind == "progress":
                    self._progress(number, *content)
                elif kind == "failed":
                    self._end(number, "failed", *content)
                    return
                else:
                    self._finish(number, finish, content[0])
                    return
        except (EOFError, OSError):
            why = "the process ended unexpectedly, perhaps for lack of memory"
            self._end(number, "failed", why)
        finally:
            process.kill()
            process.join()
            process.close()
            pipe.close()

    def _runs(self, number: int) -> bool:
        """Return whether a task is still running, neither cancelled nor followed by another."""
        return self._job.number == number and self._job.stage == "running"

    def _progress(self, number: int, done: float, what: str) -> None:
        with self._lock:
            if self._runs(number):
                self._job = replace(self._job, done=done, what=what)

    def _finish(self, number: int, finish: Callable[[Any], str], result: Any) -> None:
        with self._lock:
            if not self._runs(number):
                return
            self._keeping = True
        try:
            outcome = finish(result)
        except StepgraphError as error:
            self._end(number, "failed", str(error))
            return
        self._end(number, "done", outcome)

    def _end(self, number: int, stage: Stage, what: str, about: tuple[str, ...] = ()) -> None:
        with self._lock:
            if self._runs(number):
                self._settle(stage, what, about)

    def _settle(self, stage: Stage, what: str, about: tuple[str, ...] = ()) -> None:
        seconds = time.monotonic() - self._began
        done = 1.0 if stage == "done" else self._job.done
        self._job = Job(self._job.number, self._job.kind, stage, done, what, seconds, about)


class BusyError(StepgraphError):
    """Another task is running."""


def _work(pipe: Connection, task: Task, arguments: tuple[Any, ...]) -> None:
    """Run a task in the other process."""
    # Ctrl-C in the terminal reaches every process; the studio ends this one itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        result = task(lambda done, what: pipe.send(("progress", done, what)), *arguments)
    except StepgraphError as error:
        pipe.send(("failed", str(error), tuple(getattr(error, "choices", ()))))
    except MemoryError:
        pipe.send(("failed", "the task needs more memory than there is", ()))
    except Exception as error:  # the page must always learn that the task ended
        pipe.send(("failed", f"the task failed ({type(error).__name__}: {error})", ()))
    else:
        pipe.send(("done", result))


class SeveralProceduresError(InputError):
    """A file holds several procedures, and none of them is chosen."""

    def __init__(self, name: str, choices: Iterable[str]) -> None:
        self.choices = tuple(choices)
        super().__init__(f"{name}: {len(self.choices)} procedures; choose one of them")


def learn_upload(
    report: Report,
    content: bytes,
    name: str,
    procedure: str | None,
    keep: GraphSource | None,
    with_mistakes: bool,
    limits: StudioLimits,
) -> GraphSource:
    """Return the source of an uploaded file.

    Parameters
    ----------
    report
        Called with the progress.
    content, name, procedure, limits
        As for `read_upload`.
    keep
        A source whose graph stays, with the recordings as its evidence; None to learn a new graph.
    with_mistakes
        Whether to learn also from recordings with marked mistakes.

    Raises
    ------
    InputError
        If the file cannot be read, holds several procedures, or not the graph's procedure.
    """
    report(0.1, f"reading {name}")
    reading = read_upload(content, name, limits, procedure)
    if len(reading.procedures) > 1:
        raise SeveralProceduresError(name, reading.procedures)
    (demonstrations,) = reading.procedures.values()
    if keep is not None:
        if not set(keep.graph.steps) & set(demonstrations.vocabulary.steps):
            raise InputError(f"{name}: none of its steps is in the graph; is it another procedure?")
        report(0.6, f"counting evidence in {len(demonstrations)} recordings")
        return keep.with_recordings(demonstrations, name, reading.notes)
    options = LearningOptions(METHOD, with_mistakes=with_mistakes)
    return _learned(report, demonstrations, name, reading.notes, options)


def relearn(
    report: Report,
    demonstrations: Demonstrations,
    file_name: str,
    graph: TaskGraph,
    with_mistakes: bool,
) -> GraphSource:
    """Return the source learned from recordings under the constraints of a graph.

    The settings are those of the graph, if it was learned with the studio's method.

    Parameters
    ----------
    report
        Called with the progress.
    demonstrations, file_name
        The recordings, and the name of their file.
    graph
        The graph; constraints on steps that are not in the recordings are ignored.
    with_mistakes
        Whether to learn also from recordings with marked mistakes.

    Raises
    ------
    InputError
        If the constraints contradict each other.
    """
    same_method = graph.provenance.method == METHOD
    options = LearningOptions.of_graph(graph) if same_method else LearningOptions(METHOD)
    options = replace(
        options,
        constraints=graph.constraints.among(demonstrations.vocabulary.steps),
        with_mistakes=with_mistakes or options.with_mistakes,
    )
    return _learned(report, demonstrations, file_name, (), options)


def give_advice(report: Report, demonstrations: Demonstrations, constraints: Constraints) -> Advice:
    """Return advice on what to record next; constraints count as answered questions."""
    report(0.2, "comparing all pairs of steps")
    return advise(demonstrations, constraints=constraints)


def _learned(
    report: Report,
    demonstrations: Demonstrations,
    name: str,
    notes: tuple[str, ...],
    options: LearningOptions,
) -> GraphSource:
    steps = len(demonstrations.vocabulary)
    about = f"learning from {len(demonstrations)} recordings of {steps} steps"

    def tell(done: int, total: int, what: str) -> None:  # noqa: ARG001 - the learner's signature
        report(0.25 + 0.65 * done / total, about)

    report(0.25, about)
    (learning,) = learn_together([demonstrations], options, progress=tell)
    report(0.9, f"counting evidence in {len(demonstrations)} recordings")
    return GraphSource.of_learning(learning, demonstrations, name, notes)
