"""Clues that a step is a mistake, each a number that grows with suspicion.

They come from recordings without mistakes and from the history alone: how firmly an order is
broken, how little the step was to be expected, whether it was done before, and how far the
recording has come.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgml.detectors.next_step import NextStepModel
from tgml.learners.precedence import precedence_of

CLUES = ("order", "next", "repeat", "place")
"""What there is: an order that always held is broken; the step was not to be expected next; it
was done before; the recording has gone on for long."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClueModel:
    """What is needed to tell the clues of a step.

    Parameters
    ----------
    order
        ``order[a, b]``: how surprising it is that b is missing at the first a, in nats.
    shown
        Which nodes some recording shows.
    forecast
        The chances of the next step.
    place
        By position, the log odds that a mistake happens there if it has not happened before and
        may happen anywhere in a recording of a length that was seen.
    """

    order: Floats
    shown: NDArray[np.bool_]
    forecast: NextStepModel
    place: Floats

    @classmethod
    def learn(cls, sequences: Sequence[tuple[int, ...]], size: int, n: int) -> ClueModel:
        """Learn from recordings as node numbers 1 to size, with n-grams for the forecast."""
        counts = precedence_of(sequences, size + 1)
        shown = counts.recordings > 0
        shown[[0, -1]] = False
        # Jeffreys' estimate of the share of recordings in which b came before a.
        share = (counts.before + 0.5) / (counts.recordings[:, None] + 1.0)
        order = -np.log1p(-np.minimum(share, 1 - 1e-9))
        order[:, ~shown] = 0.0
        np.fill_diagonal(order, 0.0)
        forecast = NextStepModel.learn(sequences, size, n)
        return cls(order, shown, forecast, _place(list(map(len, sequences))))

    def clues(self, steps: Sequence[int]) -> Floats:
        """Return the clues of each step, one column each in the order of `CLUES`.

        Parameters
        ----------
        steps
            Node numbers in the order done; 0 stands for a step that nobody knows.
        """
        missing = self.shown.copy()
        rows = np.empty((len(steps), len(CLUES)))
        for position, step in enumerate(steps):
            rows[position] = (
                float(self.order[step][missing].max(initial=0.0)),
                -math.log(self.forecast.probability(step, steps[:position])),
                float(self.shown[step] and not missing[step]),
                self.place[min(position, len(self.place) - 1)],
            )
            missing[step] = False
        return rows


def _place(lengths: Sequence[int]) -> Floats:
    """Return the log odds of a mistake by position, for mistakes equally likely anywhere."""
    longest = max(lengths)
    ends = np.zeros(longest)
    for length in lengths:
        ends[:length] += 1 / length
    later = np.cumsum(ends[::-1])[::-1]
    hazard = np.clip(ends / later, 1e-3, 0.9)
    odds: Floats = np.log(hazard / (1 - hazard))
    return odds
