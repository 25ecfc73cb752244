"""What holds for every drawing."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.drawing import draw_comparison, draw_graph
from stepgraph.drawing.picture import MOST_EDGES
from stepgraph.errors import GraphError, SettingError, UnknownNameError
from stepgraph.formats.dot import Direction
from stepgraph.graph import TaskGraph, connect_ends
from stepgraph.graph.evidence import EdgeEvidence, StepAttributes
from stepgraph.procedures import load_procedure
from tests.drawing.strategies import NASTY, task_graphs

from .svg_reading import is_monotonic, overlap, read

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
PANCAKES = load_procedure("pancakes").graph
RTL = "חמם את התנור ל-180 מעלות"
STRANGE = TaskGraph((*NASTY, RTL), connect_ends((*NASTY, RTL), [(RTL, NASTY[0])]))


@settings(deadline=None, max_examples=40)
@given(graph=task_graphs(connected=False), direction=st.sampled_from(("BT", "LR")))
def test_every_graph_is_drawn_whole_without_boxes_over_one_another(
    graph: TaskGraph, direction: Direction
) -> None:
    drawing = read(draw_graph(graph, direction=direction))
    assert len(drawing.boxes) == len(graph.steps) + 2
    assert {
        (graph.vocabulary.nodes[step], graph.vocabulary.nodes[needed])
        for step, needed in drawing.edges
    } == set(graph.edges)
    assert not overlap(drawing.boxes)


@settings(deadline=None, max_examples=25)
@given(graph=task_graphs(), direction=st.sampled_from(("BT", "LR")))
def test_a_step_lies_behind_what_it_needs(graph: TaskGraph, direction: Direction) -> None:
    drawing = read(draw_graph(graph, direction=direction))
    for step, needed in drawing.edges:
        (x, y), (needed_x, needed_y) = drawing.middle(step), drawing.middle(needed)
        assert y < needed_y if direction == "BT" else x > needed_x


@settings(deadline=None, max_examples=40)
@given(graph=task_graphs(connected=False), direction=st.sampled_from(("BT", "LR")))
def test_no_line_runs_through_a_box(graph: TaskGraph, direction: Direction) -> None:
    drawing = read(draw_graph(graph, direction=direction))
    for ends, line in drawing.lines.items():
        for node, (left, top, right, bottom) in enumerate(drawing.boxes):
            inside = [
                (x, y) for x, y in line if left + 1 < x < right - 1 and top + 1 < y < bottom - 1
            ]
            # A line stops at the border of the boxes that it joins.
            assert not inside or (node in ends and node in (0, len(drawing.boxes) - 1))


@settings(deadline=None, max_examples=25)
@given(graph=task_graphs())
def test_every_line_begins_and_ends_at_the_boxes_that_it_joins(graph: TaskGraph) -> None:
    drawing = read(draw_graph(graph))
    for (step, needed), line in drawing.lines.items():
        for node, (x, y), reach in ((step, line[0], 0.1), (needed, line[-1], 8.1)):
            left, top, right, bottom = drawing.boxes[node]
            assert left - reach <= x <= right + reach
            assert top - reach <= y <= bottom + reach


def test_edges_in_opposite_directions_are_two_lines() -> None:
    one = TaskGraph.from_preconditions({"mix": ["egg"], "egg": []})
    other = TaskGraph.from_preconditions({"mix": [], "egg": ["mix"]})
    drawing = read(draw_comparison(one, other))
    numbers = {drawing.title_of(step).split(":")[0]: n for n, step in enumerate(drawing.steps)}
    mix, egg = numbers["mix"], numbers["egg"]
    there, back = drawing.lines[mix, egg], drawing.lines[egg, mix]
    assert min(math.dist(one_point, point) for one_point in there for point in back) > 3


def test_start_is_at_the_bottom_and_end_on_top() -> None:
    drawing = read(draw_graph(PANCAKES))
    middles = [drawing.middle(node)[1] for node in range(len(drawing.boxes))]
    assert middles[0] == max(middles)
    assert middles[-1] == min(middles)
    assert not overlap(drawing.boxes)


def test_the_same_graph_gives_the_same_bytes() -> None:
    first = draw_graph(PANCAKES)
    draw_graph(STRANGE)  # what was drawn before leaves no trace
    assert draw_graph(PANCAKES) == first


def test_everything_lies_inside_the_picture() -> None:
    drawing = read(draw_graph(STRANGE))
    width, height = drawing.size
    for left, top, right, bottom in drawing.boxes:
        assert left >= -18  # the parts are shifted by the margin
        assert right <= width
        assert top >= -18
        assert bottom <= height


def test_names_are_shown_as_text_whatever_they_hold() -> None:
    svg = draw_graph(TaskGraph.from_preconditions({"<script>alert(1)</script>": ["a & b"]}))
    assert "<script" not in svg
    texts = read(svg).texts
    assert "a & b" in texts
    assert "".join(texts).count("<script>") == 1


def test_a_long_name_is_cut_in_the_box_and_whole_beside_the_mouse() -> None:
    name = "word " * 100
    drawing = read(draw_graph(TaskGraph.from_preconditions({name: []})))
    box = drawing.steps[1]
    assert drawing.title_of(box) == name
    assert any(text.endswith("…") for text in drawing.texts)


def test_a_name_from_right_to_left_says_so() -> None:
    svg = draw_graph(STRANGE)
    assert 'direction="rtl"' in svg
    assert 'direction="rtl"' not in draw_graph(PANCAKES)


def test_the_heavier_an_edge_the_thicker_and_darker_its_line() -> None:
    steps = ("a", "b", "c", "d")
    weights = {("b", "a"): 0.2, ("c", "a"): 0.6, ("d", "a"): 0.9}
    graph = TaskGraph(steps, connect_ends(steps, weights), weights=weights)
    drawing = read(draw_graph(graph))
    groups = [drawing.edges[graph.vocabulary.node(step), 1] for step in "bcd"]
    widths = [float(group.find("*[@stroke-width]").attrib["stroke-width"]) for group in groups]  # type: ignore[union-attr]
    assert is_monotonic(widths)
    assert is_monotonic([float(group.attrib.get("stroke-opacity", 1)) for group in groups])
    assert {"weight 0.9", "weight 0.2"} <= set(drawing.texts)


def test_weights_that_tell_nothing_apart_need_no_legend() -> None:
    graph = TaskGraph(["a"], [("a", "START"), ("END", "a")], weights={("a", "START"): 1.0})
    assert not any("weight" in text for text in read(draw_graph(graph)).texts)


def test_optional_and_repeatable_steps_are_marked_in_words_and_lines() -> None:
    graph = PANCAKES.replace(
        attributes={
            "warm the syrup": StepAttributes(done=0.5, optional=True),
            "fry a pancake": StepAttributes(repeated=0.75, repeatable=True),
        }
    )
    svg = draw_graph(graph)
    texts = read(svg).texts
    for word in ("optional", "repeatable", "can be left out", "can be done again"):
        assert texts.count(word) == 1
    assert "warm the syrup (optional): done in 50 % of the recordings" in svg
    assert "done again in 75 % of those" in svg
    assert svg.count("stroke-dasharray") == 2  # the step and its sample in the legend


def test_an_edge_tells_its_evidence() -> None:
    edge = ("rinse the whisk", "whisk the batter")
    svg = draw_graph(PANCAKES.replace(evidence={edge: EdgeEvidence(7, 1, 2)}))
    assert "in this order in 7 recordings, opposite in 1, undecided in 2" in svg


def test_the_drawing_is_told_in_words_to_those_who_cannot_see_it() -> None:
    root = read(draw_graph(PANCAKES)).root
    told = root.findtext("{http://www.w3.org/2000/svg}desc") or ""
    assert root.attrib["role"] == "img"
    assert told.startswith("13 steps, 21 edges.")
    assert "'rinse the whisk' (optional) needs 'whisk the batter'." in told


def test_common_missing_and_spurious_edges_differ_in_colour_and_in_dashes() -> None:
    truth = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "fry": ["mix"]})
    prediction = TaskGraph.from_preconditions({"mix": ["egg"], "milk": ["egg"], "fry": ["mix"]})
    drawing = read(draw_comparison(prediction, truth))
    word = truth.vocabulary.node
    looks = {}
    for kind, edge in (
        ("common", ("mix", "egg")),
        ("missing", ("mix", "milk")),
        ("spurious", ("milk", "egg")),
    ):
        path = drawing.edges[word(edge[0]), word(edge[1])].find("{*}path")
        assert path is not None
        looks[kind] = (path.attrib["stroke"], path.attrib.get("stroke-dasharray", ""))
    assert len({colour for colour, _ in looks.values()}) == 3
    assert len({dash for _, dash in looks.values()}) == 3
    assert len(drawing.edges) == len(set(truth.edges) | set(prediction.edges))
    assert "in both: 4" in drawing.texts


def test_graphs_that_contradict_each_other_are_compared_all_the_same() -> None:
    one = TaskGraph.from_preconditions({"a": ["b"]})
    other = TaskGraph.from_preconditions({"b": ["a"]})
    assert len(read(draw_comparison(one, other)).edges) == 6


def test_steps_that_only_one_graph_knows_are_drawn_as_missing_or_spurious() -> None:
    truth = TaskGraph.from_preconditions({"mix": ["egg"]})
    prediction = TaskGraph.from_preconditions({"mix": ["milk"]})
    drawing = read(draw_comparison(prediction, truth))
    titles = [drawing.title_of(step) for step in drawing.steps]
    assert "egg: a missing step" in titles
    assert "milk: a spurious step" in titles


def test_graphs_of_two_procedures_are_not_compared() -> None:
    with pytest.raises(GraphError, match=r"share no step.*'drill'"):
        draw_comparison(PANCAKES, TaskGraph.from_preconditions({"drill": []}))


def test_five_hundred_steps_are_drawn() -> None:
    rng = random.Random(0)
    names = [f"step {number}" for number in range(500)]
    edges = [
        (names[later], names[rng.randrange(max(0, later - 12), later)])
        for later in range(1, 500)
        for _ in range(2)
    ]
    drawing = read(draw_graph(TaskGraph(names, connect_ends(names, edges))))
    assert len(drawing.boxes) == 502


def test_where_there_are_too_many_long_edges_they_are_drawn_as_straight_lines() -> None:
    names = [f"step {number}" for number in range(40)]
    edges = [(names[later], names[earlier]) for later in range(40) for earlier in range(later)]
    graph = TaskGraph(names, connect_ends(names, edges))
    drawing = read(draw_graph(graph))
    assert len(drawing.edges) == len(graph.edges)
    assert not overlap(drawing.boxes)


def test_a_graph_with_too_many_edges_is_drawn_without_those_that_follow_from_others() -> None:
    rng = random.Random(0)
    names = [f"step {number}" for number in range(80)]
    needs = {
        name: [earlier for earlier in names[:place] if rng.random() < 0.6]
        for place, name in enumerate(names)
    }
    graph = TaskGraph.from_preconditions(needs)
    assert len(graph.edges) > MOST_EDGES
    drawing = read(draw_graph(graph))
    word = graph.vocabulary.nodes
    shown = [(word[step], word[needed]) for step, needed in drawing.edges]
    assert set(shown) < set(graph.edges)
    reduced = graph.replace(edges=shown)
    assert all(
        reduced.all_preconditions_of(name) == graph.all_preconditions_of(name) for name in names
    )
    left_out = len(graph.edges) - len(shown)
    assert f"{left_out} edges that follow from others are not drawn." in drawing.texts


def test_an_unknown_theme_or_direction_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'dark'"):
        draw_graph(PANCAKES, theme="darc")
    with pytest.raises(SettingError, match="expected one of 'BT', 'LR'"):
        draw_graph(PANCAKES, direction="TB")  # type: ignore[arg-type]


def test_the_picture_of_the_pancakes_in_the_documents_shows_their_graph() -> None:
    drawing = read((PICTURES / "pancakes.svg").read_text(encoding="utf-8"))
    nodes = PANCAKES.vocabulary.nodes
    assert {(nodes[step], nodes[needed]) for step, needed in drawing.edges} == set(PANCAKES.edges)


def test_the_comparison_in_the_documents_has_every_known_edge() -> None:
    drawing = read((PICTURES / "pancakes-compared.svg").read_text(encoding="utf-8"))
    nodes = PANCAKES.vocabulary.nodes
    assert {(nodes[step], nodes[needed]) for step, needed in drawing.edges} >= set(PANCAKES.edges)
