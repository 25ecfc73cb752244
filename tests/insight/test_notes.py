from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from stepgraph.drawing.facts import describe
from stepgraph.graph import Constraints, TaskGraph
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.graph.evidence import MOST_DOUBTFUL
from stepgraph.insight import consequences, edge_evidence
from stepgraph.insight.notes import MAX_EDGES, doubts
from stepgraph.procedures import load_procedure, procedure_names
from stepgraph.sequences import Demonstrations
from tests.learning import learn_all
from tests.strategies import task_graphs

MIXED = Demonstrations.from_steps(["abcdef", "bacdef", "fabcde"])
CHAIN = TaskGraph.from_preconditions(
    {"a": [], "b": ["a"], "c": ["b"], "d": ["c"], "e": ["d"], "f": ["e"]}
)
BACKWARD = Demonstrations.from_steps(["abcdef", "fedcba"])


def sure(probability: float) -> WeightedAdjacency:
    words = MIXED.vocabulary
    return WeightedAdjacency(words, np.full((len(words.nodes), len(words.nodes)), probability))


def test_recordings_in_different_orders_and_sure_edges_give_no_doubts() -> None:
    graph = CHAIN.replace(evidence=edge_evidence(MIXED, CHAIN.edges, sure(0.5)))
    assert list(doubts(MIXED, graph)) == []


def test_recordings_that_all_show_one_order_are_doubted() -> None:
    alike = Demonstrations.from_steps(["ab", "ab", "aba"])
    (doubt,) = doubts(alike, TaskGraph.from_preconditions({"a": [], "b": ["a"]}))
    assert doubt.startswith("the 3 recordings show one and the same order")


def test_one_recording_is_doubted() -> None:
    (doubt,) = doubts(Demonstrations.from_steps(["abcdef"]), CHAIN)
    assert doubt.startswith("there is one recording")


def test_a_single_step_leaves_nothing_to_doubt() -> None:
    alone = TaskGraph.from_preconditions({"a": []})
    assert list(doubts(Demonstrations.from_steps(["a"]), alone)) == []


def test_a_name_that_one_recording_has_in_place_of_another_is_asked_about() -> None:
    tea = [["boil", "pour", "serve"], ["pour", "boil", "serve"], ["boil", "pour", "srve"]]
    (learning,) = learn_all([Demonstrations.from_steps(tea)], "intersection")
    (note,) = learning.notes
    assert note.startswith("only recording '3' does 'srve', and it does not do 'serve'; if that")


def test_a_name_of_its_own_or_one_beside_the_other_is_not() -> None:
    both = [["pour", "serve"], ["serve", "pour"], ["pour", "serve", "serve 2"]]
    other = [["pour", "serve"], ["serve", "pour"], ["pour", "drink"]]
    for recordings in (both, other):
        (learning,) = learn_all([Demonstrations.from_steps(recordings)], "intersection")
        assert learning.notes == ()


@pytest.mark.parametrize("method", ["robust", "fusion"])
def test_how_many_recordings_break_a_stated_edge_is_noted(method: str) -> None:
    tea = Demonstrations.from_steps([["boil", "pour"], ["boil", "pour"], ["pour", "boil"]])
    (against,) = learn_all([tea], method, must=[("boil", "pour")])
    assert (
        "'boil' needs 'pour' as stated, although 2 of 3 recordings do it the other way round"
        in against.notes
    )
    (with_most,) = learn_all([tea], method, must=[("pour", "boil")])
    assert (
        "'pour' needs 'boil' as stated, although 1 of 3 recordings does it the other way round"
        in with_most.notes
    )
    agreeing = Demonstrations.from_steps([["boil", "pour"], ["boil", "wait", "pour"]])
    (with_all,) = learn_all([agreeing], method, must=[("pour", "boil")])
    assert not any("as stated" in note for note in with_all.notes)
    (line,) = describe(against.graph)
    assert line.endswith("; as stated")


