from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import InputError, SettingError
from stepgraph.graph import TaskGraph
from stepgraph.monitoring.order import OrderWatch, out_of_order, pair_trust
from stepgraph.sequences import Demonstrations
from tests.strategies import STEP_NAMES, task_graphs

BATTER = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "rest": ["mix"], "fry": ["rest"]})


def inverted(graph: TaskGraph, steps: tuple[str, ...]) -> set[int]:
    """Return the places of steps on the wrong side of another, each step done at most once."""
    wrong = set()
    for first, second in combinations(range(len(steps)), 2):
        if steps[second] in graph.all_preconditions_of(steps[first]):
            wrong |= {first, second}
    return wrong


@given(task_graphs(), st.data())
def test_at_the_end_exactly_the_steps_on_the_wrong_side_of_another_are_out_of_order(
    graph: TaskGraph, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(graph.steps))
    steps = tuple(order[: data.draw(st.integers(0, len(order)))])
    found = out_of_order(graph, steps)
    assert {v.position - 1 for v in found if v.probability == 1} == inverted(graph, steps)
    assert all(v.probability in (0, 1) for v in found)


@given(task_graphs(), st.lists(st.sampled_from((*STEP_NAMES, "fly")), max_size=12))
def test_a_verdict_of_the_moment_depends_on_nothing_that_comes_later(
    graph: TaskGraph, steps: list[str]
) -> None:
    whole = OrderWatch(graph)
    verdicts = [whole.observe(step) for step in steps]
    for length in range(len(steps)):
        part = OrderWatch(graph)
        assert [part.observe(step) for step in steps[: length + 1]] == verdicts[: length + 1]
    assert all(0 <= verdict.probability <= 1 for verdict in (*verdicts, *whole.revised()))


def test_a_step_that_is_never_done_puts_no_other_one_out_of_order() -> None:
    found = out_of_order(BATTER, ["egg", "mix", "rest", "fry"])
    assert [verdict.probability for verdict in found] == [0, 0, 0, 0]
    assert [verdict.before for verdict in found] == [(), (), (), ()]


def test_while_the_recording_runs_a_missing_step_is_the_less_probable_to_come_the_longer() -> None:
    watch = OrderWatch(BATTER)
    chances = [watch.observe(step).probability for step in ("egg", "mix", "rest", "fry")]
    assert chances[0] == 0
    assert 0 < chances[3] < chances[2] < chances[1] < 0.5


def test_the_more_steps_are_missing_the_more_probably_one_of_them_comes() -> None:
    one, two = OrderWatch(BATTER), OrderWatch(BATTER)
    one.observe("egg")
    assert two.observe("mix").probability > one.observe("mix").probability


def test_a_missing_step_comes_with_the_odds_of_being_skipped_and_the_share_of_places_left() -> None:
    chain = TaskGraph.from_preconditions({"b": ["a"], "c": ["b"], "d": ["c"], "e": ["d"]})
    watch = OrderWatch(chain, skip_odds=3, trust={("c", "b"): 0.5})
    comes = 1 / (3 + 1)  # all four places are left in which 'a' and 'b' may come
    first = watch.observe("c")
    assert first.probability == pytest.approx(1 - (1 - comes) * (1 - 0.5 * comes))
    assert first.before == ("a", "b")
    later = 0.75 / (3 + 0.75)  # three of the four
    assert watch.observe("d").probability == pytest.approx(1 - (1 - later) ** 2)
    assert watch.revised()[0].probability == pytest.approx(1 - (1 - later) * (1 - 0.5 * later))


def test_a_step_done_again_is_not_late_for_what_was_done_since() -> None:
    found = out_of_order(BATTER, ["egg", "milk", "mix", "egg"])
    assert [verdict.after for verdict in found] == [(), (), (), ()]


def test_trust_in_a_pair_of_unknown_steps_changes_nothing() -> None:
    watch = OrderWatch(BATTER, trust={("mix", "fly"): 0.1, ("fly", "egg"): 0.1})
    assert watch.observe("mix").probability == OrderWatch(BATTER).observe("mix").probability


def test_unless_told_otherwise_a_missing_step_is_skipped_twice_as_often_as_postponed() -> None:
    watch = OrderWatch(TaskGraph.from_preconditions({"b": ["a"]}))
    assert watch.observe("b").probability == pytest.approx(1 / 3)


