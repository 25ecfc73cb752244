"""Edge evidence: counts that add up, recordings by name."""

from __future__ import annotations

import itertools
from typing import Any
from unittest import mock

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stepgraph.errors import InputError
from stepgraph.formats.stepgraph_json import graph_from_json, graph_to_json
from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import EXAMPLES
from stepgraph.insight import edge_evidence, why
from stepgraph.insight import evidence as evidence_module
from stepgraph.pipeline import learn
from stepgraph.sequences import END, START, Demonstrations, KeyStepSequence, Vocabulary
from tests.learning import learn_all
from tests.strategies import demonstrations


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
