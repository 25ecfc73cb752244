from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from stepgraph.learners.partial_order import best_order, closure, reduction, without

SCORES = arrays(np.float64, (4, 4), elements=st.floats(-5, 5).map(lambda x: round(x, 1)))


def _lower(matrix: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.tril(matrix > 0, -1)


@given(SCORES)
def test_closure_and_reduction_equal_networkx(matrix: NDArray[np.float64]) -> None:
    edges = _lower(matrix)
    graph = nx.from_numpy_array(edges, create_using=nx.DiGraph)
    closed = closure(edges)
    assert set(zip(*closed.nonzero(), strict=True)) == set(nx.transitive_closure(graph).edges)
    reduced = set(zip(*reduction(closed).nonzero(), strict=True))
    assert reduced == set(nx.transitive_reduction(graph).edges)


@given(SCORES)
def test_the_order_found_is_a_closed_partial_order(scores: NDArray[np.float64]) -> None:
    order = best_order(scores)
    assert not (order & order.T).any()
    assert np.array_equal(closure(order), order)


@given(SCORES)
def test_no_pair_that_speaks_against_itself_is_left_unless_it_follows(
    scores: NDArray[np.float64],
) -> None:
    order = best_order(scores)
    assert (scores[reduction(order)] >= 0).all()


def test_of_three_steps_the_order_found_is_nearly_the_best_on_average() -> None:
    places = [(i, j) for i in range(3) for j in range(3) if i != j]
    orders = []
    for chosen in itertools.product((False, True), repeat=len(places)):
        order = np.zeros((3, 3), dtype=bool)
        for place, taken in zip(places, chosen, strict=True):
            order[place] = taken
        if not (order & order.T).any() and np.array_equal(closure(order), order):
            orders.append(order)
    assert len(orders) == 19  # the partial orders of three things
    generator = np.random.default_rng(0)
    found, best = 0.0, 0.0
    for _ in range(300):
        scores = generator.uniform(-5, 5, (3, 3))
        found += scores[best_order(scores)].sum()
        best += max(scores[order].sum() for order in orders)
    assert found > 0.95 * best


def test_pairs_that_agree_with_each_other_are_all_kept() -> None:
    truth = closure(np.eye(5, k=-1, dtype=bool))
    scores = np.where(truth, 1.0, -1.0)
    assert np.array_equal(best_order(scores), truth)


@given(SCORES, SCORES)
def test_taking_pairs_out_leaves_a_closed_order_with_nothing_unwanted_on_top(
    edges: NDArray[np.float64], unwanted: NDArray[np.float64]
) -> None:
    order = without(closure(_lower(edges)), unwanted > 0)
    assert np.array_equal(closure(order), order)
    assert not (reduction(order) & (unwanted > 0)).any()
