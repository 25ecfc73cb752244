from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from benchmarks.cost.plain_loop import plain_loss
from stepgraph.errors import InputError, SettingError
from stepgraph.learners.tgml import loss
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.loss import (
    TGMLLoss,
    log_likelihood,
    tgml_loss,
    unweighted_log_likelihood,
)
from stepgraph.learners.tgml.pair_sums import Chunk, PairSquares
from tests.learners.tgml import reference

Problem = tuple[list[list[tuple[int, ...]]], list[int]]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Procedures of different sizes with sequences of different lengths, some incomplete."""
    sequences, sizes = [], []
    for _ in range(draw(st.integers(1, 3))):
        steps = draw(st.integers(1, 6))
        group = []
        for _ in range(draw(st.integers(1, 4))):
            order = draw(st.permutations(range(1, steps + 1)))
            group.append(tuple(order[: draw(st.integers(1, steps))]))
        sequences.append(group)
        sizes.append(steps + 2)
    return sequences, sizes


def random_Z(shape: tuple[int, ...], seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:  # noqa: N802
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(shape, generator=generator, dtype=dtype) + 0.01


def weights_in_rows(shape: tuple[int, ...], seed: int = 0) -> Tensor:
    """Draw a Z that a network could put out: each row sums to one."""
    return torch.softmax(random_Z(shape, seed) * 4, -1)


def flat(sequences: list[list[tuple[int, ...]]]) -> list[tuple[int, tuple[int, ...]]]:
    return [(owner, steps) for owner, group in enumerate(sequences) for steps in group]


@given(problems(), st.floats(0, 2), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_loss_equals_the_equations_read_in_plain_python(
    problem: Problem, beta: float, seed: int
) -> None:
    sequences, sizes = problem
    Z = random_Z((2, len(sizes), max(sizes), max(sizes)), seed)
    losses = tgml_loss(Z, SequenceBatch(sequences, sizes), beta)
    for model in range(2):
        for place, (owner, steps) in enumerate(flat(sequences)):
            own = Z[model, owner, : sizes[owner], : sizes[owner]].tolist()
            expected = reference.loss(own, steps, beta)
            assert losses[model, place].item() == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(problems())
@settings(max_examples=30, deadline=None)
def test_weighted_likelihood_equals_the_equations(problem: Problem) -> None:
    sequences, sizes = problem
    Z = random_Z((len(sizes), max(sizes), max(sizes)))
    values = log_likelihood(Z, SequenceBatch(sequences, sizes))
    for place, (owner, steps) in enumerate(flat(sequences)):
        own = Z[owner, : sizes[owner], : sizes[owner]].tolist()
        assert values[place].item() == pytest.approx(reference.log_likelihood(own, steps))


@given(problems(), st.integers(0, 20))
@settings(max_examples=60, deadline=None)
def test_unweighted_likelihood_equals_the_equations(problem: Problem, seed: int) -> None:
    sequences, sizes = problem
    Z = (random_Z((len(sizes), max(sizes), max(sizes)), seed) > 0.75).double()
    values = unweighted_log_likelihood(Z, SequenceBatch(sequences, sizes))
    for place, (owner, steps) in enumerate(flat(sequences)):
        own = Z[owner, : sizes[owner], : sizes[owner]].tolist()
        expected = reference.unweighted_likelihood(own, steps)
        assert math.exp(values[place].item()) == pytest.approx(expected)


def test_loss_passes_gradcheck_for_complete_and_incomplete_sequences() -> None:
    batch = SequenceBatch([[(1, 2, 3), (3, 1)], [(2, 1)]], [5, 4])
    Z = weights_in_rows((2, 2, 5, 5)).requires_grad_()
    weights = torch.tensor([0.5, 2.0, 1.0], dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda z: TGMLLoss(0.3)(z, batch), (Z,))
    assert torch.autograd.gradcheck(lambda z: tgml_loss(z, batch, 0.3, weights=weights), (Z,))


def test_gradient_equals_that_of_the_plain_loop() -> None:
    sequences = [(1, 2, 3, 4), (2, 1), (4, 3, 1)]
    batch = SequenceBatch([sequences], [6])
    fast = weights_in_rows((6, 6)).requires_grad_()
    slow = fast.detach().clone().requires_grad_()
    TGMLLoss(0.005, 1e-6)(fast, batch).backward()
    plain_loss(slow, sequences, 0.005, 1e-6).backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(fast.grad, slow.grad)


def test_chunks_of_any_size_change_neither_loss_nor_gradient() -> None:
    generator = np.random.default_rng(0)
    sequences = [
        [tuple(int(n) for n in generator.permutation(7)[:k] + 1) for k in (7, 3, 5, 7, 1)]
        for _ in range(2)
    ]
    results = []
    for limit, kept in ((10**6, 10**6), (500, 10**6), (300, 0), (100, 10**6), (100, 0), (1, 0)):
        batch = SequenceBatch(sequences, [9, 9], chunk_entries=limit, kept_entries=kept)
        Z = random_Z((2, 9, 9)).requires_grad_()
        losses = tgml_loss(Z, batch, 0.2)
        losses.sum().backward()  # type: ignore[no-untyped-call]
        results.append((len(batch.chunks), losses.detach(), Z.grad))
    assert [count for count, _, _ in results] == [1, 2, 3, 6, 6, 10]
    for _, losses, gradient in results[1:]:
        torch.testing.assert_close(losses, results[0][1])
        torch.testing.assert_close(gradient, results[0][2])


def test_a_sequence_weighs_as_much_as_its_weight_says() -> None:
    batch = SequenceBatch([[(1, 2), (2, 1)]], [4])
    doubled = SequenceBatch([[(1, 2), (2, 1), (2, 1)]], [4])
    Z = weights_in_rows((4, 4))
    weighted = TGMLLoss(0.1)(Z, batch, torch.tensor([1.0, 2.0], dtype=torch.float64))
    torch.testing.assert_close(weighted, TGMLLoss(0.1)(Z, doubled))


def test_a_weighted_sequence_has_the_same_epsilon_as_any_other() -> None:
    batch, Z = SequenceBatch([[(1, 2), (2, 1)]], [4]), weights_in_rows((4, 4))
    once = torch.ones(2, dtype=torch.float64)
    torch.testing.assert_close(TGMLLoss(0.1, 0.5)(Z, batch, once), TGMLLoss(0.1, 0.5)(Z, batch))


@pytest.mark.parametrize("weights", [(1, 2), (2, 3), (2, 2), (0.5, 1)])
def test_a_batch_that_knows_how_often_a_sequence_was_recorded_weighs_it_so(
    weights: tuple[float, ...],
) -> None:
    sequences = [[(1, 2), (2, 1)]]
    known = SequenceBatch(sequences, [4], weights=[weights])
    Z = weights_in_rows((4, 4))
    given_now = torch.tensor(weights, dtype=torch.float64)
    expected = TGMLLoss(0.1)(Z, SequenceBatch(sequences, [4]), given_now)
    torch.testing.assert_close(TGMLLoss(0.1)(Z, known), expected)


def test_the_contrastive_term_weighs_five_thousandths_unless_told_otherwise() -> None:
    batch, Z = SequenceBatch([[(1, 2), (2, 1)]], [4]), weights_in_rows((4, 4))
    torch.testing.assert_close(TGMLLoss()(Z, batch), tgml_loss(Z, batch, 0.005).sum())


def test_matrices_larger_than_the_procedures_give_the_same_loss_and_gradient() -> None:
    sequences: list[list[tuple[int, ...]]] = [[(1, 2, 3), (2, 1)], [(2, 1)]]
    Z = random_Z((2, 5, 5)).requires_grad_()
    padded = torch.nn.functional.pad(Z, (0, 2, 0, 2), value=0.7)
    exact = tgml_loss(Z, SequenceBatch(sequences, [5, 4]), 0.3)
    larger = tgml_loss(padded, SequenceBatch(sequences, [5, 4], stride=7), 0.3)
    torch.testing.assert_close(larger, exact)
    gradients = [torch.autograd.grad(loss.sum(), Z)[0] for loss in (exact, larger)]
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("entries", [1, 300, 400])
def test_unweighted_likelihoods_are_the_same_however_many_graphs_are_looked_at_at_once(
    entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sequences: list[list[tuple[int, ...]]]
    sequences = [[(1, 2, 3), (2, 1), (3, 1), (3, 2, 1), (1,)], [(2, 1), (1, 2)]]
    batch = SequenceBatch(sequences, [5, 4])
    Z = (random_Z((3, 2, 5, 5), 3) > 0.75).double()
    expected = unweighted_log_likelihood(Z, batch)
    at_once: list[int] = []

    def watched(chunk: Chunk, most: int) -> Iterator[Chunk]:
        for part in parts(chunk, most):
            at_once.append(len(part.nodes) * Z[:, 0].numel())
            yield part

    parts = Chunk.parts
    monkeypatch.setattr(Chunk, "parts", watched)
    monkeypatch.setattr(loss, "CASE_ENTRIES", entries)
    torch.testing.assert_close(unweighted_log_likelihood(Z, batch), expected)
    one_graph = Z[:, 0].numel()
    assert max(at_once) == max(entries // one_graph, 1) * one_graph


def test_single_precision_agrees_with_double() -> None:
    generator = np.random.default_rng(1)
    sequences = [tuple(int(n) for n in generator.permutation(25)[:20] + 1) for _ in range(20)]
    batch = SequenceBatch([sequences], [27])
    Z = weights_in_rows((27, 27))
    torch.testing.assert_close(
        tgml_loss(Z.float(), batch, 1.0).double(), tgml_loss(Z, batch, 1.0), rtol=1e-4, atol=1e-4
    )


def test_weights_that_vanish_give_an_infinite_loss_and_epsilon_a_finite_one() -> None:
    batch = SequenceBatch([[(1, 2)]], [4])
    Z = torch.zeros((4, 4))
    assert TGMLLoss(0.1)(Z, batch).isinf() or TGMLLoss(0.1)(Z, batch).isnan()
    assert TGMLLoss(0.1, 1e-6)(Z, batch).isfinite()


def test_a_matrix_of_another_shape_is_refused_with_the_shape_expected() -> None:
    with pytest.raises(InputError, match=r"expected \(models,\) \+ \(1, 4, 4\)"):
        TGMLLoss()(torch.zeros((5, 5)), SequenceBatch([[(1, 2)]], [4]))


@pytest.mark.parametrize(
    ("Z", "message"),
    [
        (np.zeros((4, 4)), "Z is a ndarray; expected a torch.Tensor"),
        (torch.zeros((4, 4), dtype=torch.int64), "Z holds torch.int64; expected real numbers"),
        (torch.zeros((4, 4), device="meta"), r"Z is on meta and the batch on cpu; .* batch.to\("),
    ],
    ids=["array", "whole-numbers", "device"],
)
def test_what_is_no_matrix_of_real_numbers_beside_the_batch_is_refused(
    Z: Tensor, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        TGMLLoss()(Z, SequenceBatch([[(1, 2)]], [4]))


@pytest.mark.parametrize("count", [1, 3])
def test_weights_for_another_number_of_sequences_are_refused(count: int) -> None:
    batch = SequenceBatch([[(1, 2), (2, 1)]], [4])
    message = rf"the weights have shape \({count},\); expected \(2,\)"
    with pytest.raises(InputError, match=message):
        TGMLLoss()(torch.full((4, 4), 0.25), batch, torch.ones(count))
    with pytest.raises(InputError, match=message):
        tgml_loss(torch.full((4, 4), 0.25), batch, 0.1, weights=torch.ones(count))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"beta": -1.0}, "beta is -1.0; expected a number from 0 on"),
        ({"beta": math.nan}, "beta is nan"),
        ({"epsilon": -1e-6}, "epsilon is -1e-06"),
        ({"reduction": "median"}, "reduction is 'median'; expected one of sum, mean, none"),
    ],
)
def test_a_parameter_with_a_value_that_it_cannot_take_is_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        TGMLLoss(**settings)


def test_the_parameters_are_in_the_representation() -> None:
    shown = repr(TGMLLoss(0.1, 1e-6, reduction="none", check=False))
    assert shown == "TGMLLoss(beta=0.1, epsilon=1e-06, reduction='none', check=False)"


@given(problems(), st.integers(0, 5), st.booleans(), st.integers(1, 2))
@settings(max_examples=30, deadline=None)
def test_a_reduction_is_that_of_the_losses_of_the_sequences(
    problem: Problem, seed: int, weighted: bool, models: int
) -> None:
    sequences, sizes = problem
    batch = SequenceBatch(sequences, sizes, chunk_entries=60)
    Z = weights_in_rows((models, len(sizes), max(sizes), max(sizes)), seed)
    weights = random_Z((len(batch),), seed + 1)
    factors = weights if weighted else torch.ones(len(batch), dtype=torch.float64)
    each = tgml_loss(Z, batch, 0.1) * factors
    expected = {"none": each, "sum": each.sum(), "mean": each.sum() / (factors.sum() * models)}
    for reduction, value in expected.items():
        loss = TGMLLoss(0.1, reduction=reduction)
        torch.testing.assert_close(loss(Z, batch, weights if weighted else None), value)


def test_one_model_s_losses_have_one_dimension() -> None:
    batch = SequenceBatch([[(1, 2), (2, 1)]], [4])
    loss = TGMLLoss(reduction="none")
    assert loss(torch.full((4, 4), 0.25), batch).shape == (2,)
    assert loss(torch.full((3, 1, 4, 4), 0.25), batch).shape == (3, 2)


@given(problems(), st.integers(0, 50), st.sampled_from(["scores", "shares", "small scores"]))
@settings(max_examples=40, deadline=None)
def test_scores_and_shares_that_were_not_normalised_are_refused(
    problem: Problem, seed: int, kind: str
) -> None:
    sequences, sizes = problem
    shape = (len(sizes), max(sizes), max(sizes))
    scores = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    scores[0, 1, 0] = -1.0  # so that one is negative, whatever was drawn
    Z = {"scores": scores, "shares": scores.abs() + 0.4, "small scores": 1e-3 * scores}[kind]
    batch = SequenceBatch(sequences, sizes)
    with pytest.raises(InputError, match=r"expected weights from 0 on, .* torch.softmax\(scores"):
        TGMLLoss()(Z, batch)
    TGMLLoss(check=False)(Z, batch)


def test_the_first_entry_or_row_that_is_refused_is_named() -> None:
    one, two = SequenceBatch([[(1, 2)]], [4]), SequenceBatch([[(1, 2)], [(2, 1)]], [4, 4])
    Z = torch.full((2, 4, 4), 0.25)
    Z[1, 2, 3] = -0.5
    with pytest.raises(InputError, match=r"the entry 2, 3 of Z is -0.5 \(procedure 1\); expected"):
        TGMLLoss()(Z, two)
    with pytest.raises(InputError, match="row 3 of Z sums to 2; expected"):
        TGMLLoss()(torch.tensor([0.25, 0.25, 0.25, 0.5])[:, None].expand(4, 4), one)


def test_rows_of_zeros_rows_below_one_and_anything_beyond_a_procedure_s_size_are_taken() -> None:
    batch = SequenceBatch([[(1, 2, 3)], [(2, 1)]], [5, 4])
    Z = weights_in_rows((2, 5, 5))
    Z[:, 0] = 0.0
    Z[:, :, -1] = 0.0
    Z[1, 4] = -7.0
    Z[1, :, 4] = 7.0
    assert TGMLLoss(0.1, 1e-6)(Z, batch).isfinite()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("nodes", [4, 27, 202])
def test_rows_of_half_precision_sum_to_one_well_enough(dtype: torch.dtype, nodes: int) -> None:
    batch = SequenceBatch([[(1, 2), (2, 1)]], [nodes])
    for seed in range(5):
        rows = weights_in_rows((nodes, nodes), seed).to(dtype)
        for Z in (rows, rows / rows.sum(-1, keepdim=True), torch.full_like(rows, 1 / nodes)):
            assert TGMLLoss()(Z, batch).isfinite()


def test_a_loss_that_is_not_a_number_stays_one() -> None:
    Z = torch.full((4, 4), torch.nan)
    assert TGMLLoss()(Z, SequenceBatch([[(1, 2)]], [4])).isnan()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("autocast", [False, True])
def test_half_precision_is_computed_in_single_precision(dtype: torch.dtype, autocast: bool) -> None:
    generator = np.random.default_rng(1)
    sequences = [tuple(int(n) for n in generator.permutation(25)[:20] + 1) for _ in range(20)]
    batch = SequenceBatch([sequences], [27])
    half = weights_in_rows((27, 27)).to(dtype).requires_grad_()
    single = half.detach().float().requires_grad_()
    loss = TGMLLoss(0.1, 1e-6)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
        value = loss(half, batch, torch.ones(20, dtype=dtype))
        value.backward()
    expected = loss(single, batch)
    expected.backward()
    assert value.dtype is torch.float32
    torch.testing.assert_close(value, expected)
    assert half.grad is not None
    assert single.grad is not None
    torch.testing.assert_close(half.grad, single.grad.to(dtype))


def test_a_network_inside_autocast_learns_by_it() -> None:
    torch.manual_seed(0)
    network, batch = torch.nn.Linear(8, 4), SequenceBatch([[(1, 2), (2, 1)]], [4])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = network(torch.randn(4, 8))
        value = TGMLLoss(0.1, 1e-6)(torch.softmax(scores, -1), batch)
    assert scores.dtype is torch.bfloat16
    assert value.dtype is torch.float32
    value.backward()
    assert network.weight.grad is not None
    assert network.weight.grad.abs().sum() > 0


def test_double_precision_stays_inside_autocast() -> None:
    batch, Z = SequenceBatch([[(1, 2), (2, 1)]], [4]), weights_in_rows((4, 4))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = TGMLLoss()(Z, batch)
    torch.testing.assert_close(value, TGMLLoss()(Z, batch))
    assert value.dtype is torch.float64


@pytest.mark.parametrize("kept", [0, 10**6])
def test_a_batch_first_used_in_inference_mode_serves_training(kept: int) -> None:
    batch = SequenceBatch([[(1, 2, 3), (2, 1)]], [5], kept_entries=kept)
    Z = weights_in_rows((5, 5)).requires_grad_()
    with torch.inference_mode():
        seen = TGMLLoss()(Z, batch)
        unweighted_log_likelihood(Z, batch)
    value = TGMLLoss()(Z, batch)
    (gradient,) = torch.autograd.grad(value, Z, create_graph=True)
    (gradient**2).sum().backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(value.detach(), seen.clone())


def test_a_batch_beyond_its_budget_holds_no_squares_between_forward_and_backward(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alive: weakref.WeakSet[PairSquares] = weakref.WeakSet()
    make = PairSquares.__init__

    def watched(self: PairSquares, chunk: Chunk) -> None:
        make(self, chunk)
        alive.add(self)

    monkeypatch.setattr(PairSquares, "__init__", watched)
    sequences = [tuple(np.random.default_rng(n).permutation(8) + 1) for n in range(40)]
    batch = SequenceBatch([sequences], [10], chunk_entries=500, kept_entries=0)
    Z = weights_in_rows((10, 10)).requires_grad_()
    loss = TGMLLoss(0.1)(Z, batch)
    gc.collect()
    assert len(batch.chunks) > 5
    assert len(alive) == 0
    loss.backward()
    assert Z.grad is not None
