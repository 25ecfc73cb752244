from __future__ import annotations

import random
from collections import Counter
from itertools import permutations

import pytest
from scipy.stats import chisquare

from benchmarks.generators import UniformOrders, count_orders, draw_orders, random_procedure
from stepgraph.errors import SettingError
from stepgraph.graph import TaskGraph


def every_order(graph: TaskGraph) -> set[tuple[int, ...]]:
    """List all valid orders the slow way."""
    nodes = range(1, len(graph.steps) + 1)
    name = graph.vocabulary.name
    return {order for order in permutations(nodes) if graph.is_valid(name(n) for n in order)}


def free_steps(count: int) -> TaskGraph:
    return TaskGraph.from_preconditions({f"s{number:02}": () for number in range(count)})


@pytest.mark.parametrize("seed", range(8))
def test_counts_equal_those_of_listing_all_orders(seed: int) -> None:
    graph = random_procedure(7, width=2 + seed % 4, density=0.1 * seed, seed=seed)
    assert count_orders(graph) == len(every_order(graph))


def test_counts_of_orders_that_everybody_knows() -> None:
    assert count_orders(random_procedure(12, width=1, density=0.0, seed=0)) == 1
    assert count_orders(free_steps(10)) == 3_628_800


def test_graphs_too_free_to_count_are_refused() -> None:
    with pytest.raises(SettingError, match="more than 1000 sets of steps"):
        count_orders(free_steps(10), limit=1000)
    assert count_orders(free_steps(10), limit=1024) == 3_628_800


@pytest.mark.parametrize("limit", [2**20, 0], ids=["exact", "walk"])
def test_every_order_is_equally_likely(limit: int) -> None:
    graph = random_procedure(6, width=3, density=0.3, seed=4)
    possible = every_order(graph)
    orders = UniformOrders(graph, limit=limit)
    rng = random.Random(1)
    drawn = Counter(orders.draw(rng) for _ in range(40 * len(possible)))
    assert set(drawn) == possible
    assert chisquare([drawn[order] for order in possible]).pvalue > 0.01


def test_doing_any_executable_step_would_not_be_uniform() -> None:
    # A guard for the test above: it must be able to tell the walk's start from its end.
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["c"], "free": []})
    orders = UniformOrders(graph, limit=0)
    possible = every_order(graph)
    rng = random.Random(1)
    drawn = Counter(tuple(step + 1 for step in orders._start(rng)) for _ in range(1000))
    assert chisquare([drawn[order] for order in possible]).pvalue < 1e-6


def test_large_graphs_are_walked_and_say_so() -> None:
    graph = free_steps(12)
    walk = UniformOrders(graph, limit=100)
    assert not walk.exact
    assert walk.count is None
    # (n^3 - n) / 6 * ln(n^2 / 0.002), rounded up
    assert walk.moves == 3199
    assert "within 0.001 of uniform" in walk.how
    assert "3,199 exchanges" in walk.how
    exact = UniformOrders(graph)
    assert exact.moves == 0
    assert exact.how == "exactly uniform over 479,001,600 valid orders"


def test_walks_give_valid_orders_of_procedures_too_large_to_count() -> None:
    graph = random_procedure(40, width=20, density=0.05, seed=0)
    orders = UniformOrders(graph, limit=1000)
    order = orders.draw(random.Random(0))
    assert sorted(order) == list(range(1, 41))
    assert graph.is_valid((graph.vocabulary.name(node) for node in order), complete=True)


@pytest.mark.parametrize("limit", [2**20, 0], ids=["exact", "walk"])
def test_a_single_step_has_one_order(limit: int) -> None:
    assert UniformOrders(free_steps(1), limit=limit).draw(random.Random(0)) == (1,)


def test_a_seed_gives_the_same_orders_and_more_orders_begin_with_fewer() -> None:
    graph = random_procedure(10, width=4, density=0.2, seed=0)
    assert draw_orders(graph, 8, seed=3)[:5] == draw_orders(graph, 5, seed=3)
    assert draw_orders(graph, 8, seed=3) != draw_orders(graph, 8, seed=4)
