"""Edge evidence: counts that add up, recordings by name."""

from __future__ import annotations

import itertools
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stepgraph.drawing.facts import describe
from stepgraph.errors import InputError
from stepgraph.formats.stepgraph_json import graph_from_json, graph_to_json
from stepgraph.graph import Constraints, TaskGraph
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.graph.evidence import EXAMPLES, MOST_DOUBTFUL
from stepgraph.insight import consequences, edge_evidence, why
from stepgraph.insight import evidence as evidence_module
from stepgraph.insight.evidence import MAX_EDGES, doubts
from stepgraph.pipeline import learn
from stepgraph.procedures import load_procedure, procedure_names
from stepgraph.sequences import END, START, Demonstrations, KeyStepSequence, Vocabulary
from tests.learning import learn_all
from tests.strategies import demonstrations, task_graphs


@given(demonstrations())
def test_each_recording_is_for_against_or_silent(given_ones: Demonstrations) -> None:
    steps = given_ones.vocabulary.steps
    edges = [(one, other) for one in steps for other in steps if one != other]
    found = edge_evidence(given_ones, edges)
    assert list(found) == edges
    for (one, other), evidence in found.items():
        assert evidence.held + evidence.broken + evidence.silent == len(given_ones)
        turned = found[other, one]
        assert (evidence.held, evidence.held_in) == (turned.broken, turned.broken_in)
        assert len(evidence.held_in) == evidence.held


def test_the_first_time_a_step_is_done_counts() -> None:
    recording = Demonstrations.from_steps({"r": ["a", "b", "a"]})
    assert edge_evidence(recording, [("b", "a")])["b", "a"].held_in == ("r",)


def test_recordings_count_as_many_as_they_stand_for_and_few_are_named() -> None:
    words = Vocabulary(("a", "b"))
    many = [KeyStepSequence(str(number), (1, 2), weight=2.5) for number in range(30)]
    found = edge_evidence(Demonstrations(words, tuple(many)), [("b", "a")])["b", "a"]
    assert (found.held, found.broken, found.silent) == (75, 0, 0)
    assert len(found.held_in) == EXAMPLES


def test_start_and_end_are_passed_over() -> None:
    recording = Demonstrations.from_steps([["a"]])
    assert edge_evidence(recording, [("a", START), (END, "a")]) == {}


def test_every_method_attaches_it_and_files_keep_it() -> None:
    recordings = Demonstrations.from_steps([["a", "b", "c"]] * 9 + [["a", "c"]])
    for method in ("intersection", "robust", "count-based", "msg2"):
        graph = learn(recordings, method)
        between = [edge for edge in graph.edges if START not in edge and END not in edge]
        assert list(graph.evidence) == between
        assert graph.evidence["b", "a"].silent == 1
        kept = graph_from_json(graph_to_json(graph))
        assert kept.evidence == graph.evidence
        assert kept.attributes == graph.attributes


@given(demonstrations())
def test_the_evidence_is_the_same_however_many_recordings_are_looked_at_at_once(
    recordings: Demonstrations,
) -> None:
    edges = list(itertools.permutations(recordings.vocabulary.steps, 2))
    whole = edge_evidence(recordings, edges)
    with mock.patch.object(evidence_module, "ENTRIES", 1):
        assert edge_evidence(recordings, edges) == whole


GRAPH = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": []})
RECORDINGS = Demonstrations.from_steps(
    {"anna": "abcd", "ben": "bacd", "cora": "dabc", "dora": "abc"}
    | {str(number): "ab" for number in range(3)}
    | {"eva": "e"}
)


@pytest.mark.parametrize(
    ("step", "needed", "said"),
    [
        ("b", "a", "'b' needs 'a': so in 6 of 7 recordings, not in 'ben'; 1 lacks one of the two"),
        ("c", "a", "'c' needs 'a', through 'b': so in 4 of 4 recordings; 4 lack one of the two"),
        (
            "a",
            "c",
            (
                "'a' does not need 'c', it is the other way round: so in 0 of 4 recordings, "
                "not in 'anna', 'ben', 'cora', 1 more; 4 lack one of the two"
            ),
        ),
        (
            "d",
            "c",
            (
                "'d' does not need 'c', as the order is not always the same: so in 2 of 3 "
                "recordings, not in 'cora'; 5 lack one of the two"
            ),
        ),
        (
            "e",
            "a",
            (
                "'e' does not need 'a', as the graph has not both: no recording has both; 8 lack "
                "one of the two"
            ),
        ),
    ],
)
def test_it_says_by_which_edges_and_what_recordings_show(step: str, needed: str, said: str) -> None:
    assert why(RECORDINGS, GRAPH, (step, needed)) == said


