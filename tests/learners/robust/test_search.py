from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.learners.partial_order import closure, reduction
from stepgraph.learners.robust.demonstrators import Demonstrators
from stepgraph.learners.robust.recordings import Recordings
from stepgraph.learners.robust.search import EDGE_COST, Search, toggled
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations


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
