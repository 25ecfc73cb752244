from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stepgraph.graph import TaskGraph
from stepgraph.graph.evidence import StepAttributes
from stepgraph.monitoring import Confusion, UncertainMonitor
from stepgraph.monitoring.belief import HINDSIGHT
from tests.monitoring.exact import Exact
from tests.strategies import STEP_NAMES, task_graphs

CLOSE = 1e-3
"""States of less than a millionth are dropped at each observation."""
NAMES = STEP_NAMES[:4]
SHARES = st.lists(st.sampled_from([0, 0, 1, 2, 6]), min_size=4, max_size=4)
STREAMS = st.lists(
    st.tuples(st.sampled_from((*NAMES, "fly")), st.sampled_from([None, 0.0, 0.4, 1.0])),
    max_size=HINDSIGHT + 2,
)


@st.composite
def confusions(draw: st.DrawFn, graph: TaskGraph) -> Confusion:
    """Recognisers that miss, confuse and make up steps, some of them never or always."""
    size = len(graph.steps)
    seen = []
    for _ in graph.steps:
        row, missed = draw(SHARES)[:size], draw(st.sampled_from([0, 1, 3]))
        seen.append(tuple(share / max(sum(row) + missed, 1) for share in row))
    made_up = [share + 0.5 for share in draw(SHARES)[:size]]
    return Confusion(
        graph.steps,
        tuple(seen),
        draw(st.sampled_from([0.0, 0.1, 0.4])),
        tuple(share / sum(made_up) for share in made_up),
    )


@given(task_graphs(max_steps=4), STREAMS, st.sampled_from([0.05, 0.3]), st.data())
@settings(max_examples=60, deadline=None)
def test_a_wide_beam_says_what_all_possible_worlds_say(
    graph: TaskGraph, stream: list[tuple[str, float | None]], rate: float, data: st.DataObject
) -> None:
    optional = data.draw(st.sets(st.sampled_from(graph.steps)))
    graph = graph.replace(attributes={step: StepAttributes(optional=True) for step in optional})
    _compare(graph, data.draw(confusions(graph)), rate, stream)


def test_a_wide_beam_knows_that_several_steps_may_have_been_missed_in_a_row() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"]})
    confusion = Confusion(graph.steps, ((0.4, 0, 0), (0, 0.7, 0), (0, 0, 1)), 0.1)
    _compare(graph, confusion, 0.2, [("c", None), ("a", None), ("b", None)])


@pytest.mark.parametrize("steps", ["cb", "xb", "acb", "cbb", "bcb"])
def test_a_wide_beam_knows_what_a_late_optional_step_may_lack(steps: str) -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "x": ["b"], "c": ["x"]})
    graph = graph.replace(attributes={"b": StepAttributes(optional=True)})
    confusion = Confusion.even(graph.steps, 0.3)
    _compare(graph, confusion, 0.2, [(step, None) for step in steps])


def _compare(
    graph: TaskGraph, confusion: Confusion, rate: float, stream: list[tuple[str, float | None]]
) -> None:
    exact = Exact(graph, confusion, rate)
    monitor = UncertainMonitor(graph, confusion=confusion, mistake_rate=rate, beam=10**6)
    for position, (step, confidence) in enumerate(stream, start=1):
        verdict = monitor.observe(step, confidence=confidence)
        exact.observe(step, confidence)
        known = step in graph.steps
        mistake = sum(exact.mistakes.values()) if known else 1.0
        assert verdict.probability == pytest.approx(mistake, abs=CLOSE)
        assert verdict.made_up == pytest.approx(
            exact.happened.get(None, 0.0) if known else 0.0, abs=CLOSE
        )
        assert verdict.right == pytest.approx(exact.right, abs=CLOSE)
        noted = sum(exact.noted.values())
        if verdict.missing or verdict.done_without_it:
            assert verdict.kind in ("too-early", "too-late", "skipped-inferred")
            ways = exact.noted if verdict.kind == "skipped-inferred" else exact.mistakes
            what = frozenset(verdict.missing), frozenset(verdict.done_without_it)
            assert ways[(verdict.happened, *what)] > max(ways.values()) - CLOSE
        elif known:
            assert exact.happened[verdict.happened] > max(exact.happened.values()) - CLOSE
            assert max(mistake, noted) < 0.5 + CLOSE
            margin = 2 * exact.repeated - exact.right
            if abs(margin) > CLOSE:
                again = verdict.happened == step and margin > 0
                assert (verdict.kind == "repeated") == again
        done = {
            name: sum(weight for world, weight in exact.worlds.items() if name in world[0])
            for name in graph.steps
        }
        assert monitor.done == pytest.approx(done, abs=CLOSE)
        expected = [done[name] for name in graph.steps if name not in graph.optional_steps]
        progress = sum(expected) / len(expected) if expected else 1.0
        assert verdict.progress == pytest.approx(progress, abs=CLOSE)
        assert verdict.revised[-1] == (position, verdict.probability)
        revised = {
            place: sum(weight for world, weight in exact.worlds.items() if world[3][place - 1])
            for place in range(max(position - HINDSIGHT, 0) + 1, position + 1)
        }
        assert dict(verdict.revised) == pytest.approx(revised, abs=CLOSE)


