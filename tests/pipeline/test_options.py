"""How to learn: checked once, and found again with the graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.graph import Constraints, TaskGraph
from stepgraph.pipeline import LearningOptions, learn, learn_together
from stepgraph.sequences import Demonstrations
from tests.learning import learn_all

TEA = Demonstrations.from_steps([["boil", "warm", "pour"], ["warm", "boil", "pour"]])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seed": 0.5}, "the seed is 0.5"),
        ({"threshold": -1}, "the threshold is -1"),
        ({"threshold": "high"}, "the threshold is 'high'"),
        ({"constraints": [("pour", "boil")]}, "expected Constraints"),
        (
            {"method": "intersection", "constraints": Constraints(must=[("pour", "boil")])},
            "'intersection' takes no must or never; use method='robust' or method='fusion'",
        ),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_learned(
    wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        LearningOptions(**wrong)


def test_unknown_methods_and_settings_name_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'robust'"):
        LearningOptions("robst")
    with pytest.raises(UnknownNameError, match="did you mean 'errors'"):
        LearningOptions("robust", {"error": 1})


def test_every_method_takes_marks_of_steps() -> None:
    marked = LearningOptions("intersection", constraints=Constraints(optional=["warm"]))
    (learning,) = learn_all([TEA], "intersection")
    assert not learning.graph.optional_steps
    (learning,) = learn_together([TEA], marked)
    assert learning.graph.optional_steps == ("warm",)


@pytest.mark.parametrize("method", ["robust", "fusion"])
def test_a_graph_says_the_options_that_it_was_learned_with(method: str) -> None:
    prior = TaskGraph.from_preconditions({"pour": ["warm"]})
    graph = learn(TEA, method, seed=3, relaxed=True, prior=prior, must=[("pour", "boil")])
    again = LearningOptions.of_graph(graph)
    assert again.settings["prior"] == prior
    assert replace(again, settings={}) == LearningOptions(
        method, seed=3, relaxed=True, constraints=Constraints(must=[("pour", "boil")])
    )
    (learning,) = learn_all([TEA], method, prior=prior, relaxed=True, must=[("pour", "boil")])
    assert learning.graph == graph


def test_pins_are_left_out_for_a_method_that_takes_none() -> None:
    pinned = Constraints(pinned=[("warm", "boil")], optional=["warm"])
    graph = learn(TEA, "intersection").replace(constraints=pinned)
    assert LearningOptions.of_graph(graph).constraints == Constraints(optional=["warm"])


@pytest.mark.parametrize("method", ["robust", "fusion"])
@pytest.mark.parametrize("kind", ["must", "never"])
def test_what_else_a_stated_edge_changes_is_noted_by_the_same_learning(
    method: str, kind: str
) -> None:
    given = Demonstrations.from_steps([["a", "b", "c"]] * 4)
    (untold,) = learn_all([given], method)
    stated = [("a", "b")] if kind == "must" else [("c", "a")]
    (told,) = learn_all([given], method, **{kind: stated})
    assert untold.graph.preconditions_of("c") == ("b",)
    assert any(note.startswith("the constraints also remove") for note in told.notes)
    assert not any(note.startswith("the constraints also") for note in untold.notes)
