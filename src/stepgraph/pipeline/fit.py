"""How well a graph explains recordings: what they do that it does not allow, and the reverse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stepgraph.graph import TaskGraph
from stepgraph.graph.semantics import State
from stepgraph.monitoring import Kind, Violation, find_violations
from stepgraph.sequences import Demonstrations, in_words

STEPS = 200_000
"""Maximum number of steps to replay; beyond it the most frequent recordings count."""
STATES = 2_000
"""Maximum number of states for which to ask what the graph allows next."""
POOR = 0.5
"""Share of recordings that a graph must explain; below it, a warning says so."""

_WORDS: Mapping[Kind, str] = {
    Kind.NEEDLESS: "steps recur in ways this graph cannot express",
    Kind.TOO_EARLY: "steps come in another order than in this graph",
    Kind.TOO_LATE: "steps come in another order than in this graph",
    Kind.OTHER_ALTERNATIVE: "steps are done together that this graph takes for alternatives",
    Kind.OPEN_AT_FINISH: "steps are left out that this graph requires",
    Kind.UNKNOWN_STEP: "steps are done that this graph does not have",
}


@dataclass(frozen=True)
class Fit:
    """How well a graph explains recordings.

    Parameters
    ----------
    recordings
        Number of recordings replayed: all, or of a very large log the most frequent ones.
    valid
        Number of those that are valid and complete.
    violations
        Mean number of violations of a recording; see `stepgraph.find_violations`.
    precision
        The share of the next steps that the graph allows, in the states that valid recordings
        pass through, which some recording takes. It is low if the graph allows much that nobody
        did, or if there are few recordings. None if no recording is valid.
    kinds
        For each kind of violation the number of recordings with one.
    """

    recordings: float
    valid: float
    violations: float
    precision: float | None
    kinds: Mapping[Kind, float]

    @property
    def share(self) -> float:
        """The share of valid recordings."""
        return self.valid / self.recordings

    @property
    def facts(self) -> dict[str, float]:
        """The figures by name."""
        known = {"valid_share": self.share, "violations": self.violations}
        return known if self.precision is None else known | {"precision": self.precision}

    def __str__(self) -> str:
        text = f"fits {in_words(self.valid)} of {in_words(self.recordings)} recordings"
        if self.valid < self.recordings:
            noun = "violation" if self.violations == 1 else "violations"
            text += f", {self.violations:.2g} {noun} each"
        if self.precision is not None:
            text += f"; {100 * self.precision:.0f} % of the next steps that it allows were seen"
        return text

    @property
    def warning(self) -> str:
        """A sentence that says why not to trust the graph; empty if it fits well enough."""
        if self.share >= POOR:
            return ""
        shares: dict[str, float] = {}
        for kind, number in self.kinds.items():
            words = _WORDS[kind]
            shares[words] = max(shares.get(words, 0.0), number)
        words, number = max(shares.items(), key=lambda entry: entry[1])
        return f"in {100 * number / self.recordings:.0f} % of the recordings {words}"


def fit_of(demonstrations: Demonstrations, graph: TaskGraph) -> Fit:
    """Return how well a graph explains recordings.

    Parameters
    ----------
    demonstrations
        The recordings.
    graph
        The graph.

    Examples
    --------
    >>> tea = Demonstrations.from_steps([["boil", "pour"]] * 3 + [["pour", "boil"]])
    >>> print(fit_of(tea, TaskGraph.from_preconditions({"pour": ["boil"]})))
    fits 3 of 4 recordings, 0.25 violations each; 100 % of the next steps that it allows were seen
    """
    total = valid = violations = 0.0
    kinds: dict[Kind, float] = {}
    taken: dict[State, set[int]] = {}
    for names, weight in _most_frequent(demonstrations):
        found = find_violations(graph, names, complete=True)
        total += weight
        violations += weight * len(found)
        for kind in dict.fromkeys(_kind(violation, names) for violation in found):
            kinds[kind] = kinds.get(kind, 0.0) + weight
        if not found:
            valid += weight
            _follow(graph, names, taken)
    seen = allowed = 0
    every = graph.semantics.nodes.values()
    for state, nodes in list(taken.items())[:STATES]:
        ends = not graph.semantics.open(state)
        allowed += sum(graph.semantics.may_do(node, state) for node in every) + ends
        seen += len(nodes)
    precision = seen / allowed if allowed else None
    return Fit(total, valid, violations / total, precision, kinds)


def _kind(violation: Violation, names: tuple[str, ...]) -> Kind:
    """Return the kind of a violation; a step without one that was never done is no other order."""
    if violation.missing and not set(violation.missing) & set(names):
        return Kind.OPEN_AT_FINISH
    return violation.kind


def _most_frequent(demonstrations: Demonstrations) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield recordings with their weights, as many as can be replayed, the most frequent first."""
    visited = 0
    for recording in sorted(demonstrations, key=lambda own: -own.weight):
        yield demonstrations.names(recording), recording.weight
        visited += len(recording)
        if visited > STEPS:
            return


def _follow(graph: TaskGraph, names: tuple[str, ...], taken: dict[State, set[int]]) -> None:
    """Note the steps that a recording takes from each state; 0 stands for the end."""
    state = State()
    for name in names:
        node = graph.semantics.nodes[name]
        taken.setdefault(state, set()).add(node)
        state = graph.semantics.do(node, state)
    taken.setdefault(state, set()).add(0)
