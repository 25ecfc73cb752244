from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from stepgraph.errors import SettingError
from stepgraph.learners import get_learner
from stepgraph.learners.tgml.direct_optimization import (
    DirectOptimization,
    first_scores,
    normal_draws,
)
from stepgraph.learners.tgml.stopping import Stopping
from stepgraph.postprocess import to_graph
from stepgraph.procedures import load_procedure, procedure_names
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations

DEMONSTRATIONS = Demonstrations.from_steps(["abcde", "bacde", "abced", "bcade"], procedure="abc")
OTHER = Demonstrations.from_steps(["xyz", "xzy"], procedure="xyz")


@pytest.mark.parametrize("name", procedure_names())
def test_it_reaches_the_exact_optimum_for_every_seed(name: str) -> None:
    clean = load_procedure(name).clean
    exact = to_graph(get_learner("intersection").learn(clean).adjacency).graph
    for learned in DirectOptimization().learn_many([clean], seeds=range(3))[0]:
        assert to_graph(learned.adjacency).graph == exact
        assert learned.facts["sequence_accuracy"] == 1.0


@pytest.mark.parametrize("stopping", ["rows", "paper", "never"])
def test_a_batch_gives_what_each_procedure_gives_alone(stopping: str) -> None:
    learner = get_learner("do", stopping=stopping, epochs=60)
    batch = learner.learn_many([DEMONSTRATIONS, OTHER], seeds=[0, 5])
    for number, demonstrations in enumerate((DEMONSTRATIONS, OTHER)):
        for place, seed in enumerate((0, 5)):
            alone = learner.learn(demonstrations, seed=seed)
            together = batch[number][place]
            np.testing.assert_allclose(together.adjacency.matrix, alone.adjacency.matrix, atol=1e-5)
            assert together.facts == alone.facts


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    first, again, other = (DirectOptimization().learn(OTHER, seed=seed) for seed in (1, 1, 2))
    assert first.adjacency.matrix.tobytes() == again.adjacency.matrix.tobytes()
    assert first.adjacency.matrix.tobytes() != other.adjacency.matrix.tobytes()


def test_a_row_that_agrees_with_every_sequence_from_the_start_never_moves() -> None:
    # 'e' and 'd' come last in turns, so END always agrees, whatever it needs.
    learner = DirectOptimization(spread=0.0)
    row = learner.learn(DEMONSTRATIONS).adjacency.matrix[-1]
    np.testing.assert_allclose(row[:-1], 1 / 6, atol=1e-7)


def test_impossible_edges_weigh_nothing_and_rows_sum_to_one() -> None:
    matrix = DirectOptimization().learn(DEMONSTRATIONS).adjacency.matrix
    assert not np.diag(matrix).any()
    assert not matrix[0].any()
    assert not matrix[:, -1].any()
    np.testing.assert_allclose(matrix[1:].sum(axis=1), 1, atol=1e-6)


def test_more_epochs_than_needed_concentrate_rows_and_lose_edges() -> None:
    procedure = load_procedure("picnic-basket")
    choices: list[dict[str, Any]] = [{}, {"stopping": "never", "epochs": 1000}]
    graphs = [
        to_graph(get_learner("do", **settings).learn(procedure.clean).adjacency).graph
        for settings in choices
    ]
    missing = [len(set(procedure.graph.edges) - set(graph.edges)) for graph in graphs]
    assert missing[0] < missing[1]


def test_the_papers_stopping_waits_for_its_patience() -> None:
    short = get_learner("do", stopping="paper", patience=2).learn(DEMONSTRATIONS)
    long = get_learner("do", stopping="paper", patience=40).learn(DEMONSTRATIONS)
    assert long.facts["epochs"] >= short.facts["epochs"] + 38


def test_the_training_curve_falls_and_has_a_loss_for_every_epoch() -> None:
    learner = DirectOptimization(stopping=Stopping.NEVER, epochs=20)
    curve = learner.training_curve(DEMONSTRATIONS)
    assert len(curve.values) == 20
    assert curve.values[-1] < curve.values[0]
    resting = DirectOptimization().training_curve(DEMONSTRATIONS)
    assert resting.values[0] == pytest.approx(curve.values[0])


