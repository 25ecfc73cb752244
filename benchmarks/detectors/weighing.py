"""How much each clue weighs, and from where on it is enough: logistic regression, best F1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RIDGE = 1.0
"""Pulls weights towards 0; clues are brought to one scale first."""
ROUNDS = 50


@dataclass(frozen=True, eq=False)
class Weights:
    """A linear score of clues: the log odds of a mistake.

    Parameters
    ----------
    intercept, slopes
        The score is the intercept plus the slopes times the clues.
    """

    intercept: float
    slopes: Floats

    def score(self, clues: Floats) -> Floats:
        """Return the score of each row."""
        scores: Floats = self.intercept + clues @ self.slopes
        return scores


def fit_weights(clues: Floats, mistake: NDArray[np.bool_], counts: Floats) -> Weights:
    """Fit the weights by logistic regression with a ridge, in Newton's steps.

    Parameters
    ----------
    clues
        One row a segment.
    mistake
        Whether each is a mistake.
    counts
        How much each row counts.
    """
    mean, spread = clues.mean(axis=0), clues.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    rows = np.column_stack([np.ones(len(clues)), (clues - mean) / spread])
    counts = counts / counts.mean()
    ridge = np.full(rows.shape[1], RIDGE)
    ridge[0] = 1e-9
    beta = np.zeros(rows.shape[1])
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ beta, -30, 30)))
        gradient = rows.T @ (counts * (chance - mistake)) + ridge * beta
        curvature = (rows * (counts * chance * (1 - chance))[:, None]).T @ rows + np.diag(ridge)
        change = np.linalg.solve(curvature, gradient)
        beta = beta - change
        if np.abs(change).max() < 1e-9:
            break
    slopes = beta[1:] / spread
    return Weights(float(beta[0] - mean @ slopes), slopes)


def best_threshold(scores: Floats, mistake: NDArray[np.bool_], counts: Floats) -> float:
    """Return the score from which on flagging gives the best average F1.

    It lies half-way to the next smaller score; infinity flags nothing.

    Parameters
    ----------
    scores, mistake, counts
        For each segment its score, whether it is a mistake, and how much it counts.
    """
    order = np.argsort(-scores, kind="stable")
    ranked, right, weight = scores[order], mistake[order], counts[order]
    found = np.concatenate([[0.0], np.cumsum(weight * right)])
    alarms = np.concatenate([[0.0], np.cumsum(weight * ~right)])
    missed, passed = found[-1] - found, alarms[-1] - alarms
    f1 = found / np.maximum(2 * found + alarms + missed, 1e-12) + passed / np.maximum(
        2 * passed + alarms + missed, 1e-12
    )
    # One may only stop between two different scores.
    possible = np.concatenate([[True], ranked[1:] != ranked[:-1], [True]])
    best = int(np.argmax(np.where(possible, f1, -1.0)))
    if best == 0:
        return float("inf")
    if best == len(ranked) or not np.isfinite(ranked[best - 1]):
        return float(ranked[best - 1])
    return float((ranked[best - 1] + ranked[best]) / 2)
