from __future__ import annotations

import numpy as np
import pytest

from stepgraph.errors import FormatError
from stepgraph.recognise.frames import FrameRecording, segments


def test_kinds_of_features_stand_side_by_side() -> None:
    recording = FrameRecording("1", (np.arange(6).reshape(3, 2), np.full((3, 1), 9)))
    assert recording.block(1, 3).tolist() == [[2, 3, 9], [4, 5, 9]]


@pytest.mark.parametrize(
    ("features", "labels", "message"),
    [
        ((), None, "has no features; expected one kind or more"),
        ((np.ones(3),), None, r"features of shape \(3,\); expected \(frames, width\)"),
        ((np.ones((0, 2)),), None, r"features of shape \(0, 2\)"),
        ((np.ones((3, 1)), np.ones((2, 1))), None, "3 and 2 frames; expected as many everywhere"),
        ((np.ones((3, 1)),), np.zeros(4, dtype=np.intp), "3 and 4 frames"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    features: tuple[np.ndarray, ...], labels: np.ndarray | None, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        FrameRecording("1", features, labels)


def test_equal_frames_in_a_row_are_one_segment_and_the_background_is_none() -> None:
    frames = ["a", "a", "none", "a", "b", "b", "none"]
    assert segments(frames) == ("a", "none", "a", "b", "none")
    assert segments(frames, "none") == ("a", "a", "b")
