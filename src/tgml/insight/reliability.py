"""What the robust learner knows beyond a graph: how sure each pair is, and whom to trust."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgml.errors import InputError
from tgml.learners.robust import Robust, _shown, capacity
from tgml.repetitions import first_occurrences
from tgml.sequences import Demonstrations

Matrix = NDArray[np.float64]

LARGEST = 1000
"""How many different steps recordings may have; every pair of them is looked at."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """What is known of every pair and of every recording.

    Parameters
    ----------
    sequences
        The first occurrence of each step, recording by recording, as node numbers.
    before
        ``before[i, j]``: in how many recordings j came before i.
    confidence
        ``confidence[i, j]``: how probable it is that i needs j, directly or through others.
    reliability
        How far each recording is trusted, from 0 to 1.
    """

    sequences: tuple[tuple[int, ...], ...]
    before: Matrix
    confidence: Matrix
    reliability: tuple[float, ...]


def judge(demonstrations: Demonstrations) -> Judgement:
    """Return how sure each ordered pair of steps is, and how far each recording is trusted.

    Marks of annotators are not looked at.

    Raises
    ------
    InputError
        If there are more different steps than can be compared with each other.

    Examples
    --------
    >>> found = judge(Demonstrations.from_steps(["abc", "abc", "bac"]))
    >>> bool(found.confidence[3, 1] > found.confidence[2, 1])
    True
    """
    if len(demonstrations.seen) > LARGEST:
        about = f"procedure {demonstrations.procedure!r}" if demonstrations.procedure else "these"
        raise InputError(
            f"{about}: {len(demonstrations.seen):,} different steps; expected {LARGEST:,} or "
            "fewer, as each is compared with every other"
        )
    learner = Robust()
    sequences = tuple(first_occurrences(recording.steps) for recording in demonstrations)
    shown = _shown(sequences, len(demonstrations.vocabulary.nodes))
    rates = learner._error_rates(shown)
    trust = capacity(rates)
    confidence = learner._pairs(shown, rates, trust)
    weights = np.array([recording.weight for recording in demonstrations], dtype=np.float32)
    before = np.einsum("r,rij->ij", weights, shown).astype(np.float64)
    return Judgement(sequences, before, confidence, tuple(map(float, trust)))
