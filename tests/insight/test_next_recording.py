"""The order that tells most."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from stepgraph.insight.next_recording import most_telling_order
from stepgraph.learners.partial_order import closure


def value(order: tuple[int, ...], worth: np.ndarray) -> float:
    return float(np.triu(worth[np.ix_(order, order)], 1).sum())


@example(89406426, 4)  # greedy, then improved, it had 86 %
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_it_obeys_what_is_certain_and_is_the_best_of_few_steps(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    worth = rng.random((size, size))
    certain = closure(np.tril(rng.random((size, size)) < 0.3, -1))
    order = most_telling_order(worth, certain)
    assert sorted(order) == list(range(size))

    def valid(steps: tuple[int, ...]) -> bool:
        return not np.triu(certain[np.ix_(steps, steps)], 1).any()

    assert valid(order)
    best = max(value(steps, worth) for steps in itertools.permutations(range(size)) if valid(steps))
    assert value(order, worth) >= best - 1e-9
