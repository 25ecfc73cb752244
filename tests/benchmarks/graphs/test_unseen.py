from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import run_benchmark
from benchmarks.datasets.captaincook4d import Recipes
from benchmarks.graphs import unseen
from stepgraph.graph import TaskGraph
from stepgraph.learners.transformer.learner import TextTransformer
from stepgraph.sequences import Demonstrations

EGGS = Demonstrations.from_steps([["crack egg", "whisk egg", "fry egg"]] * 2, procedure="eggs")
DUCK = Demonstrations.from_steps([["fry duck egg", "crack duck egg"]], procedure="duck")


def recipes() -> Recipes:
    graph = TaskGraph(("x",), (("x", "START"), ("END", "x")))
    return Recipes((EGGS, DUCK), (graph, graph), {}, Path())


def test_a_step_stands_where_similar_steps_of_other_recipes_stood(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STEPGRAPH_CACHE", str(tmp_path))
    monkeypatch.setattr(unseen, "NEAREST", 1)
    ((_, duck),) = unseen.PREDICT["text-similarity"](recipes(), 1)
    assert duck.preconditions_of("fry duck egg") == ("crack duck egg",), "not as it was recorded"


def test_a_network_never_sees_the_recipe_that_it_predicts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STEPGRAPH_CACHE", str(tmp_path))
    learner = TextTransformer(unified=True, epochs=2)
    without = learner.networks_without([EGGS, DUCK])[0]
    alone = learner.networks([DUCK])[0]
    for name, weights in without.state_dict().items():
        assert np.array_equal(weights.numpy(), alone.state_dict()[name].numpy())


@pytest.mark.real_data
def test_the_language_models_answers_stand_beside_the_controls(data: Path) -> None:
    methods = ["random-order", "no-order", "llm"]
    random, free, llm = run_benchmark("unseen", data=data, methods=methods, seeds=2).rows
    assert llm["f1"] == pytest.approx(0.55, abs=0.01)
    assert random["f1"] < free["f1"] < llm["f1"]
