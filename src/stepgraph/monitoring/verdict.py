"""What the monitor says of one step: a small frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from stepgraph.errors import nearest_names
from stepgraph.monitoring.plan import Plan


class Kind(StrEnum):
    """What can be said of a step."""

    CORRECT = "correct"
    """Done for the first time, with all that it needs done."""
    TOO_EARLY = "too-early"
    """Done before something it needs, which had not been reported missing yet."""
    TOO_LATE = "too-late"
    """Done after steps that come after it; nobody had missed it itself yet.

    Either these need it through others, or it may be left out and nobody waits for it."""
    UNKNOWN_STEP = "unknown-step"
    """No step of the graph; it changes nothing."""
    REPEATED = "repeated"
    """Done again, with all that it needs done; allowed."""
    SKIPPED_INFERRED = "skipped-inferred"
    """Done without something that was reported missing before: that step was skipped."""
    REPAIRED = "repaired"
    """Reported missing before, and done after all."""
    OPEN_AT_FINISH = "open-at-finish"
    """Never done."""


_MISTAKES = frozenset({Kind.TOO_EARLY, Kind.TOO_LATE, Kind.UNKNOWN_STEP, Kind.OPEN_AT_FINISH})


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """What the monitor says of one step; `stepgraph.Monitor` makes them.

    Parameters
    ----------
    position
        Which observation it is, from 1 on; at the finish one more than the last.
    step
        The step's name, as it came.
    kind
        What is said of it.
    time, confidence
        As they came with the step.
    missing
        The direct preconditions that have not been done, all of them.
    done_without_it
        The steps done before this one that need it, directly or through others.
    cause
        The position of the earlier mistake that this one follows from, if it does.
    note
        A remark on the observation itself, such as time running backwards.

    Notes
    -----
    The other attributes are computed when they are read, from the state right after the step.
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

    @property
    def is_mistake(self) -> bool:
        """Whether this is a mistake of its own, not one that follows from an earlier one."""
        return self.cause is None and self.kind in _MISTAKES

    @property
    def executable(self) -> tuple[str, ...]:
        """The steps that can be done now, the most useful first.

        All that they need has been done. Steps reported missing come first, then those that
        most steps still to do wait for, directly or through others; ties in vocabulary order.
        """
        return self._plan.executable(self._performed, self._reported)

    @property
    def skipped(self) -> tuple[str, ...]:
        """The steps passed over so far: not done, though something done needs them."""
        return self._plan.names_in(self._plan.passed_over(self._performed))

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
        """Return all that it says as plain JSON values."""
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
            "note": self.note,
            "nearest": list(self.nearest),
            "skipped": list(self.skipped),
            "executable": list(self.executable),
            "progress": self.progress,
        }

    def __repr__(self) -> str:
        shown = [f"{self.position}, {self.step!r}, {self.kind.value}"]
        for name in ("missing", "done_without_it", "cause", "note"):
            value = getattr(self, name)
            if value:
                shown.append(f"{name}={value!r}")
        return f"Verdict({', '.join(shown)})"


@dataclass(frozen=True, slots=True)
class Report:
    """What a session amounts to when it ends.

    Parameters
    ----------
    observed
        How many observations there were, unknown and repeated steps included.
    mistakes
        How many mistakes of their own, those at the finish included.
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
