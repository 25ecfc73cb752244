"""The monitor behind a recogniser that errs: verdicts with a probability."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

from stepgraph.errors import FormatError, SettingError, StepgraphWarning
from stepgraph.formats.json_text import VERSION, finite_number
from stepgraph.graph import TaskGraph
from stepgraph.graph.edges import bits
from stepgraph.graph.rules import without_rules
from stepgraph.monitoring.belief import (
    BEAM,
    FIRST,
    HINDSIGHT,
    Beam,
    Belief,
    Guess,
    mistakes_in,
    pass_over,
    revised,
)
from stepgraph.monitoring.confusion import Confusion
from stepgraph.monitoring.monitor import Kind
from stepgraph.monitoring.plan import Plan, ignored_rules
from stepgraph.monitoring.session import Session, as_observation, check_state, fingerprint, whole
from stepgraph.monitoring.uncertain_verdict import UncertainReport, UncertainVerdict

UNCERTAIN_FORMAT = "stepgraph-uncertain-state"
ERROR_RATE = 0.1
"""Default error rate of a recogniser."""
MISTAKE_RATE = 0.05
"""Default share of steps that are mistakes."""
THRESHOLD = 0.5
SURE = 0.9
"""Probability from which the report takes a step for done."""


class _Moment(NamedTuple):
    observed: int = 0
    settled: int = 0  # mistakes that later steps cannot revise
    named: int = 0  # the steps that these were about
    about: tuple[int, ...] = ()  # what each of the last observations lacked, if it was a mistake
    time: float | None = None
    beam: Beam = FIRST


class UncertainMonitor(Session[_Moment]):
    """Follows one session through a recogniser that misses, confuses and makes up steps.

    It keeps a distribution over the steps that were really done. A step that seems too early raises
    no alarm while an error of the recogniser is more probable.

    Parameters
    ----------
    graph
        The procedure's graph.
    confusion
        The recogniser's errors; its steps must be the graph's, in any order.
    error_rate
        The recogniser's error rate, instead of a confusion; see `Confusion.even`.
    mistake_rate
        How often people make mistakes.
    threshold
        The probability from which a step is called a mistake; `stepgraph calibrate` finds one.
    beam
        Number of states to keep, and one more if these agree whether the last step was a mistake.

    Raises
    ------
    SettingError
        If both confusion and error rate are given, or a number is out of range.
    FormatError
        If the confusion is of other steps.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg"], "bake": ["mix"], "eat": ["bake"]})
    >>> monitor = UncertainMonitor(graph, error_rate=0.15)
    >>> verdict = monitor.observe("mix")
    >>> verdict.is_mistake, 0.1 < verdict.probability < 0.5
    (False, True)
    >>> monitor = UncertainMonitor(graph, error_rate=0.0)
    >>> monitor.observe("mix").probability
    1.0
    """

    __slots__ = ("_belief", "_plan", "threshold")

    def __init__(
        self,
        graph: TaskGraph,
        *,
        confusion: Confusion | None = None,
        error_rate: float | None = None,
        mistake_rate: float = MISTAKE_RATE,
        threshold: float = THRESHOLD,
        beam: int = BEAM,
    ) -> None:
        super().__init__(graph, _Moment())
        if ignored := ignored_rules(graph):
            warnings.warn(StepgraphWarning(ignored), stacklevel=2)
        if confusion is not None and error_rate is not None:
            raise SettingError("both a confusion and an error rate are given; expected one of them")
        for name, value in (("mistake_rate", mistake_rate), ("threshold", threshold)):
            if not 0 < value < 1:
                raise SettingError(f"{name} is {value}; expected a number between 0 and 1")
        if beam < 1:
            raise SettingError(f"beam is {beam}; expected 1 or more")
        if confusion is None:
            rate = ERROR_RATE if error_rate is None else error_rate
            confusion = Confusion.even(graph.steps, rate)
        if not isinstance(confusion, Confusion):
            raise FormatError(
                f"the confusion is {confusion!r:.40}; expected a Confusion, such as "
                "Confusion(graph.steps, rows)"
            )
        self.threshold = threshold
        self._plan = Plan.of(without_rules(graph) if ignored else graph)
        self._belief = Belief(self._plan, confusion.for_graph(graph), mistake_rate, beam)

    @property
    def done(self) -> dict[str, float]:
        """For each step, the probability that it was done, by the observations so far."""
        return {
            step: sum(guess.weight for guess in self._now.beam if guess.done >> node & 1)
            for step, node in self._plan.nodes.items()
        }

    def observe(
        self, step: str, time: float | None = None, confidence: float | None = None
    ) -> UncertainVerdict:
        """Judge a step that has just been recognised.

        Parameters
        ----------
        step
            Its name. The monitor reports an unknown name and changes nothing else.
        time
            The time of the step, as for `Monitor`.
        confidence
            The recogniser's confidence, from 0 to 1; with 1 the step is certain.

        Raises
        ------
        InputError
            If the step is no text, or time or confidence no number. The session is unchanged.
        """
        now = self._now
        seen = as_observation(step, time, confidence, now.time)
        position = now.observed + 1
        node = self._plan.nodes.get(step)
        beam = now.beam
        probability, made_up, right, repeated, happened = 1.0, 0.0, 0.0, 0.0, None
        missing: tuple[str, ...] = ()
        late: tuple[str, ...] = ()
        lacked = 0
        if node is None:
            kind = Kind.UNKNOWN_STEP
            beam = pass_over(beam, mistake=True)
        else:
            reading = self._belief.read(beam, node, seen.confidence)
            beam, lacked = reading.beam, reading.mistake.missing
            probability, made_up = reading.mistake.probability, reading.made_up
            right, repeated = reading.right, reading.repeated
            done, blame = reading.happened, None
            if probability >= self.threshold:
                blame = reading.mistake
                kind = Kind.TOO_EARLY if blame.early or not blame.late else Kind.TOO_LATE
            elif reading.noted.probability >= 0.5:
                kind, blame = Kind.SKIPPED_INFERRED, reading.noted
            else:
                again = done == node and repeated > right / 2
                kind = Kind.REPEATED if again else Kind.CORRECT
            if blame:
                done, missing = blame.step, self._plan.names_in(blame.missing)
                late = self._plan.names_in(blame.late)
            happened = self._plan.names[done] if done else None
        verdict = UncertainVerdict(
            position,
            step,
            kind,
            probability,
            made_up,
            right,
            repeated,
            happened,
            missing,
            late,
            self.threshold,
            seen.time,
            seen.confidence,
            seen.note,
            self._plan,
            beam,
        )
        self._past.append(now)
        settled, named = now.settled, now.named
        if len(now.about) == HINDSIGHT and self._is_mistake(now.beam, HINDSIGHT - 1):
            settled += 1
            named |= now.about[0]
        about = (*now.about, lacked)[-HINDSIGHT:]
        self._now = _Moment(position, settled, named, about, seen.last_time, beam)
        return verdict

    @property
    def revised(self) -> tuple[tuple[int, float], ...]:
        """The last observations judged again, as on the last verdict."""
        return revised(self._now.beam, self.observed)

    @property
    def mistakes(self) -> int:
        """Number of mistakes, by all observations since; unknown steps included."""
        return self._now.settled + len(self._recent_mistakes())

    def _recent_mistakes(self) -> list[int]:
        """Return the steps that the last mistakes were about, as masks."""
        now = self._now
        return [
            lacked
            for ago, lacked in enumerate(reversed(now.about))
            if self._is_mistake(now.beam, ago)
        ]

    def _is_mistake(self, beam: Beam, ago: int) -> bool:
        return mistakes_in(beam, ago) >= self.threshold

    def _done_at_the_end(self) -> tuple[dict[str, float], float]:
        """Return the probability that each step was done, and that all were, if nothing follows."""
        nodes, unseen = self._plan.nodes, self._belief.unseen
        expected = sum(1 << node for node in nodes.values()) & ~self._plan.optional
        done = dict.fromkeys(nodes, 0.0)
        everything = 0.0
        for guess in self._now.beam:
            left = expected & ~guess.done & ~guess.forgotten
            if not expected & guess.forgotten & ~guess.done:
                everything += guess.weight * (unseen(left) if left else 1.0)
            for step, node in nodes.items():
                if guess.done >> node & 1:
                    done[step] += guess.weight
                elif not guess.forgotten >> node & 1:
                    done[step] += guess.weight * unseen(left | 1 << node)
        return {step: min(chance, 1.0) for step, chance in done.items()}, min(everything, 1.0)

    def finish(self) -> UncertainReport:
        """Return the steps that were probably never done; the session can go on after it."""
        plan = self._plan
        done, everything = self._done_at_the_end()
        expected = [step for step, node in plan.nodes.items() if not plan.optional >> node & 1]
        progress = sum(done[step] for step in expected) / len(expected) if expected else 1.0
        never = tuple(step for step in expected if done[step] < 0.5)
        unsure = tuple(step for step in expected if 0.5 <= done[step] < SURE)
        named = self._now.named
        for lacked in self._recent_mistakes():
            named |= lacked
        # A mistake is about the missing steps, and so about their preconditions.
        about = [
            named & (plan.needed_by[plan.nodes[step]] | 1 << plan.nodes[step]) for step in never
        ]
        wrong = self.mistakes + about.count(0)
        return UncertainReport(self.observed, wrong, done, progress, never, unsure, everything)

    @property
    def state(self) -> dict[str, Any]:
        """The session as plain JSON values, the recogniser's errors and `undo` included."""
        belief = self._belief
        return {
            "format": UNCERTAIN_FORMAT,
            "version": VERSION,
            "procedure": self.graph.procedure,
            "graph": fingerprint(self.graph),
            "steps": list(self.graph.steps),
            "confusion": belief.confusion.to_json(),
            "mistake_rate": belief.mistake_rate,
            "threshold": self.threshold,
            "beam": belief.beam,
            "now": _moment_to_json(self._now),
            "undo": [_moment_to_json(moment) for moment in self._past],
        }

    @classmethod
    def _resumed(cls, graph: TaskGraph, content: Any, where: str) -> Self:
        check_state(content, UNCERTAIN_FORMAT, graph, where)
        try:
            monitor = cls(
                graph,
                confusion=Confusion.from_json(content.get("confusion"), f"{where}: 'confusion'"),
                mistake_rate=content["mistake_rate"],
                threshold=content["threshold"],
                beam=whole(content["beam"], None, f"{where}: 'beam'"),
            )
            nodes = [monitor._plan.nodes[step] for step in content["steps"]]
            monitor._now = _moment_from_json(content["now"], nodes, where)
            if not isinstance(content["undo"], list):
                raise TypeError(f"'undo' is {content['undo']!r:.40}")
            past = [_moment_from_json(raw, nodes, where) for raw in content["undo"]]
            first = monitor.observed - len(past)
            if [moment.observed for moment in past] != list(range(first, monitor.observed)):
                raise ValueError("what it can undo is not what was observed last")
            monitor._past.extend(past)
        except (LookupError, TypeError, ValueError, ArithmeticError, SettingError) as error:
            raise FormatError(
                f"{where}: not a state that a monitor saved ({type(error).__name__}: {error})"
            ) from None
        return monitor


