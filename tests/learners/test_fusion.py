from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.errors import CycleError, GraphError, InputError, SettingError, UnknownNameError
from stepgraph.graph import Constraints, TaskGraph
from stepgraph.learners import Learned, get_learner
from stepgraph.postprocess import to_graph
from stepgraph.sequences import END, START, Demonstrations
from tests.strategies import STEP_NAMES, task_graphs


def _learn(recordings: list[str], **given: Any) -> tuple[TaskGraph, Learned]:
    # Single letters say nothing, so names are left out of account unless a test is about them.
    given = {"names": False, **given}
    learned = get_learner("fusion", **given).learn(Demonstrations.from_steps(recordings))
    return to_graph(learned.adjacency).graph, learned


def test_a_pair_seen_directly_after_one_another_needs_no_prior() -> None:
    graph, _ = _learn(["abc", "abc"])
    assert graph.preconditions_of("b") == ("a",)


def test_a_pair_never_seen_adjacent_is_dropped_and_the_note_says_why() -> None:
    graph, learned = _learn(["axyb", "ayxb", "xayb", "yaxb"])
    assert "a" not in graph.all_preconditions_of("b")
    (note,) = [note for note in learned.notes if "'b' needs 'a'" in note]
    assert "in 4 of 4 recordings" in note
    assert "never seen directly one after the other" in note


def test_a_prior_keeps_a_pair_that_order_alone_cannot_decide() -> None:
    prior = TaskGraph.from_preconditions({"b": ["a"]})
    graph, learned = _learn(["axyb", "ayxb", "xayb", "yaxb"], prior=prior)
    assert "a" in graph.all_preconditions_of("b")
    assert any(note.startswith("kept by the prior: 'b' needs 'a'") for note in learned.notes)


def test_a_prior_adds_nothing_that_the_recordings_contradict() -> None:
    prior = TaskGraph.from_preconditions({"a": ["b"]})
    graph, _ = _learn(["abc", "bac"], prior=prior)
    assert graph.preconditions_of("a") == ()
    against, _ = _learn(["abc", "abc"], prior=prior)
    assert against.preconditions_of("b") == ("a",)


def test_names_that_share_a_word_count_where_there_is_no_prior() -> None:
    recordings = [
        ["crack the egg", "hum", "sing", "whisk the egg"],
        ["crack the egg", "sing", "hum", "whisk the egg"],
        ["hum", "crack the egg", "sing", "whisk the egg"],
        ["sing", "crack the egg", "hum", "whisk the egg"],
    ]
    demonstrations = Demonstrations.from_steps(recordings)
    for names, expected in ((True, True), (False, False)):
        learned = get_learner("fusion", names=names).learn(demonstrations)
        graph = to_graph(learned.adjacency).graph
        assert ("crack the egg" in graph.all_preconditions_of("whisk the egg")) is expected


def test_a_must_edge_holds_against_all_evidence() -> None:
    graph, _ = _learn(["abc", "abc", "bac"], constraints=Constraints(must=[("a", "c")]))
    assert "c" in graph.all_preconditions_of("a")


def test_a_never_edge_is_not_even_implied() -> None:
    graph, _ = _learn(["abcd"], constraints=Constraints(never=[("d", "a")]))
    assert "a" not in graph.all_preconditions_of("d")


@given(
    st.lists(st.permutations("abcde"), min_size=1, max_size=3),
    st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), max_size=4),
    st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), max_size=4),
)
@settings(deadline=None)
def test_constraints_are_obeyed_or_refused_whatever_they_are(
    recordings: list[list[str]], must: list[tuple[str, str]], never: list[tuple[str, str]]
) -> None:
    try:
        learned = get_learner("fusion", constraints=Constraints(must, never)).learn(
            Demonstrations.from_steps(recordings)
        )
    except InputError:
        return
    graph = to_graph(learned.adjacency).graph
    for step, needed in must:
        assert needed in graph.all_preconditions_of(step)
    for step, needed in never:
        assert needed not in graph.all_preconditions_of(step)


def test_must_edges_in_a_circle_are_refused_with_the_circle() -> None:
    with pytest.raises(CycleError, match="the must edges: these steps need each other"):
        _learn(["abc"], constraints=Constraints(must=[("a", "b"), ("b", "a")]))


def test_must_edges_that_imply_a_never_edge_are_refused_with_the_path() -> None:
    with pytest.raises(InputError, match="'c' needs 'b' needs 'a'"):
        _learn(["abc"], constraints=Constraints(must=[("c", "b"), ("b", "a")], never=[("c", "a")]))


def test_an_unknown_step_in_a_constraint_is_answered_with_the_nearest() -> None:
    recordings = Demonstrations.from_steps([["boil", "pour"]])
    with pytest.raises(UnknownNameError, match="'boil'"):
        get_learner("fusion", constraints=Constraints(must=[("pour", "boill")])).learn(recordings)
    with pytest.raises(UnknownNameError, match="'boil'"):
        get_learner("fusion", constraints=Constraints(never=[("pour", "boill")])).learn(recordings)


def test_a_prior_of_another_procedure_is_refused() -> None:
    with pytest.raises(GraphError, match="another procedure"):
        _learn(["abc"], prior=TaskGraph.from_preconditions({"y": ["x"]}))
    with pytest.raises(SettingError, match="expected a TaskGraph"):
        _learn(["abc"], prior="graph.json")


def test_a_prior_may_know_more_and_fewer_steps_than_the_recordings() -> None:
    prior = TaskGraph.from_preconditions({"b": ["a"], "z": ["b"]})
    graph, _ = _learn(["abc"], prior=prior)
    assert set(graph.steps) == {"a", "b", "c"}


@given(st.lists(st.permutations("abcdef"), min_size=2, max_size=4))
@settings(deadline=None, max_examples=50)
def test_the_notes_name_every_edge_that_sets_the_graph_apart_from_the_shared_order(
    recordings: list[list[str]],
) -> None:
    demonstrations = Demonstrations.from_steps(recordings)
    learned = get_learner("fusion", names=False).learn(demonstrations)
    shared = to_graph(get_learner("intersection").learn(demonstrations).adjacency).graph
    result = to_graph(learned.adjacency).graph
    named = {tuple(note.split("'")[1:4:2]) for note in learned.notes if "' needs '" in note}
    assert set(shared.edges) ^ set(result.edges) <= named


@given(
    recordings=st.lists(st.permutations("abcde").map("".join), min_size=1, max_size=4),
    edges=st.lists(st.permutations("abcde").map(lambda order: (order[0], order[1])), max_size=3),
    never=st.permutations("abcde").map(lambda order: (order[0], order[1])),
    prior=task_graphs(max_steps=5),
)
@settings(max_examples=60, deadline=None)
def test_whatever_the_recordings_say_must_and_never_are_obeyed(
    recordings: list[str], edges: list[tuple[str, str]], never: tuple[str, str], prior: TaskGraph
) -> None:
    letters = dict(zip(STEP_NAMES, "abcde", strict=False)) | {START: START, END: END}
    renamed = [(letters[step], letters[needed]) for step, needed in prior.edges]
    own = TaskGraph([letters[step] for step in prior.steps], renamed)
    try:
        graph, _ = _learn(recordings, prior=own, constraints=Constraints(edges, [never]))
    except InputError:  # in a circle, or against what must not be
        return
    for step, needed in edges:
        assert needed in graph.all_preconditions_of(step)
    assert never[1] not in graph.all_preconditions_of(never[0])
