"""The states of a graph after each edit, for undo and redo, and the edits in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stepgraph.errors import InputError
from stepgraph.graph import TaskGraph
from stepgraph.web.studio.edits import Edits, derive
from stepgraph.web.studio.graph_source import GraphSource

MOST_STATES = 500
"""Maximum number of edits to undo, which bounds the memory."""

Entry = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class State:
    """The state after an edit.

    Parameters
    ----------
    source, edits
        The parts of the graph.
    history
        The edits so far, beginning with those in the file.
    """

    source: GraphSource
    edits: Edits
    history: tuple[Entry, ...]

    @cached_property
    def graph(self) -> TaskGraph:
        """The resulting graph."""
        return derive(self.source, self.edits)


class History:
    """A list of states, one of which is current.

    Parameters
    ----------
    first
        The state before any edit.
    saved
        Whether a file already holds it.
    """

    def __init__(self, first: State, *, saved: bool) -> None:
        self._states = [first]
        self._at = 0
        self._saved: State | None = first if saved else None
        self.version = 0

    @property
    def current(self) -> State:
        """The current state."""
        return self._states[self._at]

    @property
    def is_saved(self) -> bool:
        """Whether the file holds the current state."""
        return self.current is self._saved

    @property
    def undoable(self) -> Entry | None:
        """The edit that `undo` would take back."""
        return self._states[self._at].history[-1] if self._at else None

    @property
    def redoable(self) -> Entry | None:
        """The edit that `redo` would make again."""
        following = self._states[self._at + 1 :]
        return following[0].history[-1] if following else None

    @property
    def before(self) -> State:
        """The state before the edit that `undo` would take back."""
        return self._states[self._at - 1]

    def take(self, state: State, *, instead: bool = False) -> None:
        """Make a state current; undone edits can no longer be made again.

        Parameters
        ----------
        state
            The new state.
        instead
            Whether it replaces the current one.
        """
        if instead:
            self._at -= 1
        self._states[self._at + 1 :] = [state]
        excess = max(len(self._states) - MOST_STATES, 0)
        del self._states[:excess]
        self._at = len(self._states) - 1
        self.version += 1

    def undo(self) -> None:
        """Take back the last edit.

        Raises
        ------
        InputError
            If there is none.
        """
        if not self._at:
            raise InputError("there is nothing to undo")
        self._at -= 1
        self.version += 1

    def redo(self) -> None:
        """Repeat the edit that was taken back last.

        Raises
        ------
        InputError
            If there is none.
        """
        if self._at + 1 == len(self._states):
            raise InputError("there is nothing to redo")
        self._at += 1
        self.version += 1

    def saved(self) -> None:
        """Remember that the file holds the current state."""
        self._saved = self.current
        self.version += 1


_EDGE = {
    "add": "added: '{step}' needs '{needs}'",
    "remove": "removed: '{step}' needs '{needs}'",
    "pin": "pinned: '{step}' needs '{needs}'",
    "forbid": "forbade: '{step}' needs '{needs}'",
    "free": "no longer pinned or forbidden: '{step}' needs '{needs}'",
    "optional": "marked '{step}' optional",
    "required": "marked '{step}' not optional",
    "threshold": "showed edges above {value}",
    "relearn": "learned again from {recordings} recordings",
    "learn": "learned from {file}, {recordings} recordings",
    "attach": "took {file} as evidence, {recordings} recordings",
}


def sentence(entry: Mapping[str, Any]) -> str:
    """Return an entry of the history in words.

    Examples
    --------
    >>> sentence({"edit": "pin", "step": "mix", "needs": "egg"})
    "pinned: 'mix' needs 'egg'"
    """
    pattern = _EDGE.get(str(entry.get("edit")))
    try:
        if pattern is not None:
            return pattern.format_map(entry)
    except (KeyError, ValueError, AttributeError, IndexError):
        pass  # an entry of another program
    return str(entry.get("content", entry))[:200]
