from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.learners.transformer.dataset import EmbeddedProcedure
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations

WIDTH = 6


def example(*recordings: str, views: int = 1) -> EmbeddedProcedure:
    demonstrations = Demonstrations.from_steps(recordings)
    steps = demonstrations.vocabulary.steps
    vectors = []
    for step in steps:
        own = np.random.default_rng(ord(step)).normal(0, 100, (1, WIDTH)).repeat(views, 0)
        own[:, 0] = ord(step) + np.arange(views) / 10  # tells the step and the view
        vectors.append(own.astype(np.float32))
    return EmbeddedProcedure.of(demonstrations, vectors, Repetitions.FIRST, 0)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_a_part_keeps_the_order_of_the_steps_it_keeps(seed: int) -> None:
    whole = example("abcde", "bacde", "abced")
    part = whole.part(np.random.default_rng(seed))
    letters = [chr(int(own[0, 0])) for own in part.views]
    wholes = {"".join(s for s in order if s in letters) for order in ("abcde", "bacde", "abced")}
    assert {"".join(letters[n - 1] for n in steps) for steps in part.sequences} == wholes
    for row, step in enumerate(letters, start=1):
        for column, other in enumerate(letters, start=1):
            always = all(order.index(other) < order.index(step) for order in wholes)
            assert step == other or part.always[row, column] == always


def test_a_matrix_agrees_if_its_edges_imply_what_all_recordings_share() -> None:
    own = example("abc", "bac")
    Z = np.zeros((5, 5), np.float32)
    Z[1, 0] = Z[2, 0] = 1.0  # a and b need nothing
    Z[3, [1, 2]] = 0.5
    Z[4, 3] = 1.0
    assert own.agrees(Z)
    assert not own.agrees(np.where(np.arange(5)[:, None] == 3, Z * [0, 0, 2, 0, 0], Z)), "c needs a"
    wrong = Z.copy()
    wrong[1, [0, 2]] = 0.5
    assert not own.agrees(wrong), "a does not need b"


def test_one_view_of_each_step_is_drawn() -> None:
    own = example("ab", views=3)
    rng = np.random.default_rng(0)
    drawn = {tuple(own.drawn(rng)[:, 0].round(1).tolist()) for _ in range(100)}
    assert len(drawn) == 9
    assert own.typical()[:, 0] == pytest.approx([97.1, 98.1])


def test_equal_recordings_count_as_often_as_they_are() -> None:
    own = example("abc", "bac", "abc")
    assert dict(zip(own.sequences, own.counts, strict=True)) == {(1, 2, 3): 2.0, (2, 1, 3): 1.0}
    part = own.part(np.random.default_rng(1))
    assert len(part.counts) == len(part.sequences)
