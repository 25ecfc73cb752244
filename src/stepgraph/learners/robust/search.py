"""A better order by small steps: pairs enter and leave while recordings become more probable."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from stepgraph.learners.partial_order import reduction
from stepgraph.learners.robust.demonstrators import Demonstrators
from stepgraph.learners.robust.recordings import Recordings

BoolMatrix = NDArray[np.bool_]

EDGE_COST = 0.6
"""The least that an edge must add to the log likelihood."""
SWEEPS = 6
"""Maximum number of sweeps over all pairs."""
MOST_REVERSED = 0.35
"""A pair shown the other way round more often than this is not tried as an order."""
BUDGET = 200_000_000
"""At most so many pairs of places are looked at; where there are so many recordings, the pairs
speak for themselves."""


def ignore_share(share: float) -> None:
    """Ignore the share done."""


class Search:
    """A search for the partial order under which recordings are most probable.

    Parameters
    ----------
    recordings
        What was shown.
    people
        The model of those who showed it; its rates and likings are learned on the way.
    forbidden
        Pairs that may not enter the order.
    """

    def __init__(
        self, recordings: Recordings, people: Demonstrators, forbidden: BoolMatrix
    ) -> None:
        before = recordings.before
        both = np.maximum(before + before.T, 1e-12)
        self.people = people
        self.possible = (before > 0) & (before.T / both <= MOST_REVERSED) & ~forbidden
        self.budget = BUDGET
        self.scores: list[float] = []
        """What was reached before each sweep over all pairs, and at the end."""

    def improve(
        self, order: BoolMatrix, tell: Callable[[float], None] = ignore_share
    ) -> tuple[float, BoolMatrix]:
        """Return the best order found from a closed one on, and its score.

        Parameters
        ----------
        order
            Where to begin.
        tell
            Called with the share done of the most work that there can be.
        """
        self.people.fit(order, 20)
        for sweep in range(SWEEPS):
            score = self._score(order)
            self.scores.append(score)
            moves = []
            candidates = self._candidates(order)
            for place, (step, needed) in enumerate(candidates):
                tell((sweep + place / len(candidates)) / SWEEPS)
                changed = toggled(order, step, needed)
                if changed is None:
                    continue
                if self.budget < self.people.cost:
                    break
                gain = self._score(changed) - score
                if gain > 1e-9:
                    moves.append((-gain, step, needed, bool(order[step, needed])))
            before = order
            for _, step, needed, leaves in sorted(moves):
                changed = toggled(order, step, needed)
                if changed is None or bool(order[step, needed]) != leaves:
                    continue
                better = self._score(changed)
                if better > score + 1e-9:
                    order, score = changed, better
            self.people.fit(order, 8)
            if order is before:
                break
        self.people.fit(order, 20)
        self.scores.append(self._score(order))
        return self.scores[-1], order

    def _candidates(self, order: BoolMatrix) -> list[tuple[int, int]]:
        entering = np.argwhere(self.possible & ~order & ~order.T)
        leaving = np.argwhere(reduction(order))
        return [(int(step), int(needed)) for step, needed in (*leaving, *entering)]

    def _score(self, order: BoolMatrix) -> float:
        self.budget -= self.people.cost
        return self.people.log_likelihood(order) - EDGE_COST * float(reduction(order).sum())


def toggled(order: BoolMatrix, step: int, needed: int) -> BoolMatrix | None:
    """Return a closed order with a pair taken out or put in; None where that cannot be.

    A pair that follows from others cannot leave, one that contradicts others cannot enter. With
    one that enters comes all that follows from it.

    Examples
    --------
    >>> chain = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], dtype=bool)
    >>> toggled(chain, 2, 1).astype(int).tolist()
    [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    >>> toggled(chain, 2, 0) is None, toggled(chain, 0, 2) is None
    (True, True)
    """
    if order[step, needed]:
        if (order[step] & order[:, needed]).any():
            return None
        changed = order.copy()
        changed[step, needed] = False
        return changed
    if order[needed, step]:
        return None
    after, before = order[:, step].copy(), order[needed].copy()
    after[step] = before[needed] = True
    return order | np.outer(after, before)
