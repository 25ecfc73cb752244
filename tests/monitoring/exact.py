"""What a recogniser's steps mean, worked out over every possible world, without a beam."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from tgml.graph import TaskGraph
from tgml.monitoring import Confusion

Steps = frozenset[str]
World = tuple[Steps, Steps, tuple[bool, ...]]
"""The steps done, those skipped, and which observations so far were mistakes."""
NONE: Steps = frozenset()


@dataclass
class Exact:
    """The worlds that may be, after some observations, and what the last of these meant."""

    graph: TaskGraph
    confusion: Confusion
    mistake_rate: float
    worlds: dict[World, float] = field(default_factory=lambda: {(NONE, NONE, ()): 1.0})
    happened: dict[str | None, float] = field(default_factory=dict)
    missing: dict[Steps, float] = field(default_factory=dict)
    repeated: float = 0.0

    def observe(self, name: str, confidence: float | None) -> None:
        """Take in an observation."""
        worlds: dict[World, float] = defaultdict(float)
        happened: dict[str | None, float] = defaultdict(float)
        missing: dict[Steps, float] = defaultdict(float)
        repeated = 0.0
        for (done, skipped, past), weight in self.worlds.items():
            for step, chance, after, without, lacking in self._ways(
                done, skipped, name, confidence or 0.0
            ):
                worlds[after, without, (*past, bool(lacking))] += weight * chance
                happened[step] += weight * chance
                missing[lacking] += weight * chance
                repeated += weight * chance * (step in done)
        total = sum(worlds.values())
        if not total:
            worlds = {(*world[:2], (*world[2], False)): w for world, w in self.worlds.items()}
            happened, missing, total = {None: 1.0}, {NONE: 1.0}, 1.0
        self.worlds = {world: weight / total for world, weight in worlds.items() if weight}
        self.happened = {step: weight / total for step, weight in happened.items()}
        self.missing = {lacking: weight / total for lacking, weight in missing.items()}
        self.repeated = repeated / total

    def _ways(
        self, done: Steps, skipped: Steps, name: str, sure: float
    ) -> Iterator[tuple[str | None, float, Steps, Steps, Steps]]:
        """Yield how the observation may have come about: the true step, and what it changes."""
        if name not in self.graph.steps:
            yield None, 1.0, done, skipped, NONE
            return
        seen_as = self.confusion.steps.index(name)
        made_up = (1 - sure) * self.confusion.spurious
        yield None, made_up * self.confusion.made_up[seen_as], done, skipped, NONE
        for number, step in enumerate(self.confusion.steps):
            seen = self.confusion.seen[number][seen_as]
            recognised = (1 - made_up) * seen * (1.0 if step == name else 1 - sure)
            for chance, after, without, lacking in self._does(done, skipped, step):
                yield step, recognised * chance, after, without, lacking

    def _does(
        self, done: Steps, skipped: Steps, step: str
    ) -> Iterator[tuple[float, Steps, Steps, Steps]]:
        """Yield how a person may come to do a step now."""
        steps, rate = self.graph.steps, self.mistake_rate
        accomplished = done | skipped
        lacks = {name: set(self.graph.preconditions_of(name)) - accomplished for name in steps}
        possible = [name for name in steps if name not in done and not lacks[name]]
        right = (1 - rate) / max(len(possible), 1)
        if step in done:
            yield rate / len(done), done, skipped, NONE
        elif not lacks[step]:
            yield right, done | {step}, skipped - {step}, NONE
        else:
            before = set(self.graph.all_preconditions_of(step)) - accomplished
            missed = dict(zip(self.confusion.steps, self.confusion.missed, strict=True))
            unseen = prod(missed[name] for name in before)
            yield right * unseen, done | {step} | before, skipped - {step}, NONE
            skip = (rate / 2) ** len(before) / max(len(possible), 1)
            anything = rate / 2 / (len(steps) - len(done))
            yield (
                skip + anything,
                done | {step},
                (skipped - {step}) | lacks[step],
                frozenset(lacks[step]),
            )
