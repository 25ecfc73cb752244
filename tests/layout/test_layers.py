from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings

from stepgraph.graph import TaskGraph
from stepgraph.layout.layers import lay_out
from tests.strategies import task_graphs


@given(task_graphs())
@settings(deadline=None)
def test_lines_run_to_the_right_and_nothing_in_a_column_shares_its_place(graph: TaskGraph) -> None:
    node = graph.vocabulary.node
    links = [(node(needed), node(step)) for step, needed in graph.edges]
    layout = lay_out(graph.vocabulary.end + 1, links, row=100, lane=20)
    taken: dict[int, dict[tuple[str, int], tuple[float, float]]] = {}
    for number, (column, height) in enumerate(zip(layout.column, layout.height, strict=True)):
        taken.setdefault(column, {})["node", number] = (height - 50, height + 50)
    for (before, after), lanes in layout.lanes.items():
        assert layout.column[after] == layout.column[before] + len(lanes) + 1
        for column, height in enumerate(lanes, start=layout.column[before] + 1):
            taken[column]["lane", before] = (height - 10, height + 10)
    for spans in taken.values():
        ordered = sorted(spans.values())
        assert ordered[0][0] >= 0
        for (_, bottom), (top, _) in pairwise(ordered):
            assert bottom <= top


def test_nothing_has_an_empty_layout() -> None:
    layout = lay_out(0, [], row=1, lane=1)
    assert (layout.column, layout.height, dict(layout.lanes)) == ((), (), {})
