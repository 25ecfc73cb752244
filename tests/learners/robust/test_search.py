from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from stepgraph.graph.adjacency import closure, reduction
from stepgraph.learners.robust.demonstrators import Demonstrators, Recordings
from stepgraph.learners.robust.search import (
    EDGE_COST,
    HABITS,
    SUCCESSES,
    Search,
    best_order,
    capacity,
    error_rates,
    first_order,
    pair_log_odds,
    toggled,
    without,
)
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations
from tests.strategies import demonstrations as drawn


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=40))
def test_orders_stay_closed_and_acyclic_whatever_enters_and_leaves(
    moves: list[tuple[int, int]],
) -> None:
    order = np.zeros((6, 6), dtype=bool)
    for step, needed in moves:
        if step == needed:
            continue
        changed = toggled(order, step, needed)
        if changed is None:
            # It follows from others, or contradicts them.
            assert order[needed, step] or (
                order[step, needed] and not reduction(order)[step, needed]
            )
            continue
        assert changed[step, needed] != order[step, needed]
        order = changed
        assert np.array_equal(order, closure(order))
        assert not (order & order.T).any()


def _search(*orders: str) -> tuple[Search, int]:
    recordings = Recordings.of(Demonstrations.from_steps(orders), Repetitions.FIRST, 0)
    people = Demonstrators(
        recordings.sequences, recordings.weights, recordings.size, errors=2.0, successes=20.0
    )
    forbidden = np.zeros((recordings.size, recordings.size), dtype=bool)
    return Search(recordings, people, forbidden), recordings.size


def test_the_search_finds_the_order_from_nothing() -> None:
    search, size = _search(*["abcd"] * 4, *["acbd"] * 4)
    _, order = search.improve(np.zeros((size, size), dtype=bool))
    found = {(int(step), int(needed)) for step, needed in np.argwhere(reduction(order))}
    assert found == {(2, 1), (3, 1), (4, 2), (4, 3)}


def test_the_search_takes_out_what_the_recordings_do_not_show() -> None:
    search, size = _search(*["abcd"] * 4, *["acbd"] * 4)
    chain = closure(np.diag([False, True, True, True, False], -1))
    assert len(chain) == size
    _, order = search.improve(chain)
    found = {(int(step), int(needed)) for step, needed in np.argwhere(reduction(order))}
    assert found == {(2, 1), (3, 1), (4, 2), (4, 3)}


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        # 'a' after 'b', or after 'c', explains most; with the better one the other adds too little.
        (["bca", "bca", "cba"], {(3, 2)}),
        # Who errs is learned anew after each round, and only then the second edge pays.
        (["bdac"] * 3 + ["dbac"] * 4 + ["adbc"] * 2, {(4, 1), (4, 3)}),
    ],
)
def test_the_best_change_comes_first_and_the_others_only_if_they_still_help(
    orders: list[str], expected: set[tuple[int, int]]
) -> None:
    search, size = _search(*orders)
    _, order = search.improve(np.zeros((size, size), dtype=bool))
    found = {(int(step), int(needed)) for step, needed in np.argwhere(reduction(order))}
    assert found == expected


def test_the_score_is_the_likelihood_less_what_each_edge_costs() -> None:
    search, size = _search(*["abcd"] * 4, *["acbd"] * 4)
    score, order = search.improve(np.zeros((size, size), dtype=bool))
    edges = reduction(order).sum()
    assert score == search.people.log_likelihood(order) - EDGE_COST * edges


@pytest.mark.parametrize(("weight", "enters"), [(1.0, False), (2.0, True)])
def test_a_pair_enters_if_it_adds_more_than_an_edge_costs(weight: float, enters: bool) -> None:
    recordings = Recordings(4, ((1, 2),), np.array([weight]), ((0,),), ())
    people = Demonstrators(recordings.sequences, recordings.weights, 4, errors=2.0, successes=20.0)
    search = Search(recordings, people, np.zeros((4, 4), dtype=bool))
    _, order = search.improve(np.zeros((4, 4), dtype=bool))
    assert order[2, 1] == enters


