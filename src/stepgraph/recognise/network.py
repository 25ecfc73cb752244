"""The networks: a recurrent one after MiniROAD, and a linear one as its control.

J. An, H. Kang, S. H. Han, M.-H. Yang and S. J. Kim, "MiniROAD: Minimal RNN framework for online
action detection", ICCV 2023.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from stepgraph.recognise.settings import Design, RecogniserSettings


class FrameNetwork(nn.Module):
    """Maps the features of frames to scores of classes, never looking ahead.

    Parameters
    ----------
    width
        How many features a frame has.
    classes
        How many classes there are.
    settings
        The design and its sizes.
    """

    mean: Tensor
    scale: Tensor

    def __init__(self, width: int, classes: int, settings: RecogniserSettings) -> None:
        super().__init__()
        # What makes features of different kinds comparable belongs to the network.
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
        """Return scores of (recordings, frames, classes), and the state to go on with.

        Parameters
        ----------
        frames
            (recordings, frames, width).
        state
            What the last call returned; None at the beginning of recordings.
        """
        shown = self.project((frames - self.mean) / self.scale)
        if self.recurrent is not None:
            shown, state = self.recurrent(shown, state)
            shown = torch.relu(shown)
        scores: Tensor = self.classify(shown)
        return scores, state
