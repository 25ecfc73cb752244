"""Which steps undo others."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from stepgraph.graph import StepAttributes, TaskGraph, Undoing
from stepgraph.insight import rework
from stepgraph.insight.rework import find_undoings
from stepgraph.sequences import Demonstrations
from tests.strategies import demonstrations

from .recordings import BENCH, recorded

GRAPH = TaskGraph.from_preconditions(
    {"test": ["build"], "repair": ["test"], "pack": ["test", "repair"]}
).replace(attributes={"repair": StepAttributes(optional=True, repeatable=True)})
ONCE = BENCH[:12] + [["build", "test", "repair", "test", "pack"]] * 6


def undoings(given_ones: Demonstrations, graph: TaskGraph = GRAPH) -> list[str]:
    return [str(own) for own in find_undoings(given_ones, graph)]


def test_what_is_always_done_again_after_a_step_is_undone_by_it() -> None:
    (found,) = find_undoings(recorded(ONCE), GRAPH)
    assert str(found) == "'repair' undoes 'test'"
    assert found.evidence is not None
    assert (found.evidence.held, found.evidence.broken) == ((6.0,), 0)
    assert found.evidence.recordings == 18


def test_what_is_often_not_done_again_is_not_undone() -> None:
    forgetting = [["build", "test", "repair", "pack"]] * 4
    assert not undoings(recorded([*ONCE, *forgetting]))


def test_what_is_done_again_too_late_is_not_done_again() -> None:
    late = [["build", "test", "repair", "pack", "test"]] * 6
    assert not undoings(recorded([*BENCH[:12], *late]))


def test_a_slip_against_many_is_evidence_against_and_no_more() -> None:
    (found,) = find_undoings(recorded([*ONCE * 5, ["build", "test", "repair", "pack"]]), GRAPH)
    assert found.evidence is not None
    assert (found.evidence.held, found.evidence.broken) == ((30.0,), 1)


def test_a_step_undoes_several() -> None:
    steps = {"b": ["a"], "c": ["b"], "x": ["c"], "d": ["c", "x"]}
    graph = TaskGraph.from_preconditions(steps).replace(
        attributes={"x": StepAttributes(optional=True)}
    )
    given_ones = Demonstrations.from_steps(["abcd"] * 12 + ["abcxbcd"] * 6)
    assert undoings(given_ones, graph) == ["'x' undoes 'b' and 'c'"]


def test_a_step_done_too_early_was_not_undone_by_what_it_needs() -> None:
    early = [["build", "pack", "test", "pack"]] * 6
    assert not undoings(recorded([*BENCH[:12], *early]))


def test_beginning_anew_undoes_what_follows() -> None:
    graph = TaskGraph.from_preconditions({"test": ["mix"], "pack": ["test"]})
    given_ones = recorded(
        [["mix", "test", "pack"]] * 20 + [["mix", "test", "mix", "test", "pack"]] * 9
    )
    assert undoings(given_ones, graph) == ["'mix' undoes 'test'"]


def test_one_recording_shows_no_undoing_however_often_it_repeats() -> None:
    loops = ["build", *["test", "repair"] * 50, "test", "pack"]
    assert not undoings(recorded([*BENCH[:12], loops]))


def test_a_weight_counts_as_many_equal_recordings() -> None:
    once = recorded([BENCH[0], ONCE[-1]])
    weighted = replace(
        once,
        sequences=tuple(replace(r, weight=w) for r, w in zip(once, (12.0, 6.0), strict=True)),
    )
    assert find_undoings(weighted, GRAPH) == find_undoings(recorded(ONCE), GRAPH)


def test_repetitions_that_are_marked_as_mistakes_say_nothing() -> None:
    plain = recorded(ONCE)
    marked = tuple(
        replace(own, mistakes=(None, None, None, "again", None)) if len(own) > 3 else own
        for own in plain
    )
    assert not undoings(replace(plain, sequences=marked))


def test_a_step_that_undid_all_others_is_not_learned() -> None:
    """To begin anew is another recording; a graph refuses such a rule."""
    given_ones = Demonstrations.from_steps(["abx", *["abxab"] * 9, *["ab"] * 9])
    graph = TaskGraph("abx", [], attributes={"x": StepAttributes(optional=True)})
    assert not undoings(given_ones, graph)


def test_what_people_say_undoes_a_step_is_not_closed_to_a_circle() -> None:
    plain = GRAPH.replace(attributes={}, undoings=[Undoing("test", ["repair"])])
    assert not undoings(recorded(ONCE), plain)
    assert undoings(recorded(ONCE), plain.replace(undoings=()))


def test_steps_that_the_graph_lacks_undo_nothing() -> None:
    fewer = GRAPH.replace(
        steps=["build", "test", "pack"], edges=[("test", "build"), ("pack", "test")]
    )
    assert not undoings(recorded(ONCE), fewer)


def test_a_recording_too_long_to_visit_does_not_hide_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rework, "VISITS", 2000)
    long = ["build", *["test", "repair"] * 1000, "test", "pack"]
    heavy = recorded([long, *ONCE])
    first, *others = heavy.sequences
    heavy = replace(heavy, sequences=(replace(first, weight=50.0), *others))
    assert undoings(heavy) == ["'repair' undoes 'test'"]


@given(demonstrations(repetitions=False))
def test_without_repetitions_nothing_is_undone(given_ones: Demonstrations) -> None:
    assert not undoings(given_ones, TaskGraph(given_ones.vocabulary.steps, []))


@settings(deadline=None)
@given(demonstrations(max_recordings=9))
def test_a_graph_can_have_whatever_is_found(given_ones: Demonstrations) -> None:
    graph = TaskGraph(given_ones.vocabulary.steps, [])
    graph.replace(undoings=find_undoings(given_ones, graph))