def test_only_pairs_that_are_shown_and_seldom_the_other_way_round_are_tried() -> None:
    # 'b' after 'a' in 13 of 20 recordings, 'd' after 'c' in 12 of 20; nobody does 'a' and 'c'.
    search, _ = _search(*["ab"] * 13, *["ba"] * 7, *["cd"] * 12, *["dc"] * 8)
    assert np.argwhere(search.possible).tolist() == [[2, 1]]


def test_a_pair_that_may_not_be_is_not_tried() -> None:
    recordings = Recordings.of(Demonstrations.from_steps(["abc"]), Repetitions.FIRST, 0)
    people = Demonstrators(recordings.sequences, recordings.weights, 5, errors=2.0, successes=20.0)
    forbidden = np.zeros((5, 5), dtype=bool)
    forbidden[2, 1] = True
    search = Search(recordings, people, forbidden)
    assert np.argwhere(search.possible).tolist() == [[3, 1], [3, 2]]


def test_a_forbidden_pair_does_not_enter() -> None:
    search, size = _search(*["abc"] * 6)
    search.possible[2, 1] = False
    _, order = search.improve(np.zeros((size, size), dtype=bool))
    assert not order[2, 1]


def test_the_search_ends_when_its_budget_is_spent() -> None:
    search, size = _search(*["abcdef"] * 3)
    search.budget = 0
    _, order = search.improve(np.zeros((size, size), dtype=bool))
    assert not order.any()


Matrix = NDArray[np.float64]
DEMONSTRATIONS = drawn(max_steps=5)


def _recordings(*orders: str) -> Recordings:
    return Recordings.of(Demonstrations.from_steps(orders), Repetitions.FIRST, 0)


def test_careful_recordings_count_in_full_and_random_ones_not_at_all() -> None:
    worth = capacity(np.array([0.001, 0.01, 0.1, 0.3, 0.4999]))
    assert (np.diff(worth) < 0).all()
    assert worth[0] > 0.98
    assert worth[-1] == pytest.approx(0, abs=1e-6)


def _needs(recordings: Recordings, rates: Matrix, trust: Matrix) -> Matrix:
    """Return by Bayes, pair by pair, how probable it is that each step needs each other one."""
    needs = np.zeros((recordings.size, recordings.size))
    for i, j in itertools.permutations(range(recordings.size), 2):
        ordered, reverse = 0.25, 0.25  # half of all pairs are free, before anything is seen
        habits = {habit: 0.5 / len(HABITS) for habit in HABITS}
        shown = False
        for steps, rate, worth in zip(
            recordings.sequences, rates, trust * recordings.weights, strict=True
        ):
            if i not in steps or j not in steps:
                continue
            shown = True
            after = steps.index(i) > steps.index(j)
            ordered *= (1 - rate if after else rate) ** worth
            reverse *= (rate if after else 1 - rate) ** worth
            for habit in habits:
                first = habit * (1 - rate) + (1 - habit) * rate  # an error turns the habit round
                habits[habit] *= (first if after else 1 - first) ** worth
        if shown:
            needs[i, j] = ordered / (ordered + reverse + sum(habits.values()))
    return needs


@given(DEMONSTRATIONS, st.data())
@settings(max_examples=30, deadline=None)
def test_the_log_odds_of_a_pair_are_those_of_bayes(
    demonstrations: Demonstrations, data: st.DataObject
) -> None:
    recordings = Recordings.of(demonstrations, Repetitions.FIRST, 0)
    count = len(recordings.sequences)
    rates = np.array(data.draw(st.lists(st.floats(0.01, 0.4), min_size=count, max_size=count)))
    needs = _needs(recordings, rates, capacity(rates))
    chance = np.clip(needs, 1e-12, 1 - 1e-12)
    together = recordings.before + recordings.before.T > 0
    expected = np.where(together, np.log(chance / (1 - chance)), 0.0)
    assert pair_log_odds(recordings, rates) == pytest.approx(expected, abs=1e-3)


