"""Training by the rows that move ends where gradient descent on everything ends."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.cost.plain_loop import plain_training
from benchmarks.generators import Noise, draw_demonstrations, random_procedure
from stepgraph.learners.tgml import descent
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.descent import Descent, Problem, optimise
from stepgraph.learners.tgml.direct_optimization import (
    DirectOptimization,
    normal_draws,
    possible_scores,
)
from stepgraph.learners.tgml.loss import TGMLLoss
from stepgraph.repetitions import without_repetitions
from stepgraph.sequences import Demonstrations
from tests.strategies import demonstrations


def problems_of(several: list[Demonstrations]) -> list[Problem]:
    found = []
    for given_ in several:
        sequences = without_repetitions(given_).sequences
        size = len(given_.vocabulary) + 2
        scores = possible_scores(normal_draws(size * size, 0).reshape(size, size) * 0.1 / size)
        found.append(Problem(scores, lambda _, own=sequences: own))  # type: ignore[misc]
    return found


def silent(done: int, total: int, text: str) -> None:
    """Hear nothing."""


def by_autograd(problem: Problem, epochs: int) -> tuple[np.ndarray, int]:
    """Train with torch's differentiation and a resting row's gradient and moments left alone."""
    scores = torch.from_numpy(problem.scores).clone()
    possible = scores > -torch.inf
    scores = scores.masked_fill(~possible, -1e9).requires_grad_()
    size, sequences = len(scores), problem.sequences(1)
    batch, loss = SequenceBatch([sequences], [size]), TGMLLoss(0.005, 1e-6)
    always = torch.tensor(
        [
            [
                all(
                    [0, *steps, size - 1].index(j) < [0, *steps, size - 1].index(i)
                    if j in (0, *steps, size - 1)
                    else False
                    for steps in sequences
                    if i in (0, *steps, size - 1)
                )
                for j in range(size)
            ]
            for i in range(size)
        ]
    )
    adam = torch.optim.Adam([scores], lr=0.1)
    for epoch in range(epochs + 1):
        Z = torch.softmax(scores, -1) * possible
        moving = ((1 / size < Z) & ~always).any(-1)
        if epoch == epochs or not moving.any():
            return Z.detach().numpy(), epoch
        adam.zero_grad()
        loss(Z, batch).backward()
        before = scores.detach().clone()
        adam.step()
        with torch.no_grad():
            scores[~moving] = before[~moving]
    raise AssertionError


@settings(deadline=None, max_examples=40)
@given(st.lists(demonstrations(), min_size=1, max_size=4), st.integers(1, 40))
def test_it_equals_automatic_differentiation_with_torchs_adam(
    several: list[Demonstrations], epochs: int
) -> None:
    problems = problems_of(several)
    found = optimise(problems, Descent(0.005, 0.1, epochs, 1e-6), silent)
    for problem, (weights, done) in zip(problems, found, strict=True):
        expected, expected_epochs = by_autograd(problem, epochs)
        assert done == expected_epochs
        np.testing.assert_allclose(weights, expected, atol=1e-7)


def test_without_rest_it_equals_the_plain_loop() -> None:
    given_ = Demonstrations.from_steps(["abcde", "bacde", "abced", "bcade"])
    ((found, epochs),) = optimise(
        problems_of([given_]), Descent(0.005, 0.1, 40, 1e-6, rows_rest=False), silent
    )
    assert epochs == 40
    plain = plain_training([s.steps for s in given_], 7, epochs=40)
    np.testing.assert_allclose(found, plain.numpy(), atol=1e-9)


@pytest.fixture(scope="module")
def many() -> list[Demonstrations]:
    graphs = [random_procedure(6 + n % 5, width=3, density=0.5, seed=n) for n in range(60)]
    return [
        draw_demonstrations(graph, 6, seed=n, noise=Noise.mixed(0.1))
        for n, graph in enumerate(graphs)
    ]


def test_many_procedures_give_what_each_gives_alone(many: list[Demonstrations]) -> None:
    learner = DirectOptimization(epochs=80)
    for given_, (together,) in zip(many, learner.learn_many(many, seeds=[3]), strict=True):
        alone = learner.learn(given_, seed=3)
        np.testing.assert_allclose(together.adjacency.matrix, alone.adjacency.matrix, atol=1e-9)
        assert together.facts == alone.facts
        assert together.notes == alone.notes


@pytest.mark.parametrize("crowded", [0.0, 1.0])
def test_when_rows_at_rest_are_taken_out_changes_nothing(
    crowded: float, many: list[Demonstrations], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = optimise(problems_of(many), Descent(0.005, 0.1, 60, 1e-6), silent)
    monkeypatch.setattr(descent, "CROWDED", crowded)
    found = optimise(problems_of(many), Descent(0.005, 0.1, 60, 1e-6), silent)
    for (one, one_epochs), (other, other_epochs) in zip(expected, found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
        assert one_epochs == other_epochs


def test_progress_tells_of_every_epoch_and_of_what_is_learned(many: list[Demonstrations]) -> None:
    told: list[tuple[int, int, str]] = []
    optimise(problems_of(many), Descent(0.005, 0.1, 500, 1e-6), lambda *facts: told.append(facts))
    assert [done for done, _, _ in told[:-1]] == list(range(1, len(told)))
    assert told[-1] == (500, 500, "learned")
    assert told[-2][2] == "60 of 60 procedures learned"


def test_procedures_at_rest_from_the_start_need_no_epoch() -> None:
    one = Demonstrations.from_steps(["a"])
    ((weights, epochs),) = optimise(problems_of([one]), Descent(0.005, 0.1, 9, 1e-6), silent)
    assert epochs == 0
    np.testing.assert_allclose(weights.sum(axis=1), [0, 1, 1])


def test_a_rule_stops_its_own_matrix_and_no_other() -> None:
    class After:
        def __init__(self, epochs: int) -> None:
            self._epochs = epochs
            self.seen: list[np.ndarray] = []

        def finished(self, epoch: int, Z: np.ndarray) -> bool:
            self.seen.append(Z)
            return epoch >= self._epochs

    problems = problems_of([Demonstrations.from_steps(["abc", "bac"])] * 2)
    rules = [After(3), After(7)]
    ruled = [problem._replace(rule=rule) for problem, rule in zip(problems, rules, strict=True)]
    found = optimise(ruled, Descent(0.005, 0.1, 20, 1e-6, rows_rest=False), silent)
    assert [epochs for _, epochs in found] == [3, 7]
    assert [len(rule.seen) for rule in rules] == [4, 8], (
        "asked before the first and after each epoch, until it stops"
    )
    for rule, (weights, _) in zip(rules, found, strict=True):
        np.testing.assert_array_equal(rule.seen[-1], weights)
