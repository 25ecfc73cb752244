from __future__ import annotations

import numpy as np
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from stepgraph.learners import get_learner
from stepgraph.learners.robust.recordings import Recordings, by_place
from stepgraph.postprocess import to_graph
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations, Vocabulary


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


STEPS = "abcde"
RECORDINGS = st.lists(
    st.lists(st.sampled_from(STEPS), min_size=2, unique=True).map("".join), min_size=1, max_size=5
)


def given_as(recordings: list[str], vocabulary: str = "") -> Demonstrations:
    words = Vocabulary(tuple(vocabulary)) if vocabulary else None
    return Demonstrations.from_steps(recordings, vocabulary=words)


@given(RECORDINGS, st.permutations(STEPS))
def test_recordings_say_the_same_under_the_new_numbers(
    recordings: list[str], vocabulary: list[str]
) -> None:
    demonstrations = given_as(recordings, "".join(vocabulary))
    numbered, new = by_place(demonstrations)
    assert sorted(new) == list(range(len(vocabulary) + 2))
    for before, after in zip(demonstrations, numbered, strict=True):
        assert demonstrations.names(before) == numbered.names(after)
        assert after.steps == tuple(new[step] for step in before.steps)


def test_steps_are_numbered_by_place_then_by_how_often_they_are_done() -> None:
    numbered, _ = by_place(given_as(["cab", "cb", "cad"], "abcd"))
    assert numbered.vocabulary.steps == ("c", "a", "b", "d")
    never_done, new = by_place(given_as(["b"], "ab"))
    assert never_done.vocabulary.steps == ("a", "b")
    assert new.tolist() == [0, 1, 2, 3]


@given(RECORDINGS, st.data())
@settings(deadline=None, max_examples=60)
@example(["bc", "acdb"], None)
def test_the_order_of_recordings_does_not_decide_what_is_learned(
    recordings: list[str], data: st.DataObject | None
) -> None:
    other = recordings[::-1] if data is None else data.draw(st.permutations(recordings))
    numbered = [by_place(given_as(list(one)))[0].vocabulary for one in (recordings, other)]
    assume(numbered[0] == numbered[1])  # steps that are alike stay in the order of the file
    edges = [
        set(to_graph(get_learner("robust").learn(given_as(list(one))).adjacency).graph.edges)
        for one in (recordings, other)
    ]
    assert edges[0] == edges[1]
