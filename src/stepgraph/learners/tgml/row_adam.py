"""Adam that moves only the rows of a score matrix that are not at rest."""

from __future__ import annotations

import torch
from torch import Tensor, nn

DECAYS = (0.9, 0.999)
"""Adam's usual ones, of the mean gradient and of its square."""
TINY = 1e-8
"""Added to the root of the mean square."""


class RowAdam:
    """Adam (Kingma and Ba, 2015) on one parameter, with rows that may rest.

    It equals torch's Adam where every row moves. Torch's own has no notion of a row that
    stays, and for matrices as small as a task graph its bookkeeping costs more than the rest
    of an epoch.

    Parameters
    ----------
    scores
        The parameter: (models, procedures, nodes, nodes).
    learning_rate
        The step size.
    betas, epsilon
        Adam's usual ones.
    """

    def __init__(
        self,
        scores: nn.Parameter,
        learning_rate: float,
        *,
        betas: tuple[float, float] = DECAYS,
        epsilon: float = TINY,
    ) -> None:
        self.scores = scores
        self.learning_rate = learning_rate
        self.betas = betas
        self.epsilon = epsilon
        self.first = torch.zeros_like(scores)
        self.second = torch.zeros_like(scores)
        self.steps = 0
        self.moving: Tensor | None = None
        """(models, procedures, nodes): which rows the next step moves; None for all."""

    def zero_grad(self) -> None:
        """Forget the gradient."""
        self.scores.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Move the rows that are not at rest."""
        gradient = self.scores.grad
        if gradient is None:
            return
        self.steps += 1
        self.first.lerp_(gradient, 1 - self.betas[0])
        self.second.mul_(self.betas[1]).addcmul_(gradient, gradient, value=1 - self.betas[1])
        size = self.learning_rate / (1 - self.betas[0] ** self.steps)
        scale = (self.second / (1 - self.betas[1] ** self.steps)).sqrt_().add_(self.epsilon)
        if self.moving is None:
            self.scores.addcdiv_(self.first, scale, value=-size)
        else:
            self.scores.addcdiv_(self.first * self.moving[..., None], scale, value=-size)

    def for_part(self, scores: nn.Parameter, staying: list[int]) -> RowAdam:
        """Return the optimizer of some procedures' scores, with what it has learned of them.

        Parameters
        ----------
        scores
            The smaller parameter.
        staying
            Which procedures it holds.
        """
        part = RowAdam(scores, self.learning_rate, betas=self.betas, epsilon=self.epsilon)
        side = scores.shape[-1]
        part.first = self.first[:, staying, :side, :side].clone()
        part.second = self.second[:, staying, :side, :side].clone()
        part.steps = self.steps
        return part
