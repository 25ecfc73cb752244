"""The evidence and the origin of a graph, kept with it.

`StepAttributes` says how often recordings do and repeat a step. `EdgeEvidence` says how many
recordings show an edge's order, the opposite one, or neither. `doubtful` lists the edges with
evidence against them. `Provenance` records the method, the recordings and later edits.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from stepgraph.errors import GraphError
from stepgraph.graph.edges import Edge

if TYPE_CHECKING:
    from stepgraph.graph.task_graph import TaskGraph


EXAMPLES = 20
"""Maximum number of recordings to name for an edge; the counts are always complete."""


@dataclass(frozen=True)
class StepAttributes:
    """How a step is done, beyond its preconditions.

    Parameters
    ----------
    done
        Share of the recordings that do it, from 0 to 1.
    optional
        Whether it may be left out; nothing waits for it.
    repeated
        Share of the recordings with the step that repeat it, from 0 to 1.
    repeatable
        Whether doing it again is part of the procedure.
    repeated_after
        The steps directly before a repetition, the most frequent first.
    goes_with
        Optional steps that whoever does this one also does, before the end.

    Raises
    ------
    GraphError
        If a share is no number from 0 to 1.
    """

    done: float = 1.0
    optional: bool = False
    repeated: float = 0.0
    repeatable: bool = False
    repeated_after: tuple[str, ...] = ()
    goes_with: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, share in (("done", self.done), ("repeated", self.repeated)):
            if not 0 <= share <= 1:
                raise GraphError(
                    f"the share {name!r} of a step is {share!r:.40}; expected a number from 0 to 1"
                )
        object.__setattr__(self, "repeated_after", tuple(self.repeated_after))
        object.__setattr__(self, "goes_with", tuple(self.goes_with))

    def among(self, steps: Container[str]) -> StepAttributes:
        """Return the attributes without what goes with the step and is not among these."""
        return replace(self, goes_with=tuple(step for step in self.goes_with if step in steps))


MOST_DOUBTFUL = 3
"""Maximum number of doubtful edges to list, the least probable ones first."""
PROBABLE = 0.5
"""Probability below which an edge is doubtful."""


@dataclass(frozen=True)
class EdgeEvidence:
    """The evidence of recordings for one edge.

    Parameters
    ----------
    held
        Number of recordings with the precondition before the step.
    broken
        Number of recordings with the step before its precondition.
    silent
        Number of recordings with only one of the two, or neither.
    held_in, broken_in
        The names of some of those recordings, at most `EXAMPLES`.
    probability
        The probability that the step needs the other one, if the method estimates it.

    Raises
    ------
    GraphError
        If a count is negative or not finite, or the probability is not from 0 to 1.
    """

    held: float
    broken: float
    silent: float
    held_in: tuple[str, ...] = ()
    broken_in: tuple[str, ...] = ()
    probability: float | None = None

    def __post_init__(self) -> None:
        counts = (self.held, self.broken, self.silent)
        for name, count in zip(("held", "broken", "silent"), counts, strict=True):
            if not 0 <= count < math.inf:
                raise GraphError(
                    f"the evidence of an edge has {name} = {count!r:.40}; expected a count"
                )
        if self.probability is not None and not 0 <= self.probability <= 1:
            raise GraphError(
                f"the probability of an edge is {self.probability!r:.40}; "
                "expected a number from 0 to 1"
            )
        object.__setattr__(self, "held_in", tuple(self.held_in)[:EXAMPLES])
        object.__setattr__(self, "broken_in", tuple(self.broken_in)[:EXAMPLES])

    @property
    def doubtful(self) -> bool:
        """Whether recordings break the edge, and it is improbable."""
        return bool(self.broken) and self.probability is not None and self.probability < PROBABLE

    @property
    def counts(self) -> str:
        """The recordings that keep and break the order, in words.

        Examples
        --------
        >>> EdgeEvidence(10, 4, 0, broken_in=("anna", "ben", "cora", "dora")).counts
        "10 of 14 recordings, not in 'anna', 'ben', 'cora', 1 more"
        """
        return f"{self._shares}{self._broken}"

    @property
    def where(self) -> str:
        """As `counts`, naming those in which the order held as well, where some lack a step.

        Where none does, these are all but the ones that broke it.

        Examples
        --------
        >>> EdgeEvidence(2, 1, 4, ("anna", "ben"), ("cora",)).where
        "2 of 3 recordings ('anna', 'ben'), not in 'cora'"
        """
        held = _named(self.held_in, self.held) if self.silent else ""
        return f"{self._shares}{held and f' ({held})'}{self._broken}"

    @property
    def _shares(self) -> str:
        both = self.held + self.broken
        return f"{self.held:g} of {both:g} {'recording' if both == 1 else 'recordings'}"

    @property
    def _broken(self) -> str:
        named = _named(self.broken_in, self.broken)
        return named and f", not in {named}"

    def told(self, *, stated: bool = False) -> str:
        """Return the evidence in words; a required edge has no probability.

        Examples
        --------
        >>> EdgeEvidence(11, 1, 2, broken_in=("anna",), probability=0.93).told()
        "so in 11 of 12 recordings, not in 'anna'; 2 lack one of the two; 93 % probable"
        """
        text = f"so in {self.counts}" if self.held + self.broken else "no recording has both"
        if self.silent:
            text += f"; {self.silent:g} {'lacks' if self.silent == 1 else 'lack'} one of the two"
        if stated:
            return f"{text}; as stated"
        if self.probability is not None:
            text += f"; {100 * self.probability:.0f} % probable"
        return text


def _named(recordings: tuple[str, ...], count: float) -> str:
    """Return the names of up to three recordings, and the number of the others."""
    named = [f"'{id_}'" for id_ in recordings[:3]]
    if named and count > len(named):
        named.append(f"{count - len(named):g} more")
    return ", ".join(named)


def doubtful(graph: TaskGraph, among: Container[Edge] | None = None) -> Iterator[str]:
    """Yield sentences about the improbable edges that recordings break.

    Edges of few recordings can be improbable although no recording breaks them; see `advise`.

    Parameters
    ----------
    graph
        A graph with its evidence.
    among
        The edges to check; by default all.

    Examples
    --------
    >>> from stepgraph.graph import TaskGraph
    >>> graph = TaskGraph(["egg", "mix"], [("mix", "egg")])
    >>> held = EdgeEvidence(3, 1, 0, broken_in=("anna",), probability=0.31)
    >>> list(doubtful(graph.replace(evidence={("mix", "egg"): held})))
    ["doubtful (31 % probable): 'mix' needs 'egg', which 1 of 4 recordings breaks"]
    """
    given = {
        edge: found
        for edge, found in graph.evidence.items()
        if found.doubtful and (among is None or edge in among)
    }
    by_probability = sorted(given, key=lambda edge: given[edge].probability or 0.0)
    for step, needed in by_probability[:MOST_DOUBTFUL]:
        found = given[step, needed]
        yield (
            f"doubtful ({100 * (found.probability or 0.0):.0f} % probable): {step!r} needs "
            f"{needed!r}, which {found.broken:g} of {found.held + found.broken:g} recordings "
            f"{'breaks' if found.broken == 1 else 'break'}"
        )
    more = len(given) - MOST_DOUBTFUL
    if more > 0:
        yield f"{more} more {'edge is' if more == 1 else 'edges are'} doubtful"


@dataclass(frozen=True)
class Provenance:
    """The origin of a graph; with it and the recordings, the graph can be learned again.

    A graph made by hand has all fields at their defaults.

    Parameters
    ----------
    method
        The learning method.
    settings
        The method's settings other than the defaults, as plain JSON values.
    seed
        The seed of the learning.
    threshold, relaxed, with_mistakes
        The options of `stepgraph.learn`.
    recordings
        Number of recordings behind it.
    model
        The file name of the trained network that predicted it.
    version
        The version of stepgraph that learned it.
    notes
        Sentences about what learning left out, merged or doubts.
    history
        The edits since, the oldest first: the edit (`edit`), its time (`at`), and more.
    other
        Further fields of a file, kept with the graph and never interpreted.
    """

    method: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    threshold: float | None = None
    relaxed: bool = False
    with_mistakes: bool = False
    recordings: float | None = None
    model: str = ""
    version: str = ""
    notes: tuple[str, ...] = ()
    history: tuple[Mapping[str, Any], ...] = ()
    other: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("settings", "other"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        for name in ("notes", "history"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    # Read-only mappings cannot be pickled, so pickling goes through plain ones.
    def __reduce__(self) -> tuple[Any, ...]:
        values = (getattr(self, entry.name) for entry in fields(self))
        plain = tuple(dict(one) if isinstance(one, MappingProxyType) else one for one in values)
        return Provenance, plain
