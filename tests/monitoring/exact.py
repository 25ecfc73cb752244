"""What a recogniser's steps mean, worked out over every possible world, without a beam."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Confusion

Steps = frozenset[str]
State = tuple[Steps, Steps, Steps]
World = tuple[Steps, Steps, Steps, tuple[bool, ...]]
"""The steps done, those skipped, those forgotten, and which observations so far were mistakes."""
NONE: Steps = frozenset()
Wrong = dict[tuple[str | None, Steps, Steps], float]
"""How probable it is that a step was done without some steps, and after others it comes before."""


@dataclass
class Exact:
    """The worlds that may be, after some observations, and what the last of these meant."""

    graph: TaskGraph
    confusion: Confusion
    mistake_rate: float
    worlds: dict[World, float] = field(default_factory=lambda: {(NONE, NONE, NONE, ()): 1.0})
    happened: dict[str | None, float] = field(default_factory=dict)
    mistakes: Wrong = field(default_factory=dict)
    noted: Wrong = field(default_factory=dict)
    repeated: float = 0.0
    right: float = 0.0

    def observe(self, name: str, confidence: float | None) -> None:
        """Take in an observation."""
        worlds: dict[World, float] = defaultdict(float)
        happened: dict[str | None, float] = defaultdict(float)
        mistakes: Wrong = defaultdict(float)
        noted: Wrong = defaultdict(float)
        repeated = right = 0.0
        for (done, skipped, forgotten, past), weight in self.worlds.items():
            for step, chance, after, new, late in self._ways(
                (done, skipped, forgotten), name, confidence or 0.0
            ):
                worlds[(*after, (*past, new))] += weight * chance
                happened[step] += weight * chance
                lacks = self._needs(step) - after[0]
                if lacks or late:
                    (mistakes if new else noted)[step, lacks, late] += weight * chance
                right += weight * chance * (step == name and not new)
                repeated += weight * chance * (step == name and step in done and not lacks)
        total = sum(worlds.values())
        if not total:
            worlds = {(*world[:3], (*world[3], False)): w for world, w in self.worlds.items()}
            happened, total = {None: 1.0}, 1.0
        self.worlds = {world: weight / total for world, weight in worlds.items() if weight}
        self.happened = {step: weight / total for step, weight in happened.items()}
        self.mistakes = {what: weight / total for what, weight in mistakes.items()}
        self.noted = {what: weight / total for what, weight in noted.items()}
        self.repeated = repeated / total
        self.right = right / total

    def _needs(self, step: str | None) -> Steps:
        return frozenset(self.graph.missing_before(step, ())) if step else NONE

    def _late(self, step: str, done: Steps) -> Steps:
        """Return what was done already that comes after an optional step."""
        optional = step in self.graph.optional_steps and step not in done
        return frozenset(
            name for name in done if optional and step in self.graph.all_preconditions_of(name)
        )

    def _ways(
        self, state: State, name: str, sure: float
    ) -> Iterator[tuple[str | None, float, State, bool, Steps]]:
        """Yield how the observation may have come about: the true step, and what it changes."""
        if name not in self.graph.steps:
            yield None, 1.0, state, True, NONE
            return
        seen_as = self.confusion.steps.index(name)
        made_up = (1 - sure) * self.confusion.spurious
        yield None, made_up * self.confusion.made_up[seen_as], state, False, NONE
        for number, step in enumerate(self.confusion.steps):
            seen = self.confusion.seen[number][seen_as]
            if step == name:  # one that is never seen may be known for certain all the same
                recognised = (1 - made_up) * (seen or sure * 1e-6)
            else:
                recognised = (1 - made_up) * seen * (1 - sure)
            late = self._late(step, state[0])
            for chance, after, lacking in self._does(*state, step):
                yield step, recognised * chance, after, bool(lacking or late), late

    def _does(
        self, done: Steps, skipped: Steps, forgotten: Steps, step: str
    ) -> Iterator[tuple[float, State, Steps]]:
        """Yield how a person may come to do a step now."""
        steps, rate = self.graph.steps, self.mistake_rate
        needs = {name: self._needs(name) for name in steps}
        thinks_done = done | skipped | forgotten
        to_do = [
            name
            for name in steps
            if name not in done | forgotten
            and needs[name] <= thinks_done
            and not self._late(name, done)
        ]
        right = (1 - rate) / max(len(to_do), 1)
        at_random = rate / 2 / max(len(steps) - len(done), 1)
        late = self._late(step, done)
        lacks = needs[step] - done - skipped
        after = done | {step}
        if step in done:
            yield rate / len(done), (done, skipped, forgotten), NONE
        elif needs[step] <= thinks_done:
            chance = at_random if late or step in forgotten else right
            yield chance, (after, (skipped - {step}) | lacks, forgotten - {step}), lacks
        else:
            before = set(self.graph.all_preconditions_of(step)) - thinks_done
            before -= set(self.graph.optional_steps)
            missed = dict(zip(self.confusion.steps, self.confusion.missed, strict=True))
            unseen = prod(missed[name] for name in before)
            still = lacks & forgotten
            yield (
                (at_random if late else right) * unseen,
                (after | before, skipped - {step} | still, forgotten - {step}),
                still,
            )
            skip = 0.0 if late else (rate / 2) ** len(before) / max(len(to_do), 1)
            noted = (skipped - {step}) | lacks
            yield skip / 3, (after, noted, (forgotten - {step}) | before), lacks
            yield skip * 2 / 3 + at_random, (after, noted, forgotten - {step}), lacks
