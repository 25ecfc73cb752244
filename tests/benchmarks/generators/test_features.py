from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from benchmarks.generators.features import BACKGROUND, SimulatedCamera, draw_sessions
from stepgraph.errors import SettingError
from stepgraph.monitoring import find_violations
from stepgraph.recognise.frames import segments
from tests.recognise.samples import CAMERA, GRAPH, films


def test_the_frames_show_the_steps_in_their_order() -> None:
    shown = draw_sessions(GRAPH, 6, seed=3, every_second_errs=True)
    for recording, film in zip(shown, CAMERA.film(shown, seed=3), strict=True):
        assert film.labels is not None
        assert film.id == recording.id
        frames = [CAMERA.classes[label] for label in film.labels]
        assert segments(frames, BACKGROUND) == shown.names(recording)


def test_a_seed_gives_the_same_frames_and_another_one_others() -> None:
    shown = draw_sessions(GRAPH, 2, seed=0)
    again = CAMERA.film(shown, seed=0)
    other = CAMERA.film(shown, seed=1)
    assert all(
        np.array_equal(a.block(0, 999), b.block(0, 999))
        for a, b in zip(films(2, 0), again, strict=True)
    )
    assert not np.array_equal(again[0].block(0, 9), other[0].block(0, 9))


def test_only_every_second_session_errs() -> None:
    shown = draw_sessions(GRAPH, 40, seed=0, every_second_errs=True)
    whole = shown.sequences[::2]
    erring = shown.sequences[1::2]
    assert not any(find_violations(GRAPH, shown.names(recording)) for recording in whole)
    assert any(find_violations(GRAPH, shown.names(recording)) for recording in erring)


def test_motions_the_other_way_round_show_the_same_frames_in_another_order() -> None:
    camera = SimulatedCamera(GRAPH.steps, noise=0, drift=0, duration=40, pause=0, motions=True)
    (film,) = camera.film(draw_sessions(GRAPH, 1, seed=0), seed=0)
    assert film.labels is not None
    looks, shown = np.unique(film.block(0, len(film)), axis=0, return_inverse=True)
    assert len(looks) == 4  # gestures, for three triples of them
    turns = {}
    for step in (1, 2):  # the first triple, this way and that way
        gestures = shown[film.labels == step]
        turns[step] = {(int(a), int(b)) for a, b in pairwise(gestures) if a != b}
    assert turns[1] == {(b, a) for a, b in turns[2]}
    assert not turns[1] & turns[2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"steps": ()}, "0 steps to film"),
        ({"steps": (BACKGROUND,)}, "none called 'nothing'"),
        ({"widths": ()}, "widths are"),
        ({"noise": -1.0}, "noise -1"),
        ({"duration": 1.0}, "the duration is 1"),
    ],
)
def test_cameras_that_cannot_be_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        SimulatedCamera(**{"steps": ("a",), **settings})


def test_a_step_that_the_camera_does_not_know_is_refused() -> None:
    with pytest.raises(SettingError, match="the camera does not know"):
        SimulatedCamera(("other",)).film(draw_sessions(GRAPH, 1, seed=0), seed=0)
