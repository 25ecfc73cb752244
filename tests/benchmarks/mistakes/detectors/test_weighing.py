from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.mistakes.detectors.weighed import best_threshold, fit_weights


def test_a_clue_that_tells_mistakes_weighs_and_one_that_does_not_does_not() -> None:
    rng = np.random.default_rng(0)
    mistake = rng.random(4000) < 0.3
    clues = np.column_stack([mistake + rng.normal(size=4000), rng.normal(size=4000)])
    weights = fit_weights(clues, mistake, np.ones(4000))
    assert weights.slopes[0] == pytest.approx(1.0, abs=0.15)
    assert weights.slopes[1] == pytest.approx(0.0, abs=0.1)
    chance = 1 / (1 + np.exp(-weights.score(clues)))
    assert chance.mean() == pytest.approx(mistake.mean(), abs=1e-3)


def test_a_clue_that_never_varies_does_no_harm() -> None:
    clues = np.column_stack([np.ones(4), [0.0, 0.0, 1.0, 1.0]])
    weights = fit_weights(clues, np.array([False, False, True, True]), np.ones(4))
    assert np.isfinite(weights.score(clues)).all()


@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=15),
)
def test_no_other_threshold_gives_a_better_average_f1(rows: list[tuple[int, bool]]) -> None:
    scores = np.array([float(score) for score, _ in rows])
    mistake = np.array([wrong for _, wrong in rows])

    def f1(threshold: float) -> float:
        flagged = scores >= threshold
        found, alarms = (flagged & mistake).sum(), (flagged & ~mistake).sum()
        missed, passed = (~flagged & mistake).sum(), (~flagged & ~mistake).sum()
        first = 2 * found / (2 * found + alarms + missed) if found else 0.0
        second = 2 * passed / (2 * passed + alarms + missed) if passed else 0.0
        return float(first + second) / 2

    best = best_threshold(scores, mistake, np.ones(len(rows)))
    assert f1(best) == pytest.approx(max(f1(t) for t in (*np.arange(-0.5, 6.5), np.inf)))
