"""Workers: this process, other processes of this machine, or a cluster.

Garbage collection is part of it, because a run keeps much memory and frees little.
"""

from __future__ import annotations

import gc
import pickle
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from stepgraph.errors import MissingExtraError, SettingError, UnavailableError

Task = TypeVar("Task")
Result = TypeVar("Result")

PATIENCE = 10.0
"""Default maximum seconds to wait for a scheduler."""
DEATHS = ("KilledWorker", "ActorDiedError")
"""Names of the errors of Dask and Ray when a worker dies; names avoid the imports."""
ROUND = 4
"""Number of tasks for each worker in a round, for backends that return all results at once."""


class WorkerDiedError(Exception):
    """A worker ended before its task did."""


@dataclass(frozen=True)
class Workers:
    """The processes or the cluster that do the work.

    Parameters
    ----------
    number
        Number of processes; by default one for each core, or joblib's configuration.
    scheduler
        The address of a Dask scheduler, such as ``tcp://10.0.0.1:8786``; its workers need
        stepgraph.
    patience
        Maximum seconds to wait for the scheduler.

    Raises
    ------
    SettingError
        If the number is below 1.
    """

    number: int | None = None
    scheduler: str | None = None
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        if self.number is not None and self.number < 1:
            raise SettingError(f"workers is {self.number}; expected a whole number from 1 on")

    @contextmanager
    def map(
        self, work: Callable[[Task], Result]
    ) -> Iterator[Callable[[Iterable[Task]], Generator[Result, None, None]]]:
        """Give a function that yields the results of tasks as they come, in any order.

        A result must identify its task.

        Raises
        ------
        MissingExtraError
            If joblib, or Dask, is not installed and needed.
        UnavailableError
            If the scheduler does not answer.
        WorkerDiedError
            From the function: if a worker died.
        """
        with ExitStack() as stack:
            if self.scheduler is not None:
                stack.enter_context(self._dask(self.scheduler))
            elif self.number == 1 or not _joblib_is_there(self.number):
                yield lambda tasks: (work(task) for task in tasks)
                return
            yield lambda tasks: self._joblib(work, tasks)

    def _joblib(
        self, work: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Generator[Result, None, None]:
        import joblib
        from joblib.externals.loky.process_executor import BrokenProcessPool

        calls = (joblib.delayed(_unpacked)(work, pickle.dumps(task)) for task in tasks)
        results = self._results(calls)
        try:
            for result in results:
                yield pickle.loads(result)  # noqa: S301 - our own, from a worker
        except BrokenProcessPool as error:
            raise WorkerDiedError(str(error).splitlines()[0]) from None
        except Exception as error:
            if type(error).__name__ in DEATHS:
                raise WorkerDiedError(str(error).splitlines()[0]) from None
            raise
        finally:
            with warnings.catch_warnings():
                # Tasks are cancelled if the caller stops early.
                warnings.simplefilter("ignore")
                results.close()

    def _results(self, calls: Iterator[Any]) -> Generator[Any, None, None]:
        """Yield results as they come; in rounds if the backend returns all at once."""
        import joblib
        from joblib.parallel import get_active_backend

        jobs = self._jobs()
        backend, _ = get_active_backend()
        if backend.supports_return_generator:
            parallel = joblib.Parallel(
                n_jobs=jobs,
                return_as="generator_unordered",
                pre_dispatch="2 * n_jobs",
                batch_size=1,
            )
            with closing(parallel(calls)) as results:
                yield from results
            return
        with joblib.Parallel(n_jobs=jobs, batch_size=1) as together:  # Ray's is of this kind
            while some := list(islice(calls, ROUND * joblib.effective_n_jobs(jobs))):
                yield from together(some)

    def _jobs(self) -> int | None:
        if self.number is not None:
            return self.number
        from joblib.parallel import get_active_backend

        backend, configured = get_active_backend()
        # None, or joblib's own default: no number was chosen.
        unsaid = configured is None or (type(backend).__name__ == "LokyBackend" and configured == 1)
        return -1 if unsaid or self.scheduler is not None else configured

    @contextmanager
    def _dask(self, address: str) -> Iterator[None]:
        try:
            import joblib
            from dask.distributed import Client
        except ModuleNotFoundError:
            raise MissingExtraError("a cluster (scheduler)", "cluster") from None
        try:
            client = Client(  # type: ignore[no-untyped-call]
                address, timeout=self.patience, set_as_default=False
            )
        except (OSError, ValueError, TimeoutError) as error:
            reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
            raise UnavailableError(
                f"the scheduler {address!r} did not answer within {self.patience:g} s ({reason}); "
                "is it running, and is this its address? 'dask scheduler' prints it"
            ) from None
        with client:
            if not client.scheduler_info()["workers"]:
                raise UnavailableError(
                    f"the scheduler {address!r} has no workers; start one with "
                    f"'dask worker {address}' where stepgraph is installed"
                )
            with joblib.parallel_config(backend="dask", client=client):
                yield


def _unpacked(work: Callable[[Task], Any], task: bytes) -> bytes:
    """Do a task given as bytes and return its result as bytes."""
    with no_collection():
        return pickle.dumps(work(pickle.loads(task)))  # noqa: S301 - our own, from the caller


def _joblib_is_there(number: int | None) -> bool:
    try:
        import joblib  # noqa: F401
    except ModuleNotFoundError:
        if number is not None:
            raise MissingExtraError(
                "more than one worker", "cluster", "or leave workers=N out"
            ) from None
        return False
    return True


@contextmanager
def no_collection() -> Iterator[None]:
    """Pause garbage collection inside the block.

    A batch makes no reference cycles, and the search for them took a fifth of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def set_aside() -> Iterator[None]:
    """Exclude existing objects from garbage collection inside the block.

    The recordings of thousands of procedures exist before a run and stay until its end.
    """
    mine = not gc.get_freeze_count()  # otherwise the caller has frozen them
    if mine:
        gc.freeze()
    try:
        yield
    finally:
        if mine:
            gc.unfreeze()
