"""Why a step needs another one in a learned graph, or why it does not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stepgraph.errors import InputError
from stepgraph.graph import TaskGraph
from stepgraph.insight import why
from stepgraph.pipeline import learn_all
from stepgraph.sequences import Demonstrations
from tests.strategies import demonstrations

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
