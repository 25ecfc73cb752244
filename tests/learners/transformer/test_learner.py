from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

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
        ({"width": -1}, "width is -1; expected a whole number from 0 on"),
        ({"width": 0, "heads": 3}, "heads is 3"),
        ({"warm_up": 0.5}, "warm_up is 0.5; expected a whole number"),
        ({"lowest_rate": 1.5}, "lowest_rate is 1.5; expected a share from 0 to 1"),
        ({"clipping": -1.0}, "clipping is -1.0; expected a number from 0 on"),
        ({"beta_schedule": "steep"}, "beta_schedule is 'steep'; expected one of linear, compound"),
        ({"beta_every": 0}, "beta_every is 0"),
        ({"epsilon": "small"}, "epsilon is 'small'"),
        ({"summed": "yes"}, "summed is 'yes'; expected True or False"),
        ({"stop_below": 1.1}, "stop_below is 1.1; expected a share"),
        ({"stop_above": 0.7}, "stop_below is 0.0 and stop_above 0.7"),
        ({"break_cycles_from": -1}, "break_cycles_from is -1"),
        ({"relaxed": 1}, "relaxed is 1; expected True or False"),
        ({"together": -1}, "together is -1"),
        ({"first_weights": "odd"}, "first_weights is 'odd'; expected one of even, standard"),
        ({"layer": "odd"}, "layer is 'odd'; expected one of pre-norm, standard"),
        ({"relation_heads": 3}, "relation_heads is 3"),
        ({"all_pairs_up_to": -1}, "all_pairs_up_to is -1"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        get_learner("tgt-text", **settings)


def test_methods_say_what_keeps_them_out_of_a_benchmark() -> None:
    slow = {name for name, entry in LEARNERS.items() if not entry.quick}
    assert slow == {"tgt-text", "tgt-video"}
    assert {name for name, entry in LEARNERS.items() if entry.reads_names} == {"tgt-text", "llm"}


@pytest.mark.parametrize("name", ["tgt-text", "tgt-video"])
def test_the_papers_settings_are_those_of_its_tables(name: str) -> None:
    tables = {
        "paper": (1e-6, 3000, 1.0, 0.05, 0.25),
        "paper-epic-tent-o": (1.5e-5, 1200, 1.0, 0.55, 0.1),
        "paper-assembly101-o": (1e-6, 1200, 1.0, 0.55, 0.1),
    }
    assert list(LEARNERS[name].load().presets) == list(tables)
    columns = ("learning_rate", "epochs", "beta", "final_beta", "dropout")
    for preset, values in tables.items():
        learner = get_learner(name, preset=preset)
        assert tuple(getattr(learner, column) for column in columns) == values
        relaxed = asdict(learner)["relaxed"]
        assert relaxed == (preset != "paper"), "for noisy recordings alone"


def test_each_departure_from_the_paper_is_a_setting_with_a_reason() -> None:
    kind = LEARNERS["tgt-text"].load()
    defaults = get_learner("tgt-text")
    differing = {
        setting
        for preset in kind.presets.values()
        for setting, value in preset.settings.items()
        if getattr(defaults, setting) != value
    }
    assert differing - {"break_cycles_from"} == set(kind.departures), "it is of a data set"


def test_the_papers_network_has_the_width_of_the_embeddings_and_learns(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    vectors = np.random.default_rng(0).normal(size=(4, 8)).astype(np.float32)
    np.savez(path, steps=np.array(EGGS.vocabulary.steps), embeddings=vectors)
    learner = get_learner(
        "tgt-text",
        preset="paper",
        embeddings=str(path),
        feed_forward=8,
        relation_feed_forward=8,
        learning_rate=0.001,
        epochs=60,
        relaxed=True,
    )
    curve = learner.training_curve(EGGS, seed=1)
    assert curve is not None
    assert len(curve.values) == 60, "nothing stops it early"
    assert curve.values[-1] < curve.values[0]
    (network,) = learner.networks([EGGS], seed=1)  # type: ignore[attr-defined]
    assert (network.shape.width, network.project) == (8, None)
    assert learner.learn(EGGS, seed=1).adjacency.relaxed
