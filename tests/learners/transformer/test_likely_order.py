from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.learners.transformer.likely_order import (
    first_share,
    future_share,
    published_first,
    published_future,
    random_matrices,
)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_the_fair_answer_turns_round_when_the_question_does(seed: int) -> None:
    pairs, triplets = random_matrices(5, 4, seed), random_matrices(5, 5, seed)
    turned = pairs[:, [0, 2, 1, 3]][:, :, [0, 2, 1, 3]]
    assert np.allclose(first_share(pairs) + first_share(turned), 1.0)
    turned = triplets[:, [0, 3, 2, 1, 4]][:, :, [0, 3, 2, 1, 4]]
    assert np.allclose(future_share(triplets) + future_share(turned), 1.0)


def test_on_random_matrices_the_fair_rule_guesses_and_the_published_one_scores() -> None:
    pairs, triplets = random_matrices(3000, 4, 0), random_matrices(3000, 5, 1)
    assert abs((first_share(pairs) > 0.5).mean() - 0.5) < 0.03
    assert abs((future_share(triplets) > 0.5).mean() - 0.5) < 0.03
    assert 0.7 < published_first(pairs).mean() < 0.82
    assert 0.65 < published_future(triplets).mean() < 0.75


def test_a_step_that_needs_another_comes_after_it() -> None:
    Z = random_matrices(1, 4, 0) * 0
    Z[0, 1, 0] = Z[0, 3, 2] = 1.0
    Z[0, 2] = Z[0, 2] + Z.new_tensor([0.1, 0.9, 0.0, 0.0])
    assert first_share(Z)[0] > 0.8
    assert published_first(Z)[0]
