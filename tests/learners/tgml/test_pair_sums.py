"""Lists and masks are two ways to the same sums."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.learners.tgml.batches import CHUNK_ENTRIES, SequenceBatch
from stepgraph.learners.tgml.pair_sums import PairMasks, PairSquares

SIZE = 7


@st.composite
def batches(draw: st.DrawFn) -> SequenceBatch:
    """Draw a few procedures of 1 to 5 steps, with complete and incomplete sequences."""
    sizes = draw(st.lists(st.integers(3, SIZE), min_size=1, max_size=4))
    sequences = [
        [
            tuple(order[: draw(st.integers(0, size - 2))] if draw(st.booleans()) else order)
            for order in draw(st.lists(st.permutations(range(1, size - 1)), min_size=1, max_size=4))
        ]
        for size in sizes
    ]
    return SequenceBatch(sequences, sizes, stride=SIZE)


def random_models(count: int, batch: SequenceBatch, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    shape = (count, len(batch.sizes), batch.stride, batch.stride)
    return torch.rand(shape, generator=generator, dtype=torch.float64)


@settings(deadline=None)
@given(batches(), st.integers(1, 3))
def test_masks_give_the_sums_and_gradients_that_squares_give(
    batch: SequenceBatch, models: int
) -> None:
    (chunk,) = batch.chunks
    Z = random_models(models, batch)
    terms = chunk.is_term[..., None]
    squared, masked = PairSquares(chunk), PairMasks(chunk)
    for one, other in zip(squared.sums(Z), masked.sums(Z), strict=True):
        torch.testing.assert_close(one * terms, other * terms)
    generator = torch.Generator().manual_seed(1)
    changes = [
        torch.rand((*chunk.shape, models), generator=generator, dtype=torch.float64) * terms
        for _ in range(2)
    ]
    torch.testing.assert_close(squared.gradient(*changes), masked.gradient(*changes))


def test_masks_are_for_procedures_whose_sequences_show_most_steps() -> None:
    order = tuple(range(1, 11))
    few = SequenceBatch([[order]], [12])
    many = SequenceBatch([[order]], [1002])
    assert isinstance(few.pairs(0), PairMasks)
    assert isinstance(many.pairs(0), PairSquares)
    assert not PairMasks.suit(few.chunks[0], most=100)


def test_masks_are_not_for_one_large_procedure_among_small_ones() -> None:
    # A place for each sequence of the largest would be kept for every other procedure, too.
    alone = [[(1, 2)]] * 50
    together = [*alone, [(1, 2), (2, 1)] * 40]
    assert PairMasks.suit(SequenceBatch(alone, [4] * 50).chunks[0], CHUNK_ENTRIES)
    assert not PairMasks.suit(SequenceBatch(together, [4] * 51).chunks[0], CHUNK_ENTRIES)


def test_the_cost_follows_the_length_of_sequences_not_the_number_of_nodes() -> None:
    order = tuple(range(1, 11))
    for size in (12, 1002):
        (chunk,) = SequenceBatch([[order]], [size]).chunks
        assert PairSquares(chunk)._cells.numel() == chunk.entries == 12 * 12
