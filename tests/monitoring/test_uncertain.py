from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import FormatError, InputError, SettingError, StepgraphWarning
from stepgraph.graph import Choice, TaskGraph, Undoing
from stepgraph.graph.evidence import StepAttributes
from stepgraph.monitoring import (
    Confusion,
    Monitor,
    OrderWatch,
    UncertainMonitor,
    mistake_probabilities,
)
from stepgraph.monitoring.belief import HINDSIGHT
from tests.monitoring.samples import CHAIN, OTHER, RATES, STREAMS
from tests.strategies import task_graphs


def chances(stream: str, error_rate: float, **settings: Any) -> tuple[float, ...]:
    return mistake_probabilities(CHAIN, stream, error_rate=error_rate, **settings)


@given(task_graphs(), STREAMS, RATES)
def test_probabilities_are_probabilities_whatever_comes(
    graph: TaskGraph, steps: list[str], rate: float
) -> None:
    monitor = UncertainMonitor(graph, error_rate=rate)
    for step in steps:
        verdict = monitor.observe(step)
        numbers = [verdict.probability, verdict.made_up, verdict.progress]
        numbers += [probability for _, probability in verdict.revised]
        assert all(-1e-9 <= number <= 1 + 1e-9 for number in (*numbers, *monitor.done.values()))
        json.dumps(verdict.to_json())


def test_one_missed_detection_raises_no_alarm_and_a_sure_one_does() -> None:
    monitor = UncertainMonitor(CHAIN, error_rate=0.2)
    assert not any(monitor.observe(step).is_mistake for step in "abdef")
    assert chances("abd", 0.0)[2] == 1


def test_one_made_up_detection_raises_no_alarm() -> None:
    monitor = UncertainMonitor(CHAIN, error_rate=0.2)
    assert not any(monitor.observe(step).is_mistake for step in "abfcdef")


def test_the_more_the_recogniser_errs_the_less_a_step_too_early_means() -> None:
    found = [chances("abe", rate)[2] for rate in (0.01, 0.05, 0.1, 0.3)]
    assert found == sorted(found, reverse=True)


def test_a_recogniser_that_is_sure_of_a_step_makes_its_mistake_more_probable() -> None:
    unsure, sure = (UncertainMonitor(CHAIN, error_rate=0.2) for _ in range(2))
    for monitor in (unsure, sure):
        monitor.observe("a")
    assert (
        sure.observe("d", confidence=1.0).probability
        > unsure.observe("d", confidence=0.0).probability
    )


def test_a_step_taken_for_another_is_understood() -> None:
    seen = ((1, 0, 0), (0, 0.2, 0.8), (0, 0, 1))
    graph = TaskGraph.from_preconditions({"y": ["x"], "z": ["y"]})
    monitor = UncertainMonitor(graph, confusion=Confusion(("x", "y", "z"), seen))
    monitor.observe("x")
    verdict = monitor.observe("z")  # the recogniser takes most y for z
    assert (verdict.happened, verdict.is_mistake) == ("y", False)
    assert verdict.sentence().startswith("'z' was most likely 'y'")


def test_seeing_the_step_at_its_own_place_tells_that_it_was_made_up_before() -> None:
    at_once = chances("abfcdef", 0.1)[2]
    later = chances("abfcdef", 0.1, hindsight=5)[2]
    assert later < at_once / 2


def test_seeing_the_missing_step_later_tells_that_it_was_a_mistake() -> None:
    at_once = chances("bacdef", 0.1)[0]
    later = chances("bacdef", 0.1, hindsight=5)[0]
    assert later > at_once


