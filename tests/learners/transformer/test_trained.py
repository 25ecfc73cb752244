from __future__ import annotations

import json
import pickle
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from stepgraph.errors import FileError, FormatError, SettingError
from stepgraph.learners.transformer.layers import FirstWeights, LayerKind
from stepgraph.learners.transformer.model import Shape, TaskGraphTransformer
from stepgraph.learners.transformer.trained import (
    TrainedTransformer,
    first_share,
    future_share,
    load_checkpoint,
    published_first,
    published_future,
    random_matrices,
    save_checkpoint,
)
from tests.learners.transformer.test_model import network

CLIPS = np.random.default_rng(0).normal(size=(3, 6)).astype(np.float32)


def test_both_answers_to_a_question_and_its_opposite_sum_to_one() -> None:
    trained, (a, anchor, b) = TrainedTransformer(network()), CLIPS
    assert trained.order(a, b) + trained.order(b, a) == pytest.approx(1.0, abs=1e-5)
    assert trained.order(a, b) != pytest.approx(0.5, abs=1e-6)
    both = trained.future(anchor, a, b) + trained.future(anchor, b, a)
    assert both == pytest.approx(1.0, abs=1e-5)


def test_a_prediction_has_the_steps_it_was_asked_about() -> None:
    adjacency = TrainedTransformer(network()).predict(["x", "y", "z"], CLIPS)
    assert adjacency.vocabulary.steps == ("x", "y", "z")
    assert adjacency.matrix[1:].sum(axis=1) == pytest.approx(1.0)


def test_names_mean_nothing_to_a_network_without_a_sentence_model() -> None:
    with pytest.raises(SettingError, match="reads no step names"):
        TrainedTransformer(network()).order("crack egg", "whisk egg")


def test_embeddings_of_another_width_number_or_with_a_gap_are_refused() -> None:
    trained = TrainedTransformer(network())
    with pytest.raises(FormatError, match=r"shape \(5,\); this network expects \(6,\)"):
        trained.order(CLIPS[0, :5], CLIPS[1])
    with pytest.raises(FormatError, match="3 embeddings for 2 steps"):
        trained.predict(["x", "y"], CLIPS)
    with pytest.raises(FormatError, match="no finite number"):
        trained.order(CLIPS[0], np.full(6, np.nan, np.float32))
    with pytest.raises(FormatError, match="no steps"):
        trained.predict([], CLIPS[:0])
    with pytest.raises(FormatError, match="listed twice"):
        trained.predict(["x", "x"], CLIPS[:2])


VECTORS = np.arange(18, dtype=np.float32).reshape(3, 6) % 5


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "network.safetensors"
    save_checkpoint(TrainedTransformer(network(), "", ("tea",)), path)
    return path


def change_header(path: Path, **changes: object) -> None:
    with safe_open(path, framework="pt") as content:
        header = json.loads(content.metadata()["stepgraph"])
    save_file(load_file(path), path, metadata={"stepgraph": json.dumps({**header, **changes})})


def test_a_network_comes_back_as_it_was(saved: Path) -> None:
    back = load_checkpoint(saved)
    assert back.procedures == ("tea",)
    before = TrainedTransformer(network()).predict("abc", VECTORS)
    assert np.array_equal(back.predict("abc", VECTORS).matrix, before.matrix)


def test_the_same_network_gives_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    save_checkpoint(TrainedTransformer(network(), "", ("tea",)), again)
    assert again.read_bytes() == saved.read_bytes()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        load_checkpoint(tmp_path / "nothing")


def test_a_truncated_file_is_refused(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:-100])
    with pytest.raises(FormatError, match="is it whole"):
        load_checkpoint(saved)


def test_a_pickle_is_not_even_opened(tmp_path: Path) -> None:
    path = tmp_path / "network.pt"
    path.write_bytes(pickle.dumps({"weights": print}))
    with pytest.raises(FormatError, match="cannot be read as safetensors"):
        load_checkpoint(path)


def test_weights_of_somebody_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.safetensors"
    save_file({"weight": torch.zeros(2)}, path)
    with pytest.raises(FormatError, match="no network that stepgraph saved"):
        load_checkpoint(path)


def test_another_version_is_refused(saved: Path) -> None:
    change_header(saved, version=3)
    with pytest.raises(FormatError, match="version 3 of the format; this stepgraph reads 1 and 2"):
        load_checkpoint(saved)


def test_a_network_of_the_first_version_is_read(saved: Path) -> None:
    before = load_checkpoint(saved)
    names = ("features", "width", "heads", "layers", "dropout", "all_pairs_up_to")
    old = {name: getattr(before.network.shape, name) for name in names}
    change_header(saved, version=1, shape=old)
    after = load_checkpoint(saved)
    assert after.network.shape == before.network.shape
    clips = np.eye(6, dtype=np.float32)[:2]
    assert after.order(*clips) == before.order(*clips)


