"""Which steps go together, which exclude each other, and what is a choice."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from stepgraph.insight.choices import (
    MOST_OMISSIONS,
    PRIOR,
    SLIP,
    FoundChoice,
    find_choices,
    log_beta,
    log_rule,
    relations,
)

Bool = NDArray[np.bool_]


def table(*rows: tuple[str, int]) -> Bool:
    """Return a table from rows of 0 and 1, each with the number of its recordings."""
    return np.array([[digit == "1" for digit in row] for row, count in rows for _ in range(count)])


def choices(done: Bool, weights: NDArray[np.float64] | None = None) -> list[FoundChoice]:
    counts = np.ones(len(done)) if weights is None else weights
    return find_choices(done, counts, relations(done, counts))


def test_steps_go_together_in_the_direction_in_which_they_do() -> None:
    found = relations(table(("110", 20), ("010", 10), ("001", 10)), np.ones(40))
    assert found.brings[0, 1] > 0 > found.brings[1, 0]
    assert found.excludes[0, 2] > 0
    assert found.excludes[2, 1] > 0


def test_what_everybody_does_neither_goes_with_anything_nor_excludes_it() -> None:
    found = relations(table(("11", 20), ("10", 20)), np.ones(40))
    assert found.brings[1, 0] == -math.inf
    assert (found.excludes[0] == -math.inf).all()
    assert found.always[0] > 0 > found.always[1]


def test_forgotten_steps_do_not_make_it_less_sure_that_others_exclude_each_other() -> None:
    """Forgetting breaks what goes together, never what excludes each other."""
    rows = (("1100", 48), ("1000", 2), ("0011", 48), ("0001", 2))
    found = relations(table(*rows), np.ones(100))
    assert found.brings[0, 1] > 0
    assert found.brings[3, 2] > 0
    assert found.excludes[0, 2] > 0
    assert found.slips > 0.01


def test_the_rate_of_slips_stays_within_its_bounds() -> None:
    clean = relations(table(("10", 50), ("01", 50)), np.ones(100))
    assert 0 < clean.slips <= SLIP
    rng = np.random.default_rng(0)
    assert relations(rng.random((50, 6)) < 0.5, np.ones(50)).slips <= MOST_OMISSIONS


def test_a_choice_has_the_alternatives_and_the_numbers_of_those_who_take_them() -> None:
    (choice,) = choices(table(("1110", 30), ("1001", 12)))
    assert choice.core == ((1, 2), (3,))
    assert (choice.context, choice.optional) == (None, False)
    assert (choice.held, choice.broken) == ((30.0, 12.0), 0.0)
    assert 0.9 < choice.probability <= 1


def test_three_alternatives_are_one_choice() -> None:
    (choice,) = choices(table(("100", 10), ("010", 20), ("001", 15)))
    assert choice.core == ((0,), (1,), (2,))


def test_a_slip_or_two_against_a_choice_are_counted() -> None:
    (choice,) = choices(table(("10", 60), ("01", 40), ("11", 1), ("00", 1)))
    assert choice.core == ((0,), (1,))
    assert choice.broken == 2


def test_a_choice_within_an_alternative_arises_with_its_context() -> None:
    nested = choices(table(("1000", 30), ("0110", 15), ("0101", 15)))
    assert [(choice.context, choice.core) for choice in nested] == [
        (1, ((2,), (3,))),
        (None, ((0,), (1,))),
    ]
    assert nested[1].others == ((), (2, 3))


def test_independent_steps_are_no_choice() -> None:
    rng = np.random.default_rng(0)
    found = [choices(rng.random((20, 6)) < 0.5) for _ in range(100)]
    assert sum(map(bool, found)) <= 3


def test_one_recording_of_an_alternative_is_none() -> None:
    assert not choices(table(("10", 30), ("01", 1)))


@pytest.mark.parametrize("rows", [[("1", 1)], [("1", 5)], [("11", 1)], [("10", 1), ("01", 1)]])
def test_few_recordings_show_nothing(rows: list[tuple[str, int]]) -> None:
    assert not choices(table(*rows))


TABLES = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def drawn(rng: np.random.Generator) -> tuple[Bool, NDArray[np.float64]]:
    """Return a table with a choice or two in it, and forgotten and needless steps."""
    kinds = rng.random((3, rng.integers(1, 8))) < 0.5
    done = kinds[rng.integers(0, 3, rng.integers(1, 30))]
    return done ^ (rng.random(done.shape) < 0.03), rng.choice([0.5, 1.0, 3.0], len(done))


@given(TABLES)
def test_a_weight_counts_as_many_equal_recordings(rng: np.random.Generator) -> None:
    done, _ = drawn(rng)
    counts = rng.integers(1, 7, len(done))
    listed, weighted = choices(done.repeat(counts, axis=0)), choices(done, counts.astype(float))
    assert [(own.core, own.others, own.held) for own in listed] == [
        (own.core, own.others, own.held) for own in weighted
    ]


@given(TABLES)
def test_the_order_of_recordings_does_not_matter(rng: np.random.Generator) -> None:
    done, weights = drawn(rng)
    mixed = rng.permutation(len(done))
    one, other = choices(done, weights), choices(done[mixed], weights[mixed])
    assert [(own.core, own.others, own.context) for own in one] == [
        (own.core, own.others, own.context) for own in other
    ]


@given(TABLES)
@settings(max_examples=200)
def test_alternatives_share_no_step_and_leave_out_their_context(rng: np.random.Generator) -> None:
    done, weights = drawn(rng)
    for choice in choices(done, weights):
        steps = [step for group in (*choice.core, *choice.others) for step in group]
        assert len(steps) == len(set(steps))
        assert len(choice.core) > 1
        assert all(choice.core)
        assert choice.context not in steps
        assert 0.5 <= choice.probability <= 1
        assert choice.broken >= 0


@given(st.floats(0, 1e5), st.floats(0, 1e5))
def test_the_chance_of_two_outcomes_is_that_of_the_beta_function(one: float, other: float) -> None:
    expected = math.lgamma(one + 1) + math.lgamma(other + 1) - math.lgamma(one + other + 2)
    found = log_beta(np.array(one), np.array(other))
    assert float(found) == pytest.approx(expected, rel=1e-9, abs=1e-8)


def test_slips_up_to_their_rate_cost_as_much_as_they_must() -> None:
    none, few, many = log_rule(np.array([100.0, 99.0, 50.0]), np.array([0.0, 1.0, 50.0]), 0.05)
    assert none == 0
    assert few == pytest.approx(99 * math.log(0.99) + math.log(0.01))
    assert many == pytest.approx(50 * (math.log(0.95) + math.log(0.05)))
    assert PRIOR > 0
