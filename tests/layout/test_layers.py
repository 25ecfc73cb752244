from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.graph import TaskGraph
from stepgraph.layout.layers import Layout, Link, lay_out
from tests.strategies import task_graphs

NODE, LANE = 100.0, 20.0


def links_of(graph: TaskGraph) -> list[Link]:
    node = graph.vocabulary.node
    return [(node(needed), node(step)) for step, needed in graph.edges]


def taken(layout: Layout, *, shared: bool) -> dict[int, list[tuple[float, float]]]:
    """Return what is taken of each layer, from where to where."""
    found: dict[int, dict[object, tuple[float, float]]] = {}
    for number, (layer, node) in enumerate(zip(layout.layer, layout.nodes, strict=True)):
        found.setdefault(layer, {})[number] = (node.at - NODE / 2, node.at + NODE / 2)
    for (before, after), lanes in layout.lanes.items():
        step = 1 if layout.layer[after] > layout.layer[before] else -1
        for number, lane in enumerate(lanes, start=1):
            owner = ("lane", before if shared else (before, after))
            span = (lane.at - LANE / 2, lane.at + LANE / 2)
            found[layout.layer[before] + step * number][owner] = span
    return {layer: sorted(spans.values()) for layer, spans in found.items()}


@given(task_graphs(), st.booleans())
@settings(deadline=None)
def test_links_run_to_later_layers_and_nothing_in_a_layer_shares_its_place(
    graph: TaskGraph, shared: bool
) -> None:
    links = links_of(graph)
    layout = lay_out([NODE] * (graph.vocabulary.end + 1), links, lane=LANE, shared=shared)
    for before, after in links:
        assert layout.layer[after] == layout.layer[before] + len(layout.lanes[before, after]) + 1
    for spans in taken(layout, shared=shared).values():
        assert spans[0][0] >= -1e-6
        assert spans[-1][1] <= layout.width + 1e-6
        for (_, end), (begin, _) in pairwise(spans):
            assert end <= begin + 1e-6


@given(task_graphs())
@settings(deadline=None)
def test_the_room_around_an_item_is_free_of_others(graph: TaskGraph) -> None:
    layout = lay_out([NODE] * (graph.vocabulary.end + 1), links_of(graph), lane=LANE)
    for layer, node in zip(layout.layer, layout.nodes, strict=True):
        assert node.low - 1e-6 <= node.at <= node.high + 1e-6
        for begin, end in taken(layout, shared=False)[layer]:
            is_own = begin < node.at < end
            assert is_own or end <= node.low + 1e-6 or begin >= node.high - 1e-6


pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30)


@given(pairs)
def test_circles_are_cut_and_every_link_keeps_its_lanes(found: list[Link]) -> None:
    links = [pair for pair in found if pair[0] != pair[1]]
    layout = lay_out([NODE] * 10, links, lane=LANE)
    for before, after in links:
        distance = abs(layout.layer[after] - layout.layer[before])
        assert distance == len(layout.lanes[before, after]) + 1


@given(task_graphs())
def test_start_and_end_have_the_first_and_the_last_layer_for_themselves(graph: TaskGraph) -> None:
    layer = lay_out([NODE] * (graph.vocabulary.end + 1), links_of(graph), lane=LANE).layer
    assert layer.count(min(layer)) == layer.count(max(layer)) == 1
    assert (min(layer), max(layer)) == (layer[0], layer[-1])


@given(task_graphs())
def test_links_are_no_longer_than_with_each_node_right_behind_what_it_needs(
    graph: TaskGraph,
) -> None:
    links = links_of(graph)
    soonest = [0] * (graph.vocabulary.end + 1)
    for _ in soonest:
        for before, after in links:
            soonest[after] = max(soonest[after], soonest[before] + 1)
    layer = lay_out([NODE] * len(soonest), links, lane=LANE).layer
    assert sum(layer[after] - layer[before] for before, after in links) <= sum(
        soonest[after] - soonest[before] for before, after in links
    )


def test_what_has_more_links_behind_it_moves_towards_them() -> None:
    # START, a chain of three steps, and a fourth that the last two need.
    links = [(0, 1), (1, 2), (2, 3), (0, 4), (4, 2), (4, 3), (3, 5)]
    assert lay_out([NODE] * 6, links, lane=LANE).layer == (0, 1, 2, 3, 1, 4)


def test_a_chain_is_a_straight_line() -> None:
    nodes = lay_out([NODE] * 5, [(0, 1), (1, 2), (2, 3), (3, 4)], lane=LANE).nodes
    assert len({node.at for node in nodes}) == 1


def test_a_tree_is_laid_out_without_a_crossing() -> None:
    size = 15
    links = [((child - 1) // 2, child) for child in range(1, size)]
    layout = lay_out([NODE] * (size + 1), [*links, (size - 1, size)], lane=LANE)
    ends = sorted(links, key=lambda link: [layout.nodes[node].at for node in link])
    for one, other in pairwise(ends):
        if layout.layer[one[1]] == layout.layer[other[1]]:
            assert layout.nodes[one[1]].at <= layout.nodes[other[1]].at


def test_the_longest_links_get_no_lanes_where_there_are_too_many() -> None:
    links = [(before, after) for after in range(12) for before in range(after)]
    layout = lay_out([NODE] * 12, links, lane=LANE, most_lanes=20)
    got = {link: len(lanes) for link, lanes in layout.lanes.items()}
    assert sum(got.values()) <= 20
    assert got[0, 2] == 1
    assert got[0, 11] == 0


def test_nothing_has_an_empty_layout() -> None:
    assert lay_out([], [], lane=1) == Layout((), (), {}, 0.0)
