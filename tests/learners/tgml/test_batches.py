from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.errors import FormatError
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.pair_sums import PairMasks, PairSquares

THREE = [[(1, 2, 3), (2, 1, 3), (3, 2, 1)]]


@pytest.mark.parametrize("steps", [(1, 1), (3,), (4,), (5,), (-1,), (0, 1)])
def test_a_sequence_with_a_repeated_or_foreign_node_is_refused(steps: tuple[int, ...]) -> None:
    with pytest.raises(FormatError, match="repeats a node or leaves 1 to 2"):
        SequenceBatch([[steps]], [4])


def test_the_first_sequence_that_is_refused_is_named_with_its_procedure() -> None:
    with pytest.raises(FormatError, match=r"the sequence \(2, 3, 2\) of procedure 1 repeats"):
        SequenceBatch([[(1, 2), (2, 1)], [(3, 1), (2, 3, 2), (1, 1)]], [4, 5])


def test_a_batch_without_sequences_is_refused() -> None:
    with pytest.raises(FormatError, match="no sequences"):
        SequenceBatch([[], []], [4, 3])


def test_a_procedure_without_sequences_may_stand_beside_others() -> None:
    assert len(SequenceBatch([[], [(1, 2), (2, 1)]], [3, 4])) == 2


def test_sequences_recorded_once_each_need_no_weights() -> None:
    assert SequenceBatch(THREE, [5], weights=[[1, 1, 1]]).weights is None


@given(st.lists(st.integers(0, 8), min_size=1, max_size=12), st.integers(1, 1000))
@settings(deadline=None)
def test_a_chunk_holds_as_many_sequences_as_its_limit_allows(
    lengths: list[int], limit: int
) -> None:
    sequences = [tuple(range(1, length + 1)) for length in lengths]
    batch = SequenceBatch([sequences], [10], chunk_entries=limit)
    for chunk in batch.chunks:
        assert len(chunk.nodes) == 1 or len(chunk.nodes) * chunk.nodes.shape[1] ** 2 <= limit
    for chunk, following in itertools.pairwise(batch.chunks):
        assert (len(chunk.nodes) + 1) * following.lengths[0] ** 2 > limit
    kept = sorted(length - 2 for chunk in batch.chunks for length in chunk.lengths)
    assert kept == sorted(lengths)


@pytest.mark.parametrize(("most", "expected"), [(0, [1, 1, 1]), (1, [1, 1, 1]), (2, [2, 1])])
def test_a_chunk_is_cut_into_parts_that_hold_its_sequences_in_order(
    most: int, expected: list[int]
) -> None:
    (chunk,) = SequenceBatch(THREE, [5]).chunks
    parts = list(chunk.parts(most))
    assert [len(part.nodes) for part in parts] == expected
    for name in ("nodes", "lengths", "owner"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert np.array_equal(joined, getattr(chunk, name))


# Three sequences of five nodes each meet 3 * 5 * 5 entries at most.
def test_pairs_within_the_budget_are_worked_out_once_and_kept() -> None:
    batch = SequenceBatch(THREE, [5], kept_entries=75)
    assert isinstance(batch.pairs(0), PairMasks)
    assert batch.pairs(0) is batch.pairs(0)


def test_pairs_beyond_the_budget_are_worked_out_anew_each_time() -> None:
    batch = SequenceBatch(THREE, [5], kept_entries=74)
    assert isinstance(batch.pairs(0), PairSquares)
    assert batch.pairs(0) is not batch.pairs(0)
