from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stepgraph.errors import FormatError, SettingError
from stepgraph.evaluation import compare_edges
from stepgraph.learners import LEARNERS, get_learner
from stepgraph.learners.transformer.trained import load_checkpoint
from stepgraph.postprocess import to_graph
from stepgraph.procedures import load_procedure
from stepgraph.sequences import Demonstrations
from tests.learners.transformer.test_embedding_files import TEA, write_released

EGGS = Demonstrations.from_steps(
    [["crack egg", "whisk egg", "heat pan", "fry"], ["heat pan", "crack egg", "whisk egg", "fry"]],
    procedure="eggs",
)
TOAST = Demonstrations.from_steps([["slice bread", "toast bread", "butter it"]], procedure="toast")


def test_a_procedure_that_ships_is_learned_as_the_recordings_have_it() -> None:
    procedure = load_procedure("change-a-dressing")
    learned = get_learner("tgt-text").learn(procedure.clean, seed=3)
    exact = get_learner("intersection").learn(procedure.clean)
    graph, expected = (to_graph(one.adjacency).graph for one in (learned, exact))
    assert compare_edges(graph, expected).f1 == 1.0
    assert learned.facts["agrees"] == 1.0


def test_one_network_learns_several_procedures_and_can_be_asked_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "network"
    learner = get_learner("tgt-text", unified=True, save_model=str(path))
    rows = learner.learn_many([EGGS, TOAST])
    for given, (learned,) in zip([EGGS, TOAST], rows, strict=True):
        (exact,) = get_learner("intersection").learn_many([given])[0]
        edges = [set(to_graph(one.adjacency).graph.edges) for one in (learned, exact)]
        assert edges[0] == edges[1]
    trained = load_checkpoint(path)
    assert trained.procedures == ("eggs", "toast")
    again = trained.predict(TOAST.vocabulary.steps)
    assert np.allclose(again.matrix, rows[1][0].adjacency.matrix, atol=1e-5)
    assert set(to_graph(trained.predict(["boil water", "steep tea"])).graph.steps) == {
        "boil water",
        "steep tea",
    }


def test_one_file_cannot_hold_several_networks(tmp_path: Path) -> None:
    learner = get_learner("tgt-text", save_model=str(tmp_path / "network"))
    with pytest.raises(SettingError, match="2 networks are to be trained"):
        learner.learn_many([EGGS, TOAST])
    assert not list(tmp_path.iterdir())


def test_a_users_own_embeddings_are_used(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    vectors = np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32)
    np.savez(path, steps=np.array(EGGS.vocabulary.steps), embeddings=vectors)
    learner = get_learner("tgt-text", embeddings=str(path), save_model=str(tmp_path / "network"))
    learner.learn(EGGS)
    trained = load_checkpoint(tmp_path / "network")
    assert (trained.network.shape.features, trained.sentence_model) == (5, "")
    with pytest.raises(FormatError, match=r"procedure 'toast': no embedding of the step"):
        learner.learn(TOAST)


def test_videos_are_learned_from(tmp_path: Path) -> None:
    write_released(tmp_path)
    ordered = Demonstrations(TEA.vocabulary, TEA.sequences[0::2], "tea")
    learned = get_learner("tgt-video", features=str(tmp_path)).learn(ordered)
    assert to_graph(learned.adjacency).graph.preconditions_of("b") == ("a",)


def test_the_released_features_have_texts_too(tmp_path: Path) -> None:
    write_released(tmp_path)
    learner = get_learner("tgt-text", embeddings=str(tmp_path))
    ((a, b),) = learner.views([TEA])  # type: ignore[attr-defined]
    assert (a.shape, a[0, 0], b[0, 0]) == ((1, 4), 1.5, 2.5)


def test_videos_without_a_folder_are_refused() -> None:
    with pytest.raises(SettingError, match="features=FOLDER"):
        get_learner("tgt-video").learn(TEA)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"subsets": 1.5}, "subsets is 1.5; expected a share from 0 to 1"),
        ({"epochs": -1}, "epochs is -1"),
        ({"heads": 5}, "heads is 5"),
        ({"device": "abacus"}, "device 'abacus' cannot be used"),
        ({"learning_rate": 0}, "learning_rate is 0"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        get_learner("tgt-text", **settings)


def test_methods_say_what_keeps_them_out_of_a_benchmark() -> None:
    slow = {name for name, entry in LEARNERS.items() if not entry.quick}
    assert slow == {"tgt-text", "tgt-video"}
    assert {name for name, entry in LEARNERS.items() if entry.reads_names} == {"tgt-text", "llm"}
