"""What a recogniser is like, and how it is trained."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from stepgraph.errors import SettingError
from stepgraph.learners.base import check_number, check_whole, one_of


class Design(StrEnum):
    """Which network."""

    GRU = "gru"
    """A recurrent network that remembers the frames before."""
    LINEAR = "linear"
    """Each frame on its own, weighed linearly: the control."""


@dataclass(frozen=True)
class RecogniserSettings:
    """How a recogniser is built and trained.

    Parameters
    ----------
    design
        Which network.
    embedding
        How many numbers a frame is first projected to.
    hidden
        How many numbers the network remembers.
    layers
        How many recurrent layers there are.
    dropout
        The share of the projected numbers that is left out at random in training.
    window
        How many frames a window of training has; it bounds what the network learns to remember.
    latest
        On how many frames at the end of each window the loss looks. A frame at a window's
        beginning has no past there, unlike when the network is run; MiniROAD looks at one.
    stride
        How many frames the ends of neighbouring windows are apart; by default `latest`, so that
        each frame counts about once per epoch.
    batch
        How many windows make a step.
    epochs
        Maximum number of times that all windows are seen.
    patience
        After how many epochs without a better result on held-out recordings to stop.
    learning_rate, weight_decay
        Of AdamW.

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
