"""Random procedures with choices, rework and steps that go with others, and runs of them.

`with_rules` adds rules to a procedure; `draw_runs` walks through what its graph permits, step by
step, as somebody would who decides first what to leave out and how often to do work again.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

from stepgraph.errors import SettingError
from stepgraph.graph import Choice, StepAttributes, TaskGraph, Undoing, connect_ends
from stepgraph.graph.edges import bits
from stepgraph.graph.semantics import Semantics, State

TWO_STEPS, OPTIONAL, TWO_UNDONE = 0.5, 0.25, 0.3
"""The chance that an alternative has two steps, that a choice is optional, and that a step undoes
two others."""
REWORK = (0.6, 0.3, 0.1)
"""The chances that a recording does a step that undoes others never, once and twice."""
DONE = 0.5
"""The chance that an optional step is done, and that an optional choice is made."""


def with_rules(
    plain: TaskGraph, *, choices: int, undoings: int, together: int, seed: int
) -> TaskGraph:
    """Return a procedure with rules, each about steps of its own.

    A choice adds a new alternative at the place of a step. An undoing adds an optional step after
    another one that it undoes, before all that need it. Of two steps that go together, one after
    the other, both become optional. Names are dealt at random.

    Parameters
    ----------
    plain
        The procedure, without rules.
    choices, undoings, together
        Number of choices, of steps that undo others, and of steps that another one goes with.
    seed
        The same seed gives the same rules.

    Raises
    ------
    SettingError
        If the procedure has too few steps.

    Examples
    --------
    >>> from benchmarks.generators import random_procedure
    >>> plain = random_procedure(8, width=2, density=0.7, seed=0)
    >>> graph = with_rules(plain, choices=1, undoings=1, together=1, seed=0)
    >>> len(graph.choices), len(graph.undoings), len(graph.optional_steps)
    (1, 1, 3)
    """
    made = _Rules(plain, random.Random(f"rules {seed}"))
    for _ in range(together):  # first, because not every two steps will do
        made.add_pair()
    for _ in range(undoings):
        made.add_undoing()
    for _ in range(choices):
        made.add_choice()
    return made.graph(plain)


class _Rules:
    """A procedure while rules are added to it; a step with a rule gets no second one."""

    def __init__(self, plain: TaskGraph, rng: random.Random) -> None:
        self.needs = {step: set(plain.preconditions_of(step)) for step in plain.steps}
        self.rng = rng
        self.free = list(plain.steps)
        self.choices: list[tuple[list[list[str]], bool]] = []
        self.undoings: list[tuple[str, list[str]]] = []
        self.attributes: dict[str, StepAttributes] = {}

    def add_choice(self) -> None:
        step = self._take(self.free)
        other = self._added(self.needs[step])
        last = other
        alternatives = [[step], [other]]
        if self.rng.random() < TWO_STEPS:
            last = self._added([other])
            alternatives[1].append(last)
        for needs in self.needs.values():
            if step in needs:
                needs.add(last)
        self.choices.append((alternatives, self.rng.random() < OPTIONAL))

    def add_undoing(self) -> None:
        step = self._take(self.free)
        undone = [step]
        before = [needed for needed in sorted(self.needs[step]) if needed in self.free]
        if before and self.rng.random() < TWO_UNDONE:
            undone.append(self._take(before))
        later = [needs for needs in self.needs.values() if step in needs]
        rework = self._added([step])
        for needs in later:
            needs.remove(step)
            needs.add(rework)
        self.undoings.append((rework, undone))
        self.attributes[rework] = StepAttributes(optional=True, repeatable=True)

    def add_pair(self) -> None:
        after = {step: self._before(step) & set(self.free) for step in self.free}
        step = self._take([step for step in self.free if after[step]])
        first = self._take(sorted(after[step]))
        self.attributes[first] = StepAttributes(optional=True, goes_with=(step,))
        self.attributes[step] = StepAttributes(optional=True)

    def graph(self, plain: TaskGraph) -> TaskGraph:
        """Return the procedure with its rules, names dealt at random."""
        names = list(self.needs)
        dealt = dict(zip(names, self.rng.sample(names, len(names)), strict=True))
        edges = [
            (dealt[step], dealt[own]) for step, needs in self.needs.items() for own in sorted(needs)
        ]
        return TaskGraph(
            names,
            connect_ends(names, edges),
            procedure=f"{plain.procedure}, with rules",
            attributes={dealt[step]: _renamed(own, dealt) for step, own in self.attributes.items()},
            choices=[
                Choice([[dealt[step] for step in own] for own in alternatives], optional=optional)
                for alternatives, optional in self.choices
            ],
            undoings=[
                Undoing(dealt[step], [dealt[own] for own in undone])
                for step, undone in self.undoings
            ],
        )

    def _take(self, steps: list[str]) -> str:
        if not steps:
            raise SettingError(
                "there is no step left for a rule; expected more steps or fewer rules"
            )
        step = self.rng.choice(steps)
        self.free.remove(step)
        return step

    def _added(self, needs: Iterable[str]) -> str:
        step = f"step {len(self.needs) + 1:02}"
        self.needs[step] = set(needs)
        return step

    def _before(self, step: str) -> set[str]:
        found = set(self.needs[step])
        for needed in self.needs[step]:
            found |= self._before(needed)
        return found


def _renamed(own: StepAttributes, dealt: dict[str, str]) -> StepAttributes:
    return StepAttributes(
        optional=own.optional,
        repeatable=own.repeatable,
        goes_with=tuple(dealt[step] for step in own.goes_with),
    )


def draw_runs(graph: TaskGraph, count: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """Draw complete runs of a procedure with rules, as node numbers.

    Parameters
    ----------
    graph
        The procedure.
    count
        Number of runs; the first ones stay the same when more are drawn.
    seed
        The same seed gives the same runs.
    """
    rng = random.Random(f"runs {seed}")
    return tuple(
        _draw_run(graph.semantics, random.Random(rng.getrandbits(64))) for _ in range(count)
    )


def _draw_run(semantics: Semantics, rng: random.Random) -> tuple[int, ...]:
    """Walk through what may be done, each step equally likely."""
    times = _decided(semantics, rng)
    done: Counter[int] = Counter()
    run: list[int] = []
    state = State()
    while True:
        # What comes after a step that is still to be done would be too early for it.
        early = 0
        for node, wanted in times.items():
            if done[node] < wanted:
                early |= semantics.after[node]
        possible = [
            node
            for node in semantics.nodes.values()
            if not early >> node & 1
            and (node not in times or done[node] < times[node])
            and semantics.may_do(node, state)
        ]
        if not possible:
            break
        node = rng.choice(possible)
        done[node] += 1
        run.append(node)
        state = semantics.do(node, state)
    if semantics.open(state):
        names = ", ".join(semantics.names_in(semantics.open(state)))
        raise SettingError(f"a run cannot be completed, {names} are never done")
    return tuple(run)


def _decided(semantics: Semantics, rng: random.Random) -> dict[int, int]:
    """Return how often to do each step that need not be done once."""
    times: dict[int, int] = {}
    for node in bits(semantics.optional):
        if semantics.undoes[node]:
            times[node] = rng.choices(range(len(REWORK)), REWORK)[0]
        else:
            times[node] = int(rng.random() < DONE)
    for node in list(times):
        for other in bits(semantics.goes_with[node]):
            times[other] = max(times[other], times[node]) if other in times else 1
    for each, every, optional, _ in semantics.choices:
        taken = rng.choice(each) if not optional or rng.random() < DONE else 0
        times |= {node: int(taken >> node & 1) for node in bits(every)}
    return times