@pytest.mark.parametrize(("held", "broken"), [(1, 0), (3, 0), (3, 1), (5, 5)])
def test_trust_is_what_bayes_says_of_needing_being_needed_and_any_habit(
    held: int, broken: int
) -> None:
    recordings = Demonstrations.from_steps(["abb"] * held + ["ba"] * broken)
    found = pair_trust(recordings, ordered=0.6, slips=0.1)
    needs = 0.3 * 0.9**held * 0.1**broken
    needed = 0.3 * 0.1**held * 0.9**broken
    habits = [(place + 0.5) / 10_000 for place in range(10_000)]
    free = 0.4 * sum(habit**held * (1 - habit) ** broken for habit in habits) / 10_000
    assert found["b", "a"] == pytest.approx(needs / (needs + needed + free), rel=1e-4)
    assert (("a", "b") in found) == (broken > 0)


def test_thousands_of_recordings_that_contradict_each_other_leave_no_trust() -> None:
    once = Demonstrations.from_steps(["ab", "ba"])
    many = replace(once, sequences=tuple(replace(one, weight=5e3) for one in once.sequences))
    assert pair_trust(many) == pytest.approx({("a", "b"): 0.0, ("b", "a"): 0.0})


def test_a_step_done_after_several_that_need_it_is_out_of_order_by_any_of_these_pairs() -> None:
    trust = {("mix", "egg"): 0.5, ("rest", "egg"): 0.2}
    found = out_of_order(BATTER, ["milk", "mix", "rest", "egg"], trust=trust)
    assert found[-1].probability == pytest.approx(1 - 0.5 * 0.8)
    assert found[-1].after == ("mix", "rest")


def test_a_recording_counts_for_trust_as_often_as_its_weight_says() -> None:
    once = Demonstrations.from_steps(["ab"])
    weighted = replace(once, sequences=(replace(once.sequences[0], weight=4.0),))
    assert pair_trust(weighted) == pair_trust(Demonstrations.from_steps(["ab"] * 4))


def test_three_of_four_pairs_are_ordered_and_one_in_fifty_slips_unless_told_otherwise() -> None:
    recordings = Demonstrations.from_steps(["ab", "ab", "ba"])
    assert pair_trust(recordings) == pair_trust(recordings, ordered=0.75, slips=0.02)


def test_when_the_missing_step_comes_all_done_before_it_are_out_of_order_and_say_why() -> None:
    watch = OrderWatch(BATTER)
    for step in ("egg", "mix", "rest"):
        watch.observe(step)
    late = watch.observe("milk")
    assert (late.probability, late.after) == (1, ("mix", "rest"))
    assert [v.before for v in watch.revised()] == [(), ("milk",), ("milk",), ()]
    assert [v.probability for v in watch.revised()] == [0, 1, 1, 1]


def test_a_step_that_the_graph_does_not_know_cannot_be_out_of_order() -> None:
    watch = OrderWatch(BATTER)
    assert watch.observe("fly").probability == 0


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(InputError, match="a step is None"):
        OrderWatch(TaskGraph.from_preconditions({"b": ["a"]})).observe(None)  # type: ignore[arg-type]


def test_a_pair_that_is_hardly_trusted_hardly_counts() -> None:
    found = out_of_order(BATTER, ["mix", "egg"], trust={("mix", "egg"): 0.25})
    assert [verdict.probability for verdict in found] == [0.25, 0.25]


def test_the_more_recordings_agree_the_more_a_pair_is_trusted() -> None:
    few = pair_trust(Demonstrations.from_steps(["ab"] * 2))
    many = pair_trust(Demonstrations.from_steps(["ab"] * 20))
    contested = pair_trust(Demonstrations.from_steps(["ab"] * 10 + ["ba"] * 10))
    assert contested["b", "a"] < 0.1 < few["b", "a"] < many["b", "a"] < 1


@pytest.mark.parametrize("odds", [0, -1])
def test_odds_that_are_none_are_refused(odds: float) -> None:
    with pytest.raises(SettingError, match="skip_odds"):
        OrderWatch(BATTER, skip_odds=odds)


@pytest.mark.parametrize("name", ["ordered", "slips"])
@pytest.mark.parametrize("share", [0, 1, 1.5])
def test_shares_that_leave_nothing_to_learn_are_refused(name: str, share: float) -> None:
    with pytest.raises(SettingError, match=f"^{name} is"):
        pair_trust(Demonstrations.from_steps(["ab"]), **{name: share})
