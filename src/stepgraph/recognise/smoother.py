"""From recognised frames to key-steps, online.

`FrameSmoother` filters two kinds of evidence: steps last, and the recogniser is right more often
than not. After each frame it holds the probability of each step given all frames so far. It
announces a step once the step has been the most probable one for long enough, never looks ahead
and never takes an announcement back. `KeyStepStream` joins a recogniser and its smoother.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from stepgraph.errors import SettingError, UnknownNameError
from stepgraph.recognise.frames import FrameRecording

if TYPE_CHECKING:
    from stepgraph.recognise import Recogniser


DURATION = 900.0
"""Default mean length of a step in frames: 30 s at 30 frames a second."""
ACCURACY = 0.5
"""Default share of frames recognised correctly."""
ACCURACY_OF_TWO = 0.75
"""The default with two steps, where half of the frames are right by chance."""
PATIENCE = 0.1
"""The share of a mean duration for which a step must lead before it is announced."""
LEAST = 1e-4
"""The smallest probability, so that no single frame rules a step out for good."""
STREAM_PATIENCE = 0.15
"""The same share where a recogniser gives probabilities."""
CORRELATION = 30.0
"""Default number of frames in a row that err together and so count as one."""

_SETTINGS = (
    *("steps", "duration", "accuracy", "patience", "correlation"),
    *("_numbers", "_stay", "_agree", "_differ"),
)


@dataclass(frozen=True)
class KeyStep:
    """An announced key-step.

    Parameters
    ----------
    step
        Its name.
    frame
        The number of the frame that announced it, from 1 on.
    """

    step: str
    frame: int


class FrameSmoother:
    """Turns frames into key-steps as they come.

    Parameters
    ----------
    steps
        All steps.
    duration
        Mean number of frames of a step.
    accuracy
        The share of frames that are recognised correctly, by default one half, and three quarters
        with two steps; all errors are equally likely.
    patience
        Number of frames for which a step must lead before it is announced; by default a tenth of
        the duration.
    correlation
        Number of frames in a row that err together. Neighbouring frames show the same picture,
        so their evidence must not be multiplied.

    Raises
    ------
    SettingError
        If a number is out of range.

    Examples
    --------
    >>> smoother = FrameSmoother(["mix", "pour"], duration=10, accuracy=0.8, correlation=1)
    >>> frames = ["mix"] * 6 + ["pour"] + ["mix"] * 5 + ["pour"] * 8
    >>> [segment.step for segment in smoother.smooth(frames)]
    ['mix', 'pour']
    """

    __slots__ = (
        "_agree",
        "_candidate",
        "_current",
        "_differ",
        "_frame",
        "_leads_since",
        "_numbers",
        "_shares",
        "_stay",
        "accuracy",
        "correlation",
        "duration",
        "patience",
        "steps",
    )

    def __init__(
        self,
        steps: Iterable[str],
        *,
        duration: float = DURATION,
        accuracy: float | None = None,
        patience: int | None = None,
        correlation: float = CORRELATION,
    ) -> None:
        self.steps = tuple(steps)
        count = len(self.steps)
        if len(set(self.steps)) < count or not count:
            raise SettingError("a smoother needs one or more steps with different names")
        if not 1 < duration < math.inf:
            raise SettingError(f"the duration is {duration}; expected more than 1 frame")
        if accuracy is None:
            accuracy = ACCURACY if count != 2 else ACCURACY_OF_TWO
        if not 0 < accuracy < 1 or (count > 1 and accuracy <= 1 / count):
            raise SettingError(
                f"the accuracy is {accuracy}; expected more than chance ({1 / count:g}) and less "
                "than 1"
            )
        if not 1 <= correlation < math.inf:
            raise SettingError(f"the correlation is {correlation}; expected 1 frame or more")
        self.patience = max(1, round(PATIENCE * duration)) if patience is None else patience
        if not self.patience >= 1:
            raise SettingError(f"the patience is {self.patience}; expected 1 frame or more")
        self.duration, self.accuracy, self.correlation = duration, accuracy, correlation
        self._numbers = {step: number for number, step in enumerate(self.steps)}
        self._stay = 1 - 1 / duration
        self._agree = accuracy ** (1 / correlation)
        self._differ = ((1 - accuracy) / max(count - 1, 1)) ** (1 / correlation)
        self._begin()

    def _begin(self) -> None:
        """Start with all steps equally probable."""
        self._shares = [1 / len(self.steps)] * len(self.steps)
        self._frame = 0
        self._current: int | None = None
        self._candidate: int | None = None
        self._leads_since = 1

    @classmethod
    def fitted(
        cls, recordings: Sequence[tuple[Sequence[str], Sequence[str]]], steps: Iterable[str]
    ) -> FrameSmoother:
        """Return a smoother with settings measured on labelled recordings.

        Parameters
        ----------
        recordings
            For each recording the true and the recognised step of each frame.
        steps
            All steps.

        Raises
        ------
        SettingError
            If there are no frames or no steps, or a recording has different numbers of true and
            recognised frames.
        """
        names = tuple(steps)
        if not names:
            raise SettingError("a smoother needs one or more steps with different names")
        for number, (true, recognised) in enumerate(recordings, start=1):
            if len(true) != len(recognised):
                raise SettingError(
                    f"recording {number} has {len(true)} true and {len(recognised)} recognised "
                    "frames; expected as many"
                )
        runs = [sum(1 for _ in run) for true, _ in recordings for _, run in groupby(true)]
        if not runs:
            raise SettingError("there are no frames to fit a smoother to")
        hits = [a == b for pair in recordings for a, b in zip(*pair, strict=True)]
        errors = [
            sum(1 for _ in run)
            for pair in recordings
            for right, run in groupby(a == b for a, b in zip(*pair, strict=True))
            if not right
        ]
        chance = 1 / len(names)
        accuracy = min(max(sum(hits) / len(hits), chance + 0.01), 0.99)
        correlation = max(1.0, sum(errors) / len(errors)) if errors else 1.0
        duration = max(sum(runs) / len(runs), 2.0)
        return cls(names, duration=duration, accuracy=accuracy, correlation=correlation)

    def fresh(self) -> FrameSmoother:
        """Return a smoother with the same settings and no frames seen."""
        other = FrameSmoother.__new__(FrameSmoother)
        for name in _SETTINGS:
            setattr(other, name, getattr(self, name))
        other._begin()
        return other

    def observe(self, step: str) -> str | None:
        """Observe the recognised step of the next frame.

        Returns
        -------
        str or None
            A key-step that has now begun, or None while nothing new is sure enough.

        Raises
        ------
        UnknownNameError
            If the step is unknown.
        """
        if step not in self._numbers:
            raise UnknownNameError("step", step, self.steps, f"frame {self._frame + 1}")
        evidence = [self._differ] * len(self.steps)
        evidence[self._numbers[step]] = self._agree
        return self._take_in(evidence)

    def observe_shares(self, shares: Sequence[float]) -> str | None:
        """Observe the probability of each step in the next frame.

        Parameters
        ----------
        shares
            A probability for each step, in the order of the steps. Frames that err together count
            as one, as for `observe`. No step counts as impossible.

        Returns
        -------
        str or None
            A key-step that has now begun, or None while nothing new is sure enough.

        Raises
        ------
        SettingError
            If there is not one probability for each step.
        """
        if len(shares) != len(self.steps) or not all(0 <= share <= 1 + 1e-4 for share in shares):
            raise SettingError(
                f"frame {self._frame + 1} has {len(shares)} numbers; expected a probability for "
                f"each of the {len(self.steps)} steps"
            )
        power = 1 / self.correlation
        return self._take_in([max(share, LEAST) ** power for share in shares])

    def _take_in(self, evidence: Sequence[float]) -> str | None:
        """Update the probability of each step by the evidence of one frame."""
        self._frame += 1
        count = len(self.steps)
        leave = (1 - self._stay) / max(count - 1, 1)
        keep = self._stay - leave
        shares = [
            (leave + keep * share) * weight
            for share, weight in zip(self._shares, evidence, strict=True)
        ]
        total = sum(shares)
        self._shares = [share / total for share in shares]
        leader = max(range(count), key=lambda number: (self._shares[number], -number))
        if leader != self._candidate:
            self._candidate, self._leads_since = leader, self._frame
        long_enough = self._frame - self._leads_since + 1 >= self.patience
        if leader == self._current or not long_enough:
            return None
        self._current = leader
        return self.steps[leader]

    def smooth(self, frames: Iterable[str]) -> list[KeyStep]:
        """Return the key-steps of a whole recording, as they would be announced online."""
        smoother = self.fresh()
        found = []
        for number, frame in enumerate(frames, start=1):
            step = smoother.observe(frame)
            if step is not None:
                found.append(KeyStep(step, number))
        return found

    def smooth_shares(self, frames: Iterable[Sequence[float]]) -> list[KeyStep]:
        """Return the key-steps of a whole recording of probabilities, as online."""
        smoother = self.fresh()
        found = []
        for number, shares in enumerate(frames, start=1):
            step = smoother.observe_shares(shares)
            if step is not None:
                found.append(KeyStep(step, number))
        return found


class KeyStepStream:
    """Turns the frames of one recording into key-steps, online.

    Parameters
    ----------
    recogniser
        Gives the probability of each class, frame by frame.
    smoother
        Turns these into key-steps; by default one with the pace measured in training.
    """

    def __init__(self, recogniser: Recogniser, smoother: FrameSmoother | None = None) -> None:
        self._recogniser = recogniser
        self._frames = recogniser.start()
        self._smoother = (smoother or smoother_of(recogniser)).fresh()

    def observe(self, features: NDArray[Any]) -> KeyStep | None:
        """Observe the next frame; return a key-step that has now begun, or None.

        Raises
        ------
        FormatError
            If the frame does not have the features that the recogniser was trained on.
        """
        step = self._smoother.observe_shares(self._frames.observe(features).tolist())
        if step is None or step == self._recogniser.background:
            return None
        return KeyStep(step, self._frames.frame)


def key_steps(recogniser: Recogniser, recording: FrameRecording) -> Iterator[KeyStep]:
    """Yield the key-steps of a recording, each as soon as its frames announce it.

    Raises
    ------
    FormatError
        If the recording does not have the features that the recogniser was trained on.
    """
    recogniser.check(recording)
    stream = KeyStepStream(recogniser)
    for frame in range(len(recording)):
        step = stream.observe(recording.block(frame, frame + 1)[0])
        if step is not None:
            yield step


def smoother_of(recogniser: Recogniser) -> FrameSmoother:
    """Return a smoother with the pace measured in training."""
    if recogniser.pace is None:
        return FrameSmoother(recogniser.classes)
    pace = recogniser.pace
    return smoother_at(recogniser.classes, pace.duration, pace.accuracy, pace.correlation)


def smoother_at(
    classes: Sequence[str], duration: float, accuracy: float, correlation: float
) -> FrameSmoother:
    """Return a smoother for probabilities, whose patience depends on the duration."""
    return FrameSmoother(
        classes,
        duration=duration,
        accuracy=accuracy,
        patience=max(1, round(STREAM_PATIENCE * duration)),
        correlation=correlation,
    )
