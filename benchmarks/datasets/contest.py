"""The Process Discovery Contest 2019 and event logs of process mining, read in place.

A process of the contest is two files of ``pdc2019``: traces to learn from, all of which fit it, and
traces to judge, each with ``pdc:isPos``: does it fit? The logs hold recorded cases without labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from benchmarks.datasets.directory import missing_file
from stepgraph.errors import FormatError
from stepgraph.logs import read_log
from stepgraph.sequences import Demonstrations

CONTEST = "pdc2019"
"""The folder of the contest in the data directory."""
TRAINING, TEST = "-train.xes.gz", "-test.xes.gz"
"""How the files of a process end; before that stands its number."""
LABEL = "case:pdc:isPos"
FITS, FITS_NOT = "true", "false"
"""The values of the label."""
LOGS: Mapping[str, str] = MappingProxyType(
    {
        "running-example": "running-example.xes",
        "reviewing": "reviewing.xes.gz",
        "interval": "interval_event_log.csv.gz",
        "receipt": "receipt.csv.gz",
    }
)
"""The files of the event logs in the folder ``logs``, by the names of the logs."""

Trace = tuple[str, ...]
"""The names of the steps of a case, in the order done."""


@dataclass(frozen=True)
class ContestProcess:
    """A process of the contest.

    Parameters
    ----------
    name
        Its number.
    training
        The traces to learn from, equal ones once, with their number as weight.
    fitting, others
        The traces to judge: those that fit the hidden process, and those that do not.
    """

    name: str
    training: Demonstrations
    fitting: tuple[Trace, ...]
    others: tuple[Trace, ...]


def read_contest(directory: Path) -> list[ContestProcess]:
    """Read the processes of the contest that a data directory holds, by their numbers.

    Raises
    ------
    MissingDataError
        If there is none, or one lacks its traces to judge.
    FormatError
        If a trace to judge has no label, or one that is neither true nor false.
    """
    folder = directory / CONTEST
    names = [path.name.removesuffix(TRAINING) for path in folder.glob(f"*{TRAINING}")]
    if not names:
        raise missing_file(
            folder / f"1{TRAINING}", "traces of a process of the contest to learn from"
        )
    return [_read_process(folder, name) for name in sorted(names, key=lambda n: (len(n), n))]


def _read_process(folder: Path, name: str) -> ContestProcess:
    test = folder / f"{name}{TEST}"
    if not test.is_file():
        raise missing_file(test, f"the labelled traces of the contest's process {name}")
    # The reader keeps procedures apart and joins equal traces: labels as procedures stay whole.
    labelled = read_log(test, columns={"procedure": LABEL}).procedures
    for label in labelled:
        if label not in (FITS, FITS_NOT):
            raise FormatError(f"{test}: a 'pdc:isPos' is {label!r}; expected 'true' or 'false'")
    fitting, others = (
        traces(labelled[label]) if label in labelled else () for label in (FITS, FITS_NOT)
    )
    # Traces without a label are of no procedure, and the reader leaves them out.
    unlabelled = len(traces(read_log(test).only())) - len(fitting) - len(others)
    if unlabelled:
        raise FormatError(f"{test}: {unlabelled} traces have no 'pdc:isPos'; expected one for each")
    training = read_log(folder / f"{name}{TRAINING}").only()
    return ContestProcess(name, training, fitting, others)


def read_cases(directory: Path, name: str) -> tuple[Trace, ...]:
    """Read the cases of an event log of `LOGS`.

    Raises
    ------
    MissingDataError
        If its file is not there.
    """
    path = directory / "logs" / LOGS[name]
    if not path.is_file():
        raise missing_file(path, f"the cases of the event log {name}")
    return traces(read_log(path).only())


def traces(given: Demonstrations) -> tuple[Trace, ...]:
    """Return the steps of every recording, each as many times as it weighs.

    Examples
    --------
    >>> traces(Demonstrations.from_steps([["a", "b"], ["b"]]))
    (('a', 'b'), ('b',))
    """
    return tuple(given.names(own) for own in given for _ in range(round(own.weight)))
