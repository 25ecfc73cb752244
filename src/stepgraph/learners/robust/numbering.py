"""Steps numbered by what recordings show of them, so that names and file order decide nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stepgraph.sequences import Demonstrations, Vocabulary


def by_place(demonstrations: Demonstrations) -> tuple[Demonstrations, NDArray[np.intp]]:
    """Return recordings with their steps numbered from early to late ones.

    Where a search looks at pairs in the order of their numbers, it ends at another order if steps
    are numbered otherwise. Steps come by their mean place, then by how often they are done and
    how often before and after the others. Those that are alike in all of this stay as they were.

    Parameters
    ----------
    demonstrations
        The recordings.

    Returns
    -------
    tuple
        The recordings, and for each of the given nodes its new number.

    Examples
    --------
    >>> given = Demonstrations.from_steps(["ba", "bca"], vocabulary=Vocabulary(("a", "b", "c")))
    >>> numbered, new = by_place(given)
    >>> numbered.vocabulary.steps, new.tolist()
    (('b', 'c', 'a'), [0, 3, 1, 2, 4])
    """
    words = demonstrations.vocabulary
    size = len(words.nodes)
    places, weights, before = np.zeros(size), np.zeros(size), np.zeros((size, size))
    for recording in demonstrations:
        order = np.array(tuple(dict.fromkeys(recording.steps)))
        places[order] += recording.weight * (np.arange(len(order)) + 0.5) / len(order)
        weights[order] += recording.weight
        later, earlier = np.tril_indices(len(order), -1)
        before[order[later], order[earlier]] += recording.weight
    # Rounded, so that the order of the recordings does not show in the last digits.
    means = (places / np.maximum(weights, 1e-300)).round(9)
    weights, before = weights.round(9), before.round(9)

    def key(step: int) -> tuple[float, float, list[float], list[float]]:
        return (
            float(means[step]),
            -float(weights[step]),
            sorted(before[step].tolist()),
            sorted(before[:, step].tolist()),
        )

    ranked = sorted(range(1, size - 1), key=key)
    new = np.arange(size)
    new[ranked] = np.arange(1, size - 1)
    moved = tuple(
        replace(
            recording,
            steps=tuple(int(new[step]) for step in recording.steps),
            skipped=tuple(int(new[step]) for step in recording.skipped),
        )
        for recording in demonstrations
    )
    vocabulary = Vocabulary(tuple(words.name(step) for step in ranked))
    return replace(demonstrations, vocabulary=vocabulary, sequences=moved), new
