"""The gradient written out by rows is the one that automatic differentiation finds."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.learners.precedence import precedence_of
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.loss import TGMLLoss
from stepgraph.learners.tgml.row_sums import Denominators, Places, Rows, contradicted, in_turns
from stepgraph.repetitions import without_repetitions
from stepgraph.sequences import Demonstrations
from tests.strategies import demonstrations

BETA, EPSILON = 0.3, 1e-6
SEVERAL = st.lists(demonstrations(), min_size=1, max_size=4)


def sequences_of(
    several: list[Demonstrations],
) -> tuple[list[tuple[tuple[int, ...], ...]], list[int]]:
    free = [without_repetitions(given_).sequences for given_ in several]
    return free, [len(given_.vocabulary) + 2 for given_ in several]


@settings(deadline=None)
@given(SEVERAL, st.integers(0, 99), st.floats(0, 1))
def test_it_equals_automatic_differentiation_with_any_rows_at_rest(
    several: list[Demonstrations], seed: int, share: float
) -> None:
    sequences, sizes = sequences_of(several)
    rng = np.random.default_rng(seed)
    side = max(sizes)
    is_node = np.arange(side) < np.array(sizes)[:, None]
    Z = rng.random((len(sizes), side, side)) * is_node[:, :, None]
    Z[:, 0] = 0.0
    full = torch.from_numpy(Z).requires_grad_()
    TGMLLoss(BETA, EPSILON)(full, SequenceBatch(sequences, sizes)).backward()
    assert full.grad is not None

    procedure, node = (is_node & (np.arange(side) > 0)).nonzero()
    moves = rng.random(len(node)) < share
    places = Places.of(sequences, sizes)
    denominators = Denominators(places, BETA, EPSILON, Z.dtype)
    rows = {}
    for moving in (False, True):
        numbers = np.flatnonzero(moves == moving)
        numbers = numbers[in_turns(procedure[numbers])]
        rows[moving] = Rows(places, procedure[numbers], node[numbers], Z.dtype)
        weights = Z[procedure[numbers], node[numbers]].T
        rows[moving].add_changes(weights, denominators.changes)
    found = rows[True].gradient(denominators.later(), EPSILON)
    numbers = np.flatnonzero(moves)
    numbers = numbers[in_turns(procedure[numbers])]
    expected = full.grad.numpy()[procedure[numbers], node[numbers]].T
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@settings(deadline=None)
@given(SEVERAL)
def test_contradicted_is_what_does_not_come_first_in_every_sequence(
    several: list[Demonstrations],
) -> None:
    sequences, sizes = sequences_of(several)
    places = Places.of(sequences, sizes)
    for number, (group, size) in enumerate(zip(sequences, sizes, strict=True)):
        nodes = np.arange(1, size)
        found = contradicted(places, np.full(size - 1, number), nodes)
        always = precedence_of(group, size - 1).always
        np.testing.assert_array_equal(found[:size].T, ~always[1:])


def test_rows_in_turns_are_each_procedures_first_then_each_ones_second() -> None:
    procedure = np.array([2, 0, 0, 2, 2])
    assert in_turns(procedure).tolist() == [1, 0, 2, 3, 4]
    assert in_turns(procedure[:0]).tolist() == []


def test_the_places_of_some_procedures_are_theirs() -> None:
    places = Places.of([[(1, 2)], [(2, 1), (1,)]], [4, 4])
    assert places.of_node[:, :, 1].tolist() == [[0, 2, 1, 3], [0, 1, 4, 2]]
    assert places.of_node[1, :, 0].tolist() == [4, 4, 4, 4]  # there is no second sequence
    assert places.terms.tolist() == [[3, 3], [0, 2]]
    only = places.only(np.array([1]))
    assert only.of_node[:, :, 0].tolist() == places.of_node[:, :, 1].tolist()
    assert only.terms.tolist() == [[3], [2]]
