"""Derivatives of any order, by autograd and by the transforms of `torch.func`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from stepgraph.errors import InputError
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.loss import TGMLLoss, tgml_loss
from tests.learners.tgml.test_loss import Problem, problems, weights_in_rows

# Complete and incomplete sequences, of two procedures of different sizes.
SEQUENCES: list[list[tuple[int, ...]]] = [[(1, 2, 3), (3, 1), (2,)], [(2, 1)]]
WEIGHTS = torch.tensor([0.5, 2.0, 1.0, 3.0], dtype=torch.float64)

Value = Callable[[Tensor], Tensor]

# These have no types.
forward_ad: Any = torch.autograd.forward_ad
functional: Any = torch.autograd.functional
jvp: Any = torch.func.jvp

# torch loads its forward mode through a part of itself that it deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script")


@pytest.fixture(
    params=[
        {},
        {"stride": 6},
        {"kept_entries": 0},
        {"chunk_entries": 20},
        {"chunk_entries": 20, "kept_entries": 0},
    ],
    ids=["masks", "padding", "squares", "chunks", "chunks-of-squares"],
)
def batch(request: pytest.FixtureRequest) -> SequenceBatch:
    return SequenceBatch(SEQUENCES, [5, 4], **request.param)


@pytest.fixture
def Z(batch: SequenceBatch) -> Tensor:  # noqa: N802
    return weights_in_rows((2, 2, batch.stride, batch.stride))


@pytest.fixture
def value(batch: SequenceBatch) -> Value:
    loss = TGMLLoss(0.3, 1e-3)
    return lambda Z: loss(Z, batch, WEIGHTS)


def plain_loss(Z: Tensor, epsilon: float = 1e-3, beta: float = 0.3) -> Tensor:
    """Return the loss of `SEQUENCES`, term by term, for torch to differentiate."""
    total = Z.new_zeros(())
    weights = iter(WEIGHTS)
    for owner, (group, size) in enumerate(zip(SEQUENCES, (5, 4), strict=True)):
        for steps in group:
            weight, nodes = next(weights), (0, *steps, size - 1)
            for t in range(1, len(nodes)):
                done = list(nodes[:t])
                rest = [node for node in range(size) if node not in done]
                num = Z[:, owner, nodes[t]][:, done].sum(-1) + epsilon
                den = Z[:, owner][:, rest][:, :, done].sum((-1, -2)) + epsilon
                total = total + weight * (beta * den.log() - num.log()).sum()
    return total


def test_second_derivatives_pass_gradgradcheck(batch: SequenceBatch, Z: Tensor) -> None:
    Z.requires_grad_()
    weights = WEIGHTS.clone().requires_grad_()

    def losses(Z: Tensor, weights: Tensor) -> Tensor:
        return tgml_loss(Z, batch, 0.3, weights=weights)

    assert gradcheck(losses, (Z, weights), check_forward_ad=True)
    assert gradgradcheck(losses, (Z, weights), check_fwd_over_rev=True)


def test_values_gradients_and_hessians_are_those_of_the_equations(value: Value, Z: Tensor) -> None:
    torch.testing.assert_close(value(Z), plain_loss(Z))
    for derivative in (functional.jacobian, functional.hessian):
        torch.testing.assert_close(derivative(value, Z), derivative(plain_loss, Z))


@given(problems(), st.floats(0, 2), st.integers(0, 5))
@settings(max_examples=15, deadline=None)
def test_the_graph_of_a_gradient_does_not_change_the_gradient(
    problem: Problem, beta: float, seed: int
) -> None:
    sequences, sizes = problem
    batch = SequenceBatch(sequences, sizes, chunk_entries=100)
    Z = weights_in_rows((len(sizes), max(sizes), max(sizes)), seed).requires_grad_()
    loss = TGMLLoss(beta)
    (plain,) = torch.autograd.grad(loss(Z, batch), Z)
    (with_graph,) = torch.autograd.grad(loss(Z, batch), Z, create_graph=True)
    torch.testing.assert_close(with_graph, plain)
    torch.testing.assert_close(torch.func.grad(lambda Z: loss(Z, batch))(Z.detach()), plain)


def test_hessian_vector_products_agree_with_the_hessian(value: Value, Z: Tensor) -> None:
    direction = weights_in_rows(tuple(Z.shape), 1) - 0.2
    expected = (functional.hessian(plain_loss, Z) * direction).sum((-4, -3, -2, -1))
    for product in (functional.hvp, functional.vhp):
        torch.testing.assert_close(product(value, Z, direction)[1], expected)
    _, forward = jvp(torch.func.grad(value), (Z,), (direction,))
    torch.testing.assert_close(forward, expected)


def test_a_gradient_inside_forward_mode_has_the_tangent_of_the_hessian(
    value: Value, Z: Tensor
) -> None:
    direction = weights_in_rows(tuple(Z.shape), 1) - 0.2
    expected = (functional.hessian(plain_loss, Z) * direction).sum((-4, -3, -2, -1))
    Z.requires_grad_()
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(Z, direction)
        (gradient,) = torch.autograd.grad(value(dual), Z)
        tangent = forward_ad.unpack_dual(gradient).tangent
    torch.testing.assert_close(tangent, expected)


@pytest.mark.parametrize("first", [torch.func.jacrev, torch.func.jacfwd])
@pytest.mark.parametrize("second", [torch.func.jacrev, torch.func.jacfwd])
def test_hessians_by_torch_func_agree_whichever_way_they_are_taken(
    value: Value, Z: Tensor, first: Any, second: Any
) -> None:
    expected = functional.hessian(plain_loss, Z)
    torch.testing.assert_close(second(first(value))(Z), expected)


def test_jacobians_by_torch_func_have_a_row_for_each_sequence(
    batch: SequenceBatch, Z: Tensor
) -> None:
    loss = TGMLLoss(0.3, 1e-3, reduction="none")
    expected = functional.jacobian(lambda Z: loss(Z, batch), Z)
    assert expected.shape == (2, 4, *Z.shape)
    for way in (torch.func.jacrev, torch.func.jacfwd):
        torch.testing.assert_close(way(lambda Z: loss(Z, batch))(Z), expected)


@pytest.mark.parametrize("dim", [0, 2, -1])
def test_vmap_over_a_stack_gives_what_a_loop_gives(value: Value, Z: Tensor, dim: int) -> None:
    stack = torch.stack([weights_in_rows(tuple(Z.shape), seed) for seed in range(3)])
    for what in (value, torch.func.grad(value)):
        together = torch.func.vmap(what, in_dims=dim)(stack.movedim(0, dim))
        torch.testing.assert_close(together, torch.stack([what(one) for one in stack]))


def test_vmap_inside_vmap_gives_what_loops_give(value: Value, Z: Tensor) -> None:
    stack = torch.stack([weights_in_rows(tuple(Z.shape), seed) for seed in range(3)])
    together = torch.func.vmap(torch.func.vmap(lambda one: value(one[None])))(stack)
    assert together.shape == (3, 2)
    torch.testing.assert_close(together.sum(1), torch.stack([value(one) for one in stack]))


def test_vmap_over_weights_alone_gives_what_a_loop_gives(batch: SequenceBatch, Z: Tensor) -> None:
    weights = torch.stack((WEIGHTS, WEIGHTS.flip(0)))
    gradient = torch.func.grad(lambda Z, weights: TGMLLoss()(Z, batch, weights))
    together = torch.func.vmap(gradient, in_dims=(None, 0))(Z, weights)
    torch.testing.assert_close(together, torch.stack([gradient(Z, one) for one in weights]))


def test_third_derivatives_are_those_of_the_equations(value: Value, Z: Tensor) -> None:
    direction = weights_in_rows(tuple(Z.shape), 1)

    def curvature(of: Value) -> Value:
        return lambda Z: (functional.hvp(of, Z, direction, create_graph=True)[1] * direction).sum()

    expected = functional.jacobian(curvature(plain_loss), Z)
    torch.testing.assert_close(functional.jacobian(curvature(value), Z), expected)


def test_a_gradient_penalty_trains_a_network() -> None:
    torch.manual_seed(0)
    network, batch = torch.nn.Linear(8, 4), SequenceBatch([[(1, 2), (2, 1)]], [4])
    Z = torch.softmax(network(torch.randn(4, 8)), -1)
    (gradient,) = torch.autograd.grad(TGMLLoss(0.1, 1e-6)(Z, batch), Z, create_graph=True)
    gradient.pow(2).sum().backward()  # type: ignore[no-untyped-call]
    assert network.weight.grad is not None
    assert network.weight.grad.isfinite().all()


def test_scores_are_refused_inside_torch_func_where_they_have_values() -> None:
    batch, scores = SequenceBatch([[(1, 2), (2, 1)]], [4]), torch.full((4, 4), -1.0)
    value = TGMLLoss()
    with pytest.raises(InputError, match="the entry 0, 0 of Z is -1"):
        torch.func.grad(lambda Z: value(Z, batch))(scores)
    mapped = torch.func.vmap(lambda Z: value(Z, batch))(scores[None])
    assert mapped.isnan().all()


@pytest.mark.filterwarnings("ignore")  # torch's compiler warns of itself
def test_it_works_inside_a_compiled_function() -> None:
    batch, loss = SequenceBatch(SEQUENCES, [5, 4]), TGMLLoss(0.3, 1e-3)

    def value(scores: Tensor) -> Tensor:
        found: Tensor = loss(torch.softmax(scores, -1), batch)
        return found

    scores = weights_in_rows((2, 5, 5)).requires_grad_()
    compiled = torch.compile(value, backend="aot_eager")
    torch.testing.assert_close(compiled(scores), value(scores))
    found = [torch.autograd.grad(how(scores), scores)[0] for how in (compiled, value)]
    torch.testing.assert_close(*found)
