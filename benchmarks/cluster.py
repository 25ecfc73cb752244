"""Two Dask workers against one process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.generated import many_procedures
from benchmarks.scoring import timed
from stepgraph.errors import MissingExtraError
from stepgraph.runs import Workers, learn_run
from stepgraph.sequences import Demonstrations

DASK_SETTINGS: dict[str, object] = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
}
"""What Dask's scheduler and workers are started with; docs/logs.md says why."""
MEMORY_VARIABLES: dict[str, object] = {
    "MALLOC_MMAP_THRESHOLD_": 2**25,
    "MALLOC_TRIM_THRESHOLD_": 2**27,
}
"""What the environment of Dask's workers has; docs/logs.md says why."""


def as_variables(settings: dict[str, object]) -> dict[str, str]:
    """Return Dask's settings as the variables that it reads them from.

    Examples
    --------
    >>> as_variables({"distributed.admin.system-monitor.interval": "5s"})
    {'DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL': '5s'}
    """
    return {
        f"DASK_{name}".replace(".", "__").replace("-", "_").upper(): str(value)
        for name, value in settings.items()
    }


def two_workers(method: str, number: int, most: int, turns: int) -> dict[str, Any]:
    """Measure both, with the settings that the documentation advises and without any.

    Parameters
    ----------
    method
        What to learn with.
    number
        How many procedures.
    most
        How many of them a batch has.
    turns
        How often the two sides are measured, in turns; the fastest counts.
    """
    procedures = many_procedures(number)
    learn_run(procedures[:1], method, workers=Workers(1))  # loads what this process needs
    advised = _turns(procedures, method, most, turns, DASK_SETTINGS, MEMORY_VARIABLES)
    unset = _turns(procedures, method, most, turns, {}, {})
    seconds, reference = map(min, zip(*advised, strict=True))
    unset_seconds, unset_reference = map(min, zip(*unset, strict=True))
    return {
        "about": f"{number:,} procedures, {method}, two Dask workers against one process; "
        f"without the settings {unset_reference / unset_seconds:.2f}",
        "seconds": seconds,
        "reference_seconds": reference,
        "ratio": reference / seconds,
        "unset_ratio": unset_reference / unset_seconds,
        "must": "ratio at least 1.7",
        "turns": advised,
        "unset_turns": unset,
    }


def _turns(
    procedures: Sequence[Demonstrations],
    method: str,
    most: int,
    turns: int,
    settings: dict[str, object],
    variables: dict[str, object],
) -> list[list[float]]:
    """Return the seconds of two workers and of one process, turn after turn."""
    try:
        import dask
        from distributed import LocalCluster
    except ModuleNotFoundError:
        raise MissingExtraError("the measure 'cluster'", "cluster") from None

    def run(workers: Workers) -> float:
        return timed(lambda: learn_run(procedures, method, workers=workers, most=most))[0]

    environment = {"OMP_NUM_THREADS": 1, **variables, **as_variables(settings)}
    with (
        dask.config.set({**settings, "distributed.nanny.pre-spawn-environ": environment}),
        LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
    ):
        two = Workers(scheduler=cluster.scheduler_address)
        learn_run(procedures[:8], method, workers=two, most=1)  # loads what the workers need
        return [[run(two), run(Workers(1))] for _ in range(turns)]
