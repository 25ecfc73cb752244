"""Which recordings bear an edge out, which contradict it, and which say nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, islice

import numpy as np
from numpy.typing import NDArray

from tgml.attributes import EXAMPLES, EdgeEvidence
from tgml.graph import Edge
from tgml.repetitions import first_occurrences
from tgml.sequences import END, START, Demonstrations, KeyStepSequence

ENTRIES = 4_000_000
"""How many places of steps are looked at at once; memory stays bounded by it."""
NEVER = np.iinfo(np.int64).max
"""The place of a step that a recording does not show."""


def edge_evidence(
    demonstrations: Demonstrations, edges: Iterable[Edge]
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

    Returns
    -------
    dict
        The evidence of each edge, in the order given.

    Examples
    --------
    >>> recordings = Demonstrations.from_steps({"anna": ["egg", "mix"], "ben": ["mix", "egg"]})
    >>> edge_evidence(recordings, [("mix", "egg")])["mix", "egg"]
    EdgeEvidence(held=1.0, broken=1.0, silent=0.0, held_in=('anna',), broken_in=('ben',))
    """
    pairs = [edge for edge in edges if edge[0] != END and edge[1] != START]
    node = demonstrations.vocabulary.node
    rows, columns = ([node(edge[end]) for edge in pairs] for end in (0, 1))
    counts = np.zeros((2, len(pairs)))
    names: tuple[list[list[str]], ...] = tuple([[] for _ in pairs] for _ in counts)
    size = demonstrations.vocabulary.end
    most = max(ENTRIES // max(size, len(pairs)), 1)
    for start in range(0, len(demonstrations), most):
        part = demonstrations.sequences[start : start + most]
        places = _places(part, size)
        step, needed = places[:, rows], places[:, columns]
        both = np.maximum(step, needed) < NEVER
        weights = np.array([recording.weight for recording in part])
        for side, shown in enumerate((both & (needed < step), both & (step < needed))):
            counts[side] += weights @ shown
            for known, showing in zip(names[side], np.ascontiguousarray(shown.T), strict=True):
                found = compress(part, showing.tobytes())
                known += [recording.id for recording in islice(found, EXAMPLES - len(known))]
    total = demonstrations.total_weight
    return {
        # Sums of fractions may miss the total by their rounding.
        edge: EdgeEvidence(held, broken, max(total - held - broken, 0.0), *map(tuple, examples))
        for edge, held, broken, *examples in zip(pairs, *counts.tolist(), *names, strict=True)
    }


def _places(recordings: Sequence[KeyStepSequence], size: int) -> NDArray[np.int64]:
    """Return where each recording does each node for the first time: (recordings, nodes)."""
    places = np.full((len(recordings), size), NEVER)
    for row, recording in enumerate(recordings):
        steps = first_occurrences(recording.steps)
        places[row, steps] = np.arange(len(steps))
    return places
