"""One session in the studio: a sequence of edits, with undo, redo and a history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from stepgraph.errors import InputError, SettingError, UnknownNameError
from stepgraph.graph import Edge, TaskGraph
from stepgraph.sequences import END, START
from stepgraph.web.studio.edits import Edits, check_no_cycle, edits_of, path_between
from stepgraph.web.studio.graph_source import METHOD, GraphSource
from stepgraph.web.studio.history import Entry, History, State


def utc_now() -> str:
    """Return the current time in the format of the history."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class StudioSession:
    """Edits of one graph, with undo and redo.

    Every edit returns sentences on its side effects, so nothing changes silently. A refused edit
    raises and changes nothing.

    Parameters
    ----------
    source
        The graph as it was read or learned.
    clock
        Returns the time of an edit.
    saved
        Whether a file already holds the graph.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg"], "bake": ["mix"]})
    >>> session = StudioSession(GraphSource.of_graph(graph))
    >>> session.remove("mix", "egg")
    ()
    >>> session.graph.preconditions_of("mix")
    ()
    >>> session.undo()
    >>> session.graph.preconditions_of("mix")
    ('egg',)
    """

    def __init__(
        self, source: GraphSource, clock: Callable[[], str] = utc_now, *, saved: bool = True
    ) -> None:
        edits, notes = edits_of(source.graph)
        first = State(source, edits, source.graph.provenance.history)
        try:
            _ = first.graph
        except InputError as error:
            notes = (*notes, f"the pinned and forbidden edges of the file are left out: {error}")
            first = State(source, Edits(), first.history)
        self.notes: tuple[str, ...] = notes
        self._history = History(first, saved=saved)
        self._clock = clock

    @property
    def state(self) -> State:
        """The current state."""
        return self._history.current

    @property
    def version(self) -> int:
        """The number of changes so far, by which a page sees whether it is up to date."""
        return self._history.version

    @property
    def graph(self) -> TaskGraph:
        """The current graph."""
        return self.state.graph

    @property
    def is_saved(self) -> bool:
        """Whether the file holds the current state."""
        return self._history.is_saved

    @property
    def threshold(self) -> float:
        """The weight above which edges are shown."""
        chosen = self.state.edits.threshold
        return self.state.source.default_threshold if chosen is None else chosen

    @property
    def undoable(self) -> Entry | None:
        """The edit that `undo` would take back."""
        return self._history.undoable

    @property
    def redoable(self) -> Entry | None:
        """The edit that `redo` would make again."""
        return self._history.redoable

    def add(self, step: str, needed: str) -> tuple[str, ...]:
        """Add an edge from a step to one that it needs.

        Raises
        ------
        CycleError
            If the other one already needs it.
        InputError
            If it already needs the other one, directly or through others.
        """
        edge = self._edge(step, needed)
        check_no_cycle(self.graph, step, needed)
        path = path_between(self.graph, step, needed)
        if path is not None and len(path) == 2:
            raise InputError(f"{step!r} already needs {needed!r}")
        if path is not None:
            shown = " needs ".join(map(repr, path))
            raise InputError(f"this already follows: {shown}; pin it if it must always hold")
        edits = self.state.edits
        wanted = edits.without(edge)
        if edge not in edits.removed or edge not in self._source_edges():
            wanted = replace(wanted, added=(*wanted.added, edge))
        return self._make("add", wanted, step=step, needs=needed)

    def remove(self, step: str, needed: str) -> tuple[str, ...]:
        """Remove an edge, and with it its pin or ban.

        Raises
        ------
        InputError
            If there is no such edge.
        """
        edge = self._edge(step, needed)
        if edge not in self.graph.edges:
            path = path_between(self.graph, step, needed)
            how = (
                f"it follows from {' needs '.join(map(repr, path))}"
                if path
                else "there is no such edge"
            )
            raise InputError(f"{step!r} does not need {needed!r} directly; {how}")
        wanted = self.state.edits.without(edge)
        if edge in self._source_edges():
            wanted = replace(wanted, removed=(*wanted.removed, edge))
        return self._make("remove", wanted, step=step, needs=needed)

    def pin(self, step: str, needed: str) -> tuple[str, ...]:
        """Pin an edge: it stays at every threshold and in every learned graph.

        Raises
        ------
        CycleError
            If the other one already needs the step.
        InputError
            If the edge is already pinned.
        """
        edge = self._edge(step, needed)
        if edge in self.state.edits.constraints.required:
            raise InputError(f"{step!r} needs {needed!r}: already pinned")
        check_no_cycle(self.graph, step, needed)
        wanted = self.state.edits.without(edge)
        constraints = wanted.constraints
        constraints = replace(constraints, pinned=(*constraints.pinned, edge))
        return self._make("pin", replace(wanted, constraints=constraints), step=step, needs=needed)

    def forbid(self, step: str, needed: str) -> tuple[str, ...]:
        """Forbid an edge, also where it would follow from others.

        Raises
        ------
        InputError
            If it is already forbidden, or follows from added or pinned edges.
        """
        edge = self._edge(step, needed)
        if step == needed:
            raise InputError(f"{step!r} cannot need itself, so there is nothing to forbid")
        if edge in self.state.edits.constraints.never:
            raise InputError(f"{step!r} needs {needed!r}: already forbidden")
        wanted = self.state.edits.without(edge)
        constraints = wanted.constraints
        constraints = replace(constraints, never=(*constraints.never, edge))
        forbidding = replace(wanted, constraints=constraints)
        return self._make("forbid", forbidding, step=step, needs=needed)

    def free(self, step: str, needed: str) -> tuple[str, ...]:
        """Take back a pin or a ban, so that the recordings decide again.

        Raises
        ------
        InputError
            If the edge is neither pinned nor forbidden.
        """
        edge = self._edge(step, needed)
        edits = self.state.edits
        required = edits.constraints.required
        if edge not in (*required, *edits.constraints.never):
            raise InputError(f"{step!r} needs {needed!r}: neither pinned nor forbidden")
        wanted = edits.without(edge)
        if edge in required and edge in self.graph.edges and edge not in self._source_edges():
            wanted = replace(wanted, added=(*wanted.added, edge))  # no longer pinned, not removed
        return self._make("free", wanted, step=step, needs=needed)

    def mark_optional(self, step: str, optional: bool) -> tuple[str, ...]:
        """Mark a step optional or not.

        Raises
        ------
        InputError
            If it already is so.
        """
        self._step(step)
        if (step in self.graph.optional_steps) == optional:
            raise InputError(f"{step!r} is already {'' if optional else 'not '}optional")
        edits = self.state.edits
        marked = replace(edits, constraints=edits.constraints.marked(step, optional=optional))
        return self._make("optional" if optional else "required", marked, step=step)

    def set_threshold(self, threshold: float) -> tuple[str, ...]:
        """Show the edges whose weight lies above a threshold.

        Several moves in a row count as one edit.

        Raises
        ------
        SettingError
            If the threshold is not a number from 0 to 1, or the edges have no weights.
        """
        if self.state.source.adjacency is None:
            raise SettingError(
                "the edges have no probabilities to choose by; learn the graph from recordings"
            )
        if not 0 <= threshold <= 1:
            raise SettingError(f"the threshold is {threshold}; expected a number from 0 to 1")
        if threshold == self.threshold:
            return ()
        wanted = replace(self.state.edits, threshold=float(threshold))
        last = self.undoable
        again = last is not None and last["edit"] == "threshold" and self.redoable is None
        instead = again and not self.is_saved
        return self._make("threshold", wanted, instead=instead, value=float(threshold))

    def relearned(self, source: GraphSource) -> tuple[str, ...]:
        """Accept a graph learned again with the pinned and forbidden edges.

        Edges that were only added or removed are dropped: the recordings decide again.
        """
        edits = self.state.edits
        kept = replace(edits, added=(), removed=(), threshold=None)
        dropped = [
            f"your added edge '{step}' needs '{needed}' is gone; pin it to keep it"
            for step, needed in edits.added
        ]
        dropped += [
            f"your removed edge '{step}' needs '{needed}' may be back; forbid it to keep it out"
            for step, needed in edits.removed
        ]
        side_effects = self._make(
            "relearn",
            kept,
            source=source,
            method=METHOD,
            recordings=len(source.demonstrations or ()),
        )
        return (*dropped, *side_effects)

    def opened(self, source: GraphSource, *, keep_graph: bool = False) -> tuple[str, ...]:
        """Accept recordings from another file.

        Parameters
        ----------
        source
            The graph learned from them, or with `keep_graph` the same graph with new evidence.
        keep_graph
            Whether the graph and its edits stay.
        """
        edits = self.state.edits if keep_graph else Edits()
        edit = "attach" if keep_graph else "learn"
        return self._make(
            edit,
            edits,
            source=source,
            file=source.file_name,
            recordings=len(source.demonstrations or ()),
        )

    def undo(self) -> None:
        """Take back the last edit.

        Raises
        ------
        InputError
            If there is none.
        """
        self._history.undo()

    def redo(self) -> None:
        """Repeat the edit that was taken back last.

        Raises
        ------
        InputError
            If there is none.
        """
        self._history.redo()

    def to_save(self) -> TaskGraph:
        """Return the graph to save, with its history and its pinned and forbidden edges."""
        provenance = replace(self.graph.provenance, history=self.state.history)
        return self.graph.replace(provenance=provenance)

    def saved(self) -> None:
        """Remember that the file holds the current state."""
        self._history.saved()

    def _source_edges(self) -> frozenset[Edge]:
        """Return the edges of the source, before edits."""
        return frozenset(self.state.source.at(self.state.edits.threshold).edges)

    def _step(self, name: str) -> None:
        if name not in self.graph.vocabulary:
            raise UnknownNameError("step", name, self.graph.steps)

    def _edge(self, step: str, needed: str) -> Edge:
        for name in (step, needed):
            if name in (START, END):
                raise InputError(
                    "START and END cannot be edited: START goes below each step that needs "
                    "nothing, END above each step that nothing needs"
                )
            self._step(name)
        return step, needed

    def _make(
        self,
        edit: str,
        edits: Edits,
        *,
        source: GraphSource | None = None,
        instead: bool = False,
        **about: Any,
    ) -> tuple[str, ...]:
        """Make an edit and return its side effects, or raise and change nothing."""
        start = self._history.before if instead else self.state
        entry = {"at": self._clock(), "edit": edit, **about}
        state = State(source or start.source, edits, (*start.history, entry))
        side_effects = _side_effects(self.graph, state.graph, about)  # derives the graph, or raises
        self._history.take(state, instead=instead)
        return side_effects


def _side_effects(before: TaskGraph, after: TaskGraph, about: Mapping[str, Any]) -> tuple[str, ...]:
    """Return sentences on the edges that an edit added or removed beside its own."""
    if set(before.steps) != set(after.steps):
        return ()
    own = (about.get("step"), about.get("needs"))
    gone = [edge for edge in _inner(before) if edge not in set(after.edges) and edge != own]
    new = [edge for edge in _inner(after) if edge not in set(before.edges) and edge != own]
    changes = []
    for step, needed in gone:
        if path_between(after, step, needed) is not None:
            changes.append(f"'{step}' now needs '{needed}' through other steps")
        else:
            changes.append(f"'{step}' no longer needs '{needed}'")
    changes += [f"'{step}' now also needs '{needed}'" for step, needed in new]
    return tuple(changes)


def _inner(graph: TaskGraph) -> Iterable[Edge]:
    return (edge for edge in graph.edges if edge[0] != END and edge[1] != START)
