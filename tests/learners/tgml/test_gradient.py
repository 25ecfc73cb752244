"""The gradient written out by rows is the one that automatic differentiation finds."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.errors import FormatError
from stepgraph.learners.precedence import precedence_of
from stepgraph.learners.tgml import gradient
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.gradient import Places, Rows, Sums
from stepgraph.learners.tgml.loss import TGMLLoss
from stepgraph.repetitions import without_repetitions
from stepgraph.sequences import Demonstrations
from tests.strategies import demonstrations

BETA, EPSILON = 0.3, 1e-6
SEVERAL = st.lists(demonstrations(), min_size=1, max_size=4)

Sequences = list[tuple[tuple[int, ...], ...]]


def sequences_of(several: list[Demonstrations]) -> tuple[Sequences, list[int]]:
    free = [without_repetitions(given_).sequences for given_ in several]
    return free, [len(given_.vocabulary) + 2 for given_ in several]


def all_rows(sizes: list[int]) -> Rows:
    problem = np.repeat(np.arange(len(sizes)), np.array(sizes) - 1)
    return Rows(np.array(sizes), problem, np.concatenate([np.arange(1, size) for size in sizes]))


def by_autograd(
    Z: torch.Tensor, sequences: Sequences, sizes: list[int], weights: list[list[float]] | None
) -> tuple[float, torch.Tensor]:
    Z = Z.clone().requires_grad_()
    batch = SequenceBatch(sequences, sizes, weights=weights)
    loss = TGMLLoss(BETA, EPSILON, check=False)(Z, batch)
    loss.backward()
    assert Z.grad is not None
    return float(loss.detach()), Z.grad


@settings(deadline=None)
@given(SEVERAL, st.integers(0, 99), st.floats(0, 1), st.booleans())
def test_it_equals_automatic_differentiation_with_any_rows_at_rest(
    several: list[Demonstrations], seed: int, share: float, weighted: bool
) -> None:
    sequences, sizes = sequences_of(several)
    rng = np.random.default_rng(seed)
    weights = None
    if weighted:
        weights = [[float(rng.integers(1, 5)) for _ in own] for own in sequences]
    side = max(sizes)
    Z = torch.from_numpy(rng.random((len(sizes), side, side)))
    Z *= torch.arange(side)[:, None] < torch.tensor(sizes)[:, None, None]
    Z[:, 0] = 0.0
    Z *= ~torch.eye(side, dtype=torch.bool)  # no node needs itself
    expected_loss, expected = by_autograd(Z, sequences, sizes, weights)

    everything = all_rows(sizes)
    moves = rng.random(len(everything)) < share
    moving, resting = (
        Rows(np.array(sizes), everything.problem[chosen], everything.node[chosen])
        for chosen in (moves, ~moves)
    )
    sums = Sums(Places.of(sequences, weights or [None] * len(sizes), np.array(sizes)), moving)

    def entries(rows: Rows, of: torch.Tensor) -> np.ndarray:
        pairs = zip(rows.problem.tolist(), rows.node.tolist(), strict=True)
        found = [of[problem, node, : sizes[problem]].numpy() for problem, node in pairs]
        return np.concatenate(found) if found else np.zeros(0)

    sums.rest(resting, entries(resting, Z))
    weights_of_moving = entries(moving, Z)
    found = sums.gradient(weights_of_moving, BETA, EPSILON)
    possible = weights_of_moving > 0
    wanted = entries(moving, expected)
    np.testing.assert_allclose(found[possible], wanted[possible], rtol=1e-6, atol=1e-6)
    assert sums.loss(BETA, EPSILON) == pytest.approx(expected_loss)


@settings(deadline=None)
@given(SEVERAL)
def test_contradicted_is_what_does_not_come_first_in_every_sequence(
    several: list[Demonstrations],
) -> None:
    sequences, sizes = sequences_of(several)
    places = Places.of(sequences, [None] * len(sizes), np.array(sizes))
    found = Sums(places, all_rows(sizes)).contradicted()
    always = [
        precedence_of(group, size - 1).always[1:].ravel()
        for group, size in zip(sequences, sizes, strict=True)
    ]
    np.testing.assert_array_equal(found, ~np.concatenate(always))


@pytest.mark.parametrize(("part", "kept"), [(1, 10**9), (40, 10**9), (1, 0)])
def test_parts_of_any_size_kept_or_not_change_nothing(
    part: int, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sequences: Sequences = [((1, 2, 3), (2, 1), (3, 2, 1)), ((1, 2), (2, 1))]
    sizes = [5, 4]
    rows = all_rows(sizes)
    Z = np.random.default_rng(0).random(len(rows.columns))

    def gradients() -> list[np.ndarray]:
        sums = Sums(Places.of(sequences, [None, None], np.array(sizes)), rows)
        return [sums.gradient(Z, BETA, EPSILON), sums.contradicted()]

    whole = gradients()
    monkeypatch.setattr(gradient, "PART_PAIRS", part)
    monkeypatch.setattr(gradient, "KEPT_PAIRS", kept)
    for one, other in zip(whole, gradients(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_the_sequences_of_some_problems_are_theirs() -> None:
    sizes = np.array([4, 5, 4])
    sequences: Sequences = [((1, 2),), ((2, 1, 3), (1,)), ((2, 1), (2,))]
    weights = [[1.0], [2.0, 3.0], [1.0, 5.0]]
    chosen = np.array([0, 2])
    found, kept = Places.of(sequences, weights, sizes).only(chosen, sizes)
    alone = Places.of([sequences[0], sequences[2]], [weights[0], weights[2]], sizes[chosen])
    assert found.columns.tolist() == alone.columns.tolist()
    assert found.owner.tolist() == alone.owner.tolist()
    assert found.lengths.tolist() == alone.lengths.tolist()
    assert found.weights is not None
    assert alone.weights is not None
    assert found.weights.tolist() == alone.weights.tolist()
    assert len(kept) == len(found.columns)


def test_no_sequences_at_all_are_refused() -> None:
    with pytest.raises(FormatError, match="no sequences"):
        Places.of([[], []], [None, None], np.array([4, 4]))
