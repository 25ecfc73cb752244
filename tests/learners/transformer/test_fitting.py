from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from stepgraph.learners.transformer.fitting import (
    BetaSchedule,
    Objective,
    Schedule,
    distinctiveness,
    fit,
    predict,
)
from stepgraph.learners.transformer.layers import FirstWeights, LayerKind
from stepgraph.learners.transformer.model import Shape, TaskGraphTransformer
from tests.learners.transformer.test_dataset import WIDTH, example

PLAN = Schedule(
    learning_rate=0.005,
    epochs=200,
    warm_up=20,
    lowest_rate=0.02,
    clipping=1.0,
    beta=0.005,
    final_beta=0.005,
    beta_every=100,
    beta_schedule=BetaSchedule.LINEAR,
    summed=False,
    distinctiveness=1.0,
    evenness=3.0,
    final_evenness=0.3,
    cooling=50,
    subsets=0.0,
    together=1,
    stop=True,
    stop_above=0.0,
    stop_below=0.0,
    break_cycles_from=0,
    relaxed=False,
    epsilon=1e-6,
)


def test_beta_goes_down_linearly_every_so_many_epochs() -> None:
    paper = replace(PLAN, epochs=3000, beta=1.0, final_beta=0.05)
    assert paper.beta_at(1) == paper.beta_at(100) == 1.0
    assert paper.beta_at(101) == pytest.approx(1.0 - 0.95 / 29)
    assert paper.beta_at(3000) == pytest.approx(0.05)


def test_the_released_beta_covers_a_growing_share_of_what_is_left() -> None:
    released = replace(
        PLAN, epochs=3000, beta=1.0, final_beta=0.05, beta_schedule=BetaSchedule.COMPOUND
    )
    assert released.beta_at(1) == released.beta_at(99) == 1.0
    values = {100: 0.96865, 200: 0.907713, 500: 0.608158, 1000: 0.167423, 1500: 0.056763}
    for epoch, value in values.items():
        assert released.beta_at(epoch) == released.beta_at(epoch + 99)
        assert released.beta_at(epoch) == pytest.approx(value, abs=1e-6)
    assert released.beta_at(3000) == pytest.approx(0.05, abs=1e-6)


def test_the_learning_rate_rises_and_falls_or_stays() -> None:
    assert [PLAN.rate_at(step, 200) for step in (1, 20, 100)] == [0.05, 0.9, 0.5]
    assert PLAN.rate_at(199, 200) == 0.02
    constant = replace(PLAN, warm_up=0, lowest_rate=1.0)
    assert {constant.rate_at(step, 200) for step in range(1, 201)} == {1.0}


def test_evenness_cools_from_the_first_to_the_last() -> None:
    assert PLAN.evenness_at(1) == 3.0
    assert PLAN.evenness_at(26) == pytest.approx(np.sqrt(3.0 * 0.3))
    assert PLAN.evenness_at(51) == PLAN.evenness_at(500) == pytest.approx(0.3)
    assert replace(PLAN, final_evenness=0.0).evenness_at(60) == 0.0


def test_one_network_learns_procedures_of_different_sizes() -> None:
    dataset = [example("abc", "bac"), example("wxyz")]
    network = TaskGraphTransformer(Shape(features=WIDTH, width=16))
    losses = fit(network, dataset, PLAN, seed=0)
    assert len(losses) < 200
    assert all(own.agrees(predict(network, own)) for own in dataset)


def test_groups_of_several_procedures_give_the_mean_loss_of_each_alone() -> None:
    dataset = [example("abc", "bac"), example("wxyz")]
    network = TaskGraphTransformer(Shape(features=WIDTH, width=16, dropout=0.0))
    values = []
    for group in ([dataset[0]], [dataset[1]], dataset):
        objective = Objective(network, group, replace(PLAN, together=2), seed=0)
        (only,) = objective.groups(epoch=1)
        values.append(objective.loss(only).item())
    assert values[2] == pytest.approx((values[0] + values[1]) / 2, abs=1e-4)


PAPER = replace(
    PLAN,
    learning_rate=0.001,
    warm_up=0,
    lowest_rate=1.0,
    clipping=0.0,
    beta=1.0,
    final_beta=0.05,
    beta_every=2,
    beta_schedule=BetaSchedule.COMPOUND,
    summed=True,
    evenness=0.0,
    final_evenness=0.0,
    together=0,
    stop=False,
    epochs=5,
)
PAPER_SHAPE = Shape(
    WIDTH,
    WIDTH,
    heads=1,
    dropout=0.0,
    all_pairs_up_to=0,
    relation_heads=2,
    hidden_layers=0,
    layer=LayerKind.STANDARD,
    normalise=False,
    auxiliary_token=True,
)


def equation_6(Z: torch.Tensor, sequences: list[str], beta: float) -> torch.Tensor:
    """Return Eq. 6 by plain sums; Z has a token before START, and steps are named a, b, c."""
    nodes = range(1, len(Z))
    total = torch.zeros(())
    for steps in sequences:
        order = [1, *(ord(step) - ord("a") + 2 for step in steps), len(Z) - 1]
        for place, node in enumerate(order):
            seen = [0, *order[:place]]
            possible = [other for other in nodes if other not in seen]
            total = total - (Z[node][seen].sum() + 1e-6).log()
            total = total + beta * (Z[possible][:, seen].sum() + 1e-6).log()
    return total


