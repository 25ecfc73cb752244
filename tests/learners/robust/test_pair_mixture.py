from __future__ import annotations

import numpy as np
import pytest

from tgml.learners.robust.pair_mixture import capacity, first_order
from tgml.learners.robust.recordings import Recordings
from tgml.repetitions import Repetitions
from tgml.sequences import Demonstrations


def _recordings(*orders: str) -> Recordings:
    return Recordings.of(Demonstrations.from_steps(orders), Repetitions.FIRST, 0)


def test_careful_recordings_count_in_full_and_random_ones_not_at_all() -> None:
    worth = capacity(np.array([0.001, 0.01, 0.1, 0.3, 0.4999]))
    assert (np.diff(worth) < 0).all()
    assert worth[0] > 0.98
    assert worth[-1] == pytest.approx(0, abs=1e-6)


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