def test_without_patience_the_papers_stopping_ends_at_once() -> None:
    at_once = get_learner("do", stopping="paper", patience=0).learn(DEMONSTRATIONS)
    patient = get_learner("do", stopping="paper", patience=1).learn(DEMONSTRATIONS)
    assert 0 < at_once.facts["epochs"] < patient.facts["epochs"]
    assert at_once.facts["sequence_accuracy"] >= 0.95


def test_progress_ends_at_its_total() -> None:
    told: list[tuple[int, int]] = []
    DirectOptimization().learn_many(
        [OTHER],
        progress=lambda done, total, what: told.append((done, total)),  # noqa: ARG005
    )
    assert told[-1][0] == told[-1][1]


def test_random_repetitions_are_drawn_anew_each_epoch_and_follow_the_seed() -> None:
    repeating = Demonstrations.from_steps(["abcad", "abcd", "abdc"])
    learner = get_learner("do", repetitions="random", stopping="never", epochs=15)
    one, same, other = (learner.learn(repeating, seed=seed).adjacency for seed in (0, 0, 1))
    assert np.array_equal(one.matrix, same.matrix)
    assert not np.array_equal(one.matrix, other.matrix)
    both = learner.learn_many([repeating], seeds=[0, 1])[0]
    assert np.array_equal(both[0].adjacency.matrix, one.matrix)
    assert np.array_equal(both[1].adjacency.matrix, other.matrix)


def test_random_repetitions_lead_to_the_order_that_holds_in_every_draw() -> None:
    repeating = Demonstrations.from_steps(["abcad", "abcd", "abdc"])
    drawn = get_learner("do", repetitions="random").learn(repeating)
    exact = get_learner("intersection", repetitions="expand").learn(repeating)
    assert to_graph(drawn.adjacency).graph == to_graph(exact.adjacency).graph


def test_it_needs_no_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; import stepgraph\n"
        "recordings = stepgraph.load_procedure('pancakes').clean\n"
        "print(len(stepgraph.learn(recordings, method='do').edges))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(ran.stdout) > 0


@pytest.mark.parametrize("seed", [0, 1, 42, 2**33 + 5, -3])
@pytest.mark.parametrize("size", [4, 5, 7, 16, 17])
def test_first_draws_are_those_of_torch(size: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    theirs = torch.randn((size, size), generator=generator, dtype=torch.float64)
    ours = normal_draws(size * size, seed).reshape(size, size)
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-12, atol=1e-14)


def test_the_spread_is_that_of_a_row_of_so_many_nodes() -> None:
    for size in (20, 80):
        scores = first_scores(normal_draws(size * size, 3).reshape(size, size), 0.1)
        drawn = scores[np.isfinite(scores)]
        assert 0.9 < float(drawn.std()) * size / 0.1 < 1.1
        assert abs(float(drawn.mean())) < 0.1 / size


def test_without_spread_every_possible_edge_starts_even() -> None:
    scores = first_scores(np.ones((5, 5)), 0.0)
    assert set(scores.ravel().tolist()) == {0.0, -np.inf}
    assert int((scores == 0.0).sum()) == 4 * 4 - 3  # rows 1 to 4, columns 0 to 3, no node itself


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"beta": -1.0}, "beta"),
        ({"beta": float("nan")}, "beta"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"epochs": 0}, "epochs"),
        ({"stopping": "soon"}, "rows, paper, never"),
        ({"patience": -1}, "patience"),
        ({"repetitions": "some"}, "first, last, expand, random"),
        ({"epochs": "many"}, "epochs"),
        ({"beta": "small"}, "beta"),
    ],
)
def test_a_setting_with_an_impossible_value_is_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        get_learner("do", **settings)


def test_drawn_sequences_count_by_their_weight() -> None:
    plain = Demonstrations.from_steps(["abcd", "bacd"])
    one, two = plain.sequences
    weighted = replace(plain, sequences=(replace(one, weight=3.0), two))
    copies = (one, replace(one, id="copy"), replace(one, id="another"), two)
    learner = DirectOptimization(repetitions=Repetitions.RANDOM, epochs=5, stopping=Stopping.NEVER)
    by_weight = learner.learn(weighted).adjacency.matrix
    by_copies = learner.learn(replace(plain, sequences=copies)).adjacency.matrix
    assert np.allclose(by_weight, by_copies, atol=1e-5)
    assert not np.allclose(by_weight, learner.learn(plain).adjacency.matrix, atol=1e-5)
