"""The rules of a graph as drawings show them."""

from __future__ import annotations

from graphlib import TopologicalSorter

from hypothesis import given

from stepgraph.formats.drawn_rules import alternative_marks, drawn_rules
from stepgraph.graph import Choice, StepAttributes, TaskGraph
from tests.strategies import graphs_with_rules, task_graphs


@given(graphs_with_rules())
def test_words_close_no_circle_with_what_steps_need(graph: TaskGraph) -> None:
    node = graph.vocabulary.node
    before: dict[object, set[object]] = {}
    for step, needed in graph.edges:
        before.setdefault(node(step), set()).add(node(needed))
    for place, rule in enumerate(drawn_rules(graph)):
        word = ("word", place)
        before[word] = set(rule.after)
        for tied in set(rule.nodes) - rule.after:
            before.setdefault(tied, set()).add(word)
    TopologicalSorter(before).prepare()


@given(graphs_with_rules())
def test_they_say_what_undoes_and_what_goes_with_what_and_nothing_else(graph: TaskGraph) -> None:
    names = graph.vocabulary.nodes
    said: dict[str, set[tuple[str, str]]] = {"undoes": set(), "goes_with": set()}
    for rule in drawn_rules(graph):
        if rule.kind != "choice":
            steps = rule.others if rule.step is None else [rule.step]
            pairs = {(names[a], names[b]) for a in steps for b in rule.others if a != b}
            assert not pairs & said[rule.kind]
            said[rule.kind] |= pairs
    assert said["undoes"] == {(own.step, other) for own in graph.undoings for other in own.undone}
    assert said["goes_with"] == {
        (step, other) for step, own in graph.attributes.items() for other in own.goes_with
    }


@given(graphs_with_rules())
def test_a_choice_is_tied_to_every_alternative_where_it_begins(graph: TaskGraph) -> None:
    names = graph.vocabulary.nodes
    choices = [rule for rule in drawn_rules(graph) if rule.kind == "choice"]
    for choice, rule in zip(graph.choices, choices, strict=True):
        assert ("at most" in rule.word) == choice.optional
        tied = {names[node] for node in rule.others}
        for alternative in choice.alternatives:
            for step in alternative:
                begins = not set(graph.all_preconditions_of(step)) & set(alternative)
                assert (step in tied) == begins


@given(graphs_with_rules())
def test_marks_tell_which_steps_belong_to_which_alternative(graph: TaskGraph) -> None:
    marks = alternative_marks(graph)
    for choice in graph.choices:
        if any(len(alternative) > 1 for alternative in choice.alternatives):
            own = [[set(marks[step]) for step in steps] for steps in choice.alternatives]
            shared = [set.intersection(*alternative) for alternative in own]
            assert all(shared)
            assert shared[0] - shared[1]


@given(task_graphs())
def test_a_graph_without_rules_has_none(graph: TaskGraph) -> None:
    assert drawn_rules(graph) == ()
    assert alternative_marks(graph) == {}


def test_steps_that_go_with_each_other_are_one_rule() -> None:
    members = {"a": ("b", "c"), "b": ("a", "c"), "c": ("b", "a"), "d": ("a",)}
    about = {step: StepAttributes(goes_with=others) for step, others in members.items()}
    together, single = drawn_rules(TaskGraph("abcd", [], attributes=about))
    assert (together.word, together.step, together.others) == ("go together", None, (1, 2, 3))
    assert together.about == "'a', 'b' and 'c' go together"
    assert (single.word, single.step, single.others) == ("goes with", 4, (1,))


def test_a_step_that_goes_with_itself_says_nothing() -> None:
    graph = TaskGraph("ab", [], attributes={"a": StepAttributes(goes_with=("a",))})
    assert drawn_rules(graph) == ()


def test_two_choices_with_alternatives_of_several_steps_are_numbered() -> None:
    choices = [Choice([["a", "b"], ["c"]]), Choice([["d", "e"], ["f"]], optional=True)]
    graph = TaskGraph("abcdef", [], choices=choices)
    assert [rule.word for rule in drawn_rules(graph)] == [
        "choice 1: one of",
        "choice 2: at most one of",
    ]
    assert alternative_marks(graph)["f"] == ("choice 2: alternative 2",)
