"""How a graph stood after each edit: where undo and redo go, and the edits in words."""

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
"""Maximum number of edits that can be undone; more would let memory grow without end."""

Entry = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class State:
    """How things stand after an edit.

    Parameters
    ----------
    source, edits
        What the graph is made of.
    history
        The edits that led here, those kept in the file first.
    """

    source: GraphSource
    edits: Edits
    history: tuple[Entry, ...]

    @cached_property
    def graph(self) -> TaskGraph:
        """The graph as it stands."""
        return derive(self.source, self.edits)


class History:
    """A row of states, one of which is shown.

    Parameters
    ----------
    first
        How things stand before any edit.
    saved
        Whether a file holds that already.
    """

    def __init__(self, first: State, *, saved: bool) -> None:
        self._states = [first]
        self._at = 0
        self._saved: State | None = first if saved else None
        self.version = 0

    @property
    def current(self) -> State:
        """How things stand."""
        return self._states[self._at]

    @property
    def is_saved(self) -> bool:
        """Whether the file holds what is shown."""
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
        """How things stood before the edit that `undo` would take back."""
        return self._states[self._at - 1]

    def take(self, made: State, *, instead: bool = False) -> None:
        """Show a new state; what was undone cannot be made again.

        Parameters
        ----------
        made
            The state.
        instead
            Whether it takes the place of the one shown.
        """
        if instead:
            self._at -= 1
        self._states[self._at + 1 :] = [made]
        excess = max(len(self._states) - MOST_STATES, 0)
        del self._states[:excess]
        self._at = len(self._states) - 1
        self.version += 1

    def undo(self) -> None:
        """Go back by one edit.

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
        """Make the edit again that was taken back last.

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
        """Remember that the file holds what is shown."""
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
        pass  # an entry that another program wrote under the same name
    return str(entry.get("content", entry))[:200]
