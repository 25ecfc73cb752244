"""Where fusion's weights come from: fitted on all recipes but one, judged on that one.

For each recipe a logistic regression on the others says how much it tells for an edge that its
two steps were seen adjacent, that the prior names it, or that their names share a word. The
examples are the pairs that all recordings order alike and that do not follow from others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets.captaincook4d import Recipes, read_recipes
from benchmarks.datasets.directory import data_directory, data_file
from benchmarks.graphs.edge_rows import compared, edge_result, edge_row
from benchmarks.harness import BenchmarkResult, Column, Request, choose_rows, compute_rows, timed
from stepgraph.errors import MissingExtraError
from stepgraph.graph import TaskGraph
from stepgraph.graph.adjacency import Matrix, WeightedAdjacency, closure, reduction
from stepgraph.learners.fusion import ADJACENT, BASE, IN_PRIOR, SHARED_WORD, Evidence, Fusion
from stepgraph.postprocess import to_graph

RIDGE = 0.5
"""The penalty on the weights: the examples are few."""
NOTE = (
    f"the defaults are {BASE} for the base, {ADJACENT} for adjacent, and for support {IN_PRIOR} "
    f"from a prior, {SHARED_WORD} from a shared word: the means over recipes, rounded"
)
ROWS = {"fusion": "step names alone", "fusion-llm": "a language model's published answers"}


def run(request: Request) -> BenchmarkResult:
    """Fit and judge the weights, leaving one recipe out at a time."""
    chosen = choose_rows(request.methods, ROWS)
    recipes = read_recipes(data_directory(request.data, needs=("captaincook4d",)))
    found, notes = compute_rows(chosen, lambda label: _row(label, recipes), request)
    return edge_result(
        "fusion-weights",
        f"fusion on CaptainCook4D's {len(recipes.truths)} clean recipes, its weights fitted on the "
        "others for each recipe",
        compared(found),
        [*notes, NOTE],
        more=(
            Column("base", lambda row: f"{row['base']:.2f}"),
            Column("adjacent", lambda row: f"{row['adjacent']:.2f}"),
            Column("support", lambda row: f"{row['support']:.2f}"),
        ),
    )


def _row(label: str, recipes: Recipes) -> dict[str, Any]:
    evidence = [_evidence(label, recipes, number) for number in range(len(recipes.truths))]
    examples = [_examples(*pair) for pair in zip(evidence, recipes.truths, strict=True)]

    def work() -> tuple[list[TaskGraph], Matrix]:
        graphs, fitted = [], []
        for left_out, own in enumerate(evidence):
            others = [part for number, part in enumerate(examples) if number != left_out]
            weights = _fit(*(np.concatenate(column) for column in zip(*others, strict=True)))
            odds = own.features() @ weights
            kept = own.candidates & (odds > 0)
            kept[1:, 0] = True
            adjacency = WeightedAdjacency(own.words, kept.astype(np.float64))
            graphs.append(to_graph(adjacency).graph)
            fitted.append(weights)
        return graphs, np.array(fitted)

    seconds, (graphs, fitted) = timed(work)
    names = [given.procedure for given in recipes.demonstrations]
    row = edge_row(label, ROWS[label], names, [graphs], recipes.truths, seconds)
    base, adjacent, support = fitted.mean(axis=0).tolist()
    return {**row, "base": base, "adjacent": adjacent, "support": support}


def _evidence(label: str, recipes: Recipes, number: int) -> Evidence:
    given = recipes.demonstrations[number]
    prior = None
    if label == "fusion-llm":
        if given.procedure not in recipes.answers:
            data_file(recipes.directory, "llm-graphs", f"graph_{given.procedure}.adjlist")
        prior = recipes.answers[given.procedure]
    return Fusion(prior=prior).evidence(given)


def _examples(evidence: Evidence, truth: TaskGraph) -> tuple[Matrix, NDArray[np.bool_]]:
    """Return features and answers of the pairs that come up as wrong ones are taken out."""
    words = evidence.words
    answers = np.zeros(evidence.candidates.shape, dtype=bool)
    for step in words.steps:
        for needed in truth.all_preconditions_of(step):
            answers[words.node(step), words.node(needed)] = True
    remaining = closure(evidence.candidates)
    request = np.zeros_like(remaining)
    while True:
        direct = reduction(remaining)
        request |= direct
        wrong = direct & ~answers
        if not wrong.any():
            return evidence.features()[request], answers[request]
        remaining &= ~wrong


def _fit(features: Matrix, answers: NDArray[np.bool_]) -> Matrix:
    """Return the weights of a logistic regression, all but the base drawn towards 0."""
    try:
        from scipy.optimize import minimize
        from scipy.special import expit
    except ModuleNotFoundError:
        raise MissingExtraError("the benchmark 'fusion-weights'", "stats") from None
    sign = np.where(answers, 1.0, -1.0)
    ridge = np.array([0.0] + [RIDGE] * (features.shape[1] - 1))

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        margin = sign * (features @ weights)
        value = np.logaddexp(0, -margin).sum() + (ridge * weights**2).sum()
        gradient = -(features.T @ (sign * expit(-margin))) + 2 * ridge * weights
        return float(value), gradient

    fitted: Matrix = minimize(loss, np.zeros(features.shape[1]), jac=True).x
    return fitted
