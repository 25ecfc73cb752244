from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.generators import random_procedure
from stepgraph.errors import SettingError
from stepgraph.graph import TaskGraph


def ordered_pairs(graph: TaskGraph) -> int:
    return sum(len(graph.all_preconditions_of(step)) for step in graph.steps)


def largest_antichain(graph: TaskGraph) -> int:
    before = {step: graph.all_preconditions_of(step) for step in graph.steps}
    for size in range(len(graph.steps), 0, -1):
        for chosen in combinations(graph.steps, size):
            if not any(a in before[b] or b in before[a] for a, b in combinations(chosen, 2)):
                return size
    return 0


@st.composite
def settings(draw: st.DrawFn) -> tuple[int, int, float, int]:
    steps = draw(st.integers(1, 10))
    return (
        steps,
        draw(st.integers(1, steps)),
        draw(st.floats(0, 1)),
        draw(st.integers(0, 1000)),
    )


@given(settings())
def test_the_width_is_what_was_asked_for(given: tuple[int, int, float, int]) -> None:
    steps, width, density, seed = given
    graph = random_procedure(steps, width=width, density=density, seed=seed)
    assert len(graph.steps) == steps
    assert largest_antichain(graph) == width


@given(settings())
def test_graphs_are_reduced_and_every_step_lies_between_start_and_end(
    given: tuple[int, int, float, int],
) -> None:
    steps, width, density, seed = given
    graph = random_procedure(steps, width=width, density=density, seed=seed)
    network = graph.to_networkx()
    assert set(nx.transitive_reduction(network).edges) == set(network.edges)
    assert nx.descendants(network, "END") == {*graph.steps, "START"}
    assert nx.ancestors(network, "START") == {*graph.steps, "END"}


@pytest.mark.parametrize("seed", range(5))
def test_density_is_the_share_of_ordered_pairs_between_chains_to_the_nearest_pair(
    seed: int,
) -> None:
    least, most = (
        ordered_pairs(random_procedure(14, width=4, density=density, seed=seed))
        for density in (0.0, 1.0)
    )
    assert most == 14 * 13 // 2 - 4 * 3 // 2  # only the waist of four is free
    for density in (0.1, 0.33, 0.5, 0.9):
        graph = random_procedure(14, width=4, density=density, seed=seed)
        assert ordered_pairs(graph) == least + round(density * (most - least))


def test_a_width_of_one_is_a_chain_and_a_width_of_all_is_no_order() -> None:
    chain = random_procedure(6, width=1, density=0.0, seed=0)
    assert ordered_pairs(chain) == 15
    free = random_procedure(6, width=6, density=1.0, seed=0)
    assert ordered_pairs(free) == 0


def test_names_and_node_numbers_tell_nothing_about_the_order() -> None:
    # If names leaked, the earlier number would be the precondition far from half of the time.
    forward = total = 0
    for seed in range(200):
        graph = random_procedure(10, width=3, density=0.5, seed=seed)
        assert graph.steps == tuple(f"step {number:02}" for number in range(1, 11))
        for step in graph.steps:
            needed = graph.all_preconditions_of(step)
            forward += sum(other < step for other in needed)
            total += len(needed)
    assert forward / total == pytest.approx(0.5, abs=0.02)


def test_a_seed_gives_the_same_procedure_and_another_seed_another_one() -> None:
    first, again, other = (random_procedure(9, width=3, density=0.4, seed=s) for s in (5, 5, 6))
    assert first == again
    assert first.edges == again.edges
    assert first != other
    assert first.provenance.other == {"steps": 9, "width": 3, "density": 0.4, "seed": 5}


def test_names_are_wide_enough_to_sort() -> None:
    graph = random_procedure(100, width=5, density=0.2, seed=0)
    assert list(graph.steps) == sorted(graph.steps)


@pytest.mark.parametrize(
    ("steps", "width", "density", "message"),
    [
        (0, 1, 0.5, "number of steps is 0"),
        (4, 0, 0.5, "width is 0"),
        (4, 5, 0.5, "1 to the number of steps, 4"),
        (4, 2, 1.5, "density is 1.5"),
        (4, 2, float("nan"), "density is nan"),
    ],
)
def test_impossible_settings_are_refused(
    steps: int, width: int, density: float, message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        random_procedure(steps, width=width, density=density, seed=0)
