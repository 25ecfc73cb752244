"""The settings of a recogniser and its training."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from stepgraph.errors import SettingError
from stepgraph.learners.base import check_number, check_whole, one_of


class Design(StrEnum):
    """The kind of network."""

    GRU = "gru"
    """A recurrent network that remembers the frames before."""
    LINEAR = "linear"
    """A linear classifier of single frames, the control."""


@dataclass(frozen=True)
class RecogniserSettings:
    """The settings of a recogniser and its training.

    Parameters
    ----------
    design
        The kind of network.
    embedding
        Size of the projection of a frame.
    hidden
        Size of the network's memory.
    layers
        Number of recurrent layers.
    dropout
        Share of the projected numbers to drop at random in training.
    window
        Number of frames in a training window; it bounds what the network learns to remember.
    latest
        Number of frames at the end of each window that count for the loss. A frame at the
        beginning of a window has no past there, unlike in use. MiniROAD counts one frame.
    stride
        Number of frames between the ends of neighbouring windows; by default `latest`, so that
        each frame counts about once per epoch.
    batch
        Number of windows in a training step.
    epochs
        Maximum number of passes over all windows.
    patience
        Number of epochs without a better result on held-out recordings after which to stop.
    learning_rate, weight_decay
        Settings of AdamW.

    Raises
    ------
    SettingError
        If a number is out of its range.
    """

    name: ClassVar[str] = "recogniser"

    design: Design = Design.GRU
    embedding: int = 64
    hidden: int = 96
    layers: int = 1
    dropout: float = 0.2
    window: int = 128
    latest: int = 32
    stride: int | None = None
    batch: int = 16
    epochs: int = 40
    patience: int = 4
    learning_rate: float = 4e-3
    weight_decay: float = 1e-2

    def __post_init__(self) -> None:
        object.__setattr__(self, "design", one_of("design", self.design, Design))
        for name in ("embedding", "hidden", "layers", "window", "latest", "batch", "patience"):
            check_whole(name, getattr(self, name), low=1)
        check_whole("epochs", self.epochs, low=1)
        if self.stride is not None:
            check_whole("stride", self.stride, low=1)
        check_number("learning_rate", self.learning_rate, low=0, above=True)
        check_number("weight_decay", self.weight_decay, low=0)
        check_number("dropout", self.dropout, low=0)
        if self.dropout >= 1:
            raise SettingError(f"dropout is {self.dropout}; expected a number below 1")
        if self.latest > self.window:
            raise SettingError(
                f"latest is {self.latest}, more than the window of {self.window} frames; expected "
                "no more"
            )
