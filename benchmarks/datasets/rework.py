"""Assemblies in which parts are put on and taken off again: MECCANO-PSR and Assembly101."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from benchmarks.datasets.assembly101 import read_assembly101
from benchmarks.datasets.contest import Trace
from benchmarks.datasets.directory import data_file, missing_file
from stepgraph.formats import read_demonstrations

BY_TOY = 10
"""Number of recordings of a kind of toy from which on it is a procedure of its own."""


@dataclass(frozen=True)
class Session:
    """A recording of an assembly.

    Parameters
    ----------
    steps
        Its steps in the order of the file.
    group
        What is held out together: the recording itself, or all that one person did.
    """

    steps: Trace
    group: str


@dataclass(frozen=True)
class Assembly:
    """An assembly in which parts are removed.

    Parameters
    ----------
    name
        What is assembled.
    sessions
        The recordings.
    removal, installation
        How the names of steps begin that take a part off and that put it on; the part follows.
    folds
        Number of parts into which the groups are dealt; None to hold out each group by itself.
    """

    name: str
    sessions: tuple[Session, ...]
    removal: str
    installation: str
    folds: int | None = None

    def installed_by(self, step: str) -> str | None:
        """Return the step that puts on what a step takes off, None if it takes nothing off."""
        if not step.startswith(self.removal):
            return None
        return self.installation + step.removeprefix(self.removal)

    @property
    def pairs(self) -> dict[str, str]:
        """The steps that take off a part that another step puts on, with that step."""
        every = sorted({step for session in self.sessions for step in session.steps})
        found = [(step, self.installed_by(step)) for step in every]
        return {step: other for step, other in found if other is not None and other in every}


def read_meccano(directory: Path) -> list[Assembly]:
    """Read MECCANO-PSR: one motorbike, 20 recordings.

    Rows of the same frame stay in the order of the file, which says nothing about them.

    Raises
    ------
    MissingDataError
        If the file is not there.
    """
    path = directory / "meccano-psr" / "meccano_psr.csv"
    if not path.is_file():
        raise missing_file(path, "MECCANO-PSR, with the columns 'recording' and 'step'")
    given = read_demonstrations(path).only()
    sessions = tuple(Session(given.names(own), own.id) for own in given)
    return [Assembly("motorbike", sessions, "Remove ", "Install ")]


def read_all_toys(directory: Path) -> list[Assembly]:
    """Read Assembly101 as one assembly, its mistakes and corrections unseen; people are groups.

    Raises
    ------
    MissingDataError
        If there are no tables.
    """
    return [_assembly("all toys", list(_toys(directory).values()))]


def read_each_toy(directory: Path) -> list[Assembly]:
    """Read the kinds of toys of Assembly101 that have enough recordings, each by itself.

    Raises
    ------
    MissingDataError
        If there are no tables, or no kind has enough.
    """
    by_toy: dict[str, list[tuple[str, Session]]] = {}
    for toy, session in _toys(directory).values():
        by_toy.setdefault(toy, []).append((toy, session))
    found = [_assembly(toy, own) for toy, own in sorted(by_toy.items()) if len(own) >= BY_TOY]
    if not found:
        raise missing_file(
            directory / "assembly101" / "annotations",
            f"{BY_TOY} or more recordings of a kind of toy",
        )
    return found


def _toys(directory: Path) -> dict[str, tuple[str, Session]]:
    data_file(directory, "assembly101", "annotations")
    given = read_assembly101(directory / "assembly101")
    return {
        own.id: (
            given.makers[own.id].toy,
            Session(given.demonstrations.names(own), given.makers[own.id].subject),
        )
        for own in given.demonstrations
    }


def _assembly(name: str, toys: list[tuple[str, Session]]) -> Assembly:
    return Assembly(name, tuple(session for _, session in toys), "detach-", "attach-", folds=5)


ASSEMBLIES: Mapping[str, Callable[[Path], list[Assembly]]] = MappingProxyType(
    {
        "meccano-psr": read_meccano,
        "assembly101": read_all_toys,
        "assembly101-toys": read_each_toy,
    }
)
"""The readers by the names of the data."""
