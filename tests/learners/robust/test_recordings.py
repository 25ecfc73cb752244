from __future__ import annotations

import numpy as np

from stepgraph.learners.robust.recordings import Recordings
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations


def test_equal_recordings_are_counted_once_with_their_number() -> None:
    recordings = Recordings.of(
        Demonstrations.from_steps(["abc", "acb", "abc", "aabc"]), Repetitions.FIRST, 0
    )
    assert recordings.sequences == ((1, 2, 3), (1, 3, 2))
    assert recordings.weights.tolist() == [3.0, 1.0]
    assert recordings.owners == ((0,), (1,), (0,), (0,))


def test_a_recording_with_repetitions_may_be_read_in_several_ways() -> None:
    recordings = Recordings.of(Demonstrations.from_steps(["abca"]), Repetitions.EXPAND, 0)
    assert sorted(recordings.sequences) == [(1, 2, 3), (2, 3, 1)]
    assert recordings.owners == ((0, 1),)


def test_before_counts_who_shows_one_step_before_another() -> None:
    recordings = Recordings.of(
        Demonstrations.from_steps(["ab", "ab", "ba", "a"]), Repetitions.FIRST, 0
    )
    expected = np.zeros((4, 4))
    expected[2, 1], expected[1, 2] = 2, 1
    assert np.array_equal(recordings.before, expected)


def test_the_seed_decides_which_of_random_repetitions_counts() -> None:
    demonstrations = Demonstrations.from_steps(["abca"])
    readings = {
        Recordings.of(demonstrations, Repetitions.RANDOM, seed).sequences for seed in range(20)
    }
    assert readings == {((1, 2, 3),), ((2, 3, 1),)}
