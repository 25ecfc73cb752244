from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.errors import InputError
from stepgraph.recognise.scores import average_precision, score_frames


def test_accuracy_counts_the_most_probable_class_over_all_frames() -> None:
    labels = [np.array([0, 1, 1]), np.array([2])]
    shares = [np.array([[0.8, 0.1, 0.1], [0.6, 0.4, 0], [0, 1, 0]]), np.array([[0, 0, 1]])]
    scores = score_frames(labels, shares)
    assert scores.accuracy == 0.75
    assert scores.frames == 4


def test_the_background_counts_for_accuracy_only() -> None:
    labels = [np.array([0, 0, 1])]
    shares = [np.array([[0.1, 0.2], [0.2, 0.1], [0.15, 0.9]])]
    assert score_frames(labels, shares).mean_average_precision < 1
    assert score_frames(labels, shares, background=0).mean_average_precision == 1


def test_no_frames_are_refused() -> None:
    with pytest.raises(InputError, match="no frames to score"):
        score_frames([], [])


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 1000)), min_size=1, unique_by=lambda p: p[1])
)
def test_without_ties_it_is_the_mean_precision_at_each_wanted_frame(
    frames: list[tuple[bool, int]],
) -> None:
    falling = sorted(frames, key=lambda pair: -pair[1])
    precisions = [
        sum(wanted for wanted, _ in falling[: place + 1]) / (place + 1)
        for place, (wanted, _) in enumerate(falling)
        if wanted
    ]
    expected = sum(precisions) / len(precisions) if precisions else 0.0
    wanted, scores = (np.array(values) for values in zip(*frames, strict=True))
    assert average_precision(wanted, scores.astype(float)) == pytest.approx(expected)


@given(st.lists(st.booleans(), min_size=1).filter(any))
def test_equal_scores_get_what_chance_gets(wanted: list[bool]) -> None:
    found = average_precision(np.array(wanted), np.ones(len(wanted)))
    assert found == pytest.approx(sum(wanted) / len(wanted))