def mistake_probabilities(
    graph: TaskGraph,
    steps: Iterable[str],
    *,
    confusion: Confusion | None = None,
    error_rate: float | None = None,
    mistake_rate: float = MISTAKE_RATE,
    hindsight: int = 0,
) -> tuple[float, ...]:
    """Return the probability that each recognised step is a mistake, as it comes.

    Parameters
    ----------
    graph
        The procedure's graph.
    steps
        The recognised steps in order; an unknown step is a certain mistake.
    confusion, error_rate, mistake_rate
        As for `UncertainMonitor`.
    hindsight
        Number of later observations to wait for before judging a step, from 0 to 5.

    Raises
    ------
    SettingError
        If the monitor does not remember that long.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg"]})
    >>> mistake_probabilities(graph, ["mix", "fly"], error_rate=0.0)
    (1.0, 1.0)
    """
    monitor = UncertainMonitor(
        graph, confusion=confusion, error_rate=error_rate, mistake_rate=mistake_rate
    )
    names = tuple(steps)
    if not 0 <= hindsight < HINDSIGHT:
        raise SettingError(f"hindsight is {hindsight}; expected 0 to {HINDSIGHT - 1}")
    probabilities: list[float] = []
    for step in names:
        verdict = monitor.observe(step)
        probabilities.append(verdict.probability)
        for position, probability in verdict.revised[-hindsight - 1 : -1]:
            probabilities[position - 1] = probability
    return tuple(probabilities)


