"""Steps out of order: steps on the wrong side of another, with probabilities.

An order error is about two steps that were both done. A step that is never done leaves the steps
that need it in order. So it matters whether a missing step still comes: while the recording runs
that is a probability, at its end a fact.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, lgamma, log

from stepgraph.errors import InputError, SettingError, StepgraphWarning
from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.edges import bits
from stepgraph.graph.rules import without_rules
from stepgraph.monitoring.plan import Plan, ignored_rules
from stepgraph.sequences import Demonstrations

SKIP_ODDS = 2.0
"""Default odds that a missing step is skipped rather than postponed.

With this value the probabilities are about right on random procedures in which steps are skipped,
swapped with the next and exchanged with any other equally often."""

ALARM = 0.4
"""The probability from which a step is called out of order while the recording runs.

Where probabilities are right, F1 is largest if all is flagged from half of that F1 on; this
is half of 80 %."""


@dataclass(frozen=True, slots=True)
class OrderVerdict:
    """The verdict on one step's place in the order.

    Parameters
    ----------
    position
        The number of the observation, from 1.
    step
        The step's name, as observed.
    before
        The preconditions, direct or not, that it was done before: those done since, and those still
        awaited.
    after
        The steps that need it, directly or through others, and were done before it.
    probability
        The probability that the step is on the wrong side of another one that was or will be done.
    """

    position: int
    step: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    probability: float


class OrderWatch:
    """Follows one recording and judges the probability that each step is out of order.

    A step done after one that needs it is out of order at once. A step done before one that it
    needs is out of order if that one still comes. A missing step is skipped or postponed. Postponed
    steps come at any later place with the same probability, so the longer a step is missing, the
    more probably it is skipped. If several steps are missing, all of them must be skipped for the
    step to be in order.

    Parameters
    ----------
    graph
        The procedure's graph.
    skip_odds
        The odds that a missing step is skipped rather than postponed.
    trust
        The trust, from 0 to 1, that a step needs another, directly or through others, by pair
        (step, precondition); see `pair_trust`. Pairs not listed have full trust.

    Raises
    ------
    SettingError
        If the odds are not above 0.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "bake": ["mix"]})
    >>> watch = OrderWatch(graph)
    >>> watch.observe("egg").probability
    0.0
    >>> verdict = watch.observe("mix")
    >>> verdict.before, round(verdict.probability, 3)
    (('milk',), 0.333)
    >>> [verdict.probability for verdict in watch.finish()]  # had it ended here: milk was skipped
    [0.0, 0.0]
    >>> watch.observe("milk").after
    ('mix',)
    >>> [verdict.probability for verdict in watch.finish()]
    [0.0, 1.0, 1.0]
    """

    __slots__ = ("_missed_at", "_performed", "_plan", "_seen", "_skip_odds", "_trust", "graph")

    def __init__(
        self,
        graph: TaskGraph,
        *,
        skip_odds: float = SKIP_ODDS,
        trust: Mapping[Edge, float] | None = None,
    ) -> None:
        if not skip_odds > 0:
            raise SettingError(f"skip_odds is {skip_odds}; expected a number above 0")
        if ignored := ignored_rules(graph):
            warnings.warn(StepgraphWarning(ignored), stacklevel=2)
        self.graph = graph
        self._plan = Plan.of(without_rules(graph) if ignored else graph)
        self._skip_odds = skip_odds
        self._trust = {
            (self._plan.nodes[step], self._plan.nodes[needed]): weight
            for (step, needed), weight in (trust or {}).items()
            if step in self._plan.nodes and needed in self._plan.nodes
        }
        self._performed = 0
        self._missed_at: dict[int, int] = {}
        # Each observation has its name, its node, the steps missing before it and the steps done
        # too early. The node is None for an unknown step.
        self._seen: list[tuple[str, int | None, int, int]] = []

    def observe(self, step: str) -> OrderVerdict:
        """Judge a step that has just been done, by the observations so far.

        An unknown step has no place in the order and is never out of order.

        Raises
        ------
        InputError
            If the step is no text.
        """
        if not isinstance(step, str):
            raise InputError(f"a step is {step!r:.40}; expected its name, a text")
        plan = self._plan
        node = plan.nodes.get(step)
        missing = late = 0
        if node is not None:
            missing = plan.needs_all[node] & ~self._performed
            if not self._performed >> node & 1:
                late = plan.needed_by[node] & self._performed
            self._performed |= 1 << node
            left = self._left
            for other in bits(missing):
                self._missed_at.setdefault(other, left)
        self._seen.append((step, node, missing, late))
        return self._verdict(len(self._seen), self._still_comes())

    def revised(self) -> tuple[OrderVerdict, ...]:
        """Return a verdict on each observation, by all observations so far."""
        comes = self._still_comes()
        return tuple(self._verdict(position, comes) for position in range(1, len(self._seen) + 1))

    def finish(self) -> tuple[OrderVerdict, ...]:
        """Return a verdict on each observation, knowing that the recording is over.

        The recording can go on after it.
        """
        comes = dict.fromkeys(self._missed_at, 0.0)
        return tuple(self._verdict(position, comes) for position in range(1, len(self._seen) + 1))

    @property
    def _left(self) -> int:
        return len(self._plan.nodes) - self._performed.bit_count()

    def _still_comes(self) -> dict[int, float]:
        left = self._left
        comes = {}
        for node, left_then in self._missed_at.items():
            postponed = left / left_then
            comes[node] = postponed / (self._skip_odds + postponed)
        return comes

    def _verdict(self, position: int, comes: Mapping[int, float]) -> OrderVerdict:
        step, node, missing, late = self._seen[position - 1]
        in_order = 1.0
        before = 0
        if node is not None:
            for other in bits(missing):
                came = 1.0 if self._performed >> other & 1 else comes[other]
                if came:
                    before |= 1 << other
                in_order *= 1.0 - self._trust.get((node, other), 1.0) * came
            for other in bits(late):
                in_order *= 1.0 - self._trust.get((other, node), 1.0)
        names = self._plan.names_in
        return OrderVerdict(position, step, names(before), names(late), 1.0 - in_order)


def pair_trust(
    demonstrations: Demonstrations, *, ordered: float = 0.75, slips: float = 0.02
) -> dict[Edge, float]:
    """Return the trust that a step needs another, directly or through others.

    Two steps that are free have a habit: any share of recordings with the one order is as
    likely as any other. Two that are ordered come the wrong way round by a slip only. By Bayes,
    the share of ordered pairs is the prior, half of them either way round.

    Parameters
    ----------
    demonstrations
        The recordings that a graph was learned from; the first time a step is done counts.
    ordered
        The share of pairs of steps that are ordered.
    slips
        The share of recordings in which an ordered pair comes the wrong way round.

    Returns
    -------
    dict
        A number between 0 and 1 for each pair (step, precondition) that some recording shows in
        this order.

    Raises
    ------
    SettingError
        If a share is not between 0 and 1.

    Examples
    --------
    >>> trust = pair_trust(Demonstrations.from_steps(["abc", "acb"]))
    >>> round(trust["b", "a"], 2), round(trust["b", "c"], 2)
    (0.81, 0.13)
    """
    for name, share in (("ordered", ordered), ("slips", slips)):
        if not 0 < share < 1:
            raise SettingError(f"{name} is {share}; expected a number between 0 and 1")
    before: dict[tuple[int, int], float] = {}
    for recording in demonstrations:
        order = tuple(dict.fromkeys(recording.steps))
        for place, step in enumerate(order):
            for needed in order[:place]:
                before[step, needed] = before.get((step, needed), 0.0) + recording.weight
    step_name = demonstrations.vocabulary.name
    trust = {}
    for (step, needed), held in before.items():
        broken = before.get((needed, step), 0.0)
        # Logarithms, because the chances of thousands of recordings underflow.
        needs = log(ordered / 2) + held * log(1 - slips) + broken * log(slips)
        needed_instead = log(ordered / 2) + held * log(slips) + broken * log(1 - slips)
        # The chance of these counts under any habit: a beta function.
        habit = lgamma(held + 1) + lgamma(broken + 1) - lgamma(held + broken + 2)
        free = log(1 - ordered) + habit
        most = max(needs, needed_instead, free)
        total = exp(needs - most) + exp(needed_instead - most) + exp(free - most)
        trust[step_name(step), step_name(needed)] = exp(needs - most) / total
    return trust


def out_of_order(
    graph: TaskGraph, steps: Iterable[str], *, trust: Mapping[Edge, float] | None = None
) -> tuple[OrderVerdict, ...]:
    """Judge the order of a whole recording, knowing its end.

    Parameters
    ----------
    graph
        The procedure's graph.
    steps
        Step names in the order done.
    trust
        As for `OrderWatch`.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "bake": ["mix"]})
    >>> [v.step for v in out_of_order(graph, ["mix", "egg", "bake"]) if v.probability == 1]
    ['mix', 'egg']
    """
    watch = OrderWatch(graph, trust=trust)
    for step in steps:
        watch.observe(step)
    return watch.finish()
