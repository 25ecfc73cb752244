from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tgml.learners.partial_order import closure, reduction
from tgml.learners.robust.demonstrators import Demonstrators
from tgml.learners.robust.recordings import Recordings
from tgml.learners.robust.search import Search, toggled
from tgml.repetitions import Repetitions
from tgml.sequences import Demonstrations


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
