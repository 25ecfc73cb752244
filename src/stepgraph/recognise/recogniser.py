"""The recogniser: its network, its frame-by-frame stream, and its file.

The network is recurrent, after MiniROAD, or linear, as a control.

J. An, H. Kang, S. H. Han, M.-H. Yang and S. J. Kim, "MiniROAD: Minimal RNN framework for online
action detection", ICCV 2023.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from stepgraph.errors import FormatError
from stepgraph.learners.networks import check_size, load_network, one_thread, write_network
from stepgraph.recognise.frames import FrameRecording
from stepgraph.recognise.settings import Design, RecogniserSettings

if TYPE_CHECKING:
    from torch import Tensor


class FrameNetwork(nn.Module):
    """Maps the features of frames to scores of classes, never looking ahead.

    Parameters
    ----------
    width
        Number of features of a frame.
    classes
        Number of classes.
    settings
        The design and its sizes.
    """

    mean: Tensor
    scale: Tensor

    def __init__(self, width: int, classes: int, settings: RecogniserSettings) -> None:
        super().__init__()
        # The network holds the scaling that makes features of different kinds comparable.
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("scale", torch.ones(width))
        self.recurrent: nn.GRU | None = None
        if settings.design is Design.GRU:
            self.project: nn.Module = nn.Sequential(
                nn.Linear(width, settings.embedding),
                nn.LayerNorm(settings.embedding),
                nn.ReLU(),
                nn.Dropout(settings.dropout),
            )
            self.recurrent = nn.GRU(
                settings.embedding, settings.hidden, settings.layers, batch_first=True
            )
            self.classify = nn.Linear(settings.hidden, classes)
        else:
            self.project = nn.Identity()
            self.classify = nn.Linear(width, classes)

    def forward(self, frames: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """Return scores of (recordings, frames, classes), and the next state.

        Parameters
        ----------
        frames
            (recordings, frames, width).
        state
            The state from the last call; None at the beginning of recordings.
        """
        shown = self.project((frames - self.mean) / self.scale)
        if self.recurrent is not None:
            shown, state = self.recurrent(shown, state)
            shown = torch.relu(shown)
        scores: Tensor = self.classify(shown)
        return scores, state


BLOCK = 4096
"""Number of frames to compute at a time."""

Shares = NDArray[np.float32]


@dataclass(frozen=True)
class Pace:
    """The duration of steps and the errors of frames, for a smoother.

    Parameters
    ----------
    duration
        Mean number of frames of a step.
    accuracy
        The share of frames that are recognised correctly.
    correlation
        Number of frames in a row that err together.
    """

    duration: float
    accuracy: float
    correlation: float


@dataclass(frozen=True, eq=False)
class Recogniser:
    """A trained network, ready to run.

    Parameters
    ----------
    network
        The network.
    settings
        The settings of the network and its training.
    classes
        The names of the classes.
    widths
        The width of each kind of feature.
    background
        The class that is no step, if there is one.
    pace
        The duration of steps and the errors of frames, where measured.
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
        """Check that a recording has the features that the network was trained on.

        Raises
        ------
        FormatError
            If their widths differ.
        """
        if recording.widths != self.widths:
            sizes, expected = (" and ".join(map(str, w)) for w in (recording.widths, self.widths))
            raise FormatError(
                f"recording {recording.id!r} has {sizes} features for a frame; this recogniser "
                f"was trained on {expected}; give the same kinds in the same order"
            )

    def start(self) -> FrameStream:
        """Return a stream at the beginning of a recording."""
        return FrameStream(self)

    def shares(self, recording: FrameRecording) -> Shares:
        """Return the probabilities of all frames: (frames, classes), as a stream gives them.

        Raises
        ------
        FormatError
            If the recording's features are not those that the network was trained on.
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
    """Runs a network on one recording, frame by frame.

    Parameters
    ----------
    recogniser
        The recogniser to run.
    """

    def __init__(self, recogniser: Recogniser) -> None:
        self._recogniser = recogniser
        self._network = recogniser.network.eval()
        self._width = sum(recogniser.widths)
        self._state: Tensor | None = None
        self.frame = 0
        """The number of frames so far."""

    def observe(self, features: NDArray[Any]) -> Shares:
        """Observe the features of the next frame, all kinds in a row.

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


FORMAT = "stepgraph-recogniser"
VERSION = 1


def save_recogniser(recogniser: Recogniser, path: str | Path) -> None:
    """Write a recogniser to a file, atomically.

    Raises
    ------
    FileError
        If the file cannot be written.
    MissingExtraError
        If safetensors is not installed.
    """
    about = {
        "settings": asdict(recogniser.settings),
        "classes": list(recogniser.classes),
        "widths": list(recogniser.widths),
        "background": recogniser.background,
        "pace": None if recogniser.pace is None else asdict(recogniser.pace),
    }
    write_network(recogniser.network, path, format=FORMAT, version=VERSION, about=about)


def load_recogniser(path: str | Path) -> Recogniser:
    """Read a recogniser.

    Raises
    ------
    FileError
        If there is no such file.
    FormatError
        If the file is truncated, no recogniser or of another version, or its weights do not have
        the shapes in its header.
    MissingExtraError
        If safetensors is not installed.
    """
    return load_network(path, format=FORMAT, version=VERSION, make=_from_header)


def _from_header(header: dict[str, Any], weights: Mapping[str, Tensor], where: str) -> Recogniser:
    own = header["settings"]
    settings = RecogniserSettings(
        **{field.name: own[field.name] for field in fields(RecogniserSettings)}
    )
    classes = tuple(map(str, header["classes"]))
    widths = tuple(int(width) for width in header["widths"])
    background = header["background"]
    if not classes or len(set(classes)) < len(classes):
        raise ValueError("different classes")
    if not widths or min(widths) < 1:
        raise ValueError("the widths")
    if background is not None and background not in classes:
        raise ValueError("the background")
    raw = header["pace"]
    pace = None if raw is None else Pace(**{name: float(value) for name, value in raw.items()})
    check_size(_least(settings, sum(widths), len(classes)), weights, where)
    network = FrameNetwork(sum(widths), len(classes), settings).eval()
    return Recogniser(network, settings, classes, widths, background, pace)


def _least(settings: RecogniserSettings, width: int, classes: int) -> int:
    """Return a lower bound on the number of weights in a network of these sizes."""
    if settings.design is not Design.GRU:
        return width * classes
    recurrent = settings.layers * settings.hidden**2
    return width * settings.embedding + recurrent + settings.hidden * classes
