"""The adjacency matrix as a model: a score for every edge, softmax over each row."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

MASKED = -1e9
"""The score of an impossible edge; its softmax is exactly 0, as that of minus infinity."""


class ScoreMatrix(nn.Module):
    """Scores of all edges; its output is their softmax over each row, the matrix Z.

    Parameters
    ----------
    scores
        (models, procedures, nodes, nodes), `MASKED` where an edge is impossible.
    possible
        (procedures, nodes, nodes): which edges are possible.
    """

    possible: Tensor

    def __init__(self, scores: Tensor, possible: Tensor) -> None:
        super().__init__()
        self.scores = nn.Parameter(scores)
        self.register_buffer("possible", possible)

    def forward(self) -> Tensor:
        """Return Z."""
        return torch.softmax(self.scores, -1) * self.possible

    @classmethod
    def random(
        cls, sizes: Sequence[int], seeds: Sequence[int], spread: float, dtype: torch.dtype
    ) -> ScoreMatrix:
        """Make nearly even scores; a procedure's do not depend on the others beside it."""
        stride = max(sizes)
        scores = torch.full((len(seeds), len(sizes), stride, stride), MASKED, dtype=dtype)
        possible = torch.zeros((len(sizes), stride, stride), dtype=torch.bool)
        for number, size in enumerate(sizes):
            for model, seed in enumerate(seeds):
                first = first_scores(size, seed, spread, dtype)
                scores[model, number, :size, :size] = first
            possible[number, :size, :size] = first != MASKED
        return cls(scores, possible)


def first_scores(size: int, seed: int, spread: float, dtype: torch.dtype) -> Tensor:
    """Return nearly even scores of a procedure with so many nodes, `MASKED` where impossible."""
    allowed = ~torch.eye(size, dtype=torch.bool)
    allowed[0] = False  # START needs nothing
    allowed[:, -1] = False  # nothing needs END
    generator = torch.Generator().manual_seed(seed)
    noise = torch.randn((size, size), generator=generator, dtype=torch.float64)
    return (noise * (spread / size)).to(dtype).masked_fill(~allowed, MASKED)
