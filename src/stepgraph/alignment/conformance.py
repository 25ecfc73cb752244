"""The fitness and precision of a graph on a log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from stepgraph.alignment.aligner import Aligner
from stepgraph.alignment.moves import Alignment, Costs, fitness, is_left_out
from stepgraph.graph import TaskGraph
from stepgraph.graph.semantics import State
from stepgraph.sequences import Demonstrations


@dataclass(frozen=True)
class Conformance:
    """The alignments of all recordings of a log, with their fitness and precision.

    Parameters
    ----------
    alignments
        One for each recording.
    weights
        Number of recordings that each alignment stands for.
    precision
        The share of the allowed steps that the recordings show, from 0 to 1; see `conformance`.
    """

    alignments: tuple[Alignment, ...]
    weights: tuple[float, ...]
    precision: float

    @property
    def cost(self) -> float:
        """The total cost of all recordings."""
        return self._total([alignment.cost for alignment in self.alignments])

    @property
    def fitness(self) -> float:
        """1 - the costs of all recordings / their worst costs."""
        return fitness(self.cost, self._total([alignment.worst for alignment in self.alignments]))

    def _total(self, values: Sequence[float]) -> float:
        return math.fsum(weight * value for weight, value in zip(self.weights, values, strict=True))


def conformance(
    graph: TaskGraph, demonstrations: Demonstrations, *, costs: Costs | None = None
) -> Conformance:
    """Align every recording of a log to a graph.

    Precision is that of escaping edges (Munoz-Gama and Carmona, 2010) over aligned recordings
    (Adriansyah et al., 2015): the model side of each alignment is a valid order, and after each
    of its prefixes the graph allows some steps, of which the log shows those that follow
    the same prefix in any recording. Precision is 1 - (allowed but not shown) / allowed, both
    summed over the proper prefixes of all recordings. Optional steps that were left out and
    repetitions are no part of a prefix, but a step that was undone is when it is done again; a
    recording counts as many times as it weighs.

    Parameters
    ----------
    graph
        The graph.
    demonstrations
        The log.
    costs
        The costs of moves; by default 1 for a skipped or inserted step.

    Raises
    ------
    UnknownNameError
        If a cost is for a step that the graph does not have.
    GraphError
        If the rules of the graph are against each other: no order finishes it.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"bread": [], "butter": [], "eat": ["bread"]})
    >>> log = Demonstrations.from_steps([["bread", "butter", "eat"], ["bread", "butter", "eat"]])
    >>> result = conformance(graph, log)
    >>> result.fitness, result.precision  # butter may be first or last, and never is
    (1.0, 0.6)
    """
    aligner = Aligner(graph, costs)
    known: dict[tuple[str, ...], Alignment] = {}
    alignments = []
    for sequence in demonstrations:
        names = demonstrations.names(sequence)
        if names not in known:
            known[names] = aligner.align(names)
        found = known[names]
        alignments.append(replace(found, recording=sequence.id))
    weights = tuple(sequence.weight for sequence in demonstrations)
    return Conformance(tuple(alignments), weights, _precision(graph, alignments, weights))


@dataclass(slots=True)
class _Prefix:
    """A prefix of valid orders: the number of recordings with it, and their next steps."""

    times: float = 0.0
    next: dict[str, _Prefix] = field(default_factory=dict)


def _precision(
    graph: TaskGraph, alignments: Sequence[Alignment], weights: Sequence[float]
) -> float:
    meaning = graph.semantics
    root = _Prefix()
    for alignment, weight in zip(alignments, weights, strict=True):
        prefix, state = root, State()
        for move in alignment.moves:
            if move.kind == "inserted" or is_left_out(graph, move):
                continue
            node = meaning.nodes[move.step]
            again = state.done >> node & 1
            after = meaning.do(node, state)
            if after == state or (again and not meaning.undoes[node] & state.done):
                continue
            state = after
            prefix.times += weight
            prefix = prefix.next.setdefault(move.step, _Prefix())
    allowed = []
    shown = []
    # The allowed steps depend on the state alone, and there are far fewer states than orders.
    executable: dict[State, set[int]] = {}
    waiting = [(root, State())]
    while waiting:
        prefix, state = waiting.pop()
        if prefix.next:
            if state not in executable:
                executable[state] = set(meaning.executable(state))
            # A step that is done again to undo others was allowed, too.
            shown_here = {meaning.nodes[step] for step in prefix.next}
            allowed.append(prefix.times * len(executable[state] | shown_here))
            shown.append(prefix.times * len(prefix.next))
        for step, longer in prefix.next.items():
            waiting.append((longer, meaning.do(meaning.nodes[step], state)))
    return math.fsum(shown) / math.fsum(allowed) if allowed else 1.0
