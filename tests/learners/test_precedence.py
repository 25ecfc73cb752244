from __future__ import annotations

import numpy as np
import pytest

from tgml.learners.precedence import precedence
from tgml.repetitions import Repetitions, without_repetitions
from tgml.sequences import Demonstrations, Vocabulary


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
