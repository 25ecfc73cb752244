from __future__ import annotations

import time
from statistics import fmean

import numpy as np
import pytest

from tgml.errors import SettingError
from tgml.evaluation import compare_edges
from tgml.graph import TaskGraph
from tgml.learners import get_learner
from tgml.learners.robust.pair_mixture import capacity
from tgml.postprocess import to_graph
from tgml.procedures import load_procedure, procedure_names
from tgml.sequences import Demonstrations
from tgml.synthetic import Noise, draw_demonstrations, random_procedure


def _graph(method: str, demonstrations: Demonstrations, **given: object) -> TaskGraph:
    return to_graph(get_learner(method, **given).learn(demonstrations).adjacency).graph


def test_one_wrong_recording_among_many_right_ones_changes_nothing() -> None:
    recordings = ["abcdefgh"] * 6 + ["bacdefgh", "abcdfegh"] * 3 + ["hgfedcba"]
    robust = _graph("robust", Demonstrations.from_steps(recordings))
    exact = _graph("intersection", Demonstrations.from_steps(recordings[:-1]))
    assert robust == exact
    assert _graph("intersection", Demonstrations.from_steps(recordings)) != exact


def test_the_careless_recording_is_named_and_counts_little() -> None:
    recordings = {f"good {n}": "abcdefgh" for n in range(8)} | {"bad": "hgfedcba"}
    learned = get_learner("robust").learn(Demonstrations.from_steps(recordings))
    (note,) = learned.notes
    assert note.startswith("recording 'bad' shows about 45 %")
    assert learned.facts["careless"] == 1


def test_a_skipped_step_is_no_evidence_against_its_edges() -> None:
    recordings = ["abcd", "abcd", "acbd", "acbd", "acd", "abd"]
    graph = _graph("robust", Demonstrations.from_steps(recordings))
    assert graph.preconditions_of("d") == ("b", "c")


def test_with_mistakes_it_keeps_what_trusting_learners_lose() -> None:
    scores: dict[str, list[float]] = {"robust": [], "intersection": []}
    for seed in range(4):
        truth = random_procedure(12, width=4, density=0.7, seed=seed)
        noisy = draw_demonstrations(truth, 16, seed=seed, noise=Noise.mixed(0.1))
        for method, found in scores.items():
            found.append(compare_edges(_graph(method, noisy), truth).f1)
    assert fmean(scores["robust"]) > 0.75
    assert fmean(scores["robust"]) > fmean(scores["intersection"]) + 0.2


def test_on_the_shipped_recordings_with_their_faults_it_beats_the_exact_order() -> None:
    def mean(method: str) -> float:
        return fmean(
            compare_edges(_graph(method, procedure.demonstrations), procedure.graph).f1
            for procedure in map(load_procedure, procedure_names())
        )

    assert mean("robust") > 0.9 > mean("intersection")


def test_careful_recordings_count_in_full_and_random_ones_not_at_all() -> None:
    worth = capacity(np.array([0.001, 0.01, 0.1, 0.3, 0.4999]))
    assert (np.diff(worth) < 0).all()
    assert worth[0] > 0.98
    assert worth[-1] == pytest.approx(0, abs=1e-6)


def test_must_never_and_prior_are_obeyed() -> None:
    demonstrations = Demonstrations.from_steps(["abc", "abc", "acb"])
    graph = _graph("robust", demonstrations, must=[("a", "c")], never=[("b", "a")])
    assert "c" in graph.all_preconditions_of("a")
    assert "a" not in graph.all_preconditions_of("b")


def test_a_recipe_takes_well_under_a_second() -> None:
    truth = random_procedure(25, width=6, density=0.7, seed=0)
    demonstrations = draw_demonstrations(truth, 16, seed=0, noise=Noise.mixed(0.05))
    started = time.perf_counter()
    get_learner("robust").learn(demonstrations)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("setting", ["errors", "successes"])
def test_a_setting_that_cannot_be_is_refused(setting: str) -> None:
    with pytest.raises(SettingError, match=setting):
        get_learner("robust", **{setting: -1.0})
