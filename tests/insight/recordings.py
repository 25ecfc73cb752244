"""Recordings with choices and rework that tests of insight share."""

from __future__ import annotations

import random
from collections.abc import Sequence

from stepgraph.sequences import Demonstrations

ACCEPTED, REJECTED = ["check", "accept", "pack", "ship"], ["check", "reject", "rework", "scrap"]
CASES = [ACCEPTED] * 86 + [REJECTED] * 14
"""Cases that are accepted or rejected."""
BENCH = [
    *[["build", "test", "pack"]] * 12,
    *[["build", "test", "repair", "test", "pack"]] * 6,
    *[["build", "test", "repair", "test", "repair", "test", "pack"]] * 2,
]
"""Devices that are tested, and repaired and tested again until they pass."""
INSPECTIONS = [
    *[["arrive", "leave"]] * 12,
    *[["arrive", "inspect", "good", "leave"]] * 5,
    *[["arrive", "inspect", "bad", "leave"]] * 3,
]
"""Visits, some with an inspection that has one of two results."""


def recorded(recordings: Sequence[Sequence[str]]) -> Demonstrations:
    """Return recordings of these steps."""
    return Demonstrations.from_steps(recordings)


def forgetful(
    recordings: Sequence[Sequence[str]], seed: int, rate: float = 0.05
) -> list[list[str]]:
    """Return recordings in which each step is left out at random."""
    rng = random.Random(seed)
    kept = [[step for step in own if rng.random() >= rate] for own in recordings]
    return [own for own in kept if own]
