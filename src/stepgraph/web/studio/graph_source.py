"""The source of a graph in the studio, before edits: a file, or recordings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from stepgraph.graph import Edge, TaskGraph
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.graph.evidence import EdgeEvidence
from stepgraph.insight import edge_evidence
from stepgraph.pipeline import Learning
from stepgraph.postprocess import to_graph
from stepgraph.sequences import END, START, Demonstrations

METHOD = "robust"
"""The studio's learner, which gives each edge a probability and accepts constraints."""
_ALWAYS = 2.0
"""The weight of an edge without one, so that it stays at every threshold."""


@dataclass(frozen=True, eq=False)
class GraphSource:
    """A graph as it was read or learned, with its recordings.

    Parameters
    ----------
    graph
        The graph.
    adjacency
        The weights for choosing edges by a threshold; None where edges have no weights.
    confidence
        The probability that each step needs each other one, where it was learned.
    demonstrations
        The recordings; None where there are none.
    trust
        The trust in each recording, by its name, where it was learned.
    file_name
        The name of the source file.
    notes
        Sentences on omissions and merges.
    """

    graph: TaskGraph
    adjacency: WeightedAdjacency | None = None
    confidence: WeightedAdjacency | None = None
    demonstrations: Demonstrations | None = None
    trust: Mapping[str, float] = field(default_factory=dict)
    file_name: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def of_graph(
        cls, graph: TaskGraph, demonstrations: Demonstrations | None = None, file_name: str = ""
    ) -> GraphSource:
        """Return the source of a graph from a file.

        Parameters
        ----------
        graph
            The graph.
        demonstrations
            Recordings of the same procedure; they become the evidence.
        file_name
            The name of the file.
        """
        return cls(
            graph, _weights(graph), demonstrations=demonstrations, file_name=file_name
        )._with_evidence()

    @classmethod
    def of_learning(
        cls,
        learning: Learning,
        demonstrations: Demonstrations,
        file_name: str = "",
        notes: tuple[str, ...] = (),
    ) -> GraphSource:
        """Return the source of a graph that was learned from recordings.

        Parameters
        ----------
        learning
            The result of the learner.
        demonstrations
            All recordings, including those left out of the learning.
        file_name
            The name of their file.
        notes
            The notes of the reader of the file.
        """
        learned = demonstrations
        if learning.trust is not None and len(learning.trust) != len(demonstrations):
            learned = demonstrations.without_marked_mistakes()
        trust = dict(
            zip((recording.id for recording in learned), learning.trust or (), strict=False)
        )
        return cls(
            learning.graph,
            learning.adjacency,
            learning.confidence,
            demonstrations,
            trust,
            file_name,
            (*notes, *learning.notes),
        )._with_evidence()

    def with_recordings(
        self, demonstrations: Demonstrations, file_name: str, notes: tuple[str, ...] = ()
    ) -> GraphSource:
        """Return the same graph with other recordings as its evidence."""
        bare = self.graph.replace(evidence={})
        changed = replace(self, graph=bare, demonstrations=demonstrations, file_name=file_name)
        return replace(changed, trust={}, notes=notes)._with_evidence()

    def _with_evidence(self) -> GraphSource:
        """Return the same source with evidence for each edge from all recordings.

        They are counted anew; how probable an edge is stays as it was learned.
        """
        if self.demonstrations is None:
            return self
        known = dict(self.graph.evidence)
        for edge, counted in evidence_for(self.demonstrations, self.graph.edges).items():
            learned = known[edge].probability if edge in known else None
            known[edge] = replace(counted, probability=learned)
        graph = self.graph.replace(evidence=known)
        return replace(self, graph=graph)

    @property
    def default_threshold(self) -> float:
        """The threshold that gives the graph as it was read or learned."""
        if self.adjacency is None or self.adjacency.threshold is None:
            return 0.0
        return self.adjacency.threshold

    def at(self, threshold: float | None) -> TaskGraph:
        """Return the graph of the edges whose weight lies above a threshold.

        Parameters
        ----------
        threshold
            From 0 to 1; None for the graph as it was read or learned.
        """
        if threshold is None or self.adjacency is None or threshold == self.default_threshold:
            return self.graph
        chosen = to_graph(self.adjacency, threshold=threshold).graph
        own = self.graph.evidence
        known = {edge: own[edge] for edge in chosen.edges if edge in own}
        if self.demonstrations is not None:
            known |= evidence_for(self.demonstrations, set(chosen.edges) - known.keys())
        weights = {edge: weight for edge, weight in chosen.weights.items() if weight != _ALWAYS}
        return self.graph.replace(edges=chosen.edges, weights=weights, evidence=known)

    def probability(self, step: str, needed: str) -> float | None:
        """Return the probability that a step needs another, where it was learned."""
        if self.confidence is None:
            return None
        words = self.confidence.vocabulary
        if step not in words or needed not in words:
            return None
        return float(self.confidence.matrix[words.node(step), words.node(needed)])


def evidence_for(demonstrations: Demonstrations, edges: Iterable[Edge]) -> dict[Edge, EdgeEvidence]:
    """Return the evidence of the edges whose steps are in the recordings."""
    words = demonstrations.vocabulary
    known = [edge for edge in edges if edge[0] in words and edge[1] in words]
    return edge_evidence(demonstrations, sorted(known))


def _weights(graph: TaskGraph) -> WeightedAdjacency | None:
    """Return the weights of a graph's edges, if they can be probabilities."""
    inner = {
        edge: weight
        for edge, weight in graph.weights.items()
        if edge[0] != END and edge[1] != START
    }
    if not inner or not all(0 < weight <= 1 for weight in inner.values()):
        return None
    words = graph.vocabulary
    matrix = np.zeros((len(words.nodes), len(words.nodes)))
    for step, needed in graph.edges:
        if step != END and needed != START:
            matrix[words.node(step), words.node(needed)] = inner.get((step, needed), _ALWAYS)
    return WeightedAdjacency(words, matrix, threshold=0.0)
