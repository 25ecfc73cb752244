"""What is said of a recogniser's steps: kinds, and a sentence each."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes
from stepgraph.monitoring import (
    Confusion,
    UncertainMonitor,
)
from tests.monitoring.samples import CHAIN, OTHER


def test_an_unknown_step_is_reported_with_the_nearest_and_changes_nothing() -> None:
    monitor = UncertainMonitor(TaskGraph.from_preconditions({"mix": ["egg"]}))
    monitor.observe("egg")
    before = monitor.done
    verdict = monitor.observe("eggs")
    assert (verdict.kind, verdict.nearest, verdict.is_mistake) == ("unknown-step", ("egg",), True)
    assert monitor.done == pytest.approx(before)


def test_a_verdict_says_all_in_plain_values() -> None:
    monitor = UncertainMonitor(OTHER, error_rate=0.0)
    assert monitor.observe("b", time=2, confidence=0.5).to_json() == {
        "position": 1,
        "step": "b",
        "kind": "too-early",
        "mistake": True,
        "probability": 1.0,
        "made_up": 0.0,
        "right": 0.0,
        "repeated": 0.0,
        "happened": "b",
        "missing": ["a"],
        "done_without_it": [],
        "time": 2.0,
        "confidence": 0.5,
        "note": "",
        "nearest": [],
        "executable": ["a"],
        "progress": 0.5,
        "revised": [[1, 1.0]],
    }


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ("a", "'a' is probably right (a mistake with 0%)."),
        ("aa", "'a' is probably done again (a mistake with 0%)."),
        ("c", "'c' seems to be done before 'b', which it needs (100%)."),
        (["fly"], "'fly' is no step of this procedure."),
    ],
)
def test_each_kind_has_its_sentence(steps: Sequence[str], sentence: str) -> None:
    monitor = UncertainMonitor(CHAIN, error_rate=0.0)
    *_, verdict = [monitor.observe(step) for step in steps]
    assert verdict.sentence() == sentence


def test_a_step_called_a_mistake_is_the_one_that_was_probably_done_wrongly() -> None:
    graph = TaskGraph.from_preconditions({"a": [], "b": ["x"]})
    rows = {"a": {"a": 1.0}, "x": {"x": 1.0}, "b": {"a": 0.9, "b": 0.1}}  # 'b' looks like 'a'
    seen = tuple(tuple(rows[a].get(b, 0.0) for b in graph.steps) for a in graph.steps)
    monitor = UncertainMonitor(graph, confusion=Confusion(graph.steps, seen), threshold=0.1)
    monitor.observe("a")
    verdict = monitor.observe("a")
    assert (verdict.kind, verdict.step, verdict.happened) == ("too-early", "a", "b")
    assert verdict.missing == ("x",)
    chance = f"{verdict.probability:.0%}"
    assert verdict.sentence() == (f"'a' may be 'b', done before 'x', which it needs ({chance}).")


@pytest.mark.parametrize(
    ("steps", "kind", "sentence"),
    [
        ("axb", "too-late", "'b' seems to be done after {}"),
        ("xb", "too-late", "'b' seems to be done after {}, and without 'a', which it needs"),
        ("cb", "too-early", "'b' seems to be done before 'a', which it needs, and after {}"),
    ],
)
def test_an_optional_step_that_comes_late_is_a_mistake(
    steps: str, kind: str, sentence: str
) -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "x": ["b"], "c": ["x"]})
    graph = graph.replace(attributes={"b": StepAttributes(optional=True)})
    monitor = UncertainMonitor(graph, error_rate=0.0)
    *_, verdict = [monitor.observe(step) for step in steps]
    assert (verdict.kind, verdict.is_mistake) == (kind, True)
    assert verdict.done_without_it == (steps[-2],)
    after = f"'{steps[-2]}', which comes after it if it is done at all"
    assert verdict.sentence() == f"{sentence.format(after)} (100%)."


def test_a_step_seen_again_is_done_again_where_it_was_done_at_all() -> None:
    monitor = UncertainMonitor(CHAIN, error_rate=0.3)
    first, again = monitor.observe("a"), monitor.observe("a")
    assert (first.kind, first.happened) == ("correct", "a")
    assert again.kind == ("repeated" if again.happened == "a" else "correct")
    sure = UncertainMonitor(CHAIN, error_rate=0.3)
    sure.observe("a", confidence=1.0)
    verdict = sure.observe("a", confidence=0.8)
    assert (verdict.kind, verdict.happened) == ("repeated", "a")
    assert "is probably done again" in verdict.sentence()
    short = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"]})
    unsure = UncertainMonitor(short, error_rate=0.2)
    unsure.observe("a")
    verdict = unsure.observe("a")
    assert verdict.right > 0.5 > verdict.repeated > verdict.right / 2
    assert verdict.sentence().startswith("'a' may be done again")


def test_who_goes_on_without_a_step_that_was_noted_is_said_to() -> None:
    graph = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "rest": ["milk"]})
    monitor = UncertainMonitor(graph, error_rate=0.0)
    for step in ("egg", "mix"):
        monitor.observe(step)
    verdict = monitor.observe("rest")
    assert (verdict.kind, verdict.missing, verdict.is_mistake) == (
        "skipped-inferred",
        ("milk",),
        False,
    )
    assert verdict.sentence() == (
        "'rest' is probably done without something that was missing before already, "
        "most likely 'milk'."
    )
    assert monitor.observe("rest").kind == "skipped-inferred"
    report = monitor.finish()
    assert (report.open, report.mistakes) == (("milk",), 1)


def test_a_step_taken_for_another_may_go_on_without_what_was_missing_before() -> None:
    graph = TaskGraph.from_preconditions({"x": ["a"], "y": ["a"], "z": ["b"]})
    rows = {"a": "a", "b": "b", "x": "x", "y": "z", "z": "z"}  # every 'y' looks like 'z'
    seen = tuple(tuple(float(rows[a] == b) for b in graph.steps) for a in graph.steps)
    monitor = UncertainMonitor(graph, confusion=Confusion(graph.steps, seen))
    monitor.observe("x")
    verdict = monitor.observe("z")
    assert (verdict.kind, verdict.happened, verdict.missing) == ("skipped-inferred", "y", ("a",))
    assert verdict.sentence() == (
        "'z' is probably 'y', done without something that was missing before already, "
        "most likely 'a'."
    )


def test_all_that_is_missing_is_named_what_was_noted_before_included() -> None:
    graph = TaskGraph.from_preconditions({"x": ["a"], "y": ["a", "b"]})
    monitor = UncertainMonitor(graph, error_rate=0.0)
    monitor.observe("x")
    assert monitor.observe("y").missing == ("a", "b")
    assert monitor.observe("y").sentence() == (
        "'y' is probably done without something that was missing before already, "
        "most likely 'a' and 'b'."
    )


def test_what_is_no_more_than_likely_is_not_called_probable() -> None:
    strict = UncertainMonitor(OTHER, error_rate=0.1, mistake_rate=0.2, threshold=0.9)
    verdict = strict.observe("b")
    assert verdict.probability > 0.5
    assert verdict.sentence().startswith(
        "'b' is probably a mistake, not surely enough for an alarm ("
    )
    unsure = UncertainMonitor(TaskGraph.from_preconditions({"c": ["a", "b"]}), error_rate=0.05)
    verdict = unsure.observe("c")
    assert verdict.right < verdict.probability < 0.5 < verdict.probability + verdict.made_up
    assert verdict.sentence().startswith("'c' may be a mistake, not surely enough for an alarm (")
    # It may have been another step as well, which is no mistake and nothing made up.
    free = TaskGraph.from_preconditions({"a": [], "c": ["b"]})
    verdict = UncertainMonitor(free, error_rate=0.2).observe("c")
    assert verdict.right < 0.5 < 1 - verdict.probability - verdict.made_up
    assert verdict.sentence().startswith("'c' may be right (a mistake with ")


def test_the_nearest_names_and_remarks_are_part_of_the_sentence() -> None:
    monitor = UncertainMonitor(TaskGraph.from_preconditions({"mix": ["egg"]}), error_rate=0.0)
    monitor.observe("egg", time=4)
    verdict = monitor.observe("eggs", time=5)
    assert verdict.sentence() == "'eggs' is no step of this procedure; did you mean 'egg'?"
    assert monitor.observe("mix", time=3).sentence() == (
        "'mix' is probably right (a mistake with 0%) (time runs backwards: 3 after 5)."
    )


def test_what_was_probably_made_up_is_said_to_be() -> None:
    seen = ((0.5, 0), (0, 0.5))
    monitor = UncertainMonitor(OTHER, confusion=Confusion(("a", "b"), seen, 0.9, (0, 1)))
    assert monitor.observe("b").sentence() == "'b' was most likely made up by the recogniser."
