"""The parts of the network: dropout with its own randomness, and a transformer layer."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class Dropout(nn.Module):
    """Dropout that draws from a generator of its own, where torch's draws from the global one.

    Models that train beside each other in threads stay reproducible so.

    Parameters
    ----------
    share
        Which share of the values is set to 0 in training.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share
        self.generator: torch.Generator | None = None
        """What it draws from; the global generator if None."""

    def forward(self, values: Tensor) -> Tensor:
        """Return the values, in training some of them 0 and the others enlarged to make up."""
        if not self.training or self.share == 0:
            return values
        drawn = torch.rand(values.shape, generator=self.generator, device=values.device)
        return values * (drawn >= self.share) / (1 - self.share)


class TransformerLayer(nn.Module):
    """Attention and a perceptron, each behind a normalisation and beside a shortcut.

    Parameters
    ----------
    width
        The width of the vectors.
    heads
        How many parts the attention is split into; must divide the width.
    dropout
        Which share of what each half adds is dropped in training.
    """

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, width)
        self.before_perceptron = nn.LayerNorm(width)
        self.perceptron = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )
        self.dropout = Dropout(dropout)

    def forward(self, vectors: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return the vectors, enriched by each other.

        Parameters
        ----------
        vectors
            (sets, members, width).
        mask
            (sets, members): which members exist and may be attended to; None for all.
        """
        sets, members, width = vectors.shape
        stacked = self.queries_keys_values(self.before_attention(vectors))
        split = stacked.view(sets, members, 3, self.heads, width // self.heads)
        queries, keys, values = split.permute(2, 0, 3, 1, 4)
        visible = None if mask is None else mask[:, None, None, :]
        found = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=visible)
        found = self.attended(found.transpose(1, 2).reshape(sets, members, width))
        vectors = vectors + self.dropout(found)
        added: Tensor = self.dropout(self.perceptron(self.before_perceptron(vectors)))
        return vectors + added
