"""Video embeddings made up from text ones, to try the video method where no videos are at hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from stepgraph.learners.transformer.dataset import Vectors
from stepgraph.sequences import Demonstrations

SHIFT = 0.5
"""How far all segments of a recording lie off, in lengths of a text's embedding."""
NOISE = 0.7
"""How far each segment lies off beside that."""


def simulate_segments(
    folder: str | Path, given: Demonstrations, texts: Mapping[str, Vectors], seed: int
) -> None:
    """Write embeddings of every segment of some recordings, in stepgraph's npz form.

    Each recording is a noisy, shifted view: its segments are their steps' text embeddings, all
    moved by one random vector, as by a camera and a kitchen, and each by another of its own.

    Parameters
    ----------
    folder
        Where to write them.
    given
        The recordings.
    texts
        The embedding of each step's name, of length 1.
    seed
        The same seed gives the same files.
    """
    root = Path(folder) / given.procedure
    root.mkdir(parents=True, exist_ok=True)
    for number, recording in enumerate(given):
        rng = np.random.default_rng([seed, number])
        names = given.names(recording)
        clean = np.stack([texts[name] for name in names])
        size = clean.shape[1]
        shift = SHIFT * rng.normal(size=size) / np.sqrt(size)
        noise = NOISE * rng.normal(size=clean.shape) / np.sqrt(size)
        np.savez(
            root / f"{recording.id}.npz",
            steps=np.array(names),
            embeddings=(clean + shift + noise).astype(np.float32),
        )
