"""What the monitors of a session share: counting, taking back, and going on where one stood."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from stepgraph.errors import FormatError, InputError
from stepgraph.files import write_text
from stepgraph.graph import TaskGraph
from stepgraph.graph.given import as_graph
from stepgraph.storage import dump_json, read_json

UNDO_LIMIT = 32
"""How many observations can be taken back; more would let a session grow with its length."""


class SomeMoment(Protocol):
    """A session between two observations; never changed, so that keeping one is an undo."""

    @property
    def observed(self) -> int:
        """How many observations there have been."""


M = TypeVar("M", bound=SomeMoment)


class Session(ABC, Generic[M]):
    """One session of somebody doing a procedure, as a row of moments.

    Parameters
    ----------
    graph
        The procedure's graph.
    first
        The moment before any observation.
    """

    __slots__ = ("_now", "_past", "graph")

    graph: TaskGraph
    _now: M
    _past: deque[M]

    def __init__(self, graph: TaskGraph, first: M) -> None:
        self.graph = as_graph(graph, "a monitor")
        self._now = first
        self._past = deque(maxlen=UNDO_LIMIT)

    @property
    def observed(self) -> int:
        """How many observations there have been, unknown and repeated steps included."""
        return self._now.observed

    @property
    @abstractmethod
    def mistakes(self) -> int:
        """How many mistakes of their own there have been so far."""

    def undo(self) -> None:
        """Take back the last observation, as if it had never come.

        Raises
        ------
        InputError
            If there is none, or the last `UNDO_LIMIT` have been taken back already.
        """
        if not self._past:
            if not self._now.observed:
                raise InputError("there is no observation to take back")
            raise InputError(f"only the last {UNDO_LIMIT} observations can be taken back")
        self._now = self._past.pop()

    @property
    @abstractmethod
    def state(self) -> dict[str, Any]:
        """The session as plain JSON values, what `undo` needs included."""

    def save(self, path: str | Path) -> None:
        """Write the session's state to a versioned JSON file."""
        write_text(path, dump_json(self.state))

    @classmethod
    def resume(cls, graph: TaskGraph, state: str | Path | Mapping[str, Any]) -> Self:
        """Return a monitor that goes on exactly where another one stood.

        Parameters
        ----------
        graph
            The graph that the session began with.
        state
            What `state` gave, or the path of a file that `save` wrote.

        Raises
        ------
        FileError
            If the file cannot be read.
        FormatError
            If it is no state, one of a newer version, or one of another graph.
        """
        if not isinstance(state, str | Path | Mapping):
            raise FormatError(
                f"the state is {state!r:.40}; expected what 'state' gave, or the path of a file"
            )
        where = "the state" if isinstance(state, Mapping) else str(state)
        content = dict(state) if isinstance(state, Mapping) else read_json(state)
        return cls._resumed(graph, content, where)

    @classmethod
    @abstractmethod
    def _resumed(cls, graph: TaskGraph, content: Any, where: str) -> Self:
        """Return a monitor that goes on from JSON values, or raise a `FormatError`."""
