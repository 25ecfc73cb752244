from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings

from stepgraph.graph import TaskGraph
from stepgraph.layout.order import row_order
from stepgraph.layout.tracks import choose_columns, lay_tracks
from tests.drawing.strategies import task_graphs

from .test_order import needs_of


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
