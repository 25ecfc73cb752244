"""Verdicts on recognised steps, and a session's report, with probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stepgraph.errors import nearest_names
from stepgraph.monitoring.belief import Beam, revised
from stepgraph.monitoring.explain import coming_after, finished, listed, unknown
from stepgraph.monitoring.monitor import Kind
from stepgraph.monitoring.plan import Plan


@dataclass(frozen=True, slots=True)
class UncertainVerdict:
    """The verdict on one recognised step; `UncertainMonitor` gives it.

    Parameters
    ----------
    position
        The number of the observation, from 1.
    step
        The step's name, as recognised.
    kind
        ``too-early`` if it is called a mistake, or ``too-late`` where it is one of an optional
        step; ``unknown-step``; ``skipped-inferred`` if it probably goes on without something that
        was noted as missing before; ``repeated`` or ``correct``.
    probability
        The probability that a step was done without a precondition not noted as missing before, or
        that an optional step came too late.
    made_up
        The probability that nothing was done.
    right
        The probability that it was this very step, and no mistake.
    repeated
        The probability that it was this very step, done again after all its preconditions.
    happened
        The step that was most probably done, of the explanations that the verdict goes by: where
        it is called a mistake, those that are one. None if most probably none was.
    missing
        The preconditions of that step that were most probably not done, for kinds that name them.
    done_without_it
        The steps done before that optional step although they come after it.
    threshold
        The probability from which a step is called a mistake.
    time, confidence
        The time and the confidence of the observation.
    note
        A remark on the observation itself, such as time running backwards.
    """

    position: int
    step: str
    kind: Kind
    probability: float
    made_up: float
    right: float
    repeated: float
    happened: str | None
    missing: tuple[str, ...]
    done_without_it: tuple[str, ...]
    threshold: float
    time: float | None
    confidence: float | None
    note: str
    _plan: Plan = field(repr=False, compare=False)
    _beam: Beam = field(repr=False, compare=False)

    @property
    def is_mistake(self) -> bool:
        """Whether it is called a mistake: probable enough, or no step of the graph."""
        return self.kind in (Kind.TOO_EARLY, Kind.TOO_LATE, Kind.UNKNOWN_STEP)

    @property
    def executable(self) -> tuple[str, ...]:
        """The steps that can be done now in the most probable state, the most useful first."""
        best = self._beam[0]
        return self._plan.executable(best.done, best.skipped)

    @property
    def progress(self) -> float:
        """The expected fraction of the graph's steps that are done."""
        parts = (guess.weight * self._plan.progress(guess.done) for guess in self._beam)
        return min(sum(parts), 1.0)

    @property
    def revised(self) -> tuple[tuple[int, float], ...]:
        """The last observations judged again: positions, probabilities of a mistake.

        Later steps tell more about earlier ones: a step that is seen again, say, was probably made
        up the first time.
        """
        return revised(self._beam, self.position)

    @property
    def nearest(self) -> tuple[str, ...]:
        """For an unknown step, the most similar names in the graph."""
        unknown = self.kind is Kind.UNKNOWN_STEP
        return nearest_names(self.step, self._plan.nodes) if unknown else ()

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain JSON values."""
        return {
            "position": self.position,
            "step": self.step,
            "kind": self.kind.value,
            "mistake": self.is_mistake,
            "probability": self.probability,
            "made_up": self.made_up,
            "right": self.right,
            "repeated": self.repeated,
            "happened": self.happened,
            "missing": list(self.missing),
            "done_without_it": list(self.done_without_it),
            "time": self.time,
            "confidence": self.confidence,
            "note": self.note,
            "nearest": list(self.nearest),
            "executable": list(self.executable),
            "progress": self.progress,
            "revised": [list(pair) for pair in self.revised],
        }

    def sentence(self, evidence: str = "") -> str:
        """Return the verdict as one sentence.

        Parameters
        ----------
        evidence
            The evidence for the edges in question; `stepgraph.monitoring.explain` takes it from
            the graph.
        """
        return finished(self._clause(), [evidence, self.note])

    def _clause(self) -> str:
        step, missing = f"'{self.step}'", listed(self.missing)
        chance = f"{self.probability:.0%}"
        likely = self.probability >= 0.5
        other = self.happened if self.happened != self.step else None
        done = f"'{other}', done" if other else "done"
        seems = "seems to be" if likely else "may be"
        after = coming_after(self.done_without_it, optional=True) if self.done_without_it else ""
        match self.kind:
            case Kind.UNKNOWN_STEP:
                return unknown(self.step, self.nearest)
            case Kind.TOO_EARLY:
                late = f", and after {after}" if after else ""
                return f"{step} {seems} {done} before {missing}, which it needs{late} ({chance})"
            case Kind.TOO_LATE:
                lacking = f", and without {missing}, which it needs" if missing else ""
                return f"{step} {seems} {done} after {after}{lacking} ({chance})"
            case Kind.SKIPPED_INFERRED:
                return (
                    f"{step} is probably {done} without something that was missing before already, "
                    f"most likely {missing}"
                )
        if likely:
            return f"{step} is probably a mistake, not surely enough for an alarm ({chance})"
        if self.happened is None:
            return f"{step} was most likely made up by the recogniser"
        if other:
            return f"{step} was most likely '{other}' (a mistake with {chance})"
        if self.right < self.probability:
            return f"{step} may be a mistake, not surely enough for an alarm ({chance})"
        what, how_likely = "right", self.right
        if self.kind is Kind.REPEATED:
            what, how_likely = "done again", self.repeated
        may = "is probably" if how_likely >= 0.5 else "may be"
        return f"{step} {may} {what} (a mistake with {chance})"


@dataclass(frozen=True, slots=True)
class UncertainReport:
    """The summary of a session when it ends.

    Parameters
    ----------
    observed
        Number of observations.
    mistakes
        Number of mistakes among them, by all observations since, plus the open steps that no such
        mistake was about.
    done
        For each step the probability that it was done, seen or not.
    progress
        The expected fraction of the graph's steps that are done.
    open
        The required steps that were probably never done.
    unsure
        The required steps done with a probability from 50 to 90 %.
    everything
        The probability that every required step was done.
    """

    observed: int
    mistakes: int
    done: Mapping[str, float]
    progress: float
    open: tuple[str, ...]
    unsure: tuple[str, ...] = ()
    everything: float = 1.0

    @property
    def is_clean(self) -> bool:
        """Whether nothing was a mistake, and everything was probably done."""
        return not self.mistakes and self.everything >= 0.5
