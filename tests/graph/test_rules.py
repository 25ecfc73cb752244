"""What choices and undoing refuse, and what is left of them with fewer steps."""

from __future__ import annotations

import pytest

from stepgraph.errors import GraphError
from stepgraph.graph import Choice, RuleEvidence, StepAttributes, TaskGraph, Undoing
from stepgraph.graph.rules import by_step, rules_in_words, split_undoings

GRAPH = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["a"]})


@pytest.mark.parametrize(
    ("alternatives", "said"),
    [
        ([["a"]], "a choice has 1 alternative, 'a'; expected two or more"),
        ([], "a choice has 0 alternatives; expected two or more"),
        ([["a"], []], "an alternative without steps"),
        ([["a"], ["b", "a"]], "'a' is in two alternatives of a choice"),
        (["a", "b"], "a rule has the text 'a'"),
    ],
)
def test_a_choice_is_between_two_or_more_alternatives_without_common_steps(
    alternatives: list[list[str]], said: str
) -> None:
    with pytest.raises(GraphError, match=said):
        Choice(alternatives)


@pytest.mark.parametrize(
    ("choices", "undoings", "said"),
    [
        ([Choice([["b"], ["c"]])], [], "'c' needs 'b' of another alternative"),
        ([Choice([["b"], ["x"]])], [], "unknown step 'x'"),
        ([], [Undoing("x", ["b"])], "unknown step 'x'"),
        ([], [Undoing("c", ["a", "b", "d"])], "'c' is said to undo every other step"),
        (
            [],
            [Undoing("c", ["b"]), Undoing("b", ["c"])],
            "all of them have to be done, so that the end cannot be reached",
        ),
        (
            [Choice([["c"], ["d"]])],
            [Undoing("c", ["b"]), Undoing("b", ["c", "d"]), Undoing("d", ["b"])],
            "the end cannot be reached",
        ),
    ],
)
def test_rules_that_a_graph_cannot_obey_are_refused_with_the_steps(
    choices: list[Choice], undoings: list[Undoing], said: str
) -> None:
    with pytest.raises(GraphError, match=said):
        GRAPH.replace(choices=choices, undoings=undoings)


def test_an_alternative_may_come_after_another_one_through_other_steps() -> None:
    """'c' needs 'a' only through 'b', which is done with either."""
    graph = GRAPH.replace(choices=[Choice([["a"], ["c"]])])
    assert graph.is_valid("bcd", complete=True)
    assert graph.is_valid("abd", complete=True)
    assert not graph.is_valid("abc")


def test_a_step_undoes_others_and_not_itself() -> None:
    with pytest.raises(GraphError, match="undo itself"):
        Undoing("a", ["a"])
    with pytest.raises(GraphError, match="undo nothing"):
        Undoing("a", [])


def test_a_circle_of_undoing_is_fine_where_one_of_its_steps_may_be_left_out() -> None:
    rules = [Undoing("c", ["b"]), Undoing("b", ["c"])]
    optional = {"c": StepAttributes(optional=True)}
    graph = GRAPH.replace(undoings=rules, attributes=optional)
    assert graph.is_valid("abcbd", complete=True)


@pytest.mark.parametrize("counts", [(-1.0, 0, 1), (1, float("inf"), 1), (1, 0, float("nan"))])
def test_evidence_is_of_counts(counts: tuple[float, float, float]) -> None:
    with pytest.raises(GraphError, match="expected a count"):
        RuleEvidence((counts[0],), *counts[1:])
    with pytest.raises(GraphError, match="from 0 to 1"):
        RuleEvidence((1,), 0, 1, probability=2.0)


def test_rules_follow_the_steps_of_a_graph() -> None:
    graph = GRAPH.replace(
        choices=[Choice([["b", "c"], ["d"]])],
        undoings=[Undoing("d", ["a"])],
        attributes={"b": StepAttributes(goes_with=("d",))},
    )
    fewer = graph.replace(steps="abd", edges=[("b", "a"), ("d", "a")])
    assert fewer.choices[0].alternatives == (("b",), ("d",))
    less = graph.replace(steps="ab", edges=[("b", "a")])
    assert (less.choices, less.undoings, less.attributes["b"].goes_with) == ((), (), ())


def test_what_a_step_undoes_comes_together() -> None:
    (own,) = by_step([Undoing("a", ["b"]), Undoing("a", ["c", "b"])])
    assert own.undone == ("b", "c")


def test_what_need_not_be_done_again_is_allowed_again() -> None:
    graph = TaskGraph("abcd", []).replace(
        attributes={"b": StepAttributes(optional=True)},
        undoings=[Undoing("c", ["a", "b"], RuleEvidence([5, 3], 0, 9))],
    )
    assert rules_in_words(graph) == ["'c' undoes 'a'", "'c' allows 'b' again"]
    assert [own.evidence.held for own, _ in split_undoings(graph) if own.evidence] == [(5,), (3,)]
