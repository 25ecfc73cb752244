"""Which recordings bear an edge out, which contradict it, and which say nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepgraph.graph import Edge
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.graph.evidence import EXAMPLES, EdgeEvidence
from stepgraph.insight.tally import every_step
from stepgraph.sequences import END, START, Demonstrations, KeyStepSequence

ENTRIES = 4_000_000
"""How many places of steps are looked at at once; memory stays bounded by it."""
NEVER = np.iinfo(np.int64).max
"""The place of a step that a recording does not show."""


def edge_evidence(
    demonstrations: Demonstrations,
    edges: Iterable[Edge],
    confidence: WeightedAdjacency | None = None,
) -> dict[Edge, EdgeEvidence]:
    """Count for each edge between steps the recordings that show its order.

    A step counts when it is done for the first time. Each recording counts as many as it stands
    for.

    Parameters
    ----------
    demonstrations
        The recordings.
    edges
        Pairs (step, precondition) over their vocabulary; those with START or END are passed
        over, as no recording can contradict them.
    confidence
        How probable it is that each step needs each other one, where the method says so.

    Returns
    -------
    dict
        The evidence of each edge, in the order given.

    Examples
    --------
    >>> recordings = Demonstrations.from_steps({"anna": ["egg", "mix"], "ben": ["mix", "egg"]})
    >>> found = edge_evidence(recordings, [("mix", "egg")])["mix", "egg"]
    >>> found.held, found.broken, found.held_in, found.broken_in
    (1.0, 1.0, ('anna',), ('ben',))
    """
    pairs = [edge for edge in edges if edge[0] != END and edge[1] != START]
    node = demonstrations.vocabulary.node
    rows, columns = ([node(edge[end]) for edge in pairs] for end in (0, 1))
    counts = np.zeros((2, len(pairs)))
    examples: list[list[tuple[str, ...]]] = [[()] * len(pairs) for _ in counts]
    size = demonstrations.vocabulary.end
    most = max(ENTRIES // max(size, len(pairs)), 1)
    for start in range(0, len(demonstrations), most):
        part = demonstrations.sequences[start : start + most]
        places = _places(part, size)
        step, needed = places[:, rows], places[:, columns]
        both = np.maximum(step, needed) < NEVER
        weights = np.array([recording.weight for recording in part])
        ids = tuple(recording.id for recording in part)
        for side, shown in enumerate((both & (needed < step), both & (step < needed))):
            if not shown.any():
                continue
            counts[side] += weights @ shown
            known = examples[side]
            for number, which in enumerate(_named(ids, shown)):
                if which and len(known[number]) < EXAMPLES:
                    known[number] = (known[number] + which)[:EXAMPLES]
    total = demonstrations.total_weight
    found: dict[Edge, EdgeEvidence] = {}
    made: dict[tuple[Any, ...], EdgeEvidence] = {}  # many edges have the same
    probable = [None if confidence is None else _probability(confidence, edge) for edge in pairs]
    for edge, *facts in zip(pairs, *counts.tolist(), *examples, probable, strict=True):
        held, broken, held_in, broken_in, probability = key = tuple(facts)
        if key not in made:
            # Sums of fractions may miss the total by their rounding.
            silent = max(total - held - broken, 0.0)
            made[key] = EdgeEvidence(held, broken, silent, held_in, broken_in, probability)
        found[edge] = made[key]
    return found


def _probability(confidence: WeightedAdjacency, edge: Edge) -> float:
    """Return a probability as files keep it; sums may miss 1 by their rounding."""
    return round(min(confidence.weight(*edge), 1.0), 6)


def _named(ids: tuple[str, ...], shown: NDArray[np.bool_]) -> Iterator[tuple[str, ...]]:
    """Yield for each column the first few of the recordings that it is true of."""
    everyone = ids[:EXAMPLES]
    numbers = np.count_nonzero(shown, axis=0).tolist()
    for number, column in zip(numbers, np.ascontiguousarray(shown.T), strict=True):
        if number in (0, len(ids)):  # as most are, so that they share one tuple
            yield everyone if number else ()
        else:
            yield tuple(islice(compress(ids, column.tobytes()), EXAMPLES))


def _places(recordings: Sequence[KeyStepSequence], size: int) -> NDArray[np.int64]:
    """Return where each recording does each node for the first time: (recordings, nodes)."""
    places = np.full(len(recordings) * size, NEVER)
    row, node = every_step(recordings)
    np.minimum.at(places, row * size + node, np.arange(len(row)))
    return places.reshape(len(recordings), size)
