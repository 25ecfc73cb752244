"""Which step comes next: an n-gram model of recordings, the forecast of a PREGO-style detector.

A context that was seen shares its chance with the shorter one it backs off to, by the number of
different steps that followed it (Witten and Bell). No step has the chance 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from stepgraph.errors import SettingError

LONGEST = 4
"""The largest n that is tried."""

_BEFORE_FIRST = 0


@dataclass(frozen=True)
class NextStepModel:
    """Chances of the next step after a history, from node numbers.

    Parameters
    ----------
    counts
        What followed each context of up to n - 1 steps, the empty one included.
    n
        How many steps are looked at, the next one included.
    size
        How many steps there are.
    """

    counts: dict[tuple[int, ...], Counter[int]]
    n: int
    size: int

    @classmethod
    def learn(cls, sequences: Sequence[Sequence[int]], size: int, n: int) -> NextStepModel:
        """Count what follows what.

        Raises
        ------
        SettingError
            If n is below 1.
        """
        if n < 1:
            raise SettingError(f"n is {n}; expected 1 or more")
        counts: dict[tuple[int, ...], Counter[int]] = {}
        for steps in sequences:
            padded = (*(_BEFORE_FIRST,) * (n - 1), *steps)
            for place, step in enumerate(steps):
                for length in range(n):
                    context = padded[place + n - 1 - length : place + n - 1]
                    counts.setdefault(tuple(context), Counter())[step] += 1
        return cls(counts, n, size)

    def probability(self, step: int, history: Sequence[int]) -> float:
        """Return the chance that a step comes next.

        Examples
        --------
        >>> model = NextStepModel.learn([(1, 2), (1, 2), (2, 1)], size=3, n=2)
        >>> model.probability(2, [1]) > model.probability(1, [1]) > model.probability(3, [1]) > 0
        True
        """
        recent = [_BEFORE_FIRST] * (self.n - 1) + list(history[max(len(history) - self.n + 1, 0) :])
        everything = self.counts.get((), Counter())
        chance = (everything[step] + 0.5) / (everything.total() + 0.5 * self.size)
        for length in range(1, self.n):
            followers = self.counts.get(tuple(recent[len(recent) - length :]))
            if followers is None:
                break
            kinds = len(followers)
            chance = (followers[step] + kinds * chance) / (followers.total() + kinds)
        return chance


def choose_n(sequences: Sequence[Sequence[int]], size: int, longest: int = LONGEST) -> int:
    """Return the n whose model, learned from all recordings but one, forecasts that one best.

    Parameters
    ----------
    sequences
        The recordings.
    size
        How many steps there are.
    longest
        The largest n to try.
    """

    def left_out(n: int) -> float:
        total = 0.0
        for number, steps in enumerate(sequences):
            others = [*sequences[:number], *sequences[number + 1 :]]
            model = NextStepModel.learn(others, size, n)
            for place, step in enumerate(steps):
                total += math.log(model.probability(step, steps[:place]))
        return total

    return max(range(1, longest + 1), key=left_out)
