"""Adam for the network: a short warm-up, a linear way down, and no step that is far too large."""

from __future__ import annotations

import torch
from torch import nn

WARM_UP = 20
"""Over how many steps the learning rate rises."""
LEAST = 0.02
"""Which share of the learning rate is left at the end."""
LARGEST_NORM = 1.0
"""A gradient longer than this is cut down to it: one odd procedure must not undo the others."""


class NetworkAdam:
    """Adam with a learning rate that rises, then falls linearly.

    Parameters
    ----------
    network
        What to train.
    learning_rate
        The highest one.
    steps
        How many steps there are at most.
    """

    def __init__(self, network: nn.Module, learning_rate: float, steps: int) -> None:
        self._parameters = list(network.parameters())
        self._adam = torch.optim.Adam(self._parameters, lr=learning_rate, fused=True)
        self._highest = learning_rate
        self._steps = steps
        self._done = 0

    def zero_grad(self) -> None:
        """Forget the gradient."""
        self._adam.zero_grad()

    def step(self) -> None:
        """Move the network along the gradient."""
        self._done += 1
        share = min(self._done / WARM_UP, max(1 - self._done / self._steps, LEAST))
        for group in self._adam.param_groups:
            group["lr"] = self._highest * share
        nn.utils.clip_grad_norm_(self._parameters, LARGEST_NORM)
        self._adam.step()
