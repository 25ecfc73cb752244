from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.drawing.terminal import draw
from stepgraph.graph import TaskGraph
from stepgraph.sequences import END, START

from .reading import read_drawing
from .strategies import task_graphs

# Long enough for names that take several lines, which rails have to pass.
ENDINGS = st.integers(0, 40).map(lambda count: "word " * count)
WIDE = 90
# Draws the rails with ASCII characters, read back as those that mean the same.
BACK = str.maketrans({"*": "●", "o": "○", "|": "│", "-": "─"})


def first_words(graph: TaskGraph) -> set[tuple[str, str]]:
    return {(step.split()[0], needed.split()[0]) for step, needed in graph.edges}


@given(task_graphs(endings=ENDINGS))
@settings(max_examples=200, deadline=None)
def test_following_the_rails_gives_exactly_the_edges(graph: TaskGraph) -> None:
    assert read_drawing(draw(graph, width=WIDE)).named_edges == first_words(graph)


@given(task_graphs(endings=ENDINGS, connected=False))
@settings(max_examples=200, deadline=None)
def test_rails_are_truthful_where_steps_hang_in_the_air(graph: TaskGraph) -> None:
    assert read_drawing(draw(graph, width=WIDE)).named_edges == first_words(graph)


@given(task_graphs(endings=ENDINGS, connected=False))
@settings(deadline=None)
def test_ascii_rails_are_the_same_rails(graph: TaskGraph) -> None:
    plain = draw(graph, width=WIDE, unicode=False)
    fancy = draw(graph, width=WIDE)
    at = plain[0].index("START")
    assert at == fancy[0].index("START")
    joins = str.maketrans({"├": "+", "┼": "+", "┤": "+", "╰": "'", "┴": "'", "╯": "'"})
    tracks = [line[:at].rstrip().translate(BACK) for line in plain]
    expected = [line[:at].rstrip().translate(joins) for line in fancy]
    # Narrower arrows can give the names more lines, never other rails.
    assert [t for t in tracks if "●" in t or "○" in t] == [
        t for t in expected if "●" in t or "○" in t
    ]


def test_rails_that_meet_at_one_step_lie_inside_one_another() -> None:
    steps = [f"k{number}" for number in range(10)]
    reading = read_drawing(draw(TaskGraph.from_preconditions({"serve": steps})))
    assert reading.crossings == 0
    assert reading.rows[0] == START
    assert reading.rows[-1] == END


def test_a_crossing_can_be_told_from_a_join() -> None:
    # Each of the dishes needs another pair: that cannot be drawn without a crossing.
    pairs = {"".join(pair): pair for pair in combinations("abcde", 2)}
    graph = TaskGraph.from_preconditions(pairs)
    reading = read_drawing(draw(graph, width=WIDE))
    assert reading.crossings > 0
    assert reading.named_edges == set(graph.edges)


def test_branches_are_finished_one_after_the_other() -> None:
    graph = TaskGraph.from_preconditions(
        {"b": ["a"], "c": ["b"], "y": ["x"], "z": ["y"], "serve": ["c", "z"]}
    )
    rows = read_drawing(draw(graph)).rows
    assert rows in (
        [START, *"abcxyz", "serve", END],
        [START, *"xyzabc", "serve", END],
    )
