from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.alignment.antichain import heaviest_antichain
from stepgraph.graph.edges import bits


@st.composite
def orders(draw: st.DrawFn) -> list[int]:
    """Return random partial orders, transitively closed, as masks of what is below."""
    below: list[int] = []
    for element in range(draw(st.integers(1, 9))):
        mask = 0
        for other in range(element):
            if draw(st.booleans()):
                mask |= 1 << other | below[other]
        below.append(mask)
    return below


def is_antichain(below: list[int], mask: int) -> bool:
    return not any(below[element] & mask for element in bits(mask))


@given(orders(), st.data())
@settings(deadline=None)
def test_nothing_is_heavier(below: list[int], data: st.DataObject) -> None:
    weight = st.integers(1, 5) | st.integers(10**20, 10**20 + 3)
    weights = data.draw(st.lists(weight, min_size=len(below), max_size=len(below)))
    found = heaviest_antichain(below, weights)
    assert is_antichain(below, found)
    heaviest = max(
        sum(weights[element] for element in chosen)
        for size in range(len(below) + 1)
        for chosen in combinations(range(len(below)), size)
        if is_antichain(below, sum(1 << element for element in chosen))
    )
    assert sum(weights[element] for element in bits(found)) == heaviest


def test_of_a_chain_of_equals_the_lowest_stays() -> None:
    assert heaviest_antichain([0, 0b1, 0b11, 0b111], [2, 2, 2, 2]) == 0b1


def test_nothing_has_an_empty_antichain() -> None:
    assert heaviest_antichain([], []) == 0
