"""Procedures with steps that may be left out or repeated."""

from __future__ import annotations

import pytest

from benchmarks.generators import (
    Demonstrator,
    Noise,
    draw_demonstrations,
    random_procedure,
    with_choices,
)
from stepgraph.errors import SettingError
from stepgraph.graph import StepAttributes, TaskGraph


def procedure(seed: int = 0, *, optional: float = 0.3, repeatable: float = 0.3) -> TaskGraph:
    plain = random_procedure(12, width=4, density=0.6, seed=seed)
    return with_choices(plain, optional=optional, repeatable=repeatable, seed=seed)


@pytest.mark.parametrize("seed", range(10))
def test_recordings_are_valid_and_leave_out_and_repeat_only_what_may_be(seed: int) -> None:
    graph = procedure(seed)
    may_repeat = {step for step, known in graph.attributes.items() if known.repeatable}
    for recording in (drawn := draw_demonstrations(graph, 20, seed)):
        names = drawn.names(recording)
        assert graph.is_valid(names, complete=True)
        chosen = {step for choice in graph.choices for step in choice.steps}
        assert set(graph.steps) - set(names) <= {*graph.optional_steps, *chosen}
        assert {name for name in names if names.count(name) > 1} <= may_repeat
        for step in set(names):
            assert set(graph.attributes.get(step, StepAttributes()).goes_with) <= set(names)


def test_steps_are_left_out_and_repeated_as_often_as_the_graph_says() -> None:
    graph = procedure(3)
    drawn = draw_demonstrations(graph, 2000, 0)
    for step in graph.steps:
        known = graph.attributes.get(step)
        with_it = [drawn.names(r) for r in drawn if graph.vocabulary.node(step) in r.steps]
        chosen = {name for choice in graph.choices for name in choice.steps}
        expected = known.done if known and (known.optional or step in chosen) else 1.0
        assert len(with_it) / len(drawn) == pytest.approx(expected, abs=0.04)


def test_no_choices_change_nothing() -> None:
    plain = random_procedure(12, width=4, density=0.6, seed=1)
    none = with_choices(plain, optional=0, repeatable=0, seed=1)
    assert none.attributes == {}
    assert draw_demonstrations(none, 5, 0) == draw_demonstrations(plain, 5, 0)


def test_errors_come_on_top_of_choices_and_only_errors_are_marked() -> None:
    graph = procedure(2)
    chosen = draw_demonstrations(graph, 10, 0)
    assert not any(recording.has_mistakes for recording in chosen)
    noisy = draw_demonstrations(graph, 10, 0, noise=Noise(Demonstrator(skipped=0.3)))
    for before, after in zip(chosen, noisy, strict=True):
        assert set(after.skipped) == set(before.steps) - set(after.steps)


@pytest.mark.parametrize("share", [-0.1, 1.5])
def test_shares_beyond_one_are_refused(share: float) -> None:
    with pytest.raises(SettingError, match="expected 0 to 1"):
        procedure(optional=share)
