from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.drawing.drawing.effort import (
    MOST_LAYERS,
    implied_places,
    layer_depths,
    plan_effort,
)
from stepgraph.drawing.drawing.picture import Arrow

pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30)


@given(pairs)
def test_a_step_is_deeper_than_what_it_needs_unless_they_run_in_circles(
    given_pairs: list[tuple[int, int]],
) -> None:
    arrows = [Arrow(max(pair), min(pair)) for pair in given_pairs if pair[0] != pair[1]]
    depths = layer_depths(10, arrows)
    assert all(depths[arrow.step] > depths[arrow.precondition] for arrow in arrows)


@given(pairs)
def test_circles_are_survived(given_pairs: list[tuple[int, int]]) -> None:
    routed, _ = plan_effort(10, [Arrow(*pair) for pair in given_pairs])
    assert routed == list(range(len(given_pairs)))


def test_of_a_picture_beyond_measure_the_short_edges_are_kept() -> None:
    count = 80
    arrows = [Arrow(later, earlier) for later in range(count) for earlier in range(later)]
    routed, limits = plan_effort(count, arrows)
    lengths = [arrows[place].step - arrows[place].precondition for place in routed]
    assert limits
    assert sum(lengths) <= MOST_LAYERS
    assert lengths.count(1) == count - 1
    assert len(routed) < len(arrows)


@given(pairs)
def test_an_edge_is_implied_where_a_longer_way_leads_to_the_same_box(
    given_pairs: list[tuple[int, int]],
) -> None:
    ends = sorted({(max(pair), min(pair)) for pair in given_pairs if pair[0] != pair[1]})
    order = nx.DiGraph(ends)
    kept = set(nx.transitive_reduction(order).edges)
    implied = implied_places([Arrow(*pair) for pair in ends])
    assert {ends[place] for place in implied} == set(ends) - kept
