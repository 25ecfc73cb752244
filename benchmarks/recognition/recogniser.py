"""From simulated video features to verdicts: how well frames, key-steps and mistakes are told."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.detection import score_detection
from benchmarks.generators.features import BACKGROUND, SimulatedCamera, draw_sessions
from benchmarks.generators.problems import FIRST_SEED, draw_procedure
from benchmarks.harness import BenchmarkResult, Column, Request, choose_rows, percent
from stepgraph.evaluation import mean_interval
from stepgraph.graph import TaskGraph
from stepgraph.monitoring import Monitor, mistake_probabilities
from stepgraph.monitoring.confusion import edit_alignment, edit_score
from stepgraph.recognise import FrameMeasurements, KeyStepStream, hold_out, measure_frames
from stepgraph.recognise.frames import FrameRecording, segments
from stepgraph.recognise.scores import score_frames

if TYPE_CHECKING:
    from stepgraph.recognise import Recogniser, RecogniserSettings

STEPS = 12
TRAINING = 16
"""How many recordings there are to train on, those held out included."""
TEST = 10
"""How many recordings are judged, every second with mistakes."""
DURATION = 30.0
"""How many frames a step takes on average."""
CAMERAS: dict[str, dict[str, Any]] = {
    "looks": {"noise": 2.0},
    "motions": {"noise": 1.0, "motions": True},
}
"""What the cameras show: steps with a look of their own, or steps made of the same gestures."""
METHODS = {
    "gru": "the recogniser: a recurrent network, the loss on the latest frames of each window",
    "gru-all-frames": "the same with the loss on all frames of each window",
    "linear": "control: each frame on its own, weighed linearly",
    "majority": "control: always the most frequent class of training",
    "true-frames": "control: the true class of each frame, so that only smoothing is left to err",
}
NOTES = (
    (
        "simulated features with known labels, no video: they show that the way works and what "
        "its parts contribute, not how well steps are recognised in any real video"
    ),
    (
        "looks: each step looks alike throughout, and no other does; motions: a step is three "
        "gestures in turn, and another one the same the other way round, with half the noise"
    ),
    (
        "mAP: mean average precision over the steps, each ranking all frames; edit: edit score of "
        "key-steps after smoothing against true segments"
    ),
    (
        "mistakes: steps that the plain monitor calls one when it sees the true segments; found "
        "if the key-step aligned with them is flagged. Plain: by the plain monitor; uncertain: "
        "from 50 % on, with the confusion of the held-out recordings"
    ),
    "false: other flags a recording; every second recording has no mistakes",
    "frames/s: one frame after the other, features to key-steps, by processor time of one thread",
)

Frames = tuple[list[str], NDArray[Any]]
"""The true class of each frame, and what a recogniser made of it."""


@dataclass(frozen=True)
class _Problem:
    """A procedure, who films it, and what was filmed."""

    graph: TaskGraph
    camera: SimulatedCamera
    training: tuple[FrameRecording, ...]
    held_out: tuple[FrameRecording, ...]
    test: tuple[FrameRecording, ...]
    seed: int


def run(request: Request) -> BenchmarkResult:
    """Train on simulated cameras, and judge what else they filmed."""
    chosen = choose_rows(request.methods, METHODS)
    rows: list[dict[str, Any]] = []
    total = len(CAMERAS) * len(chosen) * request.seeds
    frames = 0
    for camera in CAMERAS:
        problems = [_problem(camera, seed) for seed in range(request.seeds)]
        frames += sum(len(film) for problem in problems for film in problem.test)
        for name in chosen:
            found: list[dict[str, Any]] = []
            for problem in problems:
                done = len(rows) * request.seeds + len(found)
                request.progress(done, total, f"{camera}, {name}, procedure {len(found) + 1}")
                found.append(_judge(name, problem))
            rows.append({"camera": camera, **_row(name, found)})
    request.progress(total, total, "done")
    return BenchmarkResult(
        "recogniser",
        f"The recogniser on simulated features: {request.seeds} random procedures of {STEPS} "
        f"steps, two cameras, {len(CAMERAS) * request.seeds * TEST} recordings to judge, "
        f"{frames:,} frames",
        rows,
        COLUMNS,
        [*NOTES, *(f"{name}: {METHODS[name]}" for name in chosen)],
    )


def _problem(kind: str, seed: int) -> _Problem:
    own = FIRST_SEED + seed
    graph = draw_procedure(STEPS, own)
    camera = SimulatedCamera(graph.steps, duration=DURATION, seed=own, **CAMERAS[kind])
    films = camera.film(draw_sessions(graph, TRAINING, seed=own), seed=1)
    test = camera.film(
        draw_sessions(graph, TEST, seed=10_000 + own, every_second_errs=True), seed=2
    )
    training, held_out = hold_out(films, seed=own)
    return _Problem(graph, camera, training, held_out, test, own)


def _judge(method: str, problem: _Problem) -> dict[str, Any]:
    classes = problem.camera.classes
    shares_of, recogniser = _shares(method, problem)

    def frames(films: Sequence[FrameRecording]) -> list[Frames]:
        return [([classes[n] for n in _labels(film)], shares_of(film)) for film in films]

    scores = score_frames(
        [_labels(film) for film in problem.test],
        [shares_of(film) for film in problem.test],
        background=0,
    )
    habits = measure_frames(frames(problem.held_out), classes, BACKGROUND)
    told = []
    for true, shares in frames(problem.test):
        announced = [one.step for one in habits.smoother.smooth_shares(shares.tolist())]
        told.append((segments(true, BACKGROUND), [s for s in announced if s != BACKGROUND]))
    return {
        "frame_accuracy": scores.accuracy,
        "mean_average_precision": scores.mean_average_precision,
        "edit_score": fmean(edit_score(true, found) for true, found in told),
        **_verdicts(told, problem.graph, habits),
        "frames_per_second": None
        if recogniser is None
        else _speed(recogniser, habits, problem.test[0]),
    }


def _shares(
    method: str, problem: _Problem
) -> tuple[Callable[[FrameRecording], NDArray[Any]], Recogniser | None]:
    """Return what gives the probabilities of frames, and the network behind it."""
    from stepgraph.recognise import fit_recogniser

    classes = problem.camera.classes
    if method == "true-frames":
        return lambda film: np.eye(len(classes))[_labels(film)], None
    if method == "majority":
        labels = np.concatenate([_labels(film) for film in problem.training])
        constant = np.bincount(labels, minlength=len(classes)) / len(labels)
        return lambda film: np.tile(constant, (len(film), 1)), None
    fitted = fit_recogniser(
        problem.training,
        problem.held_out,
        classes,
        settings=_settings(method),
        background=BACKGROUND,
        seed=problem.seed,
    )
    return fitted.recogniser.shares, fitted.recogniser


def _settings(method: str) -> RecogniserSettings:
    from stepgraph.recognise import Design, RecogniserSettings

    if method == "linear":
        return RecogniserSettings(design=Design.LINEAR)
    if method == "gru-all-frames":
        window = RecogniserSettings().window
        # As many windows as for the latest frames, so that both get as many steps.
        return RecogniserSettings(latest=window, stride=RecogniserSettings().latest)
    return RecogniserSettings()


def _verdicts(
    told: Sequence[tuple[Sequence[str], Sequence[str]]], graph: TaskGraph, habits: FrameMeasurements
) -> dict[str, Any]:
    """Compare what monitors say of key-steps with what the plain one says of the true ones."""
    wrong: list[list[bool]] = []
    plain: list[list[float]] = []
    uncertain: list[list[float]] = []
    for true, found in told:
        truth = _flags(graph, true)
        pairs = edit_alignment(true, found)
        source = {right: left for left, right in pairs if right is not None}
        missed = sum(truth[left] for left, right in pairs if left is not None and right is None)
        wrong.append(
            [(left := source[place]) is not None and truth[left] for place in range(len(found))]
            + [True] * missed
        )
        # A mistake that was not seen at all is an observation that never came.
        unseen = [0.0] * missed
        plain.append([float(flag) for flag in _flags(graph, found)] + unseen)
        judged = mistake_probabilities(graph, found, confusion=habits.confusion)
        uncertain.append([*judged, *unseen])
    return {"wrong": wrong, "plain": plain, "uncertain": uncertain}


def _flags(graph: TaskGraph, steps: Sequence[str]) -> list[bool]:
    monitor = Monitor(graph)
    return [monitor.observe(step).is_mistake for step in steps]


def _speed(recogniser: Recogniser, habits: FrameMeasurements, film: FrameRecording) -> float:
    from stepgraph.learners.networks import one_thread

    stream = KeyStepStream(recogniser, habits.smoother)
    frames = film.block(0, len(film))
    with one_thread():
        started = time.process_time()
        for frame in frames:
            stream.observe(frame)
        return len(frames) / (time.process_time() - started)


def _row(method: str, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    row: dict[str, Any] = {"method": method, "about": METHODS[method]}
    for name in ("frame_accuracy", "mean_average_precision", "edit_score"):
        interval = mean_interval([entry[name] for entry in found])
        row |= {name: interval.mean, f"{name}_interval90": interval.half_width}
    wrong = [recording for entry in found for recording in entry["wrong"]]
    for kind in ("plain", "uncertain"):
        judged = [recording for entry in found for recording in entry[kind]]
        scores = score_detection(wrong, judged, 0.5)
        row |= {
            f"{kind}_precision": scores.precision,
            f"{kind}_recall": scores.recall,
            f"{kind}_f1": scores.f1,
            f"{kind}_false_alarms_per_recording": scores.false_alarms / len(wrong),
        }
    row["mistakes"] = sum(map(sum, wrong))
    speeds = [entry["frames_per_second"] for entry in found]
    row["frames_per_second"] = None if None in speeds else fmean(speeds)
    row["runs"] = len(found)
    return row


def _labels(film: FrameRecording) -> NDArray[np.intp]:
    if film.labels is None:
        raise ValueError(f"recording {film.id!r} has no labels")
    return film.labels


def _speed_cell(row: Any) -> str:
    speed = row["frames_per_second"]
    return "" if speed is None else f"{speed:,.0f}"


def _interval(row: Any, name: str) -> str:
    return percent(row[name], row[f"{name}_interval90"] if row["runs"] > 1 else None)


COLUMNS = (
    Column("camera", lambda row: str(row["camera"])),
    Column("method", lambda row: str(row["method"])),
    Column("accuracy", lambda row: _interval(row, "frame_accuracy")),
    Column("mAP", lambda row: percent(row["mean_average_precision"])),
    Column("edit", lambda row: _interval(row, "edit_score")),
    Column("plain F1", lambda row: percent(row["plain_f1"])),
    Column("false", lambda row: f"{row['plain_false_alarms_per_recording']:.2f}"),
    Column("uncertain F1", lambda row: percent(row["uncertain_f1"])),
    Column("false", lambda row: f"{row['uncertain_false_alarms_per_recording']:.2f}"),
    Column("frames/s", _speed_cell),
)
"""How a terminal shows the rows."""
