from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.graph.edges import a_cycle, in_order

NEEDS = st.integers(1, 7).flatmap(
    lambda size: st.lists(st.frozensets(st.integers(0, size - 1)), min_size=size, max_size=size)
)


def dependents_of(needs: list[frozenset[int]]) -> list[list[int]]:
    return [
        [row for row, columns in enumerate(needs) if node in columns] for node in range(len(needs))
    ]


@given(NEEDS)
def test_there_is_an_order_of_all_nodes_or_a_cycle(needs: list[frozenset[int]]) -> None:
    order = in_order(needs, dependents_of(needs))
    assert len(set(order)) == len(order)
    for place, node in enumerate(order):
        assert needs[node] <= set(order[:place])
    if len(order) < len(needs):
        cycle = a_cycle(needs)
        assert all(
            needed in needs[node]
            for node, needed in zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        )
    else:
        with pytest.raises(ValueError, match="no node needs itself"):
            a_cycle(needs)
