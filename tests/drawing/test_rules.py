"""Choices, undoing and what goes with what, in pictures and in the terminal."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.drawing import draw_comparison, draw_graph, show_in_notebook
from stepgraph.drawing.facts import describe, rules_told
from stepgraph.drawing.png import to_png
from stepgraph.drawing.terminal import draw
from stepgraph.drawing.themes import DARK, LIGHT
from stepgraph.formats.dot import Direction
from stepgraph.formats.drawn_rules import drawn_rules
from stepgraph.graph import Choice, RuleEvidence, StepAttributes, TaskGraph, Undoing
from stepgraph.graph.rules import rules_in_words
from tests.strategies import graphs_with_rules

from .strategies import strange_graphs_with_rules
from .svg_reading import overlap, read
from .test_terminal import shown_columns

DIRECTIONS = st.sampled_from(("BT", "LR"))
BENCH = TaskGraph.from_preconditions(
    {
        "test": ["build"],
        "repair": ["test"],
        "pack": ["test", "repair"],
        "ship": ["pack"],
        "scrap": ["test", "repair"],
    }
).replace(
    attributes={
        "repair": StepAttributes(optional=True, repeatable=True),
        "build": StepAttributes(goes_with=("test",)),
    },
    choices=[Choice([["pack", "ship"], ["scrap"]])],
    undoings=[Undoing("repair", ["test"])],
)


def without_rules(graph: TaskGraph) -> TaskGraph:
    plain = {
        step: StepAttributes(optional=own.optional, repeatable=own.repeatable)
        for step, own in graph.attributes.items()
    }
    return graph.replace(choices=(), undoings=(), attributes=plain)


@settings(deadline=None, max_examples=40)
@given(graph=strange_graphs_with_rules(), direction=DIRECTIONS)
def test_a_picture_shows_every_rule_and_every_edge(graph: TaskGraph, direction: Direction) -> None:
    drawing = read(draw_graph(graph, direction=direction))
    rules = drawn_rules(graph)
    assert [(rule.word, tuple(rule.nodes)) for rule in drawing.rules] == [
        (rule.word, rule.nodes) for rule in rules
    ]
    heads = [0 if rule.step is None else len(rule.others) for rule in rules]
    assert [rule.heads for rule in drawing.rules] == heads
    nodes = graph.vocabulary.nodes
    assert {(nodes[step], nodes[needed]) for step, needed in drawing.edges} == set(graph.edges)


@settings(deadline=None, max_examples=40)
@given(graph=graphs_with_rules(), direction=DIRECTIONS)
def test_neither_words_nor_their_lines_hide_a_box(graph: TaskGraph, direction: Direction) -> None:
    drawing = read(draw_graph(graph, direction=direction))
    assert not overlap([*drawing.boxes, *(rule.room for rule in drawing.rules)])
    lines = [line for rule in drawing.rules for line in rule.lines]
    for line in [*lines, *drawing.lines.values()]:
        for node, (left, top, right, bottom) in enumerate(drawing.boxes):
            if node not in (0, len(drawing.boxes) - 1):
                assert not [
                    (x, y) for x, y in line if left + 1 < x < right - 1 and top + 1 < y < bottom - 1
                ]


@settings(deadline=None, max_examples=40)
@given(graph=graphs_with_rules(), direction=DIRECTIONS)
def test_the_lines_of_a_rule_lead_from_its_word_to_its_steps(
    graph: TaskGraph, direction: Direction
) -> None:
    drawing = read(draw_graph(graph, direction=direction))
    for rule in drawing.rules:
        for node, line in zip(rule.nodes, rule.lines, strict=True):
            for (left, top, right, bottom), (x, y), reach in (
                (rule.room, line[0], 20),
                (drawing.boxes[node], line[-1], 8.1),
            ):
                assert left - reach <= x <= right + reach
                assert top - reach <= y <= bottom + reach


@settings(deadline=None, max_examples=25)
@given(graph=graphs_with_rules(), direction=DIRECTIONS)
def test_a_step_still_lies_behind_what_it_needs(graph: TaskGraph, direction: Direction) -> None:
    drawing = read(draw_graph(graph, direction=direction))
    for step, needed in drawing.edges:
        (x, y), (needed_x, needed_y) = drawing.middle(step), drawing.middle(needed)
        assert y < needed_y if direction == "BT" else x > needed_x


@settings(deadline=None, max_examples=25)
@given(strange_graphs_with_rules())
def test_the_description_states_every_rule(graph: TaskGraph) -> None:
    root = read(draw_graph(graph)).root
    told = root.findtext("{*}desc") or ""
    groups = [group for group in root.iter() if "data-rule" in group.attrib]
    for rule, group in zip(drawn_rules(graph), groups, strict=True):
        title = group.findtext("{*}title") or ""
        assert title
        assert title[1:] + "." in told
        assert rule.kind.replace("_", "-") in group.attrib["class"]


def test_kinds_of_rules_differ_in_colour_dashes_and_words() -> None:
    drawing = read(draw_graph(BENCH))
    looks = {}
    for rule in drawing.rules:
        path = rule.group.find("{*}path")
        assert path is not None
        looks[rule.kind] = path.attrib["stroke"], path.attrib["stroke-dasharray"], rule.word
    assert looks.keys() == {"choice", "undoes", "goes-with"}
    for part in zip(*looks.values(), strict=True):
        assert len(set(part)) == 3


def test_the_legend_says_what_lines_mean_only_where_there_are_such_lines() -> None:
    texts = read(draw_graph(BENCH)).texts
    assert "then counts as not done" in texts
    assert "only one of these is done" in texts
    assert "then counts as not done" not in read(draw_graph(without_rules(BENCH))).texts


def test_an_alternative_of_several_steps_is_marked_in_their_boxes() -> None:
    texts = read(draw_graph(BENCH)).texts
    assert texts.count("alternative 1") == 2
    assert texts.count("alternative 2") == 1
    single = BENCH.replace(choices=[Choice([["ship"], ["scrap"]])])
    assert not any("alternative" in text for text in read(draw_graph(single)).texts)


def test_the_word_of_a_choice_stands_between_what_it_follows_and_the_alternatives() -> None:
    drawing = read(draw_graph(BENCH))
    (choice,) = (rule for rule in drawing.rules if rule.kind == "choice")
    node = BENCH.vocabulary.node
    _, top, _, bottom = choice.room
    assert drawing.middle(node("pack"))[1] < top
    assert bottom < drawing.middle(node("repair"))[1]


def test_a_comparison_says_that_rules_are_not_compared() -> None:
    plain = without_rules(BENCH)
    note = "Choices, undoing and what goes with what are not compared."
    assert note in read(draw_comparison(plain, BENCH)).texts
    assert note not in read(draw_comparison(plain, plain)).texts


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_png_of_rules_is_painted(theme: str) -> None:
    pytest.importorskip("resvg_py")
    assert to_png(draw_graph(BENCH, theme=theme)).startswith(b"\x89PNG")


def test_a_notebook_shows_the_rules() -> None:
    shown = show_in_notebook(BENCH)
    assert "undoes 2 test" in shown["text/plain"]
    assert ">undoes</text>" in shown["image/svg+xml"]


def test_the_pages_of_the_studio_have_the_colours_of_the_drawings() -> None:
    package = Path(draw_graph.__code__.co_filename).parents[1]
    sheet = (package / "web" / "pages" / "drawing.css").read_text(encoding="utf-8")
    for theme in (LIGHT, DARK):
        for name in ("paper", "edge", "choice", "undoes", "goes_with"):
            variable = name.replace("_", "-")
            assert f"--stepgraph-{variable}: {getattr(theme, name)};" in sheet


def test_rules_are_told_with_their_evidence() -> None:
    graph = TaskGraph(
        "abcd",
        [],
        choices=[Choice([["a"], ["b"]], evidence=RuleEvidence((86, 14), 0, 100, 0.99))],
        undoings=[Undoing("d", ["a"], RuleEvidence((1,), 2, 7))],
        attributes={"c": StepAttributes(goes_with=("d",))},
    )
    assert rules_told(graph) == (
        (
            "one of 'a' or 'b': so in 86 and 14 of 100 recordings, never none or several; "
            "99 % probable"
        ),
        "'d' undoes 'a': done again after it 1 time, forgotten 2 times",
        "'c' goes with 'd'",
    )
    assert list(describe(graph))[-3:] == list(rules_told(graph))
    assert "99 % probable" in draw_graph(graph)


def test_the_terminal_tells_rules_at_the_rows_of_their_steps() -> None:
    assert draw(BENCH) == [
        "○         START",
        "●      1  build                                  goes with 2 test",
        "●      2  test                           ← 1",
        "├─●    3  repair (optional, repeatable)  ← 2     undoes 2 test",
        "├─┼─●  4  pack                           ← 2, 3  one of 4 + 6 or 5",
        "●─╯ │  5  scrap                          ← 2, 3  one of 4 + 6 or 5",
        "│   ●  6  ship                           ← 4",
        "○───╯     END                            ← 5, 6",
    ]


def test_rules_stand_below_the_names_where_they_do_not_fit() -> None:
    assert draw(BENCH, width=52)[3:9] == [
        "●      2  test                           ← 1",
        "├─●    3  repair (optional, repeatable)  ← 2",
        "│ │         undoes 2 test",
        "├─┼─●  4  pack                           ← 2, 3",
        "│ │ │       one of 4 + 6 or 5",
        "●─╯ │  5  scrap                          ← 2, 3",
    ]


def test_a_choice_that_may_be_left_out_says_so_in_the_terminal() -> None:
    graph = TaskGraph("abc", [], choices=[Choice([["a"], ["b"], ["c"]], optional=True)])
    assert draw(graph)[1].endswith("or 2 b, or 3 c, or none of them")
    several = graph.replace(choices=[Choice([["a", "b"], ["c"]], optional=True)])
    assert draw(several)[1].endswith("at most one of 1 + 2 or 3")


def test_three_or_more_steps_in_a_row_are_a_range_in_the_terminal() -> None:
    lines = draw(TaskGraph("abcde", [], choices=[Choice([["a", "e"], ["b", "c", "d"]])]))
    said = [line for line in lines if "one of" in line]
    assert [line.split()[1:3] for line in said] == [["1", "a"], ["2", "b"]]
    assert all(line.endswith("one of 1 + 5 or 2-4") for line in said)


@given(strange_graphs_with_rules(), st.integers(40, 130), st.booleans(), st.text(max_size=9))
@settings(deadline=None)
def test_no_line_is_wider_than_asked(
    graph: TaskGraph, width: int, unicode: bool, mark: str
) -> None:
    lines = draw(graph, width=width, unicode=unicode, marks={graph.steps[-1]: mark})
    assert all(shown_columns(line) <= width for line in lines)
    assert all(line == line.rstrip() for line in lines)
    assert unicode or all(line.isascii() for line in lines)


@given(graphs_with_rules(), st.booleans())
@settings(deadline=None)
def test_rules_leave_the_rest_of_a_terminal_drawing_as_it_is(
    graph: TaskGraph, unicode: bool
) -> None:
    wide: dict[str, Any] = {"width": 2000, "unicode": unicode}
    plain, ruled = draw(without_rules(graph), **wide), draw(graph, **wide)
    assert len(plain) == len(ruled)
    begins = set()
    for old, line in zip(plain, ruled, strict=True):
        assert line.startswith(old)
        if line != old:
            begins.add(len(line) - len(line.removeprefix(old).lstrip()))
    assert len(begins) <= 1, "rules are not aligned"


@given(graphs_with_rules())
@settings(deadline=None)
def test_reading_the_terminal_gives_the_rules_back(graph: TaskGraph) -> None:
    """Every name in the graph is 'step' and a letter, each after its number in a rule."""
    lines = draw(graph, width=2000)
    number_of = {}
    name_of: dict[int, str] = {}
    for line in lines:
        found = re.match(r"\D*(\d+)  (step \w)", line)
        if found:
            number_of[found[2]] = found[1]
            name_of[int(found[1])] = found[2]
    said: dict[str, list[str]] = {}
    for line in lines:
        found = re.match(r"\D*\d+  (step \w)(?: \(.*?\))?(?: +← [\d, -]+?)?  +(\w.*)", line)
        if found:
            said[found[1]] = found[2].split("; ")

    def named(text: str) -> set[str]:
        pairs = re.findall(r"(\d+) (step \w)", text)
        assert all(number_of[name] == number for number, name in pairs)
        return {name for _, name in pairs}

    def numbered(text: str) -> frozenset[str]:
        spans = [list(map(int, span.split("-"))) for span in text.split(" + ")]
        return frozenset(
            name_of[number] for span in spans for number in range(span[0], span[-1] + 1)
        )

    choices = set()
    undoes, goes_with = set(), set()
    for step, texts in said.items():
        for text in texts:
            if text.startswith(("undoes ", "allows ")):
                undoes |= {(step, other) for other in named(text)}
            elif text.startswith("goes with "):
                goes_with |= {(step, other) for other in named(text)}
            elif text.startswith(("one of ", "at most one of ")):
                some, _, rest_of_it = text.partition("one of ")
                together = frozenset(map(numbered, rest_of_it.split(" or ")))
                assert step in frozenset().union(*together)
                choices.add((together, some == "at most "))
            else:
                first, *rest = re.split(r"(?:, |^)or ", text)
                optional = "none of them" in rest
                groups = [named(first) | {step}, *map(named, rest)]
                choices.add((frozenset(frozenset(own) for own in groups if own), optional))
    assert undoes == {(own.step, other) for own in graph.undoings for other in own.undone}
    assert goes_with == {
        (step, other) for step, own in graph.attributes.items() for other in own.goes_with
    }
    assert choices == {
        (frozenset(map(frozenset, choice.alternatives)), choice.optional)
        for choice in graph.choices
    }
    assert bool(said) == bool(rules_in_words(graph))