def test_the_papers_training_is_plain_adam_on_the_summed_loss_of_all_recordings() -> None:
    recordings = ["abc", "bac", "abc"]
    trained, expected = (
        TaskGraphTransformer(PAPER_SHAPE, 3, FirstWeights.STANDARD) for _ in range(2)
    )
    losses = fit(trained, [example(*recordings)], PAPER, seed=0)

    plain = torch.optim.Adam(expected.parameters(), lr=0.001)
    embeddings = torch.from_numpy(example(*recordings).typical())[None]
    beta, reference = 1.0, []
    for epoch in range(1, 6):
        if epoch % 2 == 0:
            beta += (0.05 - beta) * (epoch - 1) / 5
        own = expected(embeddings)
        assert own.lost is not None
        Z = torch.zeros(6, 6)
        Z[1, 0] = 1.0
        Z[2:, 0], Z[1:, 1:] = own.lost[0, 1:], own.Z[0]
        unit = torch.nn.functional.normalize(own.nodes[0], dim=-1)
        similar = unit @ unit.T * math.exp(0.9)
        apart = torch.nn.functional.cross_entropy(similar, torch.arange(7), reduction="sum")
        loss = equation_6(Z, recordings, beta) + apart
        plain.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        plain.step()
        reference.append(loss.item())
    assert losses == pytest.approx(reference, rel=1e-4)
    # Not the parameters: where a gradient is 0, as that of keys' biases, Adam enlarges rounding.
    assert torch.allclose(trained(embeddings).Z, expected(embeddings).Z, atol=1e-4)


def test_one_step_of_all_procedures_takes_the_mean_of_their_sums() -> None:
    dataset = [example("abc", "bac"), example("wxyz"), example("pqr")]
    network = TaskGraphTransformer(PAPER_SHAPE, 3, FirstWeights.STANDARD)
    values = []
    for group in ([dataset[0]], [dataset[1]], [dataset[2]], dataset):
        objective = Objective(network, group, PAPER, seed=0)
        assert objective.steps == PAPER.epochs
        (only,) = objective.groups(epoch=1)
        values.append(objective.loss(only).item())
    assert values[3] == pytest.approx(sum(values[:3]) / 3, rel=1e-5)


def test_a_gradient_is_clipped_only_where_it_is_asked_for() -> None:
    def change(clipping: float) -> float:
        network = TaskGraphTransformer(PAPER_SHAPE, 3, FirstWeights.STANDARD)
        before = torch.cat([own.detach().flatten().clone() for own in network.parameters()])
        fit(network, [example("abc")], replace(PAPER, epochs=1, clipping=clipping), seed=0)
        after = torch.cat([own.detach().flatten() for own in network.parameters()])
        return float((after - before).norm())

    # Adam's first step does not depend on the gradient's size, until it is as small as 1e-8.
    assert change(1e-9) < change(0.0) / 5


def test_training_ends_between_two_bounds_of_the_accuracy() -> None:
    within = replace(PAPER, epochs=30, stop_above=0.0, stop_below=1.0, break_cycles_from=4)
    own = [example("abc", "bac")]

    def epochs(schedule: Schedule) -> int:
        network = TaskGraphTransformer(PAPER_SHAPE, 3, FirstWeights.STANDARD)
        return len(fit(network, own, schedule, seed=0))

    assert epochs(replace(within, stop_below=0.0)) == 30
    first = epochs(within)
    assert first < 30
    assert epochs(replace(within, stop_above=0.999)) == 30
    assert epochs(replace(within, break_cycles_from=0)) >= first


def test_dropout_draws_from_its_own_generator() -> None:
    network = TaskGraphTransformer(Shape(features=WIDTH, width=16, dropout=0.5))
    before = torch.get_rng_state()
    fit(network, [example("abc")], replace(PLAN, epochs=3), seed=0)
    assert torch.equal(torch.get_rng_state(), before)


def reference(nodes: list[list[float]]) -> float:
    """Return the cross-entropy of cosine similarities times exp(0.9), in plain Python."""
    unit = [[x / math.hypot(*row) for x in row] for row in nodes]
    total = 0.0
    for i, row in enumerate(unit):
        similar = [math.exp(0.9) * sum(map(math.prod, zip(row, o, strict=True))) for o in unit]
        total -= similar[i] - math.log(sum(map(math.exp, similar)))
    return total / len(nodes)


def test_it_equals_a_plain_reference_and_ignores_padding() -> None:
    nodes = [[1.0, 2.0, -1.0], [0.5, -1.0, 3.0], [2.0, 0.1, 0.4]]
    padded = torch.tensor([[*nodes, [9.0, 9.0, 9.0]]])
    mask = torch.tensor([[True, True, True, False]])
    assert distinctiveness(padded, mask).item() == pytest.approx(reference(nodes), abs=1e-5)


def test_it_is_least_for_vectors_that_point_apart() -> None:
    mask = torch.ones(1, 3, dtype=torch.bool)
    apart, close = torch.eye(3)[None], torch.eye(3)[None] + 1.0
    assert distinctiveness(apart, mask) < distinctiveness(close, mask)
