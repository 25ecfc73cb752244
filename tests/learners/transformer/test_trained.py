from __future__ import annotations

import numpy as np
import pytest

from stepgraph.errors import FormatError, SettingError
from stepgraph.learners.transformer.trained import TrainedTransformer
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
