from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.generators import draw_problems
from stepgraph.evaluation import calibration_error
from stepgraph.graph.adjacency import closure, reduction
from stepgraph.learners import get_learner
from stepgraph.learners.robust.confidence import (
    LARGEST,
    WEIGHTS,
    Place,
    confidence,
    features,
    places,
)
from stepgraph.learners.robust.demonstrators import Demonstrators, Recordings
from stepgraph.learners.robust.search import pair_log_odds, toggled
from stepgraph.postprocess import to_graph
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import END, START, Demonstrations

BoolMatrix = NDArray[np.bool_]


def test_every_pair_of_different_nodes_has_one_place() -> None:
    order = np.zeros((5, 5), dtype=bool)
    order[2, 1] = order[3, 2] = True
    found = places(closure(order))
    total = sum(where.astype(int) for where in found.values())
    assert np.array_equal(total, 1 - np.eye(5, dtype=int))
    assert found[Place.IMPLIED][3, 1]
    assert found[Place.REVERSED][1, 3]
    assert found[Place.ABSENT][4, 1]


def _problem(seed: int) -> tuple[Recordings, Demonstrators, BoolMatrix]:
    """Return recordings of up to five steps, the people behind them, and an order."""
    rng = random.Random(seed)
    names = "abcde"[: rng.randint(2, 5)]
    orders = [rng.sample(names, rng.randint(1, len(names))) for _ in range(rng.randint(1, 4))]
    demonstrations = Demonstrations.from_steps([*orders, names])
    recordings = Recordings.of(demonstrations, Repetitions.FIRST, 0)
    order = np.zeros((recordings.size, recordings.size), dtype=bool)
    for pair in itertools.combinations(range(len(names), 0, -1), 2):
        order[pair] = rng.random() < 0.4
    people = Demonstrators(
        recordings.sequences, recordings.weights, recordings.size, errors=2.0, successes=20.0
    )
    order = closure(order)
    people.fit(order, rng.randint(1, 5))
    return recordings, people, order


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_features_are_what_the_recordings_say_of_each_pair(seed: int) -> None:
    recordings, people, order = _problem(seed)
    found = features(recordings, people, order)
    rates = np.clip(people.rates, 5e-4, 0.45)
    held = np.zeros(order.shape)
    for steps, slips, weight in zip(
        people.sequences, people.slips(order), people.weights, strict=True
    ):
        for (one, slip_one), (other, slip_other) in itertools.combinations(
            zip(steps, slips, strict=False), 2
        ):
            held[other, one] += weight * (1 - slip_one) * (1 - slip_other)
    forward = ~order.T
    assert (found[..., 0] == 1).all()
    odds = np.clip(pair_log_odds(recordings, rates), -LARGEST, LARGEST)
    assert found[..., 1] == pytest.approx(odds * forward)
    assert found[..., 3] == pytest.approx(np.log(1 + held))
    assert found[..., 4] == pytest.approx(np.log(1 + held.T))
    assert found[..., 5] == pytest.approx(np.log(1 + people.adjacent(order)) * forward)
    mean = (rates * people.weights).sum() / people.weights.sum()
    assert found[..., 6] == pytest.approx(np.full(order.shape, np.log(mean)))


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_the_gain_of_a_pair_is_what_the_recordings_lose_without_it(seed: int) -> None:
    recordings, people, order = _problem(seed)
    gains = features(recordings, people, order)[..., 2]
    here, direct = people.log_likelihood(order), reduction(order)
    for step, needed in itertools.product(range(recordings.size), repeat=2):
        expected = 0.0
        shown = recordings.before[step, needed] > 0 and not order[needed, step]
        if direct[step, needed] or (shown and not order[step, needed]):
            other = toggled(order, step, needed)
            if other is not None:
                there = people.log_likelihood(other)
                expected = here - there if order[step, needed] else there - here
        assert gains[step, needed] == pytest.approx(np.clip(expected, -LARGEST, LARGEST))


