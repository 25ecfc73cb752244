from __future__ import annotations

import pickle
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import monitoring
from stepgraph.graph import Choice, TaskGraph, Undoing
from stepgraph.graph.evidence import StepAttributes
from stepgraph.monitoring import Kind, Monitor, Verdict, find_violations
from stepgraph.sequences import END, START
from tests.strategies import STEP_NAMES, task_graphs, valid_orders

MIX = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "bake": ["mix", "milk"]})
CHAIN = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["c"]})
STEPS = st.lists(st.sampled_from([*STEP_NAMES, "unknown", START]), max_size=12)


def watch(graph: TaskGraph, steps: Iterable[str]) -> list[Verdict]:
    monitor = Monitor(graph)
    return [monitor.observe(step) for step in steps]


def kinds(graph: TaskGraph, steps: Iterable[str]) -> list[str]:
    return [verdict.kind.value for verdict in watch(graph, steps)]


@given(task_graphs(), st.data())
def test_a_valid_order_is_correct_throughout_and_finishes_clean(
    graph: TaskGraph, data: st.DataObject
) -> None:
    monitor = Monitor(graph)
    verdicts = [monitor.observe(step) for step in data.draw(valid_orders(graph))]
    assert {verdict.kind for verdict in verdicts} == {Kind.CORRECT}
    assert monitor.finish().is_clean
    assert monitor.finish().progress == 1.0


@given(task_graphs(), st.data())
def test_one_skipped_step_is_one_mistake_and_the_cause_of_the_others(
    graph: TaskGraph, data: st.DataObject
) -> None:
    order = data.draw(valid_orders(graph))
    skipped = data.draw(st.sampled_from(order))
    monitor = Monitor(graph)
    verdicts = [monitor.observe(step) for step in order if step != skipped]
    report = monitor.finish()
    assert report.open == (skipped,)
    wrong = [v for v in (*verdicts, *report.verdicts) if v.kind is not Kind.CORRECT]
    first, *others = wrong
    assert first.is_mistake
    assert not any(verdict.is_mistake for verdict in others)
    assert {verdict.cause for verdict in others} <= {first.position}
    assert report.mistakes == 1


@given(task_graphs(), st.data())
def test_a_skipped_step_done_after_all_is_a_repair(graph: TaskGraph, data: st.DataObject) -> None:
    order = data.draw(valid_orders(graph))
    skipped = data.draw(st.sampled_from(order))
    *_, last = watch(graph, [*(step for step in order if step != skipped), skipped])
    needed = bool(graph.dependents_of(skipped))
    assert last.kind is (Kind.REPAIRED if needed else Kind.CORRECT)
    assert (last.cause is not None) is needed


@given(task_graphs(), STEPS)
def test_missing_is_what_the_plain_rule_finds(graph: TaskGraph, steps: list[str]) -> None:
    plain = {violation.position: violation for violation in find_violations(graph, steps)}
    for verdict in watch(graph, steps):
        violation = plain.get(verdict.position)
        assert verdict.missing == (violation.missing if violation else ())
        assert (verdict.kind is Kind.UNKNOWN_STEP) is (
            violation is not None and violation.kind is Kind.UNKNOWN_STEP
        )
        if verdict.missing:
            assert verdict.kind in (Kind.TOO_EARLY, Kind.SKIPPED_INFERRED, Kind.REPAIRED)
            assert verdict.is_mistake is (verdict.cause is None)
        else:
            assert verdict.kind not in (Kind.TOO_EARLY, Kind.SKIPPED_INFERRED)


@given(task_graphs(), STEPS)
def test_a_cause_is_an_earlier_mistake(graph: TaskGraph, steps: list[str]) -> None:
    monitor = Monitor(graph)
    verdicts = [monitor.observe(step) for step in steps]
    for verdict in (*verdicts, *monitor.finish().verdicts):
        if verdict.cause is not None:
            assert verdict.cause < verdict.position
            assert verdicts[verdict.cause - 1].kind is Kind.TOO_EARLY
        follows = {Kind.SKIPPED_INFERRED, Kind.REPAIRED, Kind.TOO_LATE}
        if verdict.kind in follows:
            assert verdict.cause is not None
            assert not verdict.is_mistake


@given(task_graphs(), STEPS)
def test_done_without_it_is_what_was_done_before_and_needs_it(
    graph: TaskGraph, steps: list[str]
) -> None:
    for place, verdict in enumerate(watch(graph, steps)):
        before = steps[:place]
        expected: set[str] = set()
        if verdict.step in graph.steps and verdict.step not in before:
            expected = {
                step
                for step in before
                if step in graph.steps and verdict.step in graph.all_preconditions_of(step)
            }
        assert set(verdict.done_without_it) == expected