def test_what_was_stated_and_follows_from_other_edges_is_noted_as_well() -> None:
    soup = Demonstrations.from_steps([["cut", "boil", "salt"]] * 3 + [["salt", "cut", "boil"]])
    must = [("boil", "cut"), ("salt", "boil"), ("salt", "cut")]
    (learning,) = learn_all([soup], must=must)
    assert ("salt", "cut") not in learning.graph.edges
    assert any(note.startswith("'salt' needs 'cut' as stated") for note in learning.notes)


def test_the_least_probable_edges_are_named_and_the_others_counted() -> None:
    graph = CHAIN.replace(evidence=edge_evidence(BACKWARD, CHAIN.edges, sure(0.49)))
    said = list(doubts(BACKWARD, graph))
    assert len(said) == MOST_DOUBTFUL + 2
    assert said[-2] == "2 more edges are doubtful"
    assert "never=" in said[-1]


def test_only_edges_that_recordings_break_are_doubtful() -> None:
    graph = CHAIN.replace(evidence=edge_evidence(MIXED, CHAIN.edges, sure(0.3)))
    *said, _ = doubts(MIXED, graph)
    assert [line.partition(" needs")[0][-3:] for line in said] == ["'b'", "'f'"]


def test_a_doubt_says_what_the_recordings_showed() -> None:
    graph = CHAIN.replace(evidence=edge_evidence(MIXED, CHAIN.edges, sure(0.3)))
    (first, *_) = doubts(MIXED, graph)
    assert "(30 % probable): 'b' needs 'a', which 1 of 3 recordings break" in first


def test_what_the_notes_say_to_do_leaves_no_doubts() -> None:
    pancakes = load_procedure("pancakes")
    (learning,) = learn_all([pancakes.demonstrations], "robust")
    assert "least_probable=0.5" in learning.notes[-1]
    (again,) = learn_all([pancakes.demonstrations], "robust", least_probable=0.5)
    assert not any(note.startswith("doubtful") for note in again.notes)
    assert again.graph == pancakes.graph


def test_in_the_procedures_that_ship_with_stepgraph_doubts_are_right() -> None:
    """As docs/real-recordings.md says."""
    wrong: dict[bool, list[bool]] = {True: [], False: []}
    for name in procedure_names():
        procedure = load_procedure(name)
        (learning,) = learn_all([procedure.demonstrations], "robust")
        said = "\n".join(learning.notes)
        for step, needed in learning.graph.evidence:
            doubted = f": {step!r} needs {needed!r}, which" in said
            wrong[doubted].append(needed not in procedure.graph.all_preconditions_of(step))
    assert wrong[True] == [True] * 8
    assert (len(wrong[False]), sum(wrong[False])) == (117, 1)


def chain() -> TaskGraph:
    needs = {"b": ["a"], "c": ["b"]}
    return TaskGraph.from_preconditions(needs)


@given(task_graphs())
def test_what_changes_nothing_has_no_consequences(graph: TaskGraph) -> None:
    assert consequences(graph, graph) == ()


def test_the_edge_that_was_stated_is_not_named() -> None:
    never = Constraints(never=[("c", "b")])
    told = TaskGraph.from_preconditions({"b": ["a"], "c": ["a"]}, constraints=never)
    assert consequences(chain(), told) == ()
    must = Constraints(must=[("d", "c")])
    told = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["c"]}, constraints=must)
    free = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": []})
    assert consequences(free, told) == ()


def test_what_goes_and_what_comes_is_named_and_what_follows_is_not() -> None:
    told = TaskGraph.from_preconditions({"b": [], "a": ["b"], "c": ["b"]})
    assert consequences(chain(), told) == (
        "the constraints also remove: 'b' needs 'a'",
        "the constraints also add: 'a' needs 'b'",
    )


def test_many_are_counted() -> None:
    names = [f"s{number}" for number in range(MAX_EDGES + 2)]
    before = TaskGraph.from_preconditions({name: ["a"] for name in names})
    after = TaskGraph.from_preconditions({name: [] for name in ["a", *names]})
    (note,) = consequences(before, after)
    assert note.endswith("'s4' needs 'a'; 2 more")
