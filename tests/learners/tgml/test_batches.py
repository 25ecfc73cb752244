from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from stepgraph.errors import FormatError, InputError, SettingError
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.loss import TGMLLoss, tgml_loss, unweighted_log_likelihood
from stepgraph.learners.tgml.pair_sums import Chunk, PairMasks, PairSquares
from stepgraph.repetitions import Repetitions, without_repetitions
from stepgraph.sequences import Demonstrations

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


STEPS = st.lists(st.sampled_from("ABCD"), min_size=1, max_size=6)


@given(
    st.lists(st.lists(STEPS, min_size=1, max_size=5), min_size=1, max_size=3),
    st.sampled_from(["first", "last", "expand"]),
)
@settings(deadline=None)
def test_a_batch_of_demonstrations_has_their_loss_recording_by_recording(
    recordings: list[list[list[str]]], policy: str
) -> None:
    several = [Demonstrations.from_steps(own) for own in recordings]
    batch = SequenceBatch.from_demonstrations(several, repetitions=policy)
    assert batch.sizes == tuple(len(own.vocabulary) + 2 for own in several)
    Z = torch.full((len(several), batch.stride, batch.stride), 1 / batch.stride)
    expected = 0.0
    for number, own in enumerate(several):
        size = batch.sizes[number]
        for recording in own:
            alone = replace(own, sequences=(recording,))
            sequences = without_repetitions(alone, Repetitions(policy)).sequences
            one = SequenceBatch([sequences], [size])
            expected += TGMLLoss(0.1)(Z[number, :size, :size], one).item()
    assert TGMLLoss(0.1)(Z, batch).item() == pytest.approx(expected, rel=1e-5)


def test_equal_recordings_are_one_sequence_with_the_weight_of_all() -> None:
    recordings = Demonstrations.from_steps(["AB", "BA", "ABA", "BA"])
    *others, last = recordings.sequences
    recordings = replace(recordings, sequences=(*others, replace(last, weight=2.5)))
    batch = SequenceBatch.from_demonstrations(recordings)
    assert batch.weights is not None
    assert batch.weights.tolist() == [2.0, 3.5]


def test_each_recording_has_draws_of_its_own_which_the_seed_repeats() -> None:
    recordings = Demonstrations.from_steps(["ABABAB"] * 40)
    batches = [
        SequenceBatch.from_demonstrations(recordings, repetitions="random", seed=seed)
        for seed in (0, 0, 1)
    ]
    first, again, other = (batch.weights for batch in batches)
    assert first is not None
    assert again is not None
    assert other is not None
    assert len(first) == 2  # AB and BA were both drawn
    assert first.tolist() == again.tolist() != other.tolist()


@pytest.mark.parametrize("given", ["recordings.csv", None, 3, [[("A", "B")]], ["AB"]])
def test_what_is_no_demonstrations_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"from_demonstrations got .*; expected Demonstrations"):
        SequenceBatch.from_demonstrations(given)


def test_an_unknown_policy_and_no_demonstrations_are_refused() -> None:
    with pytest.raises(SettingError, match="repetitions is 'often'; expected one of first, last"):
        SequenceBatch.from_demonstrations(Demonstrations.from_steps(["AB"]), repetitions="often")
    with pytest.raises(FormatError, match="no sequences"):
        SequenceBatch.from_demonstrations([])


def tensors_of(thing: object) -> Iterator[Tensor]:
    """Find every tensor that a batch holds, however deep."""
    if isinstance(thing, Tensor):
        yield thing
    elif isinstance(thing, tuple | list):
        for part in thing:
            yield from tensors_of(part)
    elif isinstance(thing, dict):
        yield from tensors_of(tuple(thing.values()))
    elif isinstance(thing, SequenceBatch | Chunk | PairMasks | PairSquares):
        yield from tensors_of(vars(thing))


SOME: list[list[tuple[int, ...]]] = [[(1, 2, 3), (2, 1)], [(2, 1)]]


def used_batch(kept_entries: int, *, masks: bool) -> SequenceBatch:
    """Return a batch that has worked out all that it ever works out."""
    sizes = [5, 4] if masks else [30, 40]
    batch = SequenceBatch(SOME, sizes, weights=[[2, 1], [1]], kept_entries=kept_entries)
    Z = torch.full((2, batch.stride, batch.stride), 1 / batch.stride)
    TGMLLoss(reduction="none")(Z, batch)
    unweighted_log_likelihood(Z, batch)
    return batch


