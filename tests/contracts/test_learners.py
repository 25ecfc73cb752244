"""What every learner promises, whichever it is."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepgraph.errors import UnknownNameError
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.learners import LEARNERS, Learner, get_learner
from stepgraph.postprocess import to_graph
from stepgraph.sequences import Demonstrations, Vocabulary

pytestmark = pytest.mark.parametrize(
    "name", [name for name, entry in LEARNERS.items() if not entry.needs_files]
)


def _brief(name: str) -> Learner:
    """Return a learner for what holds whether or not a slow one has learned to the end."""
    brief: dict[str, Any] = {} if LEARNERS[name].quick else {"epochs": 15}
    return get_learner(name, **brief)


RECORDINGS = st.lists(st.text(alphabet="abcde", min_size=1, max_size=8), min_size=1, max_size=5)


@given(recordings=RECORDINGS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
def test_any_recordings_give_weights_that_make_a_task_graph(
    name: str, recordings: list[str]
) -> None:
    demonstrations = Demonstrations.from_steps(recordings)
    learned = _brief(name).learn(demonstrations)
    assert isinstance(learned.adjacency, WeightedAdjacency)
    assert learned.adjacency.vocabulary == demonstrations.vocabulary
    graph = to_graph(learned.adjacency).graph
    assert set(graph.steps) == set(demonstrations.vocabulary.steps)


def test_the_same_input_and_seed_give_the_same_bytes(name: str) -> None:
    demonstrations = Demonstrations.from_steps(["abcd", "bacd", "abdc"])
    one, two = (get_learner(name).learn(demonstrations, seed=7) for _ in range(2))
    assert one.adjacency.matrix.tobytes() == two.adjacency.matrix.tobytes()
    assert one.notes == two.notes


def test_many_procedures_at_once_give_the_graphs_of_each_alone(name: str) -> None:
    procedures = [
        Demonstrations.from_steps(["abcd", "bacd"], procedure="one"),
        Demonstrations.from_steps(["xy"], procedure="two"),
    ]
    learner = get_learner(name)
    together = learner.learn_many(procedures, seeds=[0, 1])
    assert [len(row) for row in together] == [2, 2]
    for demonstrations, row in zip(procedures, together, strict=True):
        for seed, learned in enumerate(row):
            alone = learner.learn(demonstrations, seed=seed)
            assert to_graph(learned.adjacency).graph == to_graph(alone.adjacency).graph


def test_the_input_is_left_as_it_was(name: str) -> None:
    demonstrations = Demonstrations.from_steps(["abcad", "bacd"])
    before = pickle.dumps(demonstrations)
    get_learner(name).learn(demonstrations)
    assert pickle.dumps(demonstrations) == before


def test_a_single_demonstration_gives_its_chain(name: str) -> None:
    graph = to_graph(get_learner(name).learn(Demonstrations.from_steps(["abc"])).adjacency).graph
    assert graph.preconditions_of("c") == ("b",)
    assert graph.preconditions_of("b") == ("a",)


def test_a_single_step_gives_a_graph_of_one_step(name: str) -> None:
    graph = to_graph(get_learner(name).learn(Demonstrations.from_steps(["a"])).adjacency).graph
    assert graph.edges == (("a", "START"), ("END", "a"))


def test_duplicate_recordings_change_nothing(name: str) -> None:
    learner = get_learner(name)
    once = learner.learn(Demonstrations.from_steps(["abcd", "bacd"]))
    twice = learner.learn(Demonstrations.from_steps(["abcd", "bacd", "abcd", "abcd"]))
    assert to_graph(once.adjacency).graph == to_graph(twice.adjacency).graph


def test_a_step_that_no_recording_shows_needs_only_start(name: str) -> None:
    words = Vocabulary(("a", "b", "never"))
    learned = get_learner(name).learn(Demonstrations.from_steps(["ab"], vocabulary=words))
    row = learned.adjacency.matrix[words.node("never")]
    assert np.flatnonzero(row).tolist() == [0]


def test_its_settings_are_frozen_fields_with_defaults_and_a_description(name: str) -> None:
    learner = get_learner(name)
    with pytest.raises(dataclasses.FrozenInstanceError):
        learner.repetitions = "last"  # type: ignore[misc, assignment]
    documentation = type(learner).__doc__ or ""
    own = [f for f in dataclasses.fields(learner) if f.name in type(learner).__annotations__]
    for field in own:
        assert field.name in documentation, f"{field.name} is not described"


def test_it_says_its_own_name_and_refuses_unknown_settings(name: str) -> None:
    assert get_learner(name).name == name
    with pytest.raises(UnknownNameError, match="repetitions"):
        get_learner(name, repetition="first")


@given(
    recordings=st.lists(st.text(alphabet="abcde", min_size=1, max_size=6), min_size=1, max_size=4),
    weights=st.lists(st.integers(1, 4), min_size=4, max_size=4),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
def test_weights_equal_repetition(name: str, recordings: list[str], weights: list[int]) -> None:
    plain = Demonstrations.from_steps(recordings)
    weighted = dataclasses.replace(
        plain,
        sequences=tuple(
            dataclasses.replace(sequence, weight=weight)
            for sequence, weight in zip(plain, weights, strict=False)
        ),
    )
    repeated = dataclasses.replace(
        plain,
        sequences=tuple(
            dataclasses.replace(sequence, id=f"{sequence.id}, copy {copy}")
            for sequence, weight in zip(plain, weights, strict=False)
            for copy in range(weight)
        ),
    )
    learner = _brief(name)
    by_weight, by_copies = learner.learn(weighted).adjacency, learner.learn(repeated).adjacency
    assert np.allclose(by_weight.matrix, by_copies.matrix, rtol=1e-9, atol=1e-12)
    assert to_graph(by_weight).graph == to_graph(by_copies).graph


def test_recordings_that_weigh_alike_give_the_graph_of_one_of_each(name: str) -> None:
    plain = Demonstrations.from_steps(["abcd", "bacd"])
    heavy = dataclasses.replace(
        plain, sequences=tuple(dataclasses.replace(one, weight=1e9) for one in plain)
    )
    learner = get_learner(name)
    assert (
        to_graph(learner.learn(heavy).adjacency).graph
        == to_graph(learner.learn(plain).adjacency).graph
    )


def test_a_training_curve_has_a_finite_figure_for_each_round(name: str) -> None:
    demonstrations = Demonstrations.from_steps(["abcd", "bacd", "abdc"])
    curve = _brief(name).training_curve(demonstrations, seed=7)
    if curve is None:
        return
    assert curve.what
    assert curve.rounds
    assert np.isfinite(curve.values).all()
    # The transformer's loss changes while it trains, as its rows may become less even.
    assert curve.values[-1] <= curve.values[0] or not LEARNERS[name].quick
    assert _brief(name).training_curve(demonstrations, seed=7) == curve


def test_random_repetitions_are_drawn_by_the_seed_alone_and_together(name: str) -> None:
    demonstrations = Demonstrations.from_steps(["abac", "bcab"])
    brief: dict[str, Any] = {} if LEARNERS[name].quick else {"epochs": 5}
    learner = get_learner(name, repetitions="random", **brief)
    (together,) = learner.learn_many([demonstrations], seeds=range(4))
    for seed, learned in enumerate(together):
        alone = learner.learn(demonstrations, seed=seed).adjacency.matrix
        np.testing.assert_allclose(learned.adjacency.matrix, alone, atol=1e-6)
