"""The steps that explain broken pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.insight.misplaced import MISPLACED, blame, misplaced_probabilities


def test_without_a_broken_pair_nothing_is_out_of_place() -> None:
    found = misplaced_probabilities(np.zeros((4, 4)))
    assert np.allclose(found, MISPLACED, atol=1e-6)
    assert np.allclose(blame(np.zeros((4, 4)), found), 0)


def test_one_step_moved_far_is_one_mistake() -> None:
    broken = np.zeros((5, 5))
    broken[0, 1:] = 0.9
    moved = misplaced_probabilities(broken)
    assert moved[0] > 0.9
    assert moved[1:].max() < 0.2
    assert blame(broken, moved).argmax() == 0


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_they_are_probabilities_and_do_not_depend_on_numbering(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    broken = np.triu(rng.random((size, size)), 1)
    moved = misplaced_probabilities(broken)
    assert ((moved >= 0) & (moved <= 1)).all()
    part = blame(broken, moved)
    assert ((part >= 0) & (part <= 1)).all()
    mixed = rng.permutation(size)
    assert np.allclose(misplaced_probabilities(broken[np.ix_(mixed, mixed)]), moved[mixed])
