"""Many procedures train by rows, and come out as the general loop has them."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.generators import Noise, draw_demonstrations, random_procedure
from stepgraph.learners import get_learner
from stepgraph.learners.tgml import direct_optimization
from stepgraph.learners.tgml.direct_optimization import MANY_PROCEDURES, DirectOptimization
from stepgraph.learners.tgml.row_training import Descent, Problem, optimise_rows, suit_rows
from stepgraph.learners.tgml.score_matrix import first_scores
from stepgraph.repetitions import without_repetitions
from stepgraph.sequences import Demonstrations
from tests.strategies import demonstrations


def problems_of(several: list[Demonstrations], dtype: torch.dtype = torch.float64) -> list[Problem]:
    return [
        Problem(
            without_repetitions(given_).sequences,
            first_scores(len(given_.vocabulary) + 2, 0, 0.1, dtype).numpy(),
        )
        for given_ in several
    ]


def silent(done: int, total: int, text: str) -> None:
    """Hear nothing."""


@settings(deadline=None)
@given(st.lists(demonstrations(), min_size=1, max_size=5), st.integers(1, 60))
def test_it_equals_the_general_loop(several: list[Demonstrations], epochs: int) -> None:
    learner = DirectOptimization(dtype="float64", epochs=epochs)
    expected = learner.learn_many(several)
    found = optimise_rows(problems_of(several), Descent(0.005, 0.1, epochs, 1e-6), silent)
    for given_, (weights, done), (learned,) in zip(several, found, expected, strict=True):
        assert done == learned.facts["epochs"]
        seen = [0, *sorted(given_.seen), len(weights) - 1]  # the rest is set by hand
        np.testing.assert_allclose(weights[seen], learned.adjacency.matrix[seen], atol=1e-8)


@pytest.fixture(scope="module")
def many() -> list[Demonstrations]:
    graphs = [random_procedure(6 + n % 5, width=3, density=0.5, seed=n) for n in range(60)]
    return [
        draw_demonstrations(graph, 6, seed=n, noise=Noise.mixed(0.1))
        for n, graph in enumerate(graphs)
    ]


def test_many_procedures_give_what_each_gives_alone(many: list[Demonstrations]) -> None:
    assert len(many) >= MANY_PROCEDURES
    learner = DirectOptimization(epochs=80)
    for given_, (together,) in zip(many, learner.learn_many(many, seeds=[3]), strict=True):
        alone = learner.learn(given_, seed=3)
        np.testing.assert_allclose(together.adjacency.matrix, alone.adjacency.matrix, atol=1e-4)
        assert together.facts == alone.facts
        assert together.notes == alone.notes


@pytest.mark.parametrize(
    ("settings_", "by_rows"),
    [
        ({}, True),
        ({"dtype": "float64"}, True),
        ({"stopping": "never"}, False),
        ({"stopping": "paper"}, False),
        ({"repetitions": "random"}, False),
        ({"epsilon": 0.0}, False),
    ],
)
def test_rows_train_only_what_they_can(
    settings_: dict[str, Any], by_rows: bool, many: list[Demonstrations]
) -> None:
    learner = get_learner("do", epochs=2, **settings_)
    with mock.patch.object(
        direct_optimization, "optimise_rows", side_effect=optimise_rows
    ) as trained:
        learner.learn_many(many)
        assert trained.called == by_rows
        trained.reset_mock()
        learner.learn_many(many[: MANY_PROCEDURES - 1])
        learner.learn_many(many, seeds=[0, 1])
        assert not trained.called


def test_procedures_too_unlike_to_share_masks_do_not_train_by_rows() -> None:
    even = Demonstrations.from_steps(["abc", "bac"])
    large = Demonstrations.from_steps(["abcd", "abdc", "acbd", "acdb", "adbc", "adcb"])
    assert suit_rows(problems_of([even] * 9))
    assert not suit_rows(problems_of([*[Demonstrations.from_steps(["a"])] * 9, large]))


def test_progress_tells_of_every_epoch_and_of_what_is_learned(many: list[Demonstrations]) -> None:
    told: list[tuple[int, int, str]] = []
    optimise_rows(
        problems_of(many), Descent(0.005, 0.1, 500, 1e-6), lambda *facts: told.append(facts)
    )
    assert [done for done, _, _ in told[:-1]] == list(range(1, len(told)))
    assert told[-1] == (500, 500, "learned")
    assert told[-2][2] == "60 of 60 procedures learned"


def test_procedures_at_rest_from_the_start_need_no_epoch() -> None:
    one = Demonstrations.from_steps(["a"])
    ((weights, epochs),) = optimise_rows(problems_of([one]), Descent(0.005, 0.1, 9, 1e-6), silent)
    assert epochs == 0
    np.testing.assert_allclose(weights.sum(axis=1), [0, 1, 1])