def test_behind_a_poor_recogniser_a_late_optional_step_is_no_more_than_suspected() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["c"]})
    graph = graph.replace(attributes={"b": StepAttributes(optional=True)})
    found = [mistake_probabilities(graph, "acb", error_rate=rate)[-1] for rate in (0.01, 0.1, 0.4)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.5 > found[-1] > 0.05


@given(task_graphs(), STREAMS, st.data())
def test_without_errors_verdicts_are_those_of_the_plain_monitor(
    graph: TaskGraph, steps: list[str], data: st.DataObject
) -> None:
    optional = data.draw(st.sets(st.sampled_from(graph.steps)))
    # A recogniser sees steps again that nobody repeats: behind one, repeating is no mistake.
    graph = graph.replace(
        attributes={
            step: StepAttributes(optional=step in optional, repeatable=True) for step in graph.steps
        }
    )
    plain, monitor = Monitor(graph), UncertainMonitor(graph, error_rate=0.0)
    for step in steps:
        expected, verdict = plain.observe(step), monitor.observe(step)
        assert verdict.missing == expected.missing
        if expected.is_mistake or expected.kind == "repeated":
            assert verdict.kind == expected.kind
        else:
            assert verdict.kind == ("skipped-inferred" if expected.missing else "correct")
        if expected.step in optional:
            assert verdict.done_without_it == expected.done_without_it
        assert verdict.is_mistake == expected.is_mistake
        assert verdict.probability == float(expected.is_mistake)
        assert verdict.revised[-1][1] == float(verdict.is_mistake)
        assert verdict.executable == expected.executable
    assert monitor.mistakes == plain.mistakes
    assert monitor.finish().open == plain.finish().open
    assert monitor.finish().mistakes == plain.finish().mistakes


@pytest.mark.parametrize(
    ("steps", "rate", "never", "mistakes"),
    [
        ("cc", 0.05, ("a", "b"), 2),  # nothing was called a mistake, so nothing told of them
        ("ca", 0.03, ("b",), 1),  # what was called one was about both
        ("ca12345678", 0.01, ("b",), 1),
    ],
)
def test_what_is_open_at_the_end_counts_unless_a_mistake_was_about_it(
    steps: str, rate: float, never: tuple[str, ...], mistakes: int
) -> None:
    edges: dict[str, Sequence[str]] = {"c": ["a", "b"]}
    if "1" in steps:  # so long a session that no more can be learned of its first mistake
        edges |= {"1": ["c"]} | {str(number): [str(number - 1)] for number in range(2, 9)}
    graph = TaskGraph.from_preconditions(edges)
    monitor = UncertainMonitor(graph, error_rate=rate)
    for step in steps:
        monitor.observe(step)
    report = monitor.finish()
    assert (report.open, report.mistakes) == (never, mistakes)
    assert UncertainMonitor.resume(graph, monitor.state).finish() == report


@given(task_graphs(), STREAMS, RATES, st.sampled_from([0.05, 0.5, 0.8]))
def test_steps_that_are_open_are_never_passed_in_silence(
    graph: TaskGraph, steps: list[str], rate: float, threshold: float
) -> None:
    monitor = UncertainMonitor(graph, error_rate=rate, threshold=threshold)
    for step in steps:
        monitor.observe(step)
    report = monitor.finish()
    assert report.mistakes >= (monitor.mistakes or len(report.open))


def test_everything_was_done_with_the_probability_of_all_steps_together() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"]})
    monitor = UncertainMonitor(graph, error_rate=0.3, mistake_rate=0.2)
    missed = 0.1**3 * 0.8
    assert monitor.finish().everything == pytest.approx(missed / (missed + 0.2))
    assert not monitor.finish().is_clean
    for step in "abc":
        monitor.observe(step, confidence=1.0)
    report = monitor.finish()
    assert 0.9 < report.everything <= min(report.done.values())
    assert report.is_clean


@given(task_graphs(), STREAMS, RATES)
def test_everything_is_no_more_probable_than_any_of_it(
    graph: TaskGraph, steps: list[str], rate: float
) -> None:
    monitor = UncertainMonitor(graph, error_rate=rate)
    for step in steps:
        monitor.observe(step)
    report = monitor.finish()
    assert -1e-9 <= report.everything <= min(report.done.values()) + 1e-9
    assert report.is_clean is (not report.mistakes and report.everything >= 0.5)
    assert not (report.open and report.is_clean)


def test_at_the_end_a_step_that_may_be_left_out_was_done_if_all_else_was() -> None:
    lax = OTHER.replace(attributes={"b": StepAttributes(optional=True)})
    monitor = UncertainMonitor(lax, error_rate=0.3, mistake_rate=0.2)
    missed = 0.1 * 0.8
    both = 0.1 * 0.1 * 0.8
    assert monitor.finish().done == pytest.approx(
        {"a": missed / (missed + 0.2), "b": both / (both + 0.2)}
    )


def test_an_unknown_step_stays_a_mistake_whatever_follows() -> None:
    monitor = UncertainMonitor(CHAIN, error_rate=0.1)
    monitor.observe("fly")
    verdict = monitor.observe("a")
    assert verdict.revised[0] == (1, 1.0)
    assert monitor.mistakes == 1


def test_a_step_that_is_never_seen_is_believed_to_who_is_certain() -> None:
    rows = ((0.0, 0.9), (0.0, 0.9))
    monitor = UncertainMonitor(OTHER, confusion=Confusion(("a", "b"), rows))
    verdict = monitor.observe("a", confidence=1.0)
    assert (verdict.made_up, verdict.happened) == (0.0, "a")


def test_mistakes_are_counted_unknown_steps_included() -> None:
    monitor = UncertainMonitor(CHAIN, error_rate=0.0)
    for step in ("b", "fly", "a", "walk"):
        monitor.observe(step)
    assert monitor.mistakes == 3
    assert monitor.finish().open == ("c", "d", "e", "f")
    assert monitor.finish().mistakes == 7


@given(task_graphs(), STREAMS, RATES, st.sampled_from([0.2, 0.5, 0.8]))
def test_mistakes_are_counted_by_what_is_known_now(
    graph: TaskGraph, steps: list[str], rate: float, threshold: float
) -> None:
    monitor = UncertainMonitor(graph, error_rate=rate, threshold=threshold)
    for step in steps:
        monitor.observe(step)
    known = mistake_probabilities(graph, steps, error_rate=rate, hindsight=HINDSIGHT - 1)
    clear = [chance for chance in known if abs(chance - threshold) > 1e-6]
    assert len(clear) < len(known) or monitor.mistakes == sum(c >= threshold for c in clear)
    resumed = UncertainMonitor.resume(graph, monitor.state)
    assert (resumed.mistakes, resumed.finish()) == (monitor.mistakes, monitor.finish())


def test_a_step_that_may_be_left_out_is_not_open() -> None:
    lax = CHAIN.replace(attributes={"c": StepAttributes(optional=True)})
    monitor = UncertainMonitor(lax, error_rate=0.01)
    for step in "abdef":
        monitor.observe(step)
    assert (monitor.finish().open, monitor.finish().mistakes) == ((), 0)


def test_where_all_may_be_left_out_nothing_is_left_to_do() -> None:
    lax = OTHER.replace(attributes={step: StepAttributes(optional=True) for step in "ab"})
    assert UncertainMonitor(lax).finish().progress == 1.0


def test_in_hindsight_known_steps_are_judged_anew_and_unknown_ones_stay_mistakes() -> None:
    stream = ["b", "fly", "a", "c"]
    monitor = UncertainMonitor(CHAIN, error_rate=0.2)
    verdicts = [monitor.observe(step) for step in stream]
    at_once = mistake_probabilities(CHAIN, stream, error_rate=0.2)
    assert at_once == tuple(verdict.probability for verdict in verdicts)
    last = dict(verdicts[-1].revised)
    found = mistake_probabilities(CHAIN, stream, error_rate=0.2, hindsight=3)
    assert found == (last[1], 1.0, last[3], verdicts[-1].probability)
    one = mistake_probabilities(CHAIN, stream, error_rate=0.2, hindsight=1)
    assert one == (dict(verdicts[1].revised)[1], 1.0, last[3], at_once[3])


def test_the_end_tells_how_probably_each_step_was_done() -> None:
    monitor = UncertainMonitor(CHAIN, error_rate=0.1)
    for step in "abd":
        monitor.observe(step)
    report = monitor.finish()
    assert report.open == ("e", "f")
    assert 0.5 < report.done["c"] < report.done["b"]
    assert report.observed == 3


def test_time_and_confidence_are_checked_as_by_the_plain_monitor() -> None:
    monitor = UncertainMonitor(CHAIN)
    monitor.observe("a", time=5)
    assert "backwards" in monitor.observe("b", time=4).note
    for settings in ({"time": float("nan")}, {"confidence": 2}, {"confidence": "high"}):
        with pytest.raises(InputError):
            monitor.observe("c", **settings)
    assert monitor.observed == 2


def test_what_is_no_graph_or_no_confusion_is_refused() -> None:
    with pytest.raises(InputError, match="expected a TaskGraph"):
        UncertainMonitor(None)  # type: ignore[arg-type]
    with pytest.raises(FormatError, match=r"the confusion is \[\[1, 0\], \[0, 1\]\]; expected"):
        UncertainMonitor(OTHER, confusion=[[1, 0], [0, 1]])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "settings",
    [
        {"threshold": 0},
        {"threshold": 1},
        {"mistake_rate": 0},
        {"mistake_rate": 1},
        {"beam": 0},
        {"error_rate": 1},
        {"error_rate": 0.1, "confusion": Confusion.even(CHAIN.steps, 0.1)},
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        UncertainMonitor(CHAIN, **settings)


@pytest.mark.parametrize("hindsight", [-1, 6])
def test_hindsight_beyond_what_is_remembered_is_refused(hindsight: int) -> None:
    with pytest.raises(SettingError, match="expected 0 to 5"):
        chances("ab", 0.1, hindsight=hindsight)


@given(task_graphs(max_steps=5), STREAMS)
def test_no_confidence_says_no_more_than_that_the_step_was_recognised(
    graph: TaskGraph, steps: list[str]
) -> None:
    plain, unsure = UncertainMonitor(graph), UncertainMonitor(graph)
    for step in steps:
        without = plain.observe(step).to_json()
        assert unsure.observe(step, confidence=0.0).to_json() == without | {"confidence": 0.0}


@given(task_graphs(max_steps=5), STREAMS)
def test_the_present_view_is_of_the_last_six_observations(
    graph: TaskGraph, steps: list[str]
) -> None:
    monitor = UncertainMonitor(graph)
    for position, step in enumerate(steps, start=1):
        verdict = monitor.observe(step)
        assert [place for place, _ in verdict.revised] == [
            *range(max(1, position - 5), position + 1)
        ]
        assert all(0 <= probability <= 1 for _, probability in verdict.revised)


def test_rules_that_it_does_not_know_are_left_out_with_a_warning() -> None:
    graph = TaskGraph("abc", [])
    for changed in (
        graph.replace(choices=[Choice([["a"], ["b"]])]),
        graph.replace(undoings=[Undoing("a", ["b"])]),
        graph.replace(attributes={"a": StepAttributes(goes_with=("b",))}),
    ):
        for begin in (UncertainMonitor, OrderWatch):
            with pytest.warns(StepgraphWarning, match=r"'a'.*'b'"):
                begin(changed)


def test_whoever_takes_one_alternative_makes_no_mistake_behind_a_recogniser() -> None:
    graph = TaskGraph.from_preconditions({"pack": ["accept", "reject"]})
    graph = graph.replace(choices=[Choice([["accept"], ["reject"]])])
    with pytest.warns(StepgraphWarning):
        monitor = UncertainMonitor(graph, error_rate=0.01)
    verdicts = [monitor.observe(step) for step in ("accept", "pack")]
    assert not any(verdict.is_mistake for verdict in verdicts)
    with pytest.warns(StepgraphWarning):
        again = UncertainMonitor.resume(graph, monitor.state)
    assert again.state == monitor.state
