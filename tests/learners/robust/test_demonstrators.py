from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tgml.learners.partial_order import closure, reduction
from tgml.learners.robust.demonstrators import Demonstrators


def _closed(size: int, *pairs: tuple[int, int]) -> NDArray[np.bool_]:
    order = np.zeros((size, size), dtype=bool)
    for pair in pairs:
        order[pair] = True
    return closure(order)


def _people(sequences: Sequence[tuple[int, ...]], size: int) -> Demonstrators:
    return Demonstrators(sequences, np.ones(len(sequences)), size, errors=1.0, successes=9.0)


def _plainly(
    steps: tuple[int, ...], order: NDArray[np.bool_], rate: float, liking: NDArray[np.float64]
) -> float:
    """Return the log likelihood of one recording, step by step as the model is told."""
    direct = reduction(order)
    excused: set[int] = set()
    total = 0.0
    for place, step in enumerate(steps):
        left = set(steps[place:])
        blocking = left - excused
        possible = {one for one in left if not any(order[one, other] for other in blocking)}
        chance = rate / len(left)
        if step in possible:
            chance += (1 - rate) * liking[step] / sum(liking[one] for one in possible)
        excused |= {other for other in left if direct[step, other]}
        total += math.log(chance)
    return total


@given(st.integers(0, 10_000))
def test_the_likelihood_is_that_of_drawing_step_by_step(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(1, 6)
    order = _closed(
        count + 2,
        *(pair for pair in itertools.combinations(range(count, 0, -1), 2) if rng.random() < 0.4),
    )
    sequences = [tuple(rng.sample(range(1, count + 1), rng.randint(1, count))) for _ in range(3)]
    people = _people(sequences, count + 2)
    people.rates = np.array([rng.uniform(0.01, 0.4) for _ in sequences])
    people.liking = np.array([rng.uniform(0.2, 3) for _ in range(count + 2)])
    expected = sum(
        _plainly(steps, order, rate, people.liking)
        for steps, rate in zip(sequences, people.rates, strict=True)
    )
    assert people.log_likelihood(order) == pytest.approx(expected)


@given(st.integers(0, 10_000))
def test_fitting_never_makes_the_recordings_much_less_probable(seed: int) -> None:
    rng = random.Random(seed)
    sequences = [tuple(rng.sample(range(1, 6), 5)) for _ in range(6)]
    order = _closed(7, (2, 1), (5, 3))
    people = _people(sequences, 7)
    before = people.log_likelihood(order)
    people.fit(order, 30)
    # What is taken to have been seen beforehand may hold it back a little.
    assert people.log_likelihood(order) > before - 2.0


def test_a_recording_in_reverse_slips_at_every_step_but_the_last() -> None:
    chain = _closed(8, *((step + 1, step) for step in range(1, 6)))
    people = _people([(1, 2, 3, 4, 5, 6)] * 5 + [(6, 5, 4, 3, 2, 1)], 8)
    people.fit(chain, 20)
    slips = people.slips(chain)
    assert slips[-1, :-1].min() > 0.95
    assert slips[0].max() < 0.3
    assert people.rates[-1] > 5 * people.rates[0]


def test_one_step_done_late_is_one_slip() -> None:
    chain = _closed(8, *((step + 1, step) for step in range(1, 6)))
    people = _people([(1, 3, 4, 5, 2, 6)], 8)
    assert (people.slips(chain)[0] > 0.95).tolist() == [False, True, False, False, False, False]


def test_a_step_that_is_liked_is_learned_to_be() -> None:
    people = _people([(1, 2, 3), (1, 3, 2)] * 6, 5)
    people.fit(np.zeros((5, 5), dtype=bool), 30)
    assert people.liking[1] > people.liking[2]
    assert people.liking[2] == pytest.approx(people.liking[3])
