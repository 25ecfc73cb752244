"""What a benchmark is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stepgraph.learners import Progress, no_progress


@dataclass(frozen=True)
class Asked:
    """What a user asks of a benchmark; each looks at what it has a use for.

    Parameters
    ----------
    data
        The data directory; by default the one that the environment variable STEPGRAPH_DATA names.
    methods
        Which methods, measures or rows; by default those that the benchmark says.
    seeds
        How many runs a method that draws at random gets, or how many random procedures there are
        of each size.
    progress
        Told how far it is.
    """

    data: str | Path | None = None
    methods: Sequence[str] | None = None
    seeds: int = 5
    progress: Progress = no_progress
