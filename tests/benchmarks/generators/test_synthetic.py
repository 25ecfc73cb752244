from __future__ import annotations

import benchmarks.generators
from benchmarks.generators import Demonstrator, Noise, draw_demonstrations, random_procedure
from stepgraph.learners import get_learner
from stepgraph.postprocess import to_graph


def test_clean_demonstrations_are_complete_valid_and_marked_as_right() -> None:
    graph = random_procedure(9, width=3, density=0.3, seed=0)
    demonstrations = draw_demonstrations(graph, 20, seed=0)
    assert demonstrations.vocabulary == graph.vocabulary
    assert demonstrations.procedure == graph.procedure
    for recording in demonstrations:
        assert sorted(recording.steps) == list(range(1, 10))
        assert graph.is_valid(demonstrations.names(recording), complete=True)
        assert recording.mistakes == (None,) * 9


def test_noise_disturbs_the_same_orders_that_are_drawn_without_it() -> None:
    graph = random_procedure(9, width=3, density=0.3, seed=0)
    clean = draw_demonstrations(graph, 20, seed=1)
    skipping = draw_demonstrations(graph, 20, seed=1, noise=Noise(Demonstrator(skipped=0.3)))
    for whole, rest in zip(clean, skipping, strict=True):
        assert [step for step in whole.steps if step not in rest.skipped] == list(rest.steps)


def test_recordings_without_marks_are_valid_whatever_the_noise() -> None:
    graph = random_procedure(9, width=3, density=0.3, seed=0)
    noisy = draw_demonstrations(graph, 60, seed=2, noise=Noise.mixed(0.1))
    right = noisy.without_marked_mistakes()
    assert 0 < len(right) < 60
    assert all(graph.is_valid(right.names(recording), complete=True) for recording in right)


def test_unknown_steps_extend_the_vocabulary_only_where_they_can_occur() -> None:
    graph = random_procedure(4, width=2, density=0.3, seed=0)
    noise = Noise(Demonstrator(unknown=0.5), unknown_steps=2)
    noisy = draw_demonstrations(graph, 20, seed=2, noise=noise)
    assert noisy.vocabulary.steps == (*graph.steps, "unknown 1", "unknown 2")
    assert noisy.seen == frozenset(range(1, 7))
    assert draw_demonstrations(graph, 1, seed=2, noise=Noise()).vocabulary == graph.vocabulary


def test_enough_clean_demonstrations_give_the_procedure_back() -> None:
    graph = random_procedure(10, width=3, density=0.5, seed=0)
    learned = get_learner("intersection").learn(draw_demonstrations(graph, 500, seed=0))
    assert to_graph(learned.adjacency).graph == graph


def test_every_exported_name_exists_and_is_documented() -> None:
    for name in benchmarks.generators.__all__:
        assert getattr(benchmarks.generators, name).__doc__
