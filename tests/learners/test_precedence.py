from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stepgraph.learners.precedence import precedence
from stepgraph.repetitions import Repetitions, without_repetitions
from stepgraph.sequences import Demonstrations, Vocabulary


def test_counts_say_in_how_many_recordings_one_came_before_the_other() -> None:
    counts = precedence(Demonstrations.from_steps(["ab", "ba", "a"]), Repetitions.FIRST)
    a, b = 1, 2
    assert counts.before[b, a] == 1
    assert counts.before[a, b] == 1
    assert counts.recordings.tolist() == [3, 3, 2, 3]


@pytest.mark.parametrize("policy", list(Repetitions)[:3])
def test_always_equals_the_intersection_of_the_sequences_without_repetition(
    policy: Repetitions,
) -> None:
    demonstrations = Demonstrations.from_steps(["abcadb", "bacd", "abdc", "cabdab"])
    always = precedence(demonstrations, policy).always
    sequences = without_repetitions(demonstrations, policy).sequences
    for step in range(1, 5):
        shared = set.intersection(*(set(s[: s.index(step)]) for s in sequences if step in s))
        assert set(np.flatnonzero(always[step])) - {0} == shared


def test_a_step_that_nobody_shows_has_everything_before_it_vacuously() -> None:
    demonstrations = Demonstrations.from_steps(["ab"], vocabulary=Vocabulary(("a", "b", "c")))
    assert precedence(demonstrations, Repetitions.FIRST).always[3].all()


@pytest.mark.parametrize("policy", list(Repetitions))
def test_a_weight_counts_as_so_many_recordings(policy: Repetitions) -> None:
    plain = Demonstrations.from_steps(["abcadb", "bacd", "bacd", "bacd", "cab"])
    weighted = Demonstrations(
        plain.vocabulary,
        (plain.sequences[0], replace(plain.sequences[1], weight=3.0), plain.sequences[4]),
    )
    one, other = precedence(plain, policy), precedence(weighted, policy)
    for name in ("before", "recordings", "together", "agreed", "always"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_a_recording_of_little_weight_contradicts_all_the_same() -> None:
    plain = Demonstrations.from_steps(["ab", "ba"])
    light = replace(plain.sequences[1], weight=1e-30)
    counts = precedence(replace(plain, sequences=(plain.sequences[0], light)), Repetitions.FIRST)
    assert not counts.agreed[1:3, 1:3].any()
    assert not counts.always[1:3, 1:3].any()


def test_chunks_change_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    demonstrations = Demonstrations.from_steps(["abcd", "bacd", "abdc", "dcab", "ab"])
    whole = precedence(demonstrations, Repetitions.FIRST)
    monkeypatch.setattr("stepgraph.learners.precedence.CHUNK_PAIRS", 40)
    assert np.array_equal(precedence(demonstrations, Repetitions.FIRST).before, whole.before)
