"""The paper's data: what our documents say of it must be so."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import run_benchmark
from stepgraph.formats import read_demonstrations
from stepgraph.learners import get_learner
from stepgraph.postprocess import to_graph
from stepgraph.sequences import Demonstrations

pytestmark = pytest.mark.real_data


@pytest.fixture
def recipes(data: Path) -> list[Demonstrations]:
    path = data / "captaincook4d" / "task_graph_generation_annotations.json"
    return list(read_demonstrations(path).procedures.values())


def test_the_intersection_order_scores_as_published_in_our_tables(data: Path) -> None:
    (row,) = run_benchmark("captaincook4d", data=data, methods=["intersection"]).rows
    figures = [round(100 * row[name], 1) for name in ("precision", "recall", "f1")]
    assert figures == [88.1, 91.7, 89.7]


def test_direct_optimization_reaches_the_exact_optimum_on_every_recipe_and_seed(
    recipes: list[Demonstrations],
) -> None:
    exact = [to_graph(get_learner("intersection").learn(r).adjacency).graph for r in recipes]
    learned = get_learner("do").learn_many(recipes, seeds=range(5))
    for graph, row in zip(exact, learned, strict=True):
        for result in row:
            assert to_graph(result.adjacency).graph == graph


def test_trained_as_the_paper_it_scores_as_the_paper_to_the_digit(data: Path) -> None:
    (row,) = run_benchmark("captaincook4d", data=data, methods=["do-paper"]).rows
    for name in ("precision", "recall", "f1", "f1_interval_paper"):
        assert row[name] == pytest.approx(row["paper"][name], abs=0.001)


def test_the_default_is_not_shown_to_differ_from_the_intersection_order(data: Path) -> None:
    methods = ["robust", "intersection"]
    robust, _ = run_benchmark("captaincook4d", data=data, methods=methods).rows
    assert robust["against_anchor"]["difference"] == pytest.approx(0.013, abs=0.0005)
    assert robust["against_anchor"]["p"] == pytest.approx(0.18, abs=0.005)


def test_the_controls_stay_far_below_what_is_learned(data: Path) -> None:
    methods = ["do", "no-order", "first-recording", "uncontradicted"]
    result = run_benchmark("captaincook4d", data=data, methods=methods, seeds=1)
    f1 = {row["method"]: row["f1"] for row in result.rows}
    assert max(f1["no-order"], f1["first-recording"]) < 0.6 < f1["do"] < f1["uncontradicted"]


@pytest.mark.parametrize(
    ("method", "published", "apart"),
    # The released Count-Based depends on the order of a set of texts: 60.6 in one run, 61.1 in
    # another. Ours takes the steps in their own order.
    [("msgi", 12.8, 0.3), ("msg2", 71.1, 0.3), ("count-based", 61.1, 0.8), ("llm", 55.0, 0.3)],
)
def test_baselines_score_as_the_published_ones_do(
    data: Path, method: str, published: float, apart: float
) -> None:
    (row,) = run_benchmark("captaincook4d", data=data, methods=[method]).rows
    assert 100 * row["f1"] == pytest.approx(published, abs=apart)


@pytest.mark.parametrize(("method", "least"), [("fusion", 90), ("fusion-llm", 91)])
def test_a_prior_improves_on_the_exact_order(data: Path, method: str, least: float) -> None:
    (row,) = run_benchmark("captaincook4d", data=data, methods=[method]).rows
    (fitted,) = run_benchmark("fusion-weights", data=data, methods=[method]).rows
    assert 100 * row["f1"] >= least
    assert 100 * fitted["f1"] >= least