@given(task_graphs(), STEPS)
def test_executable_and_progress_are_the_graphs_own(graph: TaskGraph, steps: list[str]) -> None:
    for place, verdict in enumerate(watch(graph, steps), start=1):
        done = [step for step in dict.fromkeys(steps[:place]) if step in graph.steps]
        assert set(verdict.executable) == set(graph.executable(done))
        assert verdict.progress == len(done) / len(graph.steps)
        needed = {name for step in done for name in graph.all_preconditions_of(step)}
        assert set(verdict.skipped) == needed - set(done)


@given(task_graphs(), STEPS, st.integers(0, 12))
def test_an_unknown_step_changes_no_other_verdict(
    graph: TaskGraph, steps: list[str], place: int
) -> None:
    with_it = watch(graph, [*steps[:place], "no such step", *steps[place:]])
    assert [(v.step, v.kind, v.missing) for v in with_it if v.step != "no such step"] == [
        (v.step, v.kind, v.missing) for v in watch(graph, steps)
    ]


def test_a_step_before_what_it_needs_is_too_early() -> None:
    _, verdict = watch(MIX, ["egg", "mix"])
    assert (verdict.kind, verdict.missing, verdict.cause) == (Kind.TOO_EARLY, ("milk",), None)
    assert verdict.is_mistake


def test_who_goes_on_without_a_missing_step_has_skipped_it() -> None:
    *_, verdict = watch(MIX, ["egg", "mix", "bake"])
    assert (verdict.kind, verdict.missing, verdict.cause) == (Kind.SKIPPED_INFERRED, ("milk",), 2)
    assert not verdict.is_mistake


def test_something_else_missing_is_a_new_mistake() -> None:
    graph = TaskGraph.from_preconditions({"mix": ["egg"], "bake": ["egg", "oven"]})
    _, verdict = watch(graph, ["mix", "bake"])
    assert (verdict.kind, verdict.missing) == (Kind.TOO_EARLY, ("egg", "oven"))
    assert verdict.is_mistake


def test_a_repair_names_what_did_not_wait() -> None:
    *_, verdict = watch(MIX, ["egg", "mix", "bake", "milk"])
    assert (verdict.kind, verdict.cause) == (Kind.REPAIRED, 2)
    assert verdict.done_without_it == ("mix", "bake")
    assert not verdict.is_mistake


def test_after_a_repair_the_same_step_is_no_longer_missing() -> None:
    assert kinds(MIX, ["egg", "mix", "milk", "bake"])[-1] == "correct"


def test_a_repair_that_lacks_something_reported_itself_is_a_repair() -> None:
    graph = TaskGraph.from_preconditions({"c": ["b", "a"], "b": ["a"]})
    *_, repair, last = watch(graph, "cba")
    assert (repair.kind, repair.missing, repair.done_without_it) == (Kind.REPAIRED, ("a",), ("c",))
    assert (repair.cause, last.kind, last.cause) == (1, Kind.REPAIRED, 1)


def test_an_optional_step_that_comes_late_is_a_mistake_whatever_else_went_wrong() -> None:
    def optional(graph: TaskGraph, step: str) -> TaskGraph:
        return graph.replace(attributes={step: StepAttributes(optional=True)})

    chain = optional(TaskGraph.from_preconditions({"b": ["o"], "c": ["b"]}), "o")
    fork = optional(TaskGraph.from_preconditions({"x": ["b"], "o": ["b"], "d": ["o"]}), "o")
    for graph, steps, missing in ((chain, "co", ()), (fork, "xdo", ("b",))):
        monitor = Monitor(graph)
        *_, late = [monitor.observe(step) for step in steps]
        assert (late.kind, late.cause, late.missing) == (Kind.TOO_LATE, None, missing)
        assert late.is_mistake
        assert monitor.mistakes == 2


def test_a_step_needed_through_others_only_comes_too_late() -> None:
    *_, verdict = watch(CHAIN, ["a", "d", "b"])
    assert (verdict.kind, verdict.done_without_it, verdict.cause) == (Kind.TOO_LATE, ("d",), 2)


def test_a_step_that_several_mistakes_passed_over_follows_from_the_first_of_them() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["a"], "d": ["b"], "e": ["c"]})
    late = watch(graph, ["e", "d", "a"])[-1]
    assert (late.kind, late.done_without_it, late.cause) == (Kind.TOO_LATE, ("d", "e"), 1)


