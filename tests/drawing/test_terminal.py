from __future__ import annotations

import random
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.drawing.terminal import draw
from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.graph import TaskGraph, connect_ends
from stepgraph.sequences import END, START
from tests.operations import calls

from .reading import read_numbers
from .strategies import task_graphs

WIDTHS = st.integers(40, 130)
WORDS = st.lists(st.sampled_from(("stir", "eggs-and-milk", "a", "x" * 50)), max_size=9).map(
    " ".join
)


def shown_columns(line: str) -> int:
    return sum(
        0
        if unicodedata.category(character) in ("Mn", "Me", "Cf")
        else 1 + (unicodedata.east_asian_width(character) in ("W", "F"))
        for character in line
    )


def dense(count: int, chance: float) -> TaskGraph:
    generator = random.Random(0)
    steps = [f"step {number}" for number in range(count)]
    edges = [
        (step, needed)
        for row, step in enumerate(steps)
        for needed in steps[:row]
        if generator.random() < chance
    ]
    return TaskGraph(steps, connect_ends(steps, edges))


@given(task_graphs(connected=False), WIDTHS, st.booleans(), st.text(max_size=20))
@settings(deadline=None)
def test_no_line_is_wider_than_asked(
    graph: TaskGraph, width: int, unicode: bool, mark: str
) -> None:
    lines = draw(graph, width=width, unicode=unicode, marks={graph.steps[-1]: mark})
    assert all(shown_columns(line) <= width for line in lines)
    assert all(line == line.rstrip() for line in lines)
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in "".join(lines))


@given(task_graphs(connected=False), WIDTHS)
@settings(deadline=None)
def test_without_unicode_everything_is_ascii(graph: TaskGraph, width: int) -> None:
    marks = {graph.steps[0]: "✓"}
    assert all(line.isascii() for line in draw(graph, width=width, unicode=False, marks=marks))


@given(task_graphs(endings=WORDS, connected=False), WIDTHS, st.booleans())
@settings(deadline=None)
def test_rows_are_a_valid_order_and_list_what_they_need(
    graph: TaskGraph, width: int, unicode: bool
) -> None:
    lines = draw(graph, width=width, unicode=unicode)
    if lines[-1].startswith("("):
        lines.pop()
    rows = read_numbers(lines, "←" if unicode else "<-")
    order = [word for word, _ in rows]
    assert order[0] == START
    assert order[-1] == END
    step_of = {step.split()[0]: step for step in graph.steps}
    assert sorted(order[1:-1]) == sorted(step_of)
    assert graph.is_valid(step_of[word] for word in order[1:-1])
    for word, numbers in rows[1:]:
        needed = {step_of[order[number]] for number in numbers}
        assert needed == set(graph.preconditions_of(step_of.get(word, word)))


@given(task_graphs(), st.randoms())
@settings(deadline=None)
def test_the_same_graph_gives_the_same_drawing(graph: TaskGraph, generator: random.Random) -> None:
    edges = list(graph.edges)
    generator.shuffle(edges)
    assert draw(TaskGraph(graph.steps, edges)) == draw(graph)


def test_a_small_graph() -> None:
    graph = TaskGraph.from_preconditions(
        {"mix": ["crack egg", "pour milk"], "fry": ["mix", "heat pan"], "eat": ["fry"]}
    )
    assert draw(graph) == [
        "○         START",
        "├───●  1  crack egg",
        "├─● │  2  pour milk",
        "│ ╰─●  3  mix        ← 1, 2",
        "●   │  4  heat pan",
        "●───╯  5  fry        ← 3, 4",
        "●      6  eat        ← 5",
        "○         END        ← 6",
    ]


def test_a_long_name_goes_on_below_and_then_ends_in_dots() -> None:
    graph = TaskGraph.from_preconditions({"stir " * 40: ["milk"]})
    lines = draw(graph, width=40, unicode=False)
    assert [line[:1] for line in lines] == ["o", "*", "*", "|", "|", "o"]
    assert lines[4].endswith("...")


def test_marks_stand_in_front_of_the_names() -> None:
    graph = TaskGraph.from_preconditions({"mix": ["crack egg"]})
    assert draw(graph, marks={"crack egg": "done"})[1:3] == [
        "●  1  done crack egg",
        "●  2       mix        ← 1",
    ]


def test_too_many_rails_are_left_out_and_the_last_line_says_so() -> None:
    graph = TaskGraph.from_preconditions({"serve": [f"step {number}" for number in range(30)]})
    lines = draw(graph, width=60)
    assert lines[-1] == "(without rails: 30 would not fit)"
    assert lines[1:3] == [" 1  step 0", " 2  step 1"]
    assert lines[31] == "31  serve    ← 1-30"
    assert "├" in draw(graph, width=130)[1]


@pytest.mark.parametrize("chance", [0.02, 0.3, 1.0])
def test_the_work_grows_no_faster_than_the_pairs_of_steps(chance: float) -> None:
    small, large = dense(45, chance), dense(90, chance)
    assert calls(lambda: draw(large, width=400)) < 5 * calls(lambda: draw(small, width=400))


def test_a_width_too_small_to_read_is_refused() -> None:
    graph = TaskGraph.from_preconditions({"mix": []})
    with pytest.raises(SettingError, match="39 columns"):
        draw(graph, width=39)


def test_a_mark_for_no_step_is_refused() -> None:
    graph = TaskGraph.from_preconditions({"mix": []})
    with pytest.raises(UnknownNameError, match="'mixx'"):
        draw(graph, marks={"mixx": "done"})


def test_drawing_loads_no_heavy_package() -> None:
    code = (
        "import sys; import stepgraph.drawing.terminal; "
        "print({'numpy', 'networkx', 'torch', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