@pytest.mark.parametrize("kept_entries", [0, 10**6])
@pytest.mark.parametrize("masks", [True, False])
def test_a_batch_moves_with_all_its_tensors_and_leaves_the_first_where_it_was(
    kept_entries: int, masks: bool
) -> None:
    batch = used_batch(kept_entries, masks=masks)
    there = batch.to("meta")
    assert {tensor.device.type for tensor in tensors_of(there)} == {"meta"}
    assert {tensor.device.type for tensor in tensors_of(batch)} == {"cpu"}
    Z = torch.empty((2, batch.stride, batch.stride), device="meta", requires_grad=True)
    loss = TGMLLoss(0.1)(Z, there)
    assert loss.device.type == "meta"
    loss.backward()
    assert {tensor.device.type for tensor in tensors_of(there)} == {"meta"}


def test_a_batch_that_is_there_already_is_itself() -> None:
    batch = SequenceBatch(THREE, [5])
    assert batch.to("cpu") is batch
    assert batch.to(torch.device("cpu")) is batch


@pytest.mark.parametrize("masks", [True, False])
def test_pinned_memory_holds_all_that_the_loss_needs(
    masks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Machines without an accelerator cannot pin; a copy tells pinned tensors from others.
    monkeypatch.setattr(Tensor, "pin_memory", lambda tensor: tensor.clone())
    sizes = [5, 4] if masks else [30, 40]
    batch = SequenceBatch(SOME, sizes, weights=[[2, 1], [1]])
    pinned = batch.pin_memory()
    ours = {tensor.data_ptr() for tensor in tensors_of(batch)}
    theirs = {tensor.data_ptr() for tensor in tensors_of(pinned)}
    assert len(theirs) >= 5
    assert not ours & theirs
    Z = torch.full((2, batch.stride, batch.stride), 1 / batch.stride)
    torch.testing.assert_close(tgml_loss(Z, pinned, 0.1), tgml_loss(Z, batch, 0.1))


def test_pinning_a_batch_beyond_its_budget_works_out_no_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Tensor, "pin_memory", lambda tensor: tensor.clone())

    def forbidden(_: SequenceBatch, number: int) -> None:
        raise AssertionError(f"the pairs of chunk {number} were worked out")

    batch = SequenceBatch(SOME, [5, 4], kept_entries=0)
    monkeypatch.setattr(SequenceBatch, "pairs", forbidden)
    assert len(batch.pin_memory()) == 3


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("masks", [True, False])
def test_a_gpu_gives_the_loss_and_the_gradient_that_the_cpu_gives(masks: bool) -> None:
    batch = used_batch(10**6, masks=masks)
    found = []
    for one in (batch, batch.pin_memory().to("cuda", non_blocking=True)):
        Z = torch.full((2, batch.stride, batch.stride), 1 / batch.stride, device=one.device)
        loss = TGMLLoss(0.1)(Z.requires_grad_(), one)
        loss.backward()
        assert Z.grad is not None
        found.append((loss.detach().cpu(), Z.grad.cpu()))
    torch.testing.assert_close(*found)


def test_a_pickled_batch_has_the_same_loss() -> None:
    batch = used_batch(10**6, masks=True)
    Z = torch.full((2, 5, 5), 0.2)
    again = pickle.loads(pickle.dumps(batch))  # noqa: S301 - as a DataLoader's workers send it
    torch.testing.assert_close(TGMLLoss()(Z, again), TGMLLoss()(Z, batch))


def test_a_data_loader_gives_batches_of_procedures_of_different_sizes() -> None:
    procedures = [Demonstrations.from_steps([("ABCDE"[:n])]) for n in (2, 3, 5, 4)]
    loader: torch.utils.data.DataLoader[Demonstrations] = torch.utils.data.DataLoader(
        procedures,  # type: ignore[arg-type]
        batch_size=3,
        collate_fn=SequenceBatch.from_demonstrations,
    )
    first, second = loader
    assert (first.sizes, second.sizes) == ((4, 5, 7), (6,))
    assert math.isfinite(TGMLLoss()(torch.full((3, 7, 7), 1 / 7), first).item())