@pytest.mark.parametrize("steps", ["xyz", "yxz"])
def test_a_step_without_several_skipped_ones_follows_from_the_first_mistake(steps: str) -> None:
    graph = TaskGraph.from_preconditions({"x": ["a"], "y": ["b"], "z": ["a", "b"]})
    last = watch(graph, steps)[-1]
    assert (last.kind, last.missing, last.cause) == (Kind.SKIPPED_INFERRED, ("a", "b"), 1)


def test_what_rests_on_a_step_done_too_early_is_right_itself() -> None:
    *_, verdict = watch(CHAIN, ["a", "c", "d"])
    assert verdict.kind is Kind.CORRECT
    assert verdict.skipped == ("b",)


def test_only_a_repeatable_step_may_be_done_again() -> None:
    *_, verdict = watch(MIX, ["egg", "egg"])
    assert verdict.kind is Kind.NEEDLESS
    assert verdict.is_mistake
    again = MIX.replace(attributes={"egg": StepAttributes(repeatable=True)})
    *_, verdict = watch(again, ["egg", "egg"])
    assert verdict.kind is Kind.REPEATED
    assert not verdict.is_mistake


def test_doing_again_what_was_done_wrongly_repairs_it_once() -> None:
    assert kinds(MIX, ["egg", "mix", "milk", "mix", "mix"]) == [
        "correct",
        "too-early",
        "repaired",
        "repaired",
        "needless",
    ]


BENCH = TaskGraph.from_preconditions(
    {"test": ["build"], "repair": ["test"], "pack": ["test", "repair"], "scrap": ["test", "repair"]}
).replace(
    attributes={"repair": StepAttributes(optional=True, repeatable=True)},
    choices=[Choice([["pack"], ["scrap"]])],
    undoings=[Undoing("repair", ["test"])],
)


def test_what_is_undone_is_done_again_before_what_needs_it() -> None:
    *_, verdict = watch(BENCH, ["build", "test", "repair", "pack"])
    assert verdict.kind is Kind.TOO_EARLY
    assert verdict.missing == ("test",)
    assert kinds(BENCH, ["build", "test", "repair", "test", "pack"]) == ["correct"] * 5


def test_a_second_alternative_is_a_mistake_that_names_the_first() -> None:
    *_, verdict = watch(BENCH, ["build", "test", "pack", "scrap"])
    assert verdict.kind is Kind.OTHER_ALTERNATIVE
    assert verdict.instead == ("pack",)
    assert verdict.is_mistake


def test_a_choice_never_made_is_named_once() -> None:
    monitor = Monitor(BENCH)
    for step in ("build", "test"):
        assert not monitor.observe(step).is_mistake
    (verdict,) = monitor.finish().verdicts
    assert (verdict.step, verdict.instead) == ("pack", ("scrap",))
    monitor.observe("scrap")
    assert monitor.finish().is_clean
    assert monitor.progress == 1.0


def test_a_session_with_undone_steps_resumes_exactly() -> None:
    monitor = Monitor(BENCH)
    for step in ("build", "test", "repair"):
        monitor.observe(step)
    resumed = Monitor.resume(BENCH, monitor.state)
    assert resumed.state == monitor.state
    assert resumed.observe("pack") == monitor.observe("pack")


def test_a_repeated_step_checks_its_preconditions_again() -> None:
    assert kinds(MIX, ["egg", "mix", "mix", "milk", "mix"]) == [
        "correct",
        "too-early",
        "skipped-inferred",
        "repaired",
        "repaired",
    ]


@pytest.mark.parametrize("name", ["Egg", START, END, ""])
def test_an_unknown_step_is_a_mistake_and_never_performed(name: str) -> None:
    monitor = Monitor(MIX)
    verdict = monitor.observe(name)
    assert verdict.kind is Kind.UNKNOWN_STEP
    assert verdict.is_mistake
    assert (monitor.performed, verdict.progress) == ((), 0)


def test_each_unknown_step_is_a_mistake_more() -> None:
    monitor = Monitor(MIX)
    for step in ("fly", "mix", "walk"):
        monitor.observe(step)
    assert monitor.mistakes == 3


def test_an_unknown_step_has_its_nearest_names() -> None:
    assert Monitor(MIX).observe("Egg").nearest == ("egg",)
    assert Monitor(MIX).observe("egg").nearest == ()


def test_accomplished_is_performed_and_reported_missing() -> None:
    monitor = Monitor(MIX)
    monitor.observe("mix")
    assert monitor.performed == ("mix",)
    assert set(monitor.accomplished) == {"egg", "milk", "mix"}


