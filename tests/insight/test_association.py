"""Fisher's exact test, and which of its results are named."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.insight import association
from stepgraph.insight.association import NAMED, fisher, related

stats = pytest.importorskip("scipy.stats")
COUNTS = st.lists(st.integers(0, 12) | st.integers(0, 2000), min_size=4, max_size=4)


@given(st.lists(COUNTS, min_size=1, max_size=5))
def test_it_equals_the_test_of_scipy(tables: list[list[int]]) -> None:
    found = fisher(*np.array(tables).T)
    for (both, first, second, neither), chance in zip(tables, found, strict=True):
        table = [[both, first], [second, neither]]
        expected = stats.fisher_exact(table, alternative="greater").pvalue
        assert chance == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_counts_by_the_million_are_tested_as_few_are() -> None:
    (chance,) = fisher(*np.array([[501_000], [499_000], [499_000], [501_000]]))
    expected = stats.hypergeom.sf(500_999, 2_000_000, 1_000_000, 1_000_000)
    assert chance == pytest.approx(expected, rel=1e-6)


def test_only_the_surest_of_many_relations_are_named() -> None:
    done = np.repeat(np.eye(2, dtype=bool), 50, axis=0).repeat(30, axis=1)
    with_it, instead = related(done, np.ones(60, dtype=bool), np.ones(100))
    assert {len(steps) for steps in (*with_it.values(), *instead.values())} == {NAMED}


@given(st.integers(0, 2**32 - 1))
def test_relations_do_not_depend_on_how_many_recordings_are_looked_at_at_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    done = rng.random((40, 1)) < rng.random((1, 5))
    done[:, 1] = done[:, 0]
    weights = rng.choice([1.0, 2.0], 40)
    whole = related(done, np.ones(5, dtype=bool), weights)
    with mock.patch.object(association, "ENTRIES", 7):
        assert related(done, np.ones(5, dtype=bool), weights) == whole


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
