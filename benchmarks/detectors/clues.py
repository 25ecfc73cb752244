"""Clues that a step is a mistake, each a number that grows with suspicion.

They come from recordings without mistakes and from the history alone: how firmly an order is
broken, how little the step was to be expected, whether it was done before, and how much of the
procedure is done.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.detectors.next_step import NextStepModel
from stepgraph.learners.precedence import precedence_of

CLUES = ("early", "late", "next", "repeat", "progress")
"""What there is: a step that usually comes before is missing; one that usually comes after is done;
the step was not to be expected next; it was done before; much of the procedure is done."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClueModel:
    """What is needed to tell the clues of a step.

    Parameters
    ----------
    early
        ``early[a, b]``: how surprising it is that b is missing at the first a, in nats.
    late
        ``late[a, b]``: how surprising it is that b has been done before the first a.
    shown
        Which nodes some recording shows.
    forecast
        The chances of the next step.
    progress
        By the number of different steps done, the log odds that a mistake happens next if it has
        not happened before and may happen anywhere in a recording.
    """

    early: Floats
    late: Floats
    shown: NDArray[np.bool_]
    forecast: NextStepModel
    progress: Floats

    @classmethod
    def learn(cls, sequences: Sequence[tuple[int, ...]], size: int, n: int) -> ClueModel:
        """Learn from recordings as node numbers 1 to size, with n-grams for the forecast."""
        counts = precedence_of(sequences, size + 1)
        shown = counts.recordings > 0
        shown[[0, -1]] = False
        # Jeffreys' estimates of the shares of recordings in which b came before a, and a before b.
        early = -np.log1p(-(counts.before + 0.5) / (counts.recordings[:, None] + 1.0))
        early[:, ~shown] = 0.0
        np.fill_diagonal(early, 0.0)
        late = -np.log((counts.before + 0.5) / (counts.together + 1.0))
        late[~shown] = 0.0
        forecast = NextStepModel.learn(sequences, size, n)
        return cls(early, late, shown, forecast, _progress(sequences))

    def clues(self, steps: Sequence[int]) -> Floats:
        """Return the clues of each step, one column each in the order of `CLUES`.

        Parameters
        ----------
        steps
            Node numbers in the order done; 0 stands for a step that nobody knows.
        """
        missing = self.shown.copy()
        done = np.zeros_like(missing)
        rows = np.empty((len(steps), len(CLUES)))
        for position, step in enumerate(steps):
            rows[position] = (
                float(self.early[step][missing].max(initial=0.0)),
                float(self.late[step][done].max(initial=0.0)) if missing[step] else 0.0,
                -math.log(self.forecast.probability(step, steps[:position])),
                float(self.shown[step] and not missing[step]),
                self.progress[min(int(done.sum()), len(self.progress) - 1)],
            )
            done[step] = self.shown[step]
            missing[step] = False
        return rows


def _progress(sequences: Sequence[Sequence[int]]) -> Floats:
    """Return the log odds of a mistake by progress, for mistakes equally likely anywhere.

    Progress is counted in different steps rather than in segments: a recogniser that wavers
    between two steps makes many segments and no progress.
    """
    most = max(len(set(steps)) for steps in sequences)
    ends, visits = np.zeros(most + 1), np.zeros(most + 1)
    for steps in sequences:
        done: set[int] = set()
        for place, step in enumerate(steps):
            ends[len(done)] += 1 / len(steps)
            visits[len(done)] += 1 - place / len(steps)
            done.add(step)
    hazard = np.clip(ends / np.maximum(visits, 1e-9), 1e-3, 0.9)
    hazard = np.maximum.accumulate(hazard)
    odds: Floats = np.log(hazard / (1 - hazard))
    return odds
