from __future__ import annotations

import numpy as np
import pytest

from stepgraph.errors import InputError
from stepgraph.recognise.scores import score_frames


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
