"""Scores of all edges, and the matrix that they give."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.learners.tgml.score_matrix import MASKED, ScoreMatrix, first_scores

SIZES = st.lists(st.integers(3, 8), min_size=1, max_size=4)
SEEDS = st.lists(st.integers(0, 99), min_size=1, max_size=3)


@given(SIZES, SEEDS)
def test_a_row_sums_to_one_and_impossible_edges_have_no_weight(
    sizes: list[int], seeds: list[int]
) -> None:
    Z = ScoreMatrix.random(sizes, seeds, 0.1, torch.float64)().detach()
    assert Z.shape == (len(seeds), len(sizes), max(sizes), max(sizes))
    for number, size in enumerate(sizes):
        own = Z[:, number]
        assert torch.allclose(own[:, 1:size].sum(-1), torch.ones(len(seeds), size - 1).double())
        assert not own[:, 0].any(), "START needs nothing"
        assert not own[:, :, size - 1 :].any(), "nothing needs END, and there is nothing beyond it"
        assert not own[:, size:].any()
        assert not own.diagonal(dim1=1, dim2=2).any()


@given(SIZES, SEEDS)
def test_first_scores_do_not_depend_on_what_is_beside_them(
    sizes: list[int], seeds: list[int]
) -> None:
    together = ScoreMatrix.random(sizes, seeds, 0.1, torch.float32).scores.detach()
    for number, size in enumerate(sizes):
        for model, seed in enumerate(seeds):
            alone = first_scores(size, seed, 0.1, torch.float32)
            assert torch.equal(together[model, number, :size, :size], alone)


def test_the_spread_is_that_of_a_row_of_so_many_nodes() -> None:
    for size in (20, 80):
        scores = first_scores(size, 3, 0.1, torch.float64)
        drawn = scores[scores != MASKED]
        assert 0.9 < float(drawn.std()) * size / 0.1 < 1.1
        assert abs(float(drawn.mean())) < 0.1 / size


def test_both_precisions_start_from_the_same_draw() -> None:
    double, single = (first_scores(9, 5, 0.1, kind) for kind in (torch.float64, torch.float32))
    assert torch.equal(double.to(torch.float32), single)


def test_without_spread_every_possible_edge_starts_even() -> None:
    scores = first_scores(5, 7, 0.0, torch.float64)
    assert set(scores.flatten().tolist()) == {0.0, MASKED}
    assert int((scores == 0.0).sum()) == 4 * 4 - 3  # rows 1 to 4, columns 0 to 3, no node itself
