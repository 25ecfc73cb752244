from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings

from stepgraph.graph import TaskGraph
from stepgraph.layout.rails import choose_columns, dependents_of, last_rows, lay_tracks, row_order
from tests.drawing.strategies import task_graphs


def needs_of(graph: TaskGraph) -> list[list[int]]:
    needs: list[list[int]] = [[] for _ in graph.vocabulary.nodes]
    for step, needed in graph.edges:
        needs[graph.vocabulary.node(step)].append(graph.vocabulary.node(needed))
    return needs


def widest(order: list[int], needs: list[list[int]]) -> int:
    last = last_rows(order, needs)
    return max(sum(last[node] > row for node in order[:row]) + 1 for row in range(1, len(order)))


@given(task_graphs(connected=False))
@settings(deadline=None)
def test_an_order_holds_every_node_once_behind_what_it_needs(graph: TaskGraph) -> None:
    needs = needs_of(graph)
    order = row_order(needs)
    assert sorted(order) == list(range(len(needs)))
    assert order[0] == 0
    assert order[-1] == len(needs) - 1
    assert all(
        order.index(needed) < order.index(node) for node, row in enumerate(needs) for needed in row
    )


@given(task_graphs())
@settings(deadline=None)
def test_an_order_is_never_wider_than_that_of_the_vocabulary(graph: TaskGraph) -> None:
    needs = needs_of(graph)
    words = graph.vocabulary
    plain = [0, *(words.node(name) for name in graph.in_order()), words.end]
    assert widest(row_order(needs), needs) <= widest(plain, needs)


def test_many_chains_need_two_rails() -> None:
    chains = {f"{name}{i}": [f"{name}{i - 1}"] for i in (1, 2, 3) for name in "abc"}
    joined = {"ab": ["a3", "b3"], "abc": ["ab", "c3"]}
    needs = needs_of(TaskGraph.from_preconditions({**chains, **joined}))
    # START, one chain that is finished and the one that is being done.
    assert widest(row_order(needs), needs) == 3


def test_dependents_are_the_edges_turned_round() -> None:
    assert dependents_of([[], [0], [0, 1]]) == [[1, 2], [2], []]


@given(task_graphs(connected=False))
@settings(deadline=None)
def test_open_tracks_never_share_a_column(graph: TaskGraph) -> None:
    needs = needs_of(graph)
    tracks = lay_tracks(row_order(needs), needs)
    columns = choose_columns(tracks)
    for gathered, passing in zip(tracks.gathered, tracks.passing, strict=True):
        held = [columns[track] for track in (*gathered, *passing)]
        assert len(set(held)) == len(held)


@given(task_graphs(connected=False))
@settings(deadline=None)
def test_no_column_is_wasted(graph: TaskGraph) -> None:
    needs = needs_of(graph)
    tracks = lay_tracks(row_order(needs), needs)
    columns = choose_columns(tracks)
    assert columns[0] == 0
    assert all(0 <= column < tracks.width for column in columns)


def test_a_chain_is_one_track() -> None:
    tracks = lay_tracks([0, 1, 2, 3], [[], [0], [1], [2]])
    assert tracks.of == (0, 0, 0, 0)
    assert tracks.width == 1


def test_the_column_of_a_step_that_nobody_needs_rests_for_a_row() -> None:
    tracks = lay_tracks([0, 1, 2, 3], [[], [], [], []])
    columns = choose_columns(tracks)
    used = [columns[track] for track in tracks.of]
    assert all(before != after for before, after in pairwise(used))
