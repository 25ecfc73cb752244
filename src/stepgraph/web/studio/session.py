"""One session in the studio: edits one after another, undo and redo, and their history."""

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
    """Return the time as the history has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class StudioSession:
    """Edits of one graph, each of which can be taken back.

    Every method that edits returns sentences on what else changed, so that nothing gives way in
    silence. A refused edit raises and changes nothing.

    Parameters
    ----------
    source
        What was read or learned.
    clock
        Says what time an edit was made.
    saved
        Whether a file holds the graph already.

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
            notes = (*notes, f"what the file has pinned and forbidden is left out: {error}")
            first = State(source, Edits(), first.history)
        self.notes: tuple[str, ...] = notes
        self._history = History(first, saved=saved)
        self._clock = clock

    @property
    def state(self) -> State:
        """How things stand."""
        return self._history.current

    @property
    def version(self) -> int:
        """How often anything changed; a page asks whether it shows the latest."""
        return self._history.version

    @property
    def graph(self) -> TaskGraph:
        """The graph as it stands."""
        return self.state.graph

    @property
    def is_saved(self) -> bool:
        """Whether the file holds what is shown."""
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
        """Let a step need another.

        Raises
        ------
        CycleError
            If the other one needs it already.
        InputError
            If it needs the other one already, directly or through others.
        """
        edge = self._edge(step, needed)
        check_no_cycle(self.graph, step, needed)
        path = path_between(self.graph, step, needed)
        if path is not None and len(path) == 2:
            raise InputError(f"{step!r} needs {needed!r} already")
        if path is not None:
            shown = " needs ".join(map(repr, path))
            raise InputError(f"that follows already: {shown}; pin it if it must always hold")
        edits = self.state.edits
        wanted = edits.without(edge)
        if edge not in edits.removed or edge not in self._given():
            wanted = replace(wanted, added=(*wanted.added, edge))
        return self._make("add", wanted, step=step, needs=needed)

    def remove(self, step: str, needed: str) -> tuple[str, ...]:
        """Take an edge away; whatever else was said of it goes with it.

        Raises
        ------
        InputError
            If there is no such edge.
        """
        edge = self._edge(step, needed)
        if edge not in self.graph.edges:
            path = path_between(self.graph, step, needed)
            how = (
                f"it follows from {' needs '.join(map(repr, path))}" if path else "nothing says so"
            )
            raise InputError(f"{step!r} does not need {needed!r} directly; {how}")
        wanted = self.state.edits.without(edge)
        if edge in self._given():
            wanted = replace(wanted, removed=(*wanted.removed, edge))
        return self._make("remove", wanted, step=step, needs=needed)

    def pin(self, step: str, needed: str) -> tuple[str, ...]:
        """Insist on an edge, whatever the threshold and whatever is learned.

        Raises
        ------
        CycleError
            If the other one needs the step already.
        InputError
            If it is pinned already.
        """
        edge = self._edge(step, needed)
        if edge in self.state.edits.constraints.required:
            raise InputError(f"that {step!r} needs {needed!r} is pinned already")
        check_no_cycle(self.graph, step, needed)
        wanted = self.state.edits.without(edge)
        said = wanted.constraints
        constraints = replace(said, pinned=(*said.pinned, edge))
        return self._make("pin", replace(wanted, constraints=constraints), step=step, needs=needed)

    def forbid(self, step: str, needed: str) -> tuple[str, ...]:
        """Rule an edge out, also where it would follow from others.

        Raises
        ------
        InputError
            If it is forbidden already, or follows from edges that a person wants.
        """
        edge = self._edge(step, needed)
        if step == needed:
            raise InputError(f"{step!r} cannot need itself, so there is nothing to forbid")
        if edge in self.state.edits.constraints.never:
            raise InputError(f"that {step!r} needs {needed!r} is forbidden already")
        wanted = self.state.edits.without(edge)
        said = wanted.constraints
        forbidding = replace(wanted, constraints=replace(said, never=(*said.never, edge)))
        return self._make("forbid", forbidding, step=step, needs=needed)

    def free(self, step: str, needed: str) -> tuple[str, ...]:
        """Take back a pin or a ban: the recordings decide again.

        Raises
        ------
        InputError
            If it is neither pinned nor forbidden.
        """
        edge = self._edge(step, needed)
        edits = self.state.edits
        required = edits.constraints.required
        if edge not in (*required, *edits.constraints.never):
            raise InputError(f"that {step!r} needs {needed!r} is neither pinned nor forbidden")
        wanted = edits.without(edge)
        if edge in required and edge in self.graph.edges and edge not in self._given():
            wanted = replace(wanted, added=(*wanted.added, edge))  # no longer pinned, not removed
        return self._make("free", wanted, step=step, needs=needed)

    def mark_optional(self, step: str, optional: bool) -> tuple[str, ...]:
        """Say whether a step may be left out.

        Raises
        ------
        InputError
            If it is so already.
        """
        self._step(step)
        if (step in self.graph.optional_steps) == optional:
            raise InputError(f"{step!r} is {'' if optional else 'not '}optional already")
        edits = self.state.edits
        marked = replace(edits, constraints=edits.constraints.marked(step, optional=optional))
        return self._make("optional" if optional else "required", marked, step=step)

    def set_threshold(self, threshold: float) -> tuple[str, ...]:
        """Show the edges whose weight lies above a threshold.

        Moving it several times in a row is one edit.

        Raises
        ------
        SettingError
            If the threshold is no number from 0 to 1, or edges have no weights to choose by.
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
        """Take in what was learned again with what is pinned and forbidden.

        Other edges that were added or removed are given up, as the recordings have spoken again.
        """
        edits = self.state.edits
        kept = replace(edits, added=(), removed=(), threshold=None)
        given_up = [
            f"the edge that you added, '{step}' needs '{needed}', is given up; pin it to keep it"
            for step, needed in edits.added
        ]
        given_up += [
            f"the edge that you removed, '{step}' needs '{needed}', may be back; forbid it to "
            "keep it out"
            for step, needed in edits.removed
        ]
        said = self._make(
            "relearn",
            kept,
            source=source,
            method=METHOD,
            recordings=len(source.demonstrations or ()),
        )
        return (*given_up, *said)

    def opened(self, source: GraphSource, *, keep_graph: bool = False) -> tuple[str, ...]:
        """Take in recordings from another file.

        Parameters
        ----------
        source
            What was learned from them, or with `keep_graph` the graph with them as evidence.
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
        """Make the edit again that was taken back last.

        Raises
        ------
        InputError
            If there is none.
        """
        self._history.redo()

    def to_save(self) -> TaskGraph:
        """Return the graph as it is saved: with its history, and what is pinned and forbidden."""
        provenance = replace(self.graph.provenance, history=self.state.history)
        return self.graph.replace(provenance=provenance)

    def saved(self) -> None:
        """Remember that the file holds what is shown."""
        self._history.saved()

    def _given(self) -> frozenset[Edge]:
        """Return the edges that are there without any edit."""
        return frozenset(self.state.source.at(self.state.edits.threshold).edges)

    def _step(self, name: str) -> None:
        if name not in self.graph.vocabulary:
            raise UnknownNameError("step", name, self.graph.steps)

    def _edge(self, step: str, needed: str) -> Edge:
        for name in (step, needed):
            if name in (START, END):
                raise InputError(
                    "START and END are connected by themselves: START below each step that needs "
                    "nothing, END above each that nothing needs"
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
        """Take an edit in, or raise and change nothing."""
        start = self._history.before if instead else self.state
        entry = {"at": self._clock(), "edit": edit, **about}
        made = State(source or start.source, edits, (*start.history, entry))
        said = _side_effects(self.graph, made.graph, about)  # derives the graph, or raises
        self._history.take(made, instead=instead)
        return said


def _side_effects(before: TaskGraph, after: TaskGraph, about: Mapping[str, Any]) -> tuple[str, ...]:
    """Return sentences on edges between steps that came or went beside the one edited."""
    if set(before.steps) != set(after.steps):
        return ()
    own = (about.get("step"), about.get("needs"))
    gone = [edge for edge in _inner(before) if edge not in set(after.edges) and edge != own]
    come = [edge for edge in _inner(after) if edge not in set(before.edges) and edge != own]
    said = []
    for step, needed in gone:
        if path_between(after, step, needed) is not None:
            said.append(f"'{step}' now needs '{needed}' through other steps")
        else:
            said.append(f"'{step}' no longer needs '{needed}'")
    said += [f"'{step}' now also needs '{needed}'" for step, needed in come]
    return tuple(said)


def _inner(graph: TaskGraph) -> Iterable[Edge]:
    return (edge for edge in graph.edges if edge[0] != END and edge[1] != START)
