from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.recognise import RecogniserSettings
from stepgraph.recognise.frames import FrameRecording
from stepgraph.recognise.training import NOT_COUNTED, batches, make_batch, window_ends


def counting(length: int) -> FrameRecording:
    frames = np.arange(length, dtype=np.float32)[:, None]
    return FrameRecording("1", (frames,), np.arange(length))


def test_only_the_latest_frames_of_a_window_count() -> None:
    settings = RecogniserSettings(window=5, latest=2)
    batch = make_batch([counting(9)], [(0, 8)], settings)
    assert batch.frames[0, :, 0].tolist() == [3, 4, 5, 6, 7]
    assert batch.labels[0].tolist() == [NOT_COUNTED] * 3 + [6, 7]


def test_a_window_at_the_beginning_is_shorter_and_filled_up_behind_its_end() -> None:
    settings = RecogniserSettings(window=5, latest=2)
    batch = make_batch([counting(9)], [(0, 3), (0, 9)], settings)
    assert batch.frames[0, :, 0].tolist() == [0, 1, 2, 0, 0]
    assert batch.labels[0].tolist() == [NOT_COUNTED, 1, 2, NOT_COUNTED, NOT_COUNTED]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(1, 9), st.integers(0, 99))
def test_with_the_default_stride_every_frame_counts_in_every_epoch(
    lengths: list[int], latest: int, seed: int
) -> None:
    settings = RecogniserSettings(window=10, latest=latest)
    counted: set[tuple[int, int]] = set()
    for number, end in window_ends(lengths, settings, np.random.default_rng(seed)):
        counted |= {(number, frame) for frame in range(max(0, end - latest), end)}
    assert counted == {(n, frame) for n, length in enumerate(lengths) for frame in range(length)}


def test_an_epoch_holds_each_window_once_in_another_order() -> None:
    settings = RecogniserSettings(window=4, latest=1, batch=3)
    recordings = [counting(20)]
    rng = np.random.default_rng(0)
    order = [
        int(labels[labels != NOT_COUNTED])
        for batch in batches(recordings, settings, rng)
        for labels in batch.labels
    ]
    assert sorted(order) == list(range(20))
    assert order != sorted(order)
