"""A trained recogniser: frames in, probabilities of classes out, one frame after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stepgraph.errors import FormatError
from stepgraph.learners.threads import one_thread
from stepgraph.recognise.frames import FrameRecording
from stepgraph.recognise.network import FrameNetwork
from stepgraph.recognise.settings import RecogniserSettings

BLOCK = 4096
"""How many frames of a whole recording are looked at in one go."""

Shares = NDArray[np.float32]


@dataclass(frozen=True)
class Pace:
    """What is known of the classes it gives to frames, for who makes key-steps of them.

    Parameters
    ----------
    duration
        How many frames a step takes on average.
    accuracy
        The share of frames that are recognised rightly.
    correlation
        How many frames in a row err together.
    """

    duration: float
    accuracy: float
    correlation: float


@dataclass(frozen=True, eq=False)
class Recogniser:
    """A trained network with all that it takes to run it.

    Parameters
    ----------
    network
        The network.
    settings
        How it was built and trained.
    classes
        The names of the classes.
    widths
        How many features each kind has.
    background
        The class that is no step, if there is one.
    pace
        How its frames become key-steps, where that was measured.
    """

    network: FrameNetwork
    settings: RecogniserSettings
    classes: tuple[str, ...]
    widths: tuple[int, ...]
    background: str | None = None
    pace: Pace | None = None

    @property
    def steps(self) -> tuple[str, ...]:
        """The classes that are steps."""
        return tuple(name for name in self.classes if name != self.background)

    def check(self, recording: FrameRecording) -> None:
        """Check that a recording has the features that it was trained on.

        Raises
        ------
        FormatError
            If their widths differ.
        """
        if recording.widths != self.widths:
            came, expected = (" and ".join(map(str, w)) for w in (recording.widths, self.widths))
            raise FormatError(
                f"recording {recording.id!r} has {came} features for a frame; this recogniser was "
                f"trained on {expected}; give the same kinds in the same order"
            )

    def start(self) -> FrameStream:
        """Return a stream at the beginning of a recording."""
        return FrameStream(self)

    def shares(self, recording: FrameRecording) -> Shares:
        """Return the probabilities of all frames: (frames, classes), as a stream gives them.

        Raises
        ------
        FormatError
            If the recording's features are not those that it was trained on.
        """
        self.check(recording)
        state: Tensor | None = None
        parts = []
        self.network.eval()
        with torch.inference_mode(), one_thread():
            for first in range(0, len(recording), BLOCK):
                frames = torch.from_numpy(recording.block(first, first + BLOCK))
                scores, state = self.network(frames[None], state)
                parts.append(scores[0].softmax(-1).numpy())
        return np.concatenate(parts)

    def names(self, shares: Shares) -> list[str]:
        """Return the most probable class of each frame."""
        return [self.classes[number] for number in shares.argmax(axis=1)]


class FrameStream:
    """One recording as it comes in: the network's state is carried from frame to frame.

    Parameters
    ----------
    recogniser
        Whose network to run.
    """

    def __init__(self, recogniser: Recogniser) -> None:
        self._recogniser = recogniser
        self._network = recogniser.network.eval()
        self._width = sum(recogniser.widths)
        self._state: Tensor | None = None
        self.frame = 0
        """How many frames there have been."""

    def observe(self, features: NDArray[Any]) -> Shares:
        """Take in the features of the next frame, all kinds in a row.

        Returns
        -------
        numpy.ndarray
            The probability of each class.

        Raises
        ------
        FormatError
            If there are too few or too many features, or one is not finite. The state is
            unchanged.
        """
        values = np.asarray(features, dtype=np.float32)
        if values.shape != (self._width,) or not np.isfinite(values).all():
            what = f"{values.size} features" if values.ndim == 1 else f"shape {values.shape}"
            if values.shape == (self._width,):
                what = "a value that is not finite"
            raise FormatError(f"frame {self.frame + 1} has {what}; expected {self._width} numbers")
        with torch.inference_mode():
            scores, self._state = self._network(torch.from_numpy(values)[None, None], self._state)
            shares: Shares = scores[0, 0].softmax(-1).numpy()
        self.frame += 1
        return shares