def test_what_can_be_done_is_ranked_by_what_is_missing_and_then_by_who_waits() -> None:
    graph = TaskGraph.from_preconditions(
        {"free": [], "mix": ["milk"], "fry": ["pan"], "serve": ["fry", "plates"]}
    )
    monitor = Monitor(graph)
    assert monitor.observe("free").executable == ("pan", "milk", "plates")
    assert monitor.observe("mix").executable == ("milk", "pan", "plates")


def test_the_finish_names_what_was_never_done_and_closes_nothing() -> None:
    monitor = Monitor(MIX)
    monitor.observe("mix")
    report = monitor.finish()
    assert [(v.step, v.kind, v.cause) for v in report.verdicts] == [
        ("egg", Kind.OPEN_AT_FINISH, 1),
        ("milk", Kind.OPEN_AT_FINISH, 1),
        ("bake", Kind.OPEN_AT_FINISH, None),
    ]
    assert [(v.position, v.missing, v.done_without_it) for v in report.verdicts] == [
        (2, (), ("mix",)),
        (2, (), ("mix",)),
        (2, ("milk",), ()),
    ]
    assert (report.observed, report.mistakes, report.progress) == (1, 2, 0.25)
    monitor.observe("egg")
    assert monitor.finish().open == ("milk", "bake")


def test_a_verdict_is_frozen_and_compares_and_pickles_by_value() -> None:
    verdict = Monitor(MIX).observe("mix", time=1.0, confidence=0.5)
    assert verdict == Monitor(MIX).observe("mix", time=1.0, confidence=0.5)
    assert pickle.loads(pickle.dumps(verdict)) == verdict  # noqa: S301
    with pytest.raises(AttributeError):
        verdict.step = "egg"  # type: ignore[misc]


def test_a_verdict_says_all_in_plain_values() -> None:
    monitor = Monitor(MIX)
    assert monitor.observe("mix", time=2, confidence=0.5).to_json() == {
        "position": 1,
        "step": "mix",
        "kind": "too-early",
        "mistake": True,
        "time": 2.0,
        "confidence": 0.5,
        "missing": ["egg", "milk"],
        "done_without_it": [],
        "cause": None,
        "instead": [],
        "note": "",
        "nearest": [],
        "skipped": ["egg", "milk"],
        "executable": ["egg", "milk"],
        "progress": 0.25,
    }
    assert monitor.observe("eggs").to_json()["nearest"] == ["egg"]


def test_everything_that_monitoring_offers_is_there() -> None:
    for name in monitoring.__all__:
        assert getattr(monitoring, name).__module__.startswith("stepgraph.monitoring.")
    with pytest.raises(AttributeError, match="no attribute 'Guard'"):
        monitoring.Guard  # noqa: B018


def test_a_graph_without_steps_is_done_at_once() -> None:
    monitor = Monitor(TaskGraph([], [(END, START)]))
    assert monitor.finish().is_clean
    assert monitor.observe("egg").progress == 1.0


@given(task_graphs(), STEPS, st.data())
def test_neither_time_nor_confidence_changes_what_is_said_of_a_step(
    graph: TaskGraph, steps: list[str], data: st.DataObject
) -> None:
    monitor = Monitor(graph)
    for plain in watch(graph, steps):
        time = data.draw(st.none() | st.floats(-1e6, 1e6))
        confidence = data.draw(st.none() | st.floats(0, 1))
        verdict = monitor.observe(plain.step, time=time, confidence=confidence)
        told = ("time", "confidence", "note")
        assert drop(verdict.to_json(), told) == drop(plain.to_json(), told)
        assert (verdict.time, verdict.confidence) == (time, confidence)


def drop(content: dict[str, object], names: Iterable[str]) -> dict[str, object]:
    return {name: value for name, value in content.items() if name not in names}


@given(task_graphs(), STEPS)
def test_positions_count_every_observation_and_the_finish_comes_after_the_last(
    graph: TaskGraph, steps: list[str]
) -> None:
    monitor = Monitor(graph)
    verdicts = [monitor.observe(step) for step in steps]
    assert [verdict.position for verdict in verdicts] == [*range(1, len(steps) + 1)]
    assert {verdict.position for verdict in monitor.finish().verdicts} <= {len(steps) + 1}


@given(task_graphs(), STEPS, STEPS)
def test_a_finish_closes_nothing_and_can_be_asked_again(
    graph: TaskGraph, steps: list[str], more: list[str]
) -> None:
    monitor = Monitor(graph)
    for step in steps:
        monitor.observe(step)
    assert monitor.finish() == monitor.finish()
    assert [monitor.observe(step) for step in more] == watch(graph, [*steps, *more])[len(steps) :]
