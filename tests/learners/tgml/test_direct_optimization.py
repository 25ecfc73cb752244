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
    _Task,
    normal_draws,
    possible_scores,
    uniform_draws,
)
from stepgraph.learners.tgml.stopping import Stopping
from stepgraph.pipeline import LearningOptions, learn_together
from stepgraph.postprocess import to_graph
from stepgraph.procedures import load_procedure, procedure_names
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations, Vocabulary

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
        scores = possible_scores(normal_draws(size * size, 3).reshape(size, size) * 0.1 / size)
        drawn = scores[np.isfinite(scores)]
        assert 0.9 < float(drawn.std()) * size / 0.1 < 1.1
        assert abs(float(drawn.mean())) < 0.1 / size


def test_without_spread_every_possible_edge_starts_even() -> None:
    scores = possible_scores(np.zeros((5, 5)))
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


@pytest.mark.parametrize("seed", [0, 42])
def test_the_papers_preset_trains_like_its_equations_with_a_token_before_start(seed: int) -> None:
    recordings = Demonstrations.from_steps(["abcd", "bacd", "acbd", "abc"])
    epochs = 12
    learner = get_learner("do", preset="paper", stopping="never", epochs=epochs)
    Z = learner.learn(recordings, seed=seed).adjacency.matrix

    # token, START, a to d, END; the token after END only takes part in the first draws
    scores = torch.rand(8, 8, generator=torch.Generator().manual_seed(seed))[:7, :7]
    impossible = torch.eye(7, dtype=torch.bool)
    impossible[0] = impossible[:, 6] = True
    impossible[1, 1:] = True
    scores = scores.double().requires_grad_()
    optimizer = torch.optim.Adam([scores], lr=0.1)
    sequences = [(0, 1, *(step + 1 for step in recording.steps), 6) for recording in recordings]
    for _ in range(epochs):
        weights = torch.softmax(scores.masked_fill(impossible, -1e9), -1)
        loss = torch.zeros(())
        for y in sequences:
            for place, node in enumerate(y[1:], start=1):
                observed = list(y[:place])
                others = [h for h in range(1, 7) if h not in observed]
                favourable = weights[node, observed].sum()
                possible = weights[others][:, observed].sum()
                loss = loss - (favourable + 1e-6).log() + 0.005 * (possible + 1e-6).log()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    expected = torch.softmax(scores.detach().masked_fill(impossible, -1e9), -1)[1:, 1:]
    assert Z[1:] == pytest.approx(expected[1:].numpy(), abs=1e-6)


def test_first_scores_of_the_preset_are_uniform_and_those_of_torch() -> None:
    drawn = torch.rand(50, generator=torch.Generator().manual_seed(7)).double().numpy()
    assert np.array_equal(uniform_draws(50, 7), drawn)


def test_weight_on_the_token_before_start_is_lost() -> None:
    recordings = Demonstrations.from_steps(["ab", "ba"])
    rows = get_learner("do", preset="paper").learn(recordings).adjacency.matrix[1:].sum(axis=1)
    assert (rows < 1).all()
    assert (rows > 0).all()


def test_the_preset_for_noisy_recordings_counts_unseen_steps_in_the_threshold() -> None:
    words = Vocabulary(("a", "b", "c", "never", "nowhere"))
    recordings = Demonstrations.from_steps(["abc", "abac", "bcab"], vocabulary=words)
    options = LearningOptions("do", preset="paper-assembly101-o", seed=42)
    (learning,) = learn_together([recordings], options)
    assert learning.graph.steps == ("a", "b", "c")
    assert learning.graph.provenance.relaxed
    expected = to_graph(learning.adjacency, threshold=1 / 7, relaxed=True)
    assert learning.graph.edges == expected.graph.edges


@pytest.mark.parametrize(
    ("epoch", "counts"), [(40, False), (41, True)], ids=["before", "from then on"]
)
def test_cycles_are_broken_from_the_epoch_of_the_preset_on(epoch: int, counts: bool) -> None:
    learner = get_learner("do", preset="paper-epic-tent-o")
    assert isinstance(learner, DirectOptimization)
    task = _Task(learner, Demonstrations.from_steps(["ab", "ba"]), 0)
    Z = np.zeros((5, 5))
    Z[2, 3], Z[3, 2], Z[4, 2] = 0.9, 0.8, 1.0
    edges = task._edges(epoch, Z)
    assert (edges is not None) == counts