def _moment_to_json(moment: _Moment) -> dict[str, Any]:
    """Return a moment as JSON values; steps are bits of hexadecimal numbers, from bit 0 on."""
    return {
        "observed": moment.observed,
        "settled": moment.settled,
        "named": f"{moment.named >> 1:x}",
        "about": [f"{lacked >> 1:x}" for lacked in moment.about],
        "time": moment.time,
        "beam": [
            [*(f"{mask >> 1:x}" for mask in guess[:3]), guess.recent, guess.weight]
            for guess in moment.beam
        ],
    }


def _moment_from_json(raw: Mapping[str, Any], nodes: Sequence[int], where: str) -> _Moment:
    def mask(digits: str) -> int:
        return sum(1 << nodes[place] for place in bits(int(digits, 16)))

    beam = tuple(
        Guess(
            mask(done),
            mask(skipped),
            mask(forgotten),
            whole(recent, None, f"{where}: a guess"),
            float(weight),
        )
        for done, skipped, forgotten, recent, weight in raw["beam"]
    )
    weights = [guess.weight for guess in beam]
    if not all(weight > 0 for weight in weights) or not abs(sum(weights) - 1) < 1e-6:
        raise ValueError("its states are not probabilities")
    time = raw["time"]
    if time is not None and finite_number(time) is None:
        raise ValueError(f"its time is {time!r:.40}")
    observed = whole(raw["observed"], None, f"{where}: 'observed'")
    settled = whole(raw["settled"], max(observed - HINDSIGHT, 0), f"{where}: 'settled'")
    about = tuple(map(mask, raw["about"]))
    if len(about) != min(observed, HINDSIGHT):
        raise ValueError("it does not say what its last observations lacked")
    return _Moment(
        observed, settled, mask(raw["named"]), about, None if time is None else float(time), beam
    )
