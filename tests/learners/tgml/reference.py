"""The paper's equations read aloud in plain Python: slow, and hard to get wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence

Rows = Sequence[Sequence[float]]


def terms(Z: Rows, steps: Sequence[int]) -> list[tuple[float, float]]:
    """Return num_t and den_t of Eq. 5 for t = 1 ... |y|."""
    size = len(Z)
    y = [0, *steps, size - 1]
    found = []
    for t in range(1, len(y)):
        observed = set(y[:t])
        unobserved = set(range(size)) - observed
        numerator = sum(Z[y[t]][j] for j in observed)
        denominator = sum(Z[h][j] for h in unobserved for j in observed)
        found.append((numerator, denominator))
    return found


def loss(Z: Rows, steps: Sequence[int], beta: float) -> float:
    """Return Eq. 6 for one sequence."""
    return -sum(math.log(num) - beta * math.log(den) for num, den in terms(Z, steps))


def log_likelihood(Z: Rows, steps: Sequence[int]) -> float:
    """Return the logarithm of Eq. 4."""
    return sum(math.log(num / den) for num, den in terms(Z, steps))


def unweighted_likelihood(Z: Rows, steps: Sequence[int]) -> float:
    """Return Eq. 1 with Eq. 2."""
    size = len(Z)
    y = [0, *steps, size - 1]
    product = 1.0
    for t in range(1, len(y)):
        unobserved = set(range(size)) - set(y[:t])

        def satisfied(node: int, unobserved: set[int] = unobserved) -> bool:
            return not any(Z[node][j] for j in unobserved)

        favourable = float(satisfied(y[t]))
        possible = sum(satisfied(h) for h in unobserved)
        if not favourable:
            return 0.0
        product *= favourable / possible
    return product
