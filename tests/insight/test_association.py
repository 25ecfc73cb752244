"""Fisher's exact test, and which of its results are named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgml.insight.association import fisher, related

stats = pytest.importorskip("scipy.stats")
COUNTS = st.integers(0, 12)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_it_equals_the_test_of_scipy(both: int, first: int, second: int, neither: int) -> None:
    expected = stats.fisher_exact([[both, first], [second, neither]], alternative="greater").pvalue
    assert fisher(both, first, second, neither) == pytest.approx(expected, abs=1e-9)


def test_independent_choices_are_seldom_related() -> None:
    rng = np.random.default_rng(0)
    named = 0
    for _ in range(100):
        done = rng.random((20, 6)) < 0.5
        named += any(related(done, np.ones(6, dtype=bool), np.ones(20)))
    assert named <= 10


def test_steps_that_are_always_done_are_related_to_nothing() -> None:
    done = np.array([[1, 1], [1, 0]] * 10, dtype=bool)
    assert related(done, np.array([False, True]), np.ones(20)) == ({}, {})
