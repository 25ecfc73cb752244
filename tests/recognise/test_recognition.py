from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.generators.features import BACKGROUND
from stepgraph.errors import FormatError, SettingError
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Confusion, Monitor, UncertainMonitor
from stepgraph.monitoring.confusion import edit_score
from stepgraph.recognise import (
    KeyStepStream,
    confusion_for,
    hold_out,
    key_steps,
    save_frames,
    train_recogniser,
)
from stepgraph.recognise.files import read_features
from stepgraph.recognise.frames import FrameRecording, segments
from stepgraph.recognise.smoother import smoother_of
from tests.recognise.samples import CAMERA, GRAPH, SETTINGS, films, trained


def test_it_beats_the_controls_on_recordings_that_it_was_not_trained_on() -> None:
    scores = trained().scores
    assert list(scores) == ["gru", "linear", "majority"]
    assert scores["gru"].accuracy > scores["linear"].accuracy + 0.05
    assert scores["linear"].accuracy > scores["majority"].accuracy + 0.2
    assert scores["gru"].mean_average_precision > scores["linear"].mean_average_precision


def test_training_twice_gives_the_same() -> None:
    quick = SETTINGS.__class__(embedding=8, hidden=8, window=16, latest=8, epochs=1)
    first, again = (
        train_recogniser(films()[:4], CAMERA.classes, settings=quick, seed=3) for _ in range(2)
    )
    assert first.confusion == again.confusion
    assert first.scores == again.scores
    assert first.held_out == again.held_out


def test_new_recordings_become_nearly_their_steps() -> None:
    found = []
    for film in films(6, seed=9):
        assert film.labels is not None
        true = segments([CAMERA.classes[label] for label in film.labels], BACKGROUND)
        found.append(edit_score(true, [k.step for k in key_steps(trained().recogniser, film)]))
    assert np.mean(found) > 0.75


def test_key_steps_come_as_soon_as_their_frames_are_seen_and_do_not_change() -> None:
    recogniser = trained().recogniser
    (film,) = films(1, seed=9)
    whole = list(key_steps(recogniser, film))
    assert len(whole) > 2
    cut = FrameRecording("cut", tuple(part[: whole[1].frame] for part in film.features))
    assert list(key_steps(recogniser, cut)) == whole[:2]


def test_a_stream_announces_what_the_smoother_makes_of_whole_recordings() -> None:
    recogniser = trained().recogniser
    (film,) = films(1, seed=9)
    announced = smoother_of(recogniser).smooth_shares(recogniser.shares(film).tolist())
    expected = [(s.step, s.frame) for s in announced if s.step != BACKGROUND]
    stream = KeyStepStream(recogniser)
    told = [stream.observe(frame) for frame in film.block(0, len(film))]
    assert [(k.step, k.frame) for k in told if k is not None] == expected


def test_the_confusion_is_of_the_steps_and_lets_a_monitor_watch() -> None:
    confusion = trained().confusion
    assert confusion.steps == GRAPH.steps
    monitor = UncertainMonitor(GRAPH, confusion=confusion)
    plain = Monitor(GRAPH)
    for step in key_steps(trained().recogniser, films(1, seed=9)[0]):
        plain.observe(step.step)
        assert 0 <= monitor.observe(step.step).probability <= 1
    assert monitor.observed == plain.observed > 0


def test_a_confusion_is_cut_to_the_steps_of_a_graph() -> None:
    confusion = Confusion.even(["egg", "milk", "fly"], 0.3)
    own = confusion_for(confusion, TaskGraph.from_preconditions({"mix": ["egg", "milk"]}))
    places = {step: number for number, step in enumerate(own.steps)}
    assert set(places) == {"egg", "milk", "mix"}
    assert own.seen[places["egg"]][places["egg"]] == pytest.approx(0.8)
    assert own.missed[places["egg"]] == pytest.approx(0.15)  # what is taken for 'fly' is missed
    assert own.missed[places["mix"]] == 1  # never shown to the recogniser
    assert own.spurious == pytest.approx(0.1 * 2 / 3)
    with pytest.raises(SettingError, match="none of the graph's 2 steps"):
        confusion_for(confusion, TaskGraph.from_preconditions({"b": ["a"]}))


def test_whole_recordings_are_held_out() -> None:
    training, held_out = hold_out(films(), 0.25, seed=2)
    assert len(held_out) == 3
    assert {r.id for r in training} | {r.id for r in held_out} == {r.id for r in films()}
    assert not {r.id for r in training} & {r.id for r in held_out}
    assert len(hold_out(films(2), 0.01)[1]) == len(hold_out(films(2), 0.99)[0]) == 1


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0])
def test_a_share_that_leaves_nothing_is_refused(share: float) -> None:
    with pytest.raises(SettingError, match="expected a number between 0 and 1"):
        hold_out(films(), share)


def test_one_recording_cannot_be_held_out() -> None:
    with pytest.raises(SettingError, match="1 recording to train on and hold out"):
        hold_out(films(1))


def test_frames_are_read_as_they_were_written(tmp_path: Path) -> None:
    folders = save_frames(films(2), tmp_path, ("rgb", "flow"))
    read = read_features(folders, labels=tmp_path / "labels", classes=6)
    for own, other in zip(films(2), read, strict=True):
        assert own.id == other.id
        np.testing.assert_array_equal(own.block(0, len(own)), other.block(0, len(other)))
        assert own.labels is not None
        np.testing.assert_array_equal(own.labels, other.labels)


def test_another_width_is_refused_before_any_frame() -> None:
    with pytest.raises(FormatError, match="give the same kinds in the same order"):
        list(key_steps(trained().recogniser, FrameRecording("1", (np.ones((3, 2)),))))