def test_what_was_most_probably_missing_is_named() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "d": ["c"]})
    assert graph.steps == ("a", "b", "c", "d")
    for seen_as_b, missing in ((0.2, ("a",)), (0.9, ("c",))):  # how often 'd' is taken for 'b'
        seen = ((1, 0, 0, 0), (0, 0.5, 0, 0.5), (0, 0, 1, 0), (0, seen_as_b, 0, 1 - seen_as_b))
        monitor = UncertainMonitor(graph, confusion=Confusion(graph.steps, seen))
        assert monitor.observe("b").missing == missing


def test_an_observation_that_cannot_be_leaves_what_was_thought_of_those_before() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"]})
    never_c = Confusion(graph.steps, ((1, 0, 0), (0, 1, 0), (0, 0, 0)))
    monitor = UncertainMonitor(graph, confusion=never_c)
    monitor.observe("b")
    verdict = monitor.observe("c")
    assert (verdict.probability, verdict.made_up, verdict.happened) == (0.0, 1.0, None)
    assert verdict.revised == ((1, 1.0), (2, 0.0))


def test_a_narrow_beam_keeps_the_best_state_with_a_mistake_and_the_best_without() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"]})
    monitor = UncertainMonitor(graph, error_rate=0.3, beam=1)
    wide = UncertainMonitor(graph, error_rate=0.3)
    first, other = monitor.observe("a"), wide.observe("a")
    assert first.probability == pytest.approx(other.probability)
    monitor.observe("c")
    assert len(monitor.state["now"]["beam"]) == 2
    assert len(wide.state["now"]["beam"]) > 2