@pytest.mark.parametrize("trials", [0, 1, 2])
def test_gains_are_looked_for_as_long_as_the_budget_lasts(
    trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    recordings = Recordings.of(Demonstrations.from_steps(["abcd"]), Repetitions.FIRST, 0)
    people = Demonstrators(recordings.sequences, recordings.weights, 6, errors=2.0, successes=20.0)
    monkeypatch.setattr("stepgraph.learners.robust.confidence.TRIALS", trials * people.cost + 1)
    gains = features(recordings, people, np.zeros((6, 6), dtype=bool))[..., 2]
    assert np.count_nonzero(gains) == trials


def test_nobody_is_taken_to_err_more_often_than_not() -> None:
    recordings, people, order = _problem(0)
    people.rates = np.full(len(people.rates), 0.45)
    expected = features(recordings, people, order)[..., [1, 6]]
    people.rates = np.full(len(people.rates), 0.9)
    assert features(recordings, people, order)[..., [1, 6]] == pytest.approx(expected)


def test_what_a_hundred_recordings_show_counts_as_what_twenty_four_show() -> None:
    few, many = (
        Recordings.of(Demonstrations.from_steps(["abc"] * count), Repetitions.FIRST, 0)
        for count in (100, 10_000)
    )
    chain = closure(np.diag([False, True, True, False], -1))
    found = []
    for recordings in (few, many):
        people = Demonstrators(
            recordings.sequences, recordings.weights, 5, errors=2.0, successes=20.0
        )
        found.append(features(recordings, people, chain))
    for one in found:
        assert one[2, 1, [3, 5]] == pytest.approx([math.log(25), math.log(25)])
        assert one[1, 2, 4] == pytest.approx(math.log(25))
    assert found[1][2, 1, [1, 2]].tolist() == [LARGEST, LARGEST]


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_a_pair_is_as_probable_as_the_regression_of_its_place_says(seed: int) -> None:
    recordings, people, order = _problem(seed)
    found = features(recordings, people, order)
    sure = confidence(recordings, people, order)

    def regression(pair: tuple[int, int], weights: tuple[float, ...]) -> float:
        return 1 / (1 + math.exp(-sum(found[pair] * weights)))

    for place, where in places(order).items():
        for step, needed in np.argwhere(where):
            pair = (int(step), int(needed))
            if recordings.before[pair] + recordings.before.T[pair]:
                expected = regression(pair, WEIGHTS[place])
            else:
                expected = 0.5 if order[pair] else 0.0
            assert sure.pairs[pair] == pytest.approx(expected)
            edge = min(regression(pair, WEIGHTS["edge"]), sure.pairs[pair])
            assert sure.edges[pair] == pytest.approx(edge if place == Place.DIRECT else 0.0)


def test_of_steps_that_nobody_did_both_the_order_is_all_that_is_known() -> None:
    recordings = Recordings.of(Demonstrations.from_steps(["ab", "cd"]), Repetitions.FIRST, 0)
    people = Demonstrators(recordings.sequences, recordings.weights, 6, errors=2.0, successes=20.0)
    order = np.zeros((6, 6), dtype=bool)
    order[3, 1] = True
    sure = confidence(recordings, people, order)
    assert (sure.pairs[3, 1], sure.pairs[1, 3], sure.pairs[4, 1]) == (0.5, 0.0, 0.0)


def test_on_procedures_it_was_not_fitted_on_edges_are_as_often_right_as_it_says() -> None:
    said, right = [], []
    for demonstrations, truth in draw_problems(range(20_000, 20_030)):
        graph = to_graph(get_learner("robust").learn(demonstrations).adjacency).graph
        for edge, weight in graph.weights.items():
            if START not in edge and END not in edge:
                said.append(weight)
                right.append(edge in truth.edges)
    assert len(said) > 250
    assert calibration_error(said, right) < 0.1  # 0.025 on 200 procedures, more on fewer
