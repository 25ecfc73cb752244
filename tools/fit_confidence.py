"""Fit the weights in learners/robust/confidence.py on random procedures with known graphs.

Run it after a change to the model of demonstrators or to the features, and paste what it prints:

    python -m tools.fit_confidence

It uses the procedures of seeds 10,000 to 10,399; no benchmark uses these.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from benchmarks.generators import draw_problems
from stepgraph.graph.adjacency import closure
from stepgraph.learners.robust.confidence import Place, features, places
from stepgraph.learners.robust.demonstrators import Recordings
from stepgraph.learners.robust.learner import Robust

Matrix = NDArray[np.float64]
FIRST_SEED = 10_000
PENALTY = 1.0
"""Of the squares of the weights: keeps them small where a place has few pairs."""


def logistic_regression(rows: Matrix, right: Matrix) -> Matrix:
    """Return the weights of a ridge-penalised logistic regression, by Newton's method."""
    weights = np.zeros(rows.shape[1])
    for _ in range(100):
        chance = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        curvature = (rows * (chance * (1 - chance))[:, None]).T @ rows
        slope = rows.T @ (right - chance) - PENALTY * weights
        step = np.linalg.solve(curvature + PENALTY * np.eye(len(weights)), slope)
        weights = weights + step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description="Fit the weights of robust's confidence.")
    parser.add_argument("--problems", type=int, default=400, help="how many random procedures")
    rows: dict[str, list[Matrix]] = {place: [] for place in (*Place, "edge")}
    right: dict[str, list[Matrix]] = {place: [] for place in (*Place, "edge")}
    count = parser.parse_args().problems
    seeds = range(FIRST_SEED, FIRST_SEED + count)
    learner = Robust()
    for demonstrations, truth in draw_problems(seeds):
        recordings = Recordings.of(demonstrations, learner.repetitions, 0)
        people, order = learner.most_probable(recordings)
        found = features(recordings, people, order)
        edges = truth.to_matrix().astype(bool)
        needs = closure(edges)
        together = recordings.before + recordings.before.T > 0
        for place, where in places(order).items():
            rows[place].append(found[where & together])
            right[place].append(needs[where & together].astype(float))
        direct = places(order)[Place.DIRECT] & together
        rows["edge"].append(found[direct])
        right["edge"].append(edges[direct].astype(float))
    for place, parts in rows.items():
        weights = logistic_regression(np.concatenate(parts), np.concatenate(right[place]))
        print(f"{place}: ({', '.join(f'{weight:.3f}' for weight in weights)})")


if __name__ == "__main__":
    main()