@given(DEMONSTRATIONS, st.sampled_from([0.1, 2.0]))
@settings(max_examples=30, deadline=None)
def test_an_error_rate_is_the_share_of_pairs_that_stand_the_wrong_way_round(
    demonstrations: Demonstrations, errors: float
) -> None:
    recordings = Recordings.of(demonstrations, Repetitions.FIRST, 0)
    rates = error_rates(recordings, errors)
    needs = _needs(recordings, rates, np.ones(len(rates)))
    for steps, rate in zip(recordings.sequences, rates, strict=True):
        right = sum(needs[later, earlier] for earlier, later in itertools.combinations(steps, 2))
        wrong = sum(needs[earlier, later] for earlier, later in itertools.combinations(steps, 2))
        expected = (errors + wrong) / (errors + SUCCESSES + right + wrong)
        assert rate == pytest.approx(np.clip(expected, 5e-4, 0.45), abs=1e-4)


def test_a_recording_in_reverse_errs_almost_every_other_time_at_most() -> None:
    rates = error_rates(_recordings(*["abcdefgh"] * 10, "hgfedcba"), errors=0.1)
    assert rates[0] < 0.01
    assert rates[1] == 0.45


def test_a_pair_shown_in_one_order_only_is_kept_in_it_however_few_show_it() -> None:
    order = first_order(_recordings("ab"), errors=0.1)
    assert order[2, 1]
    assert not order[1, 2]


def test_steps_that_nobody_did_both_say_nothing_about_each_other() -> None:
    odds = pair_log_odds(_recordings("ab", "cd"), np.array([0.1, 0.1]))
    assert odds[3, 1] == odds[1, 3] == 0


def test_what_all_show_is_ordered_and_what_differs_is_free() -> None:
    order = first_order(_recordings("abcd", "acbd", "abcd", "acbd"), errors=0.1)
    a, b, c, d = 1, 2, 3, 4
    assert order[b, a]
    assert order[d, b]
    assert order[d, c]
    assert not order[b, c]
    assert not order[c, b]


def test_the_more_errors_are_expected_the_less_a_single_contradiction_counts() -> None:
    recordings = _recordings(*["abcdef"] * 6, "bacdef")
    assert not first_order(recordings, errors=0.1)[2, 1]
    assert first_order(recordings, errors=5.0)[2, 1]


SCORES = arrays(np.float64, (4, 4), elements=st.floats(-5, 5).map(lambda x: round(x, 1)))


def _lower(matrix: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.tril(matrix > 0, -1)


@given(SCORES)
def test_the_order_found_is_a_closed_partial_order(scores: NDArray[np.float64]) -> None:
    order = best_order(scores)
    assert not (order & order.T).any()
    assert np.array_equal(closure(order), order)


@given(SCORES)
def test_no_pair_that_speaks_against_itself_is_left_unless_it_follows(
    scores: NDArray[np.float64],
) -> None:
    order = best_order(scores)
    assert (scores[reduction(order)] >= 0).all()


def test_of_three_steps_the_order_found_is_nearly_the_best_on_average() -> None:
    places = [(i, j) for i in range(3) for j in range(3) if i != j]
    orders = []
    for chosen in itertools.product((False, True), repeat=len(places)):
        order = np.zeros((3, 3), dtype=bool)
        for place, taken in zip(places, chosen, strict=True):
            order[place] = taken
        if not (order & order.T).any() and np.array_equal(closure(order), order):
            orders.append(order)
    assert len(orders) == 19  # the partial orders of three things
    generator = np.random.default_rng(0)
    found, best = 0.0, 0.0
    for _ in range(300):
        scores = generator.uniform(-5, 5, (3, 3))
        found += scores[best_order(scores)].sum()
        best += max(scores[order].sum() for order in orders)
    assert found > 0.95 * best


def test_pairs_that_agree_with_each_other_are_all_kept() -> None:
    truth = closure(np.eye(5, k=-1, dtype=bool))
    scores = np.where(truth, 1.0, -1.0)
    assert np.array_equal(best_order(scores), truth)


@given(SCORES, SCORES)
def test_taking_pairs_out_leaves_a_closed_order_with_nothing_unwanted_on_top(
    edges: NDArray[np.float64], unwanted: NDArray[np.float64]
) -> None:
    order = without(closure(_lower(edges)), unwanted > 0)
    assert np.array_equal(closure(order), order)
    assert not (reduction(order) & (unwanted > 0)).any()