@given(task_graphs(max_steps=6), STREAMS, st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_what_is_called_a_mistake_counts_as_one_while_nothing_else_came(
    graph: TaskGraph, stream: list[tuple[str, float | None]], beam: int
) -> None:
    monitor = UncertainMonitor(graph, error_rate=0.3, threshold=0.05, beam=beam)
    for step, confidence in stream:
        verdict = monitor.observe(step, confidence=confidence)
        assert verdict.revised[-1] == (verdict.position, verdict.probability)
        before = sum(chance >= 0.05 for _, chance in verdict.revised[:-1])
        if verdict.position <= HINDSIGHT:
            assert monitor.mistakes == before + verdict.is_mistake


@given(task_graphs(max_steps=6), STREAMS, st.integers(1, 5), st.sampled_from([0.01, 0.3]))
@settings(max_examples=60, deadline=None)
@example(TaskGraph.from_preconditions({"b": ["a"]}), [("b", None)], 5, 0.01)
def test_the_states_kept_are_probabilities_the_greatest_first(
    graph: TaskGraph, stream: list[tuple[str, float | None]], beam: int, rate: float
) -> None:
    monitor = UncertainMonitor(graph, error_rate=rate, beam=beam)
    for step, confidence in stream:
        monitor.observe(step, confidence=confidence)
        weights = [guess[-1] for guess in monitor.state["now"]["beam"]]
        assert weights == sorted(weights, reverse=True)
        assert sum(weights) == pytest.approx(1.0)
        assert len(weights) <= beam + 1


def test_at_the_end_a_step_never_seen_was_missed_or_left_out() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"]})
    confusion = Confusion(graph.steps, ((0.9, 0.0), (0.0, 0.6)))
    monitor = UncertainMonitor(graph, confusion=confusion, mistake_rate=0.2)
    monitor.observe("a")
    missed = 0.4 * 0.8  # done, and not seen
    assert monitor.finish().done == pytest.approx({"a": 1.0, "b": missed / (missed + 0.2)})


def test_at_the_end_steps_never_seen_were_all_missed_or_the_person_had_stopped() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"]})
    confusion = Confusion(graph.steps, ((0.9, 0.0), (0.0, 0.6)))
    report = UncertainMonitor(graph, confusion=confusion, mistake_rate=0.2).finish()
    missed = 0.1 * 0.4 * 0.8
    assert report.done == pytest.approx(dict.fromkeys("ab", missed / (missed + 0.2)))
    assert report.progress == pytest.approx(missed / (missed + 0.2))


@pytest.mark.parametrize("rate", [0.05, 0.2, 0.5])
def test_who_hardly_began_has_not_done_the_rest(rate: float) -> None:
    chain = {f"step {number}": [f"step {number - 1}"] for number in range(2, 12)}
    monitor = UncertainMonitor(TaskGraph.from_preconditions(chain), error_rate=rate)
    assert len(monitor.finish().open) == 11
    monitor.observe("step 1")
    report = monitor.finish()
    assert len(report.open) == 10
    assert report.mistakes == 10
    assert report.progress < 0.2


def test_at_the_end_a_step_was_done_if_it_was_seen_or_missed_and_not_forgotten() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"]}, procedure="tea")
    monitor = UncertainMonitor(graph, error_rate=0.3, mistake_rate=0.2)
    exact = Exact(graph, Confusion.even(graph.steps, 0.3), 0.2)
    monitor.observe("b")
    exact.observe("b", None)
    expected = dict.fromkeys(graph.steps, 0.0)
    for (done, _, forgotten, _), weight in exact.worlds.items():
        unseen = {step for step in graph.steps if step not in done | forgotten}
        missed = 0.1 ** len(unseen) * 0.8  # a third of the errors each
        for step in graph.steps:
            share = missed / (missed + 0.2) if step in unseen else float(step in done)
            expected[step] += weight * share
    assert all(0.01 < chance < 0.9999 for chance in expected.values())
    assert monitor.finish().done == pytest.approx(expected, abs=CLOSE)
    assert monitor.state["procedure"] == "tea"


def without_one(length: int, rate: float) -> UncertainMonitor:
    """Return a monitor of a chain that saw all but the fifth step."""
    names = [f"step {number}" for number in range(1, length + 1)]
    chain = dict(zip(names[1:], ([name] for name in names), strict=False))
    monitor = UncertainMonitor(TaskGraph.from_preconditions(chain), error_rate=rate)
    for name in names:
        if name != "step 5":
            monitor.observe(name)
    return monitor


@pytest.mark.parametrize("rate", [0.003, 0.01, 0.02])
def test_going_on_rightly_does_not_excuse_what_was_left_out(rate: float) -> None:
    for length in (6, 8, 12, 30):
        monitor = without_one(length, rate)
        report = monitor.finish()
        assert (monitor.mistakes, report.open) == (1, ("step 5",))
        # In the end it was forgotten, which a third of the steps left out are, or not seen.
        forgotten, missed = 0.05 / 2 / 3, rate / 3 * 0.95
        assert 1 - report.done["step 5"] > 0.9 * forgotten / (forgotten + missed)


def test_a_poorer_recogniser_leaves_it_open_whether_a_step_was_left_out() -> None:
    report = without_one(12, 0.1).finish()
    assert (report.open, report.unsure) == ((), ("step 5",))


def test_what_may_not_have_been_done_is_named_at_the_end() -> None:
    graph = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["c"]})
    monitor = UncertainMonitor(graph, error_rate=0.2)
    for step in "abd":
        monitor.observe(step)
    report = monitor.finish()
    assert (report.open, report.unsure) == ((), ("c", "d"))
    assert 0.5 <= report.done["c"] < 0.9
