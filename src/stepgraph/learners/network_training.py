"""The one training loop for networks: the Task Graph Transformer's and the recogniser's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

Batch = TypeVar("Batch")


def train(
    network: nn.Module,
    batches: Callable[[int], Iterable[Batch]],
    loss_of: Callable[[Batch], Tensor],
    optimizer: Optimizer,
    *,
    epochs: int,
    finished: Callable[[int, float], bool],
    rates: LRScheduler | None = None,
    largest_norm: float | None = None,
) -> list[float]:
    """Train a network; return the mean loss of each epoch.

    Parameters
    ----------
    network
        Trained in place.
    batches
        The batches of an epoch, counted from 1.
    loss_of
        The loss of a batch, one number.
    optimizer, rates
        The optimizer, and the schedule of its learning rate, if any.
    epochs
        The largest number of epochs.
    finished
        Called after each epoch with its number and mean loss; True ends the training.
    largest_norm
        Maximum norm of a gradient; None for no limit.
    """
    losses: list[float] = []
    for epoch in range(1, epochs + 1):
        network.train()
        found = []
        for batch in batches(epoch):
            loss = loss_of(batch)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            if largest_norm is not None:
                nn.utils.clip_grad_norm_(network.parameters(), largest_norm)
            optimizer.step()
            if rates is not None:
                rates.step()
            found.append(float(loss.detach()))
        losses.append(sum(found) / len(found))
        if finished(epoch, losses[-1]):
            break
    return losses


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread inside the block, which is faster for small networks."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
