from __future__ import annotations

import pytest

from stepgraph.errors import InputError, LearningWarning
from stepgraph.learners.tgml.direct_optimization import DirectOptimization
from stepgraph.pipeline import LearningOptions, learn, learn_together
from stepgraph.sequences import Demonstrations


def test_a_preset_gives_its_settings_and_the_graph_keeps_them() -> None:
    recordings = Demonstrations.from_steps(["abc", "bac"])
    graph = learn(recordings, "do", preset="paper")
    known = graph.provenance.settings
    assert (known["stopping"], known["first_scores"], known["patience"]) == ("paper", "uniform", 25)
    again = LearningOptions.of_graph(graph)
    assert next(learn_together([recordings], again)).graph.edges == graph.edges


def test_a_setting_overrules_the_preset_and_a_warning_says_so() -> None:
    recordings = Demonstrations.from_steps(["abc", "bac"])
    with pytest.warns(LearningWarning, match="preset 'paper': beta is 0.1; the preset has 0.005"):
        graph = learn(recordings, "do", preset="paper", beta=0.1)
    assert graph.provenance.settings["beta"] == 0.1
    assert graph.provenance.settings["stopping"] == "paper"


def test_a_setting_that_the_preset_has_too_needs_no_note() -> None:
    options = LearningOptions("do", {"beta": 0.005}, preset="paper")
    assert options.notes() == []


@pytest.mark.parametrize(
    ("method", "preset", "message"),
    [
        ("do", "papr", "the method 'do': unknown preset 'papr'; did you mean 'paper'"),
        ("robust", "paper", "the method 'robust' has no presets, so preset 'paper' cannot be used"),
    ],
)
def test_a_preset_that_does_not_exist_is_refused(method: str, preset: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        LearningOptions(method, preset=preset)


def test_the_relaxed_rule_reaches_the_learner_that_stops_by_it() -> None:
    learner = LearningOptions("do", relaxed=True).learner()
    assert isinstance(learner, DirectOptimization)
    assert learner.relaxed
    assert LearningOptions("intersection", relaxed=True).learner().name == "intersection"
