"""Direct Optimization written the obvious way: one logarithm at a time, with autograd.

It is what a reader of Eq. 6 would type first, and is kept as the yardstick: the library must give
the same numbers, and its speed is stated as a multiple of this.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from stepgraph.learners.networks import one_thread
from stepgraph.learners.tgml.direct_optimization import normal_draws, possible_scores


def plain_loss(
    Z: Tensor, sequences: Sequence[Sequence[int]], beta: float, epsilon: float
) -> Tensor:
    """Return Eq. 6 for one procedure, term by term.

    Parameters
    ----------
    Z
        The adjacency matrix: (nodes, nodes).
    sequences
        Node numbers 1 to n without repetition, without START and END.
    beta, epsilon
        The weight of the contrastive term, and what is added inside the logarithms.
    """
    size = len(Z)
    loss = Z.new_zeros(())
    for steps in sequences:
        nodes = [0, *steps, size - 1]
        for t in range(1, len(nodes)):
            observed = nodes[:t]
            unobserved = [node for node in range(size) if node not in observed]
            numerator = Z[nodes[t], observed].sum()
            denominator = Z[unobserved][:, observed].sum()
            loss = loss - (numerator + epsilon).log() + beta * (denominator + epsilon).log()
    return loss


def plain_training(
    sequences: Sequence[Sequence[int]],
    size: int,
    *,
    epochs: int,
    beta: float = 0.005,
    learning_rate: float = 0.1,
    epsilon: float = 1e-6,
    spread: float = 0.1,
    seed: int = 0,
) -> Tensor:
    """Train one procedure for a fixed number of epochs and return Z.

    Parameters
    ----------
    sequences
        As for `plain_loss`.
    size
        The number of nodes, START and END included.
    epochs, beta, learning_rate, epsilon, spread, seed
        As for `DirectOptimization`.
    """
    draws = normal_draws(size * size, seed).reshape(size, size)
    first = possible_scores(draws * (spread / size))
    possible = torch.from_numpy(first > -float("inf"))
    scores = torch.from_numpy(first).masked_fill(~possible, -1e9).requires_grad_()
    optimizer = torch.optim.Adam([scores], lr=learning_rate)

    def matrix() -> Tensor:
        return torch.softmax(scores, -1) * possible

    with one_thread():  # faster and steadier than more, for work as small as this
        for _ in range(epochs):
            loss = plain_loss(matrix(), sequences, beta, epsilon)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    return matrix().detach()
