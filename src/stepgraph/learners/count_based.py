"""Count-Based: a step needs what most often came directly before it.

A baseline of the paper, after Ashutosh et al. (2023), with the segments matched by their labels.
The method counts and normalises the transitions from each step to the next, START and END included.
The step that most often comes directly before a step becomes its precondition. Every occurrence of
a repeated step counts, and equal recordings each count, as in the paper's comparison.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import networkx as nx
import numpy as np

from stepgraph.graph.adjacency import Matrix, WeightedAdjacency
from stepgraph.learners.base import Learned, Learner
from stepgraph.repetitions import Repetitions, without_repetitions
from stepgraph.sequences import Demonstrations


@dataclass(frozen=True)
class CountBased(Learner):
    """Transition statistics.

    Parameters
    ----------
    repetitions
        Which occurrence of a repeated step counts; 'all' counts each of them.
    """

    name: ClassVar[str] = "count-based"
    counts_all: ClassVar[bool] = True

    repetitions: Repetitions = Repetitions.ALL

    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:
        """Learn the preconditions of one procedure; the seed matters for random repetitions."""
        end = demonstrations.vocabulary.end
        if self.repetitions is Repetitions.ALL:
            notes: tuple[str, ...] = ()
            weighed = [(recording.steps, recording.weight) for recording in demonstrations]
        else:
            free = without_repetitions(demonstrations, self.repetitions, seed=seed)
            notes, weighed = free.notes, [(steps, 1.0) for steps in free.sequences]
        after = _transitions(weighed, end + 1)
        graph = _most_frequent(after)
        _break_cycles(graph)
        _connect(graph, after, [0, *sorted(demonstrations.seen), end])
        matrix = np.zeros(after.shape)
        for step, precondition in graph.edges:
            matrix[step, precondition] = 1.0
        matrix[1:end, 0] = np.maximum(matrix[1:end, 0], ~matrix[1:end].any(axis=1))
        return Learned(WeightedAdjacency(demonstrations.vocabulary, matrix), notes)


def _transitions(sequences: Iterable[tuple[tuple[int, ...], float]], size: int) -> Matrix:
    """Return the probability that node j directly follows node i: ``after[i, j]``."""
    counts = np.zeros((size, size))
    for steps, weight in sequences:
        nodes = [0, *steps, size - 1]
        np.add.at(counts, (nodes[:-1], nodes[1:]), weight)
    leaving = counts.sum(axis=1, keepdims=True)
    after: Matrix = counts / np.where(leaving > 0, leaving, 1)
    return after


def _most_frequent(after: Matrix) -> nx.DiGraph:
    """Return the edges from each node to those most often directly before it, ties included.

    A step that mostly follows itself needs nothing yet: a step is no precondition of its own.
    """
    shares = after / np.maximum(after.sum(axis=0), 1e-300)
    tops = (shares > 0) & np.isclose(shares, shares.max(axis=0))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(after)))
    for before, step in np.argwhere(tops).tolist():
        if before != step:
            graph.add_edge(step, before, weight=after[before, step])
    return graph


def _break_cycles(graph: nx.DiGraph) -> None:
    """Remove the least probable edge of each cycle until none is left."""
    while True:
        try:
            cycle = nx.find_cycle(graph)
        except nx.NetworkXNoCycle:
            return
        graph.remove_edge(*min(cycle, key=lambda edge: graph.edges[edge]["weight"]))


def _connect(graph: nx.DiGraph, after: Matrix, nodes: list[int]) -> None:
    """Connect nodes that need nothing, or that no node needs, to their likeliest neighbour."""
    for step in nodes[1:]:
        if not graph.out_degree(step):
            _add_first(graph, ((step, int(i)) for i in _by_probability(after[:, step])))
    for needed in nodes[:-1]:
        if not graph.in_degree(needed):
            _add_first(graph, ((int(j), needed) for j in _by_probability(after[needed])))


def _by_probability(probabilities: Matrix) -> Iterable[int]:
    order = np.argsort(-probabilities, kind="stable")
    return (int(node) for node in order if probabilities[node] > 0)


def _add_first(graph: nx.DiGraph, candidates: Iterable[tuple[int, int]]) -> None:
    """Add the first edge that closes no cycle."""
    for step, precondition in candidates:
        if not nx.has_path(graph, precondition, step):
            graph.add_edge(step, precondition, weight=0.0)
            return
