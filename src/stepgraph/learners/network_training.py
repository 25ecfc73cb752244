"""The one training loop: a module that outputs Z, the TGML loss, and a rule for when to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from stepgraph.learners.tgml.batches import SequenceBatch


@dataclass(frozen=True)
class Epoch:
    """What a callback is told after each epoch.

    Parameters
    ----------
    number
        Which epoch has been done, from 1 on.
    loss
        The loss before its step, summed over all models still in training.
    running
        How many models are still in training.
    """

    number: int
    loss: float
    running: int


class StoppingRule(Protocol):
    """Looks at Z before each step and says which models have finished."""

    def observe(self, epoch: int, Z: Tensor) -> Tensor:
        """Return which models have finished: (models, procedures)."""


class Optimizer(Protocol):
    """What the loop asks of an optimizer; torch's own have it."""

    def zero_grad(self) -> None:
        """Forget the gradient."""

    def step(self) -> None:
        """Move the parameters along it."""


class Loss(Protocol):
    """What to minimise; `TGMLLoss` is one."""

    def __call__(self, Z: Tensor, batch: SequenceBatch) -> Tensor:
        """Return the loss, one number."""


def train(
    model: nn.Module,
    batch_of: Callable[[int], SequenceBatch],
    loss: Loss,
    optimizer: Optimizer,
    rule: StoppingRule,
    *,
    epochs: range,
    enough: float = 1.0,
    callback: Callable[[Epoch], None] | None = None,
) -> int:
    """Train until the epochs are over or enough models have finished.

    Parameters
    ----------
    model
        Its output is Z: (models, procedures, nodes, nodes).
    batch_of
        The sequences of an epoch.
    loss, optimizer, rule
        What to minimise, how, and until when.
    epochs
        The numbers of the epochs to do.
    enough
        Which share of the procedures must have finished, in all models, to stop.
    callback
        Told of each epoch.

    Returns
    -------
    int
        The number of the epoch that comes next.
    """
    for epoch in epochs:
        # The batch comes first: a model whose input changes is told of the epoch through it.
        batch = batch_of(epoch)
        Z: Tensor = model()
        finished = rule.observe(epoch, Z.detach())
        whole = finished.all(dim=0)
        if int(whole.sum()) >= enough * len(whole):
            return epoch
        value: Tensor = loss(Z, batch)
        optimizer.zero_grad()
        value.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if callback is not None:
            callback(Epoch(epoch, float(value.detach()), int((~finished).sum())))
    return epochs.stop


@contextmanager
def one_thread(wanted: bool = True) -> Iterator[None]:
    """Compute on one thread inside the block: handing small work around costs more than doing it.

    Parameters
    ----------
    wanted
        False leaves the number of threads alone.
    """
    before = torch.get_num_threads()
    if wanted:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
