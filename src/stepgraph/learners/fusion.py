"""Fusion: candidates from the recordings, and a prior where order alone cannot decide.

Two steps that all recordings show in one order may depend on each other, or the order may be
chance. Two signs tell these apart. A direct precondition appears directly before its step in some
recording. A prior supports it: a language model's graph, a user's graph, or step names that share a
word. Each sign adds to the log odds of an edge. A prior never adds a pair that the recordings
contradict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph.adjacency import Matrix, WeightedAdjacency
from stepgraph.learners.base import Learned
from stepgraph.learners.precedence import Precedence, precedence
from stepgraph.learners.prior_knowledge import InformedLearner, NumberedConstraints
from stepgraph.postprocess import to_graph, weakest_in_cycles
from stepgraph.repetitions import without_repetitions
from stepgraph.sequences import Demonstrations, Vocabulary, in_words

BoolMatrix = NDArray[np.bool_]

BASE = -0.8
"""The log odds of an edge for a pair that always comes in one order, before other evidence."""
ADJACENT = 2.1
"""Added if some recording shows the precondition directly before the step."""
IN_PRIOR = 2.4
"""Added if the prior graph orders the pair this way."""
SHARED_WORD = 1.5
"""Added, without a prior graph, if both names share a content word."""


@dataclass(frozen=True)
class Fusion(InformedLearner):
    """Weighs recordings and a prior."""

    name: ClassVar[str] = "fusion"

    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:
        """Learn the edges of one procedure; the seed matters for random repetitions."""
        evidence = self.evidence(demonstrations, seed=seed)
        words = evidence.words
        bonus = IN_PRIOR if self.prior is not None else SHARED_WORD
        odds = evidence.features() @ (BASE, ADJACENT, bonus)
        probable = evidence.candidates & (odds > 0)
        constraints = self.numbered_constraints(words)
        kept = constraints.apply(probable, odds)

        def adjacency(edges: BoolMatrix) -> WeightedAdjacency:
            matrix = np.where(edges, 1 / (1 + np.exp(-odds)), 0.0)
            matrix[1:, 0] = 1.0
            return WeightedAdjacency(words, matrix)

        matrix = adjacency(kept).matrix.copy()
        for edge in constraints.must:
            matrix[edge] = 1.0
        stated = constraints.must or constraints.never
        return Learned(
            WeightedAdjacency(words, matrix),
            (*evidence.notes, *evidence.changes(kept, constraints)),
            unconstrained=adjacency(probable) if stated else None,
        )

    def evidence(self, demonstrations: Demonstrations, *, seed: int = 0) -> Evidence:
        """Return the evidence for every pair of steps, from the recordings and the prior."""
        words = demonstrations.vocabulary
        counts = precedence(demonstrations, self.repetitions)
        free = without_repetitions(demonstrations, self.repetitions, seed=seed)
        candidates = counts.agreed.copy()
        candidates[:, 0] = candidates[-1] = False
        candidates &= ~weakest_in_cycles(candidates, counts.together)
        return Evidence(
            words,
            counts,
            candidates,
            _seen_adjacent(free.sequences, len(words.nodes)),
            self.supported(words),
            self.source,
            free.notes,
        )


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence for every pair of steps: row = step, column = its possible precondition.

    Parameters
    ----------
    words
        The steps.
    counts
        How often each step came before each other step.
    candidates
        Pairs that come in this order in every recording of both, with cycles broken.
    adjacent
        Pairs whose steps some recording shows directly one after the other.
    supported
        Pairs that the prior orders this way, or whose names share a word.
    source
        The source of the support, in words.
    notes
        Sentences about what was merged or left out.
    """

    words: Vocabulary
    counts: Precedence
    candidates: BoolMatrix
    adjacent: BoolMatrix
    supported: BoolMatrix
    source: str
    notes: tuple[str, ...] = ()

    def features(self) -> Matrix:
        """Return, for each pair, 1, whether it was seen adjacent, and whether it has support."""
        ones = np.ones(self.candidates.shape)
        return np.stack([ones, self.adjacent.astype(float), self.supported.astype(float)], axis=-1)

    def changes(self, kept: BoolMatrix, constraints: NumberedConstraints) -> list[str]:
        """Return every edge that the prior added or removed, with the evidence for it.

        It compares two finished graphs: that of the order that all recordings share, and that of
        the edges that remain.
        """
        before, after = self._edges_of(self.candidates), self._edges_of(kept)
        notes = []
        for step, needed in sorted(before - after):
            notes.append(
                f"dropped: {self._edge(step, needed)}{self._why_not(step, needed, constraints)}"
            )
        for step, needed in sorted(after - before):
            if (step, needed) not in constraints.must:
                notes.append(f"added: {self._edge(step, needed)}{self._why(step, needed)}")
        only_supported = {
            (step, needed)
            for step, needed in after & before
            if self.supported[step, needed] and not self.adjacent[step, needed]
        }
        for step, needed in sorted(only_supported - set(constraints.must)):
            notes.append(
                f"kept by {self.source}: {self._edge(step, needed)}: {self._for(step, needed)}, "
                "never seen directly one after the other"
            )
        return notes

    def _edges_of(self, edges: BoolMatrix) -> set[tuple[int, int]]:
        adjacency = WeightedAdjacency(self.words, edges.astype(np.float64))
        graph = to_graph(adjacency).graph
        return {(self.words.node(step), self.words.node(needed)) for step, needed in graph.edges}

    def _is_end(self, step: int, needed: int) -> bool:
        return needed == 0 or step == self.words.end

    def _why_not(self, step: int, needed: int, constraints: NumberedConstraints) -> str:
        if self._is_end(step, needed):
            return ": it follows from other edges now"
        known = f": {self._for(step, needed)}; "
        if (step, needed) in constraints.never:
            return f"{known}ruled out on demand"
        if (self.adjacent | self.supported)[step, needed]:
            return f"{known}in the way of an edge on demand, or implied by it"
        return f"{known}never seen directly one after the other, no support from {self.source}"

    def _why(self, step: int, needed: int) -> str:
        if self._is_end(step, needed):
            return ": nothing is left between them"
        return f": {self._for(step, needed)}; it followed from an edge that was dropped"

    def _edge(self, step: int, needed: int) -> str:
        return f"'{self.words.name(step)}' needs '{self.words.name(needed)}'"

    def _for(self, step: int, needed: int) -> str:
        number, together = self.counts.before[step, needed], self.counts.together[step, needed]
        return f"in this order in {in_words(number)} of {in_words(together)} recordings"


def _seen_adjacent(sequences: Sequence[tuple[int, ...]], size: int) -> BoolMatrix:
    adjacent = np.zeros((size, size), dtype=bool)
    for steps in sequences:
        adjacent[list(steps[1:]), list(steps[:-1])] = True
    return adjacent
