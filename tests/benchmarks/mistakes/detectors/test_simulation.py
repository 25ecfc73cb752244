from __future__ import annotations

import itertools
import random

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.mistakes.detectors.simulation import MISTAKES, merged, perturb, with_mistakes

RECORDING = (1, 2, 3, 4, 5)


def test_an_early_step_is_one_of_later_on() -> None:
    for seed in range(20):
        made = MISTAKES["early"](RECORDING, 1, 9, random.Random(seed))
        assert made is not None
        assert made[:-1] == (1,)
        assert made[-1] in (3, 4, 5)


def test_a_late_step_was_left_out_before() -> None:
    for seed in range(20):
        made = MISTAKES["late"](RECORDING, 3, 9, random.Random(seed))
        assert made in {(2, 3, 1), (1, 3, 2)}


def test_a_repeated_step_was_done_but_not_just_now() -> None:
    for seed in range(20):
        made = MISTAKES["repeat"](RECORDING, 3, 9, random.Random(seed))
        assert made in {(1, 2, 3, 1), (1, 2, 3, 2)}


def test_a_wrong_step_is_any_but_the_right_one() -> None:
    ends = set()
    for seed in range(99):
        made = MISTAKES["wrong"](RECORDING, 1, 6, random.Random(seed))
        assert made is not None
        ends.add(made[-1])
    assert ends == {3, 4, 5, 6}


def test_a_mistake_that_cannot_happen_is_not_made() -> None:
    assert MISTAKES["early"](RECORDING, 4, 9, random.Random(0)) is None
    assert MISTAKES["repeat"](RECORDING, 1, 9, random.Random(0)) is None
    assert MISTAKES["late"](RECORDING, 1, 9, random.Random(0)) is None


def test_every_place_and_kind_is_tried() -> None:
    lengths = [len(cut) for cut in with_mistakes(RECORDING, 9, random.Random(0))]
    assert len(lengths) == 4 + 3 + 3 + 5
    assert set(lengths) == {1, 2, 3, 4, 5}


@given(st.lists(st.integers(1, 5), min_size=1, max_size=20), st.integers(0, 99))
def test_without_noise_nothing_changes_and_something_always_remains(
    steps: list[int], seed: int
) -> None:
    assert perturb(steps, 0.0, range(1, 6), random.Random(seed)) == tuple(steps)
    assert 1 <= len(perturb(steps, 1.0, range(1, 6), random.Random(seed))) <= 2 * len(steps)


def test_the_three_perturbations_are_alike_often() -> None:
    rng = random.Random(0)
    sizes = [len(perturb([1, 1], 1.0, [2], rng)) for _ in range(3000)]
    assert abs(sum(sizes) / len(sizes) - 2.0) < 0.15  # deleting both keeps one, hence the margin
    unchanged = sum(perturb([1], 0.2, [2], rng) == (1,) for _ in range(3000))
    assert 0.84 < unchanged / 3000 < 0.90  # 80 %, and the deletions, of which the step stays


@given(st.lists(st.integers(1, 3), max_size=12))
def test_merged_steps_never_repeat_in_a_row(steps: list[int]) -> None:
    found = merged(steps)
    assert all(a != b for a, b in itertools.pairwise(found))
    assert set(found) == set(steps)