def test_the_second_version_needs_every_field_of_the_shape(saved: Path) -> None:
    shape = asdict(load_checkpoint(saved).network.shape)
    change_header(saved, shape={**shape, "layer": "sideways"})
    with pytest.raises(FormatError, match="layer is 'sideways'"):
        load_checkpoint(saved)
    del shape["auxiliary_token"]
    change_header(saved, shape=shape)
    with pytest.raises(FormatError, match="lacks or misstates 'auxiliary_token'"):
        load_checkpoint(saved)


def test_a_network_of_the_papers_shape_comes_back_whole(tmp_path: Path) -> None:
    shape = Shape(
        6,
        6,
        heads=1,
        all_pairs_up_to=0,
        relation_heads=2,
        feed_forward=5,
        relation_feed_forward=3,
        hidden_layers=0,
        layer=LayerKind.STANDARD,
        normalise=False,
        auxiliary_token=True,
    )
    own = TrainedTransformer(TaskGraphTransformer(shape, 1, FirstWeights.STANDARD))
    save_checkpoint(own, tmp_path / "network")
    again = load_checkpoint(tmp_path / "network")
    assert again.network.shape == shape
    clips = np.eye(6, dtype=np.float32)[:3]
    assert np.array_equal(again.matrices(clips[None]), own.matrices(clips[None]))
    assert again.order(clips[0], clips[1]) + again.order(clips[1], clips[0]) == pytest.approx(1.0)


def test_a_header_of_another_width_is_refused(saved: Path) -> None:
    change_header(saved, shape=asdict(Shape(features=6, width=16)))
    with pytest.raises(FormatError, match=r"have shape .*; by its header .* was expected"):
        load_checkpoint(saved)


@pytest.mark.parametrize(
    "size",
    ["features", "width", "layers", "feed_forward", "relation_feed_forward", "hidden_layers"],
)
def test_a_header_of_a_network_beyond_all_measure_is_refused_before_it_is_made(
    saved: Path, size: str
) -> None:
    change_header(saved, shape={**asdict(Shape(features=6, width=16)), size: 16 * 10**9})
    with pytest.raises(FormatError, match=r"the network has .* numbers or more, but the file"):
        load_checkpoint(saved)


def test_a_header_whose_procedures_are_no_list_is_refused(saved: Path) -> None:
    change_header(saved, procedures={"tea": 1})
    with pytest.raises(FormatError, match="the procedures are no list"):
        load_checkpoint(saved)


def test_a_header_without_a_shape_is_refused(saved: Path) -> None:
    change_header(saved, shape={"features": 6})
    with pytest.raises(FormatError, match="lacks or misstates 'width'"):
        load_checkpoint(saved)


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    own = network()
    with torch.no_grad():
        own.start[0] = torch.nan
    save_checkpoint(TrainedTransformer(own), tmp_path / "nan")
    with pytest.raises(FormatError, match="'start' hold values that are not finite"):
        load_checkpoint(tmp_path / "nan")


@given(seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_the_fair_answer_turns_round_when_the_question_does(seed: int) -> None:
    pairs, triplets = random_matrices(5, 4, seed), random_matrices(5, 5, seed)
    turned = pairs[:, [0, 2, 1, 3]][:, :, [0, 2, 1, 3]]
    assert np.allclose(first_share(pairs) + first_share(turned), 1.0)
    turned = triplets[:, [0, 3, 2, 1, 4]][:, :, [0, 3, 2, 1, 4]]
    assert np.allclose(future_share(triplets) + future_share(turned), 1.0)


def test_on_random_matrices_the_fair_rule_guesses_and_the_published_one_scores() -> None:
    pairs, triplets = random_matrices(3000, 4, 0), random_matrices(3000, 5, 1)
    assert abs((first_share(pairs) > 0.5).mean() - 0.5) < 0.03
    assert abs((future_share(triplets) > 0.5).mean() - 0.5) < 0.03
    assert 0.7 < published_first(pairs).mean() < 0.82
    assert 0.65 < published_future(triplets).mean() < 0.75


def test_a_step_that_needs_another_comes_after_it() -> None:
    Z = random_matrices(1, 4, 0) * 0
    Z[0, 1, 0] = Z[0, 3, 2] = 1.0
    Z[0, 2] = Z[0, 2] + Z.new_tensor([0.1, 0.9, 0.0, 0.0])
    assert first_share(Z)[0] > 0.8
    assert published_first(Z)[0]
