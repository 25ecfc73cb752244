from __future__ import annotations

from stepgraph.alignment import Costs, align, explain_alignment
from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes

TEA = TaskGraph.from_preconditions({"stir": ["pour"], "drink": ["stir"]})


def lines(*steps: str, costs: Costs | None = None) -> tuple[str, ...]:
    return explain_alignment(TEA, align(TEA, steps, costs=costs))


def test_nothing_is_said_of_a_recording_as_the_graph_says() -> None:
    assert lines("pour", "stir", "drink") == ()


def test_a_moved_step_is_said_once_with_what_came_before() -> None:
    assert lines("stir", "drink", "pour") == (
        "moved: 'pour' is step 3; 'stir' (step 1), which needs it, came before, and 1 more",
    )


def test_a_step_done_too_early_is_said_with_what_came_after() -> None:
    assert lines("drink", "pour", "stir") == (
        "moved: 'drink' is step 1; 'pour' (step 2), which it needs, came after, and 1 more",
    )


def test_repeated_and_skipped_steps_are_told_apart() -> None:
    assert lines("pour", "pour", "stir") == (
        "repeated: 'pour' (step 2); step 1 counts as done",
        "skipped: 'drink'",
    )


def test_an_unknown_step_is_named_with_the_nearest() -> None:
    assert lines("pour", "stirr", "stir", "drink") == (
        "inserted: 'stirr' (step 2); the graph has no such step; did you mean 'stir'?",
    )


def test_a_step_that_is_cheaper_to_insert_is_said_to_be() -> None:
    found = lines("pour", "stir", "drink", costs=Costs(done=5))
    assert found[0].startswith("inserted: 'pour' (step 1); with these costs that is cheaper")


def test_an_optional_step_left_out_is_not_worth_a_word() -> None:
    graph = TEA.replace(attributes={"stir": StepAttributes(optional=True)})
    assert explain_alignment(graph, align(graph, ["pour", "drink"])) == ()


def test_nothing_is_said_to_need_an_optional_step() -> None:
    graph = TEA.replace(attributes={"stir": StepAttributes(optional=True)})
    assert explain_alignment(graph, align(graph, ["pour", "drink", "stir"])) == (
        "moved: 'stir' is step 3; 'drink' (step 2), which comes after it, came before",
    )
