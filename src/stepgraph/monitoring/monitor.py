"""The monitor, which judges one session step by step, and its verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from stepgraph.errors import nearest_names
from stepgraph.graph import TaskGraph
from stepgraph.graph.edges import bits
from stepgraph.graph.semantics import State
from stepgraph.monitoring.plan import Plan
from stepgraph.monitoring.session import (
    Moment,
    Session,
    as_observation,
    state_from_json,
    state_to_json,
)


class Kind(StrEnum):
    """The kinds of verdict."""

    CORRECT = "correct"
    """Done for the first time, after all its preconditions."""
    TOO_EARLY = "too-early"
    """Done before a precondition that had not been reported missing yet."""
    TOO_LATE = "too-late"
    """Done after steps that come after it, without having been reported missing itself.

    Either these need it through others, or it is optional and nothing waits for it."""
    UNKNOWN_STEP = "unknown-step"
    """Not a step of the graph; it changes nothing."""
    REPEATED = "repeated"
    """Done again, after all its preconditions; allowed."""
    NEEDLESS = "needless"
    """Done again, although it counts as done and is not repeatable."""
    OTHER_ALTERNATIVE = "other-alternative"
    """Begins a second alternative of a choice."""
    SKIPPED_INFERRED = "skipped-inferred"
    """Done without a precondition that was reported missing before: that step was skipped."""
    REPAIRED = "repaired"
    """Reported missing before, and done after all."""
    OPEN_AT_FINISH = "open-at-finish"
    """Never done."""


_MISTAKES = frozenset(
    {
        Kind.TOO_EARLY,
        Kind.TOO_LATE,
        Kind.NEEDLESS,
        Kind.OTHER_ALTERNATIVE,
        Kind.UNKNOWN_STEP,
        Kind.OPEN_AT_FINISH,
    }
)


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """The verdict on one step; `stepgraph.Monitor` gives it.

    Parameters
    ----------
    position
        The number of the observation, from 1; at the finish one more than the last.
    step
        The step's name, as observed.
    kind
        The kind of verdict.
    time, confidence
        The time and the confidence of the observation.
    missing
        All direct preconditions that have not been done.
    done_without_it
        The steps done before this one that need it, directly or through others.
    cause
        The position of the earlier mistake that this one follows from, if any.
    note
        A remark on the observation itself, such as time running backwards.
    instead
        The steps of other alternatives: for a second alternative those done already, for a choice
        never made those that might have been done in place of this step.

    Notes
    -----
    The other attributes are computed on access, from the state right after the step.
    """

    position: int
    step: str
    kind: Kind
    time: float | None
    confidence: float | None
    missing: tuple[str, ...]
    done_without_it: tuple[str, ...]
    cause: int | None
    note: str
    _plan: Plan = field(repr=False)
    _performed: int = field(repr=False)
    _reported: int = field(repr=False)
    _undone: int = field(default=0, repr=False)
    instead: tuple[str, ...] = ()

    @property
    def is_mistake(self) -> bool:
        """Whether this is a mistake of its own, not one that follows from an earlier one."""
        return self.cause is None and self.kind in _MISTAKES

    @property
    def executable(self) -> tuple[str, ...]:
        """The steps that can be done now, the most useful first.

        All their preconditions are done. Steps reported missing come first, then those that most
        remaining steps wait for, directly or through others. Ties stay in vocabulary order.
        """
        return self._plan.executable(self._performed, self._reported, self._undone)

    @property
    def skipped(self) -> tuple[str, ...]:
        """The steps passed over so far: not done, although a step done needs them."""
        plan, done = self._plan, self._performed
        return plan.names_in(plan.passed_over(done) & plan.semantics.due(done) & ~self._undone)

    @property
    def progress(self) -> float:
        """The fraction of the graph's steps done, right or wrong; optional ones do not count."""
        return self._plan.progress(self._performed)

    @property
    def nearest(self) -> tuple[str, ...]:
        """For an unknown step, the most similar names in the graph."""
        if self.kind is not Kind.UNKNOWN_STEP:
            return ()
        return nearest_names(self.step, self._plan.nodes)

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain JSON values."""
        return {
            "position": self.position,
            "step": self.step,
            "kind": self.kind.value,
            "mistake": self.is_mistake,
            "time": self.time,
            "confidence": self.confidence,
            "missing": list(self.missing),
            "done_without_it": list(self.done_without_it),
            "cause": self.cause,
            "instead": list(self.instead),
            "note": self.note,
            "nearest": list(self.nearest),
            "skipped": list(self.skipped),
            "executable": list(self.executable),
            "progress": self.progress,
        }

    def __repr__(self) -> str:
        shown = [f"{self.position}, {self.step!r}, {self.kind.value}"]
        for name in ("missing", "done_without_it", "cause", "instead", "note"):
            value = getattr(self, name)
            if value:
                shown.append(f"{name}={value!r}")
        return f"Verdict({', '.join(shown)})"


@dataclass(frozen=True, slots=True)
class Report:
    """The summary of a session when it ends.

    Parameters
    ----------
    observed
        Number of observations, unknown and repeated steps included.
    mistakes
        Number of mistakes that follow from no earlier one, those at the finish included.
    verdicts
        One verdict for each step that was never done, in the order of the vocabulary.
    progress
        The fraction of the graph's steps that have been done.
    """

    observed: int
    mistakes: int
    verdicts: tuple[Verdict, ...]
    progress: float

    @property
    def open(self) -> tuple[str, ...]:
        """The steps that were never done."""
        return tuple(verdict.step for verdict in self.verdicts)

    @property
    def is_clean(self) -> bool:
        """Whether everything was done and nothing was a mistake."""
        return not self.mistakes and not self.verdicts


class Monitor(Session[Moment]):
    """Judges each step as it happens: whether it is right, and what a mistake follows from.

    It separates performed steps from accomplished ones. A step that was reported missing counts as
    accomplished from then on: later steps that need it name the first mistake as their cause and
    are no new mistakes.

    Parameters
    ----------
    graph
        The procedure's graph.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "bake": ["mix"]})
    >>> monitor = Monitor(graph)
    >>> monitor.observe("egg").executable
    ('milk',)
    >>> monitor.observe("mix")
    Verdict(2, 'mix', too-early, missing=('milk',))
    >>> monitor.observe("milk")
    Verdict(3, 'milk', repaired, done_without_it=('mix',), cause=2)
    >>> monitor.finish().open
    ('bake',)
    """

    __slots__ = ("_plan",)

    _plan: Plan

    def __init__(self, graph: TaskGraph) -> None:
        super().__init__(graph, Moment())
        self._plan = Plan.of(graph)

    @property
    def mistakes(self) -> int:
        """Number of mistakes so far that follow from no earlier one."""
        return self._now.mistakes

    @property
    def progress(self) -> float:
        """The fraction of the graph's steps that are done, right or wrong, as on verdicts."""
        return self._plan.progress(self._now.performed)

    @property
    def performed(self) -> tuple[str, ...]:
        """The steps that were done, right or wrong, in the order of the vocabulary."""
        return self._plan.names_in(self._now.performed)

    @property
    def accomplished(self) -> tuple[str, ...]:
        """The steps that count as accomplished: performed, or reported missing already."""
        return self._plan.names_in(self._now.performed | self._now.reported)

    def observe(
        self, step: str, time: float | None = None, confidence: float | None = None
    ) -> Verdict:
        """Judge a step that has just been done.

        Parameters
        ----------
        step
            Its name. The monitor reports an unknown name and changes nothing else.
        time
            The time of the step, in seconds from any moment. The verdict notes a time that runs
            backwards; the order of observations counts.
        confidence
            The recogniser's confidence, from 0 to 1; the verdict repeats it and does not use it.

        Raises
        ------
        InputError
            If the step is no text, or time or confidence no number. The session is unchanged.
        """
        now, plan = self._now, self._plan
        time, confidence, last, note = as_observation(step, time, confidence, now.time)
        position = now.observed + 1
        performed, reported, reported_at = now.performed, now.reported, now.reported_at
        undone, wrong = now.undone, now.wrong
        missing: tuple[str, ...] = ()
        late: tuple[str, ...] = ()
        instead: tuple[str, ...] = ()
        cause: int | None = None
        mistakes = now.mistakes
        node = plan.nodes.get(step)
        if node is None:
            kind = Kind.UNKNOWN_STEP
            mistakes += 1
        else:
            bit, meaning = 1 << node, plan.semantics
            state = State(performed, undone)
            first = not (performed | undone) & bit
            lacking = meaning.missing(node, state)
            new = lacking & ~reported
            without = plan.needed_by[node] & performed if first else 0
            begun = meaning.begun_instead(node, performed) if meaning.choices else 0
            if lacking:
                missing = plan.names_in(lacking)
            if without:
                late = plan.names_in(without)
            if begun:
                instead = plan.names_in(begun)
            if new:
                kind = Kind.TOO_EARLY
                reported |= new
                reported_at = {**reported_at, **dict.fromkeys(bits(new), position)}
            elif begun:
                kind = Kind.OTHER_ALTERNATIVE
            elif without and meaning.avoidable & ~reported & bit:
                kind = Kind.TOO_LATE  # nothing waits for it, so no mistake is behind this
            elif without and (reported & bit or not lacking):
                kind = Kind.REPAIRED if reported & bit else Kind.TOO_LATE
                cause = _mistake_behind(plan, now, node)
            elif lacking:
                kind = Kind.SKIPPED_INFERRED
                cause = min(reported_at[other] for other in bits(lacking))
            elif not performed & bit:
                kind = Kind.CORRECT
            elif not meaning.is_needless(node, state):
                kind = Kind.REPEATED
            else:
                cause = wrong.get(node)
                kind = Kind.NEEDLESS if cause is None else Kind.REPAIRED
            if kind in _MISTAKES and cause is None:
                mistakes += 1
            if lacking:
                wrong = {**wrong, node: min(reported_at[other] for other in bits(lacking))}
            elif node in wrong:
                wrong = {other: at for other, at in wrong.items() if other != node}
            if reported & bit:
                reported ^= bit
                reported_at = {other: at for other, at in reported_at.items() if other != node}
            performed, undone = meaning.do(node, state)
        self._past.append(now)
        self._now = Moment(
            position, performed, reported, reported_at, last, mistakes, undone, wrong
        )
        return Verdict(
            position,
            step,
            kind,
            time,
            confidence,
            missing,
            late,
            cause,
            note,
            plan,
            performed,
            reported,
            undone,
            instead,
        )

    def finish(self) -> Report:
        """Return the steps never done, and the summary of the session.

        The session can go on and finish again.
        """
        now, plan = self._now, self._plan
        open_ = plan.semantics.open(State(now.performed, now.undone))
        instead: dict[int, tuple[str, ...]] = {}
        for choice in plan.semantics.undecided(now.performed):
            # One verdict for the whole choice, with its first step.
            chosen = [next(bits(steps & open_)) for steps in choice.each if steps & open_]
            node, *others = sorted(chosen)
            instead[node] = tuple(plan.names[other] for other in others)
            open_ = (open_ & ~choice.every) | 1 << node
        verdicts = []
        for node in bits(open_):
            without = plan.names_in(plan.needed_by[node] & now.performed)
            verdicts.append(
                Verdict(
                    now.observed + 1,
                    plan.names[node],
                    Kind.OPEN_AT_FINISH,
                    None,
                    None,
                    plan.names_in(plan.needs[node] & ~now.performed),
                    without,
                    _mistake_behind(plan, now, node) if without else None,
                    "",
                    plan,
                    now.performed,
                    now.reported,
                    now.undone,
                    instead.get(node, ()),
                )
            )
        mistakes = now.mistakes + sum(verdict.is_mistake for verdict in verdicts)
        return Report(now.observed, mistakes, tuple(verdicts), plan.progress(now.performed))

    def restarted(self) -> Monitor:
        """Return a monitor for another session of the same graph."""
        monitor = object.__new__(type(self))
        Session.__init__(monitor, self.graph, Moment())
        monitor._plan = self._plan
        return monitor

    @property
    def state(self) -> dict[str, Any]:
        """The session as plain JSON values, what `undo` needs included."""
        return state_to_json(self.graph, self._now, self._past)

    @classmethod
    def _resumed(cls, graph: TaskGraph, content: Any, where: str) -> Self:
        monitor = cls(graph)
        monitor._now, past = state_from_json(content, graph, monitor._plan, where)
        monitor._past.extend(past)
        return monitor


def _mistake_behind(plan: Plan, now: Moment, node: int) -> int | None:
    """Return the first mistake that passed over a step that a done step comes after.

    Either that step was reported missing, or a step between it and the done one. The last step not
    done on the way is a direct precondition of a step that was done.
    """
    if now.reported >> node & 1:
        return now.reported_at[node]
    between = plan.needed_by[node] & now.reported
    return min((now.reported_at[other] for other in bits(between)), default=None)