def test_what_nobody_has_done_both_of_and_what_was_stated() -> None:
    apart = Demonstrations.from_steps(["ab", "ac"])
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["a"]})
    assert why(apart, graph, ("b", "c")) == (
        "'b' does not need 'c', as nobody has done both: no recording has both; 2 lack one of the "
        "two"
    )
    (learning,) = learn_all([apart], "robust", must=[("a", "b")])
    assert why(apart, learning.graph, ("a", "b"), learning.confidence).startswith(
        "'a' needs 'b', as stated: so in 0 of 1 recording, not in '1'"
    )


def test_it_names_what_was_stated_or_set_where_that_may_be_the_reason() -> None:
    tea = Demonstrations.from_steps([["boil", "pour", "drink"]] * 6 + [["pour", "boil", "drink"]])
    edge = ("pour", "boil")
    chosen: list[tuple[dict[str, Any], str]] = [
        ({"never": [edge]}, "as stated"),
        ({"never": [("drink", "boil")]}, "beside what 'never' says"),
        ({"least_probable": 1.0}, "as that is less probable than 1"),
        ({"threshold": 2.0}, "with this threshold"),
    ]
    for settings_, reason in chosen:
        (learning,) = learn_all([tea], "robust", **settings_)
        said = why(tea, learning.graph, edge, learning.confidence)
        assert said.startswith(f"'pour' does not need 'boil', {reason}: so in 6 of 7 recordings")


@pytest.mark.parametrize(
    "stated", [{}, {"must": [("pour", "warm")]}, {"never": [("pour", "fill")]}]
)
def test_what_is_not_probable_is_said_to_be_whatever_else_was_stated(stated: Any) -> None:
    orders = ["boil warm fill pour", "fill boil warm pour", "warm fill boil pour"] * 3
    tea = Demonstrations.from_steps([order.split() for order in orders])
    (learning,) = learn_all([tea], "robust", **stated)
    said = why(tea, learning.graph, ("warm", "fill"), learning.confidence)
    assert said.startswith("'warm' does not need 'fill', as that is not probable: ")


@pytest.mark.parametrize("method", ["robust", "fusion"])
def test_an_order_that_chance_may_have_made_is_said_to_be(method: str) -> None:
    names = {"a": "boil", "b": "stir", "x": "wash", "y": "peel"}
    orders = ["axby", "aybx", "xayb", "yaxb"] * 3
    soup = Demonstrations.from_steps([[names[step] for step in order] for order in orders])
    (learning,) = learn_all([soup], method)
    said = why(soup, learning.graph, ("stir", "boil"), learning.confidence)
    reason = "as nobody did the two one right after the other: so in 12 of 12 recordings"
    assert said.startswith(f"'stir' does not need 'boil', {reason}")


@settings(deadline=None, max_examples=30)
@given(demonstrations(), st.data())
def test_it_says_of_every_pair_what_the_graph_says(
    given_ones: Demonstrations, data: st.DataObject
) -> None:
    (learning,) = learn_all([given_ones], "robust")
    assume(len(given_ones.vocabulary) > 1)
    step, needed = data.draw(st.permutations(given_ones.vocabulary.steps))[:2]
    said = why(given_ones, learning.graph, (step, needed), learning.confidence)
    holds = step in learning.graph.steps and needed in learning.graph.all_preconditions_of(step)
    assert said.startswith(f"{step!r} needs {needed!r}") == holds
    assert said.startswith(f"{step!r} does not need {needed!r}") != holds


def test_a_step_with_itself_is_refused() -> None:
    recordings = Demonstrations.from_steps([["egg", "mix"]])
    with pytest.raises(InputError, match="name two steps"):
        why(recordings, TaskGraph.from_preconditions({"mix": ["egg"]}), ("mix", "mix"))


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
