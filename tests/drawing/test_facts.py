"""What drawings and lists say of optional and repeatable steps, and of evidence."""

from __future__ import annotations

from stepgraph.drawing.facts import describe
from stepgraph.drawing.terminal import draw
from stepgraph.formats import graph_text
from stepgraph.graph import Choice, TaskGraph
from stepgraph.graph.evidence import EdgeEvidence, StepAttributes

GRAPH = TaskGraph.from_preconditions({"stir": ["pour"], "drink": ["stir"]}).replace(
    attributes={
        "pour": StepAttributes(),
        "stir": StepAttributes(
            0.6,
            optional=True,
            repeated=0.5,
            repeatable=True,
            repeated_after=("pour",),
        ),
        "drink": StepAttributes(0.9),
    },
    evidence={
        ("stir", "pour"): EdgeEvidence(3, 5, 1, (), ("a", "b", "c", "d", "e")),
        ("drink", "stir"): EdgeEvidence(0, 0, 9),
    },
)


def test_the_terminal_says_so() -> None:
    assert any("stir (optional, repeatable)" in line for line in draw(GRAPH))


def test_dot_is_dashed() -> None:
    lines = graph_text(GRAPH, ".dot").splitlines()
    assert '  n2 [label="stir (optional, repeatable)", style="rounded,dashed"];' in lines
    assert '  n1 [label="pour"];' in lines


def test_mermaid_is_dashed() -> None:
    lines = graph_text(GRAPH, ".mmd").splitlines()
    assert '  n2["stir (optional, repeatable)"]' in lines
    assert lines[-1] == "  style n2 stroke-dasharray: 5 5"


def test_the_list_gives_evidence_and_habits() -> None:
    assert list(describe(GRAPH)) == [
        (
            "'stir' needs 'pour': so in 3 of 8 recordings, not in 'a', 'b', 'c', 2 more; "
            "1 lacks one of the two"
        ),
        "'drink' comes after 'stir': no recording has both; 9 lack one of the two",
        "'stir' is optional: done in 60 % of the recordings",
        "'stir' may be done again, as in 50 % of the recordings with it; mostly after 'pour'",
        "'drink' is done in 90 % of the recordings; where it is missing, that looks like a mistake",
    ]


def test_a_step_of_a_choice_that_others_left_out_is_no_mistake() -> None:
    graph = TaskGraph("ab", [], choices=[Choice([["a"], ["b"]])]).replace(
        attributes={"a": StepAttributes(0.86), "b": StepAttributes(0.14)}
    )
    assert list(describe(graph))[:2] == [
        "'a' is done in 86 % of the recordings, as one alternative",
        "'b' is done in 14 % of the recordings, as one alternative",
    ]
