"""What a recogniser's steps mean, worked out over every possible world, without a beam."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from tgml.graph import TaskGraph
from tgml.monitoring import Confusion

Steps = frozenset[str]
State = tuple[Steps, Steps, Steps]
World = tuple[Steps, Steps, Steps, tuple[bool, ...]]
"""The steps done, those skipped, those forgotten, and which observations so far were mistakes."""
NONE: Steps = frozenset()


@dataclass
class Exact:
    """The worlds that may be, after some observations, and what the last of these meant."""

    graph: TaskGraph
    confusion: Confusion
    mistake_rate: float
    worlds: dict[World, float] = field(default_factory=lambda: {(NONE, NONE, NONE, ()): 1.0})
    happened: dict[str | None, float] = field(default_factory=dict)
    mistakes: dict[tuple[str | None, Steps], float] = field(default_factory=dict)
    noted: dict[tuple[str | None, Steps], float] = field(default_factory=dict)
    repeated: float = 0.0

    def observe(self, name: str, confidence: float | None) -> None:
        """Take in an observation."""
        worlds: dict[World, float] = defaultdict(float)
        happened: dict[str | None, float] = defaultdict(float)
        mistakes: dict[tuple[str | None, Steps], float] = defaultdict(float)
        noted: dict[tuple[str | None, Steps], float] = defaultdict(float)
        repeated = 0.0
        for (done, skipped, forgotten, past), weight in self.worlds.items():
            for step, chance, after, new in self._ways(
                (done, skipped, forgotten), name, confidence or 0.0
            ):
                worlds[(*after, (*past, new))] += weight * chance
                happened[step] += weight * chance
                lacks = frozenset(self._needs(step)) - after[0]
                if lacks:
                    (mistakes if new else noted)[step, lacks] += weight * chance
                repeated += weight * chance * (step in done and not lacks)
        total = sum(worlds.values())
        if not total:
            worlds = {(*world[:3], (*world[3], False)): w for world, w in self.worlds.items()}
            happened, total = {None: 1.0}, 1.0
        self.worlds = {world: weight / total for world, weight in worlds.items() if weight}
        self.happened = {step: weight / total for step, weight in happened.items()}
        self.mistakes = {what: weight / total for what, weight in mistakes.items()}
        self.noted = {what: weight / total for what, weight in noted.items()}
        self.repeated = repeated / total

    def _needs(self, step: str | None) -> tuple[str, ...]:
        return self.graph.preconditions_of(step) if step in self.graph.steps else ()

    def _ways(
        self, state: State, name: str, sure: float
    ) -> Iterator[tuple[str | None, float, State, bool]]:
        """Yield how the observation may have come about: the true step, and what it changes."""
        if name not in self.graph.steps:
            yield None, 1.0, state, True
            return
        seen_as = self.confusion.steps.index(name)
        made_up = (1 - sure) * self.confusion.spurious
        yield None, made_up * self.confusion.made_up[seen_as], state, False
        for number, step in enumerate(self.confusion.steps):
            seen = self.confusion.seen[number][seen_as]
            if step == name:  # one that is never seen may be known for certain all the same
                recognised = (1 - made_up) * (seen or sure * 1e-6)
            else:
                recognised = (1 - made_up) * seen * (1 - sure)
            for chance, after, lacking in self._does(*state, step):
                yield step, recognised * chance, after, bool(lacking)

    def _does(
        self, done: Steps, skipped: Steps, forgotten: Steps, step: str
    ) -> Iterator[tuple[float, State, Steps]]:
        """Yield how a person may come to do a step now."""
        steps, rate = self.graph.steps, self.mistake_rate
        needs = {name: set(self.graph.preconditions_of(name)) for name in steps}
        thinks_done = done | skipped | forgotten
        to_do = [
            name for name in steps if name not in done | forgotten and needs[name] <= thinks_done
        ]
        right = (1 - rate) / max(len(to_do), 1)
        at_random = rate / 2 / max(len(steps) - len(done), 1)
        lacks = frozenset(needs[step] - done - skipped)
        after = done | {step}
        if step in done:
            yield rate / len(done), (done, skipped, forgotten), NONE
        elif needs[step] <= thinks_done:
            chance = at_random if step in forgotten else right
            yield chance, (after, (skipped - {step}) | lacks, forgotten - {step}), lacks
        else:
            before = set(self.graph.all_preconditions_of(step)) - thinks_done
            missed = dict(zip(self.confusion.steps, self.confusion.missed, strict=True))
            unseen = prod(missed[name] for name in before)
            still = lacks & forgotten
            yield (
                right * unseen,
                (after | before, skipped - {step} | still, forgotten - {step}),
                still,
            )
            skip = (rate / 2) ** len(before) / max(len(to_do), 1)
            noted = (skipped - {step}) | lacks
            yield skip / 3, (after, noted, (forgotten - {step}) | before), lacks
            yield skip * 2 / 3 + at_random, (after, noted, forgotten - {step}), lacks
