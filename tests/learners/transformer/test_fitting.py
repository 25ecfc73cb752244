from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from stepgraph.learners.transformer.fitting import (
    Objective,
    Schedule,
    distinctiveness,
    fit,
    predict,
)
from stepgraph.learners.transformer.model import Shape, TaskGraphTransformer
from tests.learners.transformer.test_dataset import WIDTH, example

PLAN = Schedule(
    learning_rate=0.005,
    epochs=200,
    beta=0.005,
    final_beta=0.005,
    beta_every=100,
    distinctiveness=1.0,
    evenness=3.0,
    final_evenness=0.3,
    cooling=50,
    subsets=0.0,
    together=1,
    stop=True,
)


def test_beta_goes_down_linearly_every_so_many_epochs() -> None:
    paper = replace(PLAN, epochs=3000, beta=1.0, final_beta=0.05)
    assert paper.beta_at(1) == paper.beta_at(100) == 1.0
    assert paper.beta_at(101) == pytest.approx(1.0 - 0.95 / 29)
    assert paper.beta_at(3000) == pytest.approx(0.05)


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
