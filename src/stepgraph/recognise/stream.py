"""Frames to key-steps as they come, without looking ahead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from stepgraph.monitoring import FrameSmoother, KeyStep
from stepgraph.recognise.frames import FrameRecording

if TYPE_CHECKING:
    from stepgraph.recognise import Recogniser

PATIENCE = 0.15
"""For which share of a mean duration a step must lead by its probability to be announced."""


class KeyStepStream:
    """Turns the frames of one recording into key-steps as they come.

    Parameters
    ----------
    recogniser
        Who looks at the frames.
    smoother
        What makes key-steps of its classes; by default one with the pace that was measured when
        the recogniser was trained.
    """

    def __init__(self, recogniser: Recogniser, smoother: FrameSmoother | None = None) -> None:
        self._recogniser = recogniser
        self._frames = recogniser.start()
        self._smoother = (smoother or smoother_of(recogniser)).fresh()

    def observe(self, features: NDArray[Any]) -> KeyStep | None:
        """Take in the next frame; return a key-step that has now begun, or None.

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
    """Return the key-steps of a recording, each as soon as its frames have been seen.

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
    """Return a smoother with the pace that was measured when a recogniser was trained."""
    if recogniser.pace is None:
        return FrameSmoother(recogniser.classes)
    pace = recogniser.pace
    return smoother_at(recogniser.classes, pace.duration, pace.accuracy, pace.correlation)


def smoother_at(
    classes: Sequence[str], duration: float, accuracy: float, correlation: float
) -> FrameSmoother:
    """Return a smoother for steps of a mean duration, and frames as sure and as alike as said."""
    return FrameSmoother(
        classes,
        duration=duration,
        accuracy=accuracy,
        patience=max(1, round(PATIENCE * duration)),
        correlation=correlation,
    )
