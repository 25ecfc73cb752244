"""Recipes that nobody has demonstrated: their graphs from step names alone, leaving one out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.datasets.captaincook4d import Recipes, published_graphs, read_recipes
from benchmarks.datasets.directory import data_directory
from benchmarks.graphs.captaincook4d import PAPER
from benchmarks.graphs.edge_rows import (
    PAPER_COLUMN,
    PAPER_FIGURES,
    SECONDS_COLUMN,
    Runs,
    compared,
    edge_result,
    edge_row,
)
from benchmarks.harness import BenchmarkResult, Request, choose_rows, compute_rows, timed
from stepgraph.graph import TaskGraph
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.learners import LEARNERS
from stepgraph.postprocess import to_graph
from stepgraph.sequences import Demonstrations, Vocabulary

SETTINGS: dict[str, Any] = {
    "evenness": 2.0,
    "cooling": 20,
    "subsets": 0.7,
    "dropout": 0.2,
    "stop": False,
    "epochs": 20,
}
"""How networks are trained here: briefly, on parts of recipes, and with much dropout, as they are
to generalise and not to remember. Chosen on the procedures that ship with stepgraph."""
NEAREST = 5
"""How many known steps say where an unknown one stands."""
ROWS = {
    "tgt-text": "one network for all other recipes, on the step names of this one",
    "text-similarity": "control: a chain, each step where the most similar steps of others stood",
    "random-order": "control: the steps as a chain in random order",
    "no-order": "control: no step needs another",
    "llm": "a language model's published answers",
}


def run(request: Request) -> BenchmarkResult:
    """Predict each recipe's graph from its step names, the recordings of the others known."""
    chosen = choose_rows(request.methods, ROWS)
    recipes = read_recipes(data_directory(request.data, needs=("captaincook4d",)))
    found, notes = compute_rows(chosen, lambda label: _row(label, recipes, request.seeds), request)
    return edge_result(
        "unseen",
        f"CaptainCook4D, {len(recipes.truths)} recipes, each predicted from its step names alone; "
        "nothing of its recordings is known, macro averages over recipes",
        compared(found),
        [*notes, "the paper reports no network on recipes that it has not seen"],
        more=(PAPER_COLUMN,),
        times=(SECONDS_COLUMN,),
    )


def _row(label: str, recipes: Recipes, seeds: int) -> dict[str, Any]:
    names = [given.procedure for given in recipes.demonstrations]
    seconds, runs = timed(partial(PREDICT[label], recipes, seeds))
    row = edge_row(label, ROWS[label], names, runs, recipes.truths, seconds)
    if label == "llm":
        row["paper"] = dict(zip(PAPER_FIGURES, PAPER["llm"], strict=True))
    return row


def _transformer(recipes: Recipes, seeds: int) -> Runs:
    LEARNERS["tgt-text"].load()
    from stepgraph.learners.transformer.learner import TextTransformer
    from stepgraph.learners.transformer.trained import TrainedTransformer

    learner = TextTransformer(unified=True, **SETTINGS)
    runs = []
    for seed in range(seeds):
        networks = learner.networks_without(recipes.demonstrations, seed=seed)
        trained = [TrainedTransformer(network, learner.sentence_model) for network in networks]
        pairs = zip(trained, recipes.demonstrations, strict=True)
        runs.append([to_graph(own.predict(one.vocabulary.steps)).graph for own, one in pairs])
    return runs


def _similar(recipes: Recipes, seeds: int) -> Runs:  # noqa: ARG001 - nothing is drawn
    LEARNERS["tgt-text"].load()
    from stepgraph.learners.transformer.sentence_embeddings import embed_names

    vectors = [embed_names(given.vocabulary.steps) for given in recipes.demonstrations]
    places = [_mean_places(given) for given in recipes.demonstrations]
    graphs = []
    for number, given in enumerate(recipes.demonstrations):
        others = [other for other in range(len(vectors)) if other != number]
        known = np.concatenate([places[other] for other in others])
        seen = ~np.isnan(known)
        likeness = vectors[number] @ np.concatenate([vectors[other] for other in others])[seen].T
        nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :NEAREST]
        graphs.append(_chain(given.vocabulary, known[seen][nearest].mean(axis=1)))
    return [graphs]


def _mean_places(given: Demonstrations) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return where in a recording each step stands on average, from 0 to 1; NaN if nowhere."""
    total = np.zeros(len(given.vocabulary))
    count = np.zeros(len(given.vocabulary))
    for recording in given:
        steps = list(dict.fromkeys(recording.steps))
        total[np.array(steps) - 1] += np.linspace(0, 1, len(steps))
        count[np.array(steps) - 1] += 1
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _random(recipes: Recipes, seeds: int) -> Runs:
    runs = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        words = [given.vocabulary for given in recipes.demonstrations]
        runs.append([_chain(own, rng.random(len(own))) for own in words])
    return runs


def _free(recipes: Recipes, seeds: int) -> Runs:  # noqa: ARG001 - nothing is drawn
    return [[_chain(given.vocabulary, None) for given in recipes.demonstrations]]


def _chain(
    words: Vocabulary, places: np.ndarray[tuple[int], np.dtype[np.float64]] | None
) -> TaskGraph:
    """Return the steps as a chain in the order of their places, or side by side without any."""
    matrix = np.zeros((len(words.nodes), len(words.nodes)))
    matrix[1:, 0] = 1.0
    if places is not None:
        order = np.argsort(places, kind="stable") + 1
        matrix[order[1:], order[:-1]] = 1.0
    return to_graph(WeightedAdjacency(words, matrix)).graph


def _published(recipes: Recipes, seeds: int) -> Runs:  # noqa: ARG001 - nothing is drawn
    return [published_graphs(recipes)]


PREDICT: dict[str, Callable[[Recipes, int], Runs]] = {
    "tgt-text": _transformer,
    "text-similarity": _similar,
    "random-order": _random,
    "no-order": _free,
    "llm": _published,
}
