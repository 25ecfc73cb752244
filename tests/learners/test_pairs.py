"""Lists and masks are two ways to the same sums."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tgml.learners.batching import CHUNK_ENTRIES, SequenceBatch
from tgml.learners.pair_lists import PairLists
from tgml.learners.pair_masks import PairMasks

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
def test_masks_give_the_sums_and_gradients_that_lists_give(
    batch: SequenceBatch, models: int
) -> None:
    (chunk,) = batch.chunks
    Z = random_models(models, batch)
    terms = chunk.is_term[..., None]
    listed, masked = PairLists(chunk), PairMasks(chunk)
    for one, other in zip(listed.sums(Z), masked.sums(Z), strict=True):
        torch.testing.assert_close(one * terms, other * terms)
    generator = torch.Generator().manual_seed(1)
    changes = [
        torch.rand((*chunk.shape, models), generator=generator, dtype=torch.float64) * terms
        for _ in range(2)
    ]
    torch.testing.assert_close(listed.gradient(*changes), masked.gradient(*changes))


@settings(deadline=None)
@given(batches(), st.data())
def test_a_part_of_a_batch_equals_a_batch_of_that_part(
    batch: SequenceBatch, data: st.DataObject
) -> None:
    numbers = list(range(len(batch.sizes)))
    kept = sorted(data.draw(st.sets(st.sampled_from(numbers), min_size=1)))
    (chunk,) = batch.chunks
    given_again = [
        [
            tuple(chunk.nodes[place, 1 : chunk.lengths[place] - 1].tolist())
            for place in batch.restore.tolist()
            if chunk.owner[place] == number
        ]
        for number in kept
    ]
    sizes = [batch.sizes[number] for number in kept]
    new = SequenceBatch(given_again, sizes, stride=SIZE)
    part = batch.part(kept, stride=SIZE)
    assert part.sizes == new.sizes
    assert len(part) == len(new)
    for one, other in zip(part.chunks, new.chunks, strict=True):
        assert one.nodes[:, : other.nodes.shape[1]].tolist() == other.nodes.tolist()
        assert one.owner.tolist() == other.owner.tolist()
    assert part.restore.tolist() == new.restore.tolist()


def test_a_part_keeps_its_weights() -> None:
    batch = SequenceBatch([[(1,)], [(1, 2), (2, 1)]], [3, 4], weights=[[5.0], [2.0, 3.0]])
    part = batch.part([1], stride=4)
    assert part.weights is not None
    assert part.weights.tolist() == [2.0, 3.0]


def test_masks_are_for_procedures_whose_sequences_show_most_steps() -> None:
    order = tuple(range(1, 11))
    few = SequenceBatch([[order]], [12])
    many = SequenceBatch([[order]], [1002])
    assert isinstance(few.pairs(0), PairMasks)
    assert isinstance(many.pairs(0), PairLists)
    assert not PairMasks.suit(few.chunks[0], most=100)


def test_masks_are_not_for_one_large_procedure_among_small_ones() -> None:
    # A place for each sequence of the largest would be kept for every other procedure, too.
    alone = [[(1, 2)]] * 50
    together = [*alone, [(1, 2), (2, 1)] * 40]
    assert PairMasks.suit(SequenceBatch(alone, [4] * 50).chunks[0], CHUNK_ENTRIES)
    assert not PairMasks.suit(SequenceBatch(together, [4] * 51).chunks[0], CHUNK_ENTRIES)


def test_the_length_of_lists_follows_that_of_sequences_not_the_number_of_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tgml.learners.pair_lists import EntryLists

    built: list[int] = []
    build = EntryLists.build

    def watched(*arguments: object, **options: object) -> EntryLists:
        lists = build(*arguments, **options)  # type: ignore[arg-type]
        built.append(len(lists.entries))
        return lists

    monkeypatch.setattr(EntryLists, "build", watched)
    PairLists(SequenceBatch([[tuple(range(1, 11))]], [12]).chunks[0])
    own, built[:] = built[:2], []
    PairLists(SequenceBatch([[tuple(range(1, 11))]], [1002]).chunks[0])
    # An incomplete sequence lists its own pairs, and the diagonal, from the other side.
    assert all(other <= one + 11 for one, other in zip(own, built[:2], strict=True))
    assert np.all(np.array(own) > 0)
