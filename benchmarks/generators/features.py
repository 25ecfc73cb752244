"""Simulated video features: what a camera and a feature extractor might give for known steps.

No real features come with stepgraph. These show each step as a point of its own in feature space,
blurred by noise from frame to frame and by a slow drift that is different in each recording, as
light, hands and point of view are. They test that the way from arrays to verdicts works; how
well real steps are recognised they cannot say.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from benchmarks.generators.noise import Demonstrator
from benchmarks.generators.orders import draw_orders
from stepgraph.errors import SettingError
from stepgraph.graph import TaskGraph
from stepgraph.recognise.frames import FrameRecording
from stepgraph.sequences import Demonstrations

BACKGROUND = "nothing"
"""What the class of frames is called in which no step is done."""

SPELL = 4
"""How many frames a gesture of a motion takes."""

ERRING = Demonstrator(skipped=0.1, exchanged=0.1)
"""The errors of every second recording, where a caller wants some."""


@dataclass(frozen=True)
class SimulatedCamera:
    """Films steps: turns recordings of steps into frames with known labels.

    Parameters
    ----------
    steps
        The steps; class 0 is `BACKGROUND`, the others follow in this order.
    widths
        How many features each kind has.
    noise
        The deviation of each feature from frame to frame, where steps differ by about 1.
    drift
        The deviation of the slow change within a recording.
    duration
        How many frames a step takes on average.
    pause
        The chance that nothing is done for a while before a step.
    motions
        Whether steps are motions: each is three gestures in turn, again and again, and for each
        step there is one with the same gestures the other way round, as screwing and unscrewing
        are. Single frames cannot tell these apart. By default a step looks the same throughout.
    seed
        What the steps look like; the same seed gives the same camera.

    Raises
    ------
    SettingError
        If a number is out of range.

    Examples
    --------
    >>> from stepgraph.sequences import KeyStepSequence, Vocabulary
    >>> shown = Demonstrations(Vocabulary(("egg", "mix")), (KeyStepSequence("1", (1, 2)),))
    >>> camera = SimulatedCamera(("egg", "mix"), widths=(4, 2), seed=1)
    >>> (recording,) = camera.film(shown, seed=1)
    >>> recording.widths, len(recording) > 10
    ((4, 2), True)
    """

    steps: tuple[str, ...]
    widths: tuple[int, ...] = (16, 8)
    noise: float = 2.0
    drift: float = 0.5
    duration: float = 40.0
    pause: float = 0.3
    motions: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.steps or BACKGROUND in self.steps:
            raise SettingError(
                f"{len(self.steps)} steps to film; expected one or more, none called {BACKGROUND!r}"
            )
        if not self.widths or min(self.widths) < 1:
            raise SettingError(f"widths are {self.widths}; expected whole numbers from 1 on")
        if self.noise < 0 or self.drift < 0 or not 0 <= self.pause <= 1:
            raise SettingError(
                f"noise {self.noise}, drift {self.drift}, pause {self.pause}; expected numbers "
                "from 0 on, the pause 1 at the most"
            )
        if not self.duration >= 2:
            raise SettingError(f"the duration is {self.duration}; expected 2 frames or more")

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, label 0 first."""
        return (BACKGROUND, *self.steps)

    def film(self, demonstrations: Demonstrations, *, seed: int) -> tuple[FrameRecording, ...]:
        """Return the frames of recordings of steps.

        Parameters
        ----------
        demonstrations
            Who did what, in which order.
        seed
            For noise, drift and durations.

        Raises
        ------
        SettingError
            If a recording has a step that the camera does not know.
        """
        looks = np.random.default_rng([self.seed, 1]).normal(
            size=(len(self.classes) + self._gestures, sum(self.widths))
        )
        number = {name: place for place, name in enumerate(self.classes)}
        films = []
        for place, recording in enumerate(demonstrations):
            names = demonstrations.names(recording)
            unknown = [name for name in names if name not in number]
            if unknown:
                raise SettingError(f"the camera does not know {unknown[0]!r}; expected its steps")
            rng = np.random.default_rng([self.seed, seed, place, 2])
            labels = self._labels([number[name] for name in names], rng)
            shown = looks[self._shown(labels, rng)]
            shown += self.drift * _slow(len(labels), looks.shape[1], rng)
            shown += self.noise * rng.normal(size=shown.shape)
            parts = np.split(shown.astype(np.float32), np.cumsum(self.widths)[:-1], axis=1)
            films.append(FrameRecording(recording.id, tuple(parts), labels))
        return tuple(films)

    def _labels(self, steps: Sequence[int], rng: np.random.Generator) -> NDArray[np.intp]:
        runs: list[tuple[int, int]] = []
        for step in steps:
            if rng.random() < self.pause or (runs and runs[-1][0] == step):
                runs.append((0, self._frames(rng, 0.5)))
            runs.append((step, self._frames(rng, 1.0)))
        return np.repeat([step for step, _ in runs], [size for _, size in runs]).astype(np.intp)

    @property
    def _gestures(self) -> int:
        """How many gestures motions are made of: as few as give enough different triples."""
        triples = (len(self.steps) + 1) // 2
        return next(n for n in range(3, 99) if comb(n, 3) >= triples) if self.motions else 0

    def _shown(self, labels: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
        """Return which look each frame has: that of its class, or of a gesture."""
        if not self.motions:
            return labels
        triples = list(combinations(range(self._gestures), 3))
        shown = labels.copy()
        ends = np.append(np.flatnonzero(np.diff(labels)) + 1, len(labels))
        first = 0
        for end in ends:
            step = int(labels[first]) - 1
            if step >= 0:
                way = triples[step // 2][:: -1 if step % 2 else 1]
                turns = int(rng.integers(3)) + np.arange(end - first) // SPELL
                shown[first:end] = len(self.classes) + np.asarray(way)[turns % 3]
            first = int(end)
        return shown

    def _frames(self, rng: np.random.Generator, share: float) -> int:
        # Gamma with shape 4: durations of half and of twice the mean are common, others rare.
        return max(2, round(float(rng.gamma(4.0, share * self.duration / 4))))


def draw_sessions(
    graph: TaskGraph, count: int, *, seed: int, every_second_errs: bool = False
) -> Demonstrations:
    """Draw recordings of a procedure to film.

    Parameters
    ----------
    graph
        The procedure.
    count
        How many recordings.
    seed
        The same seed gives the same recordings.
    every_second_errs
        Whether in every second recording steps are left out and exchanged.

    Examples
    --------
    >>> graph = TaskGraph.from_preconditions({"mix": ["egg", "milk"]})
    >>> drawn = draw_sessions(graph, 3, seed=1)
    >>> [recording.id for recording in drawn]
    ['session-01', 'session-02', 'session-03']
    """
    orders = draw_orders(graph, count, seed)
    rng = random.Random(f"sessions {seed}")
    shown = [
        (ERRING if every_second_errs and place % 2 else Demonstrator()).show(
            order, rng, id=f"session-{place + 1:02}"
        )
        for place, order in enumerate(orders)
    ]
    return Demonstrations(graph.vocabulary, tuple(shown), graph.procedure)


def _slow(frames: int, width: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return noise of deviation 1 that takes hundreds of frames to change."""
    keep = np.exp(-1 / 300)
    fresh: NDArray[np.float64] = np.sqrt(1 - keep**2) * rng.normal(size=(frames, width))
    fresh[0] = rng.normal(size=width)
    for frame in range(1, frames):
        fresh[frame] += keep * fresh[frame - 1]
    return fresh
