"""Random procedures with choices, rework and steps that go together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.generators import random_procedure
from benchmarks.generators.rules import draw_runs, with_rules
from stepgraph.errors import SettingError
from stepgraph.graph import TaskGraph


def procedure(seed: int, rules: int = 1) -> TaskGraph:
    plain = random_procedure(10, width=3, density=0.6, seed=seed)
    return with_rules(plain, choices=rules, undoings=rules, together=rules, seed=seed)


@given(st.integers(0, 10_000), st.integers(0, 2))
@settings(deadline=None, max_examples=60)
def test_every_run_is_valid_and_complete(seed: int, rules: int) -> None:
    graph = procedure(seed, rules)
    for run in draw_runs(graph, 5, seed):
        assert graph.is_valid([graph.vocabulary.name(node) for node in run], complete=True)


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=30)
def test_a_graph_has_as_many_rules_as_asked_each_about_steps_of_its_own(seed: int) -> None:
    graph = procedure(seed)
    (choice,), (undoing,) = graph.choices, graph.undoings
    ((first, attributes),) = [pair for pair in graph.attributes.items() if pair[1].goes_with]
    named = [*choice.steps, undoing.step, *undoing.undone, first, *attributes.goes_with]
    assert len(named) == len(set(named))
    assert len(graph.steps) == 10 + len(choice.steps) - 1 + 1
    assert set(undoing.undone) <= set(graph.all_preconditions_of(undoing.step))


def test_runs_take_every_alternative_and_do_work_again() -> None:
    graph = procedure(1)
    (choice,), (undoing,) = graph.choices, graph.undoings
    runs = [[graph.vocabulary.name(node) for node in run] for run in draw_runs(graph, 200, seed=0)]
    assert all(
        {alternative[0] in run for run in runs} == {True, False}
        for alternative in choice.alternatives
    )
    assert {run.count(undoing.step) for run in runs} == {0, 1, 2}
    assert {run.count(undoing.undone[0]) for run in runs} == {1, 2, 3}


def test_the_same_seed_gives_the_same_rules_and_first_runs() -> None:
    assert procedure(3) == procedure(3)
    assert procedure(3).undoings == procedure(3).undoings
    assert draw_runs(procedure(3), 9, seed=1)[:4] == draw_runs(procedure(3), 4, seed=1)
    assert draw_runs(procedure(3), 9, seed=1) != draw_runs(procedure(3), 9, seed=2)


def test_too_few_steps_for_the_rules_are_refused() -> None:
    plain = random_procedure(2, width=1, density=0.0, seed=0)
    with pytest.raises(SettingError, match="no step left for a rule"):
        with_rules(plain, choices=2, undoings=1, together=0, seed=0)
