"""A small simulated camera, what it filmed, and a recogniser trained on that."""

from __future__ import annotations

from functools import cache

from benchmarks.generators.features import BACKGROUND, SimulatedCamera, draw_sessions
from stepgraph.graph import TaskGraph
from stepgraph.recognise import RecogniserSettings, TrainedRecogniser, train_recogniser
from stepgraph.recognise.frames import FrameRecording

GRAPH = TaskGraph.from_preconditions({"mix": ["egg", "milk"], "fry": ["mix"], "eat": ["fry"]})
CAMERA = SimulatedCamera(GRAPH.steps, widths=(6, 3), noise=1.2, drift=0.3, duration=20, seed=1)
SETTINGS = RecogniserSettings(embedding=24, hidden=24, window=48, latest=16, batch=8, epochs=12)


@cache
def films(count: int = 12, seed: int = 0) -> tuple[FrameRecording, ...]:
    """Return simulated recordings without mistakes."""
    return CAMERA.film(draw_sessions(GRAPH, count, seed=seed), seed=seed)


@cache
def trained() -> TrainedRecogniser:
    """Return a recogniser of the simulated steps; it takes a second or two."""
    return train_recogniser(films(), CAMERA.classes, settings=SETTINGS, background=BACKGROUND)
