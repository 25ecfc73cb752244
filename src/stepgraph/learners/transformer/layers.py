"""The layers of the Task Graph Transformer, and how their weights begin."""

from __future__ import annotations

import math
from enum import StrEnum

import torch
from torch import Tensor, nn
from torch.nn import functional


class LayerKind(StrEnum):
    """The kind of a transformer layer."""

    PRE_NORM = "pre-norm"
    """Each half behind a normalisation; GELU; dropout of each half's output."""
    STANDARD = "standard"
    """As Vaswani et al. (2017) and torch have it: each sum normalised; ReLU; dropout of attention
    weights and of the units inside the perceptron too."""


class FirstWeights(StrEnum):
    """How the weights of a network begin."""

    EVEN = "even"
    """Glorot's uniform draws, biases 0; the last layer 0, so that all scores begin alike."""
    STANDARD = "standard"
    """As torch's layers draw them, the last layer too."""


def perceptron(width: int, outputs: int, hidden_layers: int) -> nn.Sequential:
    """Return a perceptron whose hidden layers have the width of its input.

    Parameters
    ----------
    width, outputs
        The widths of its input and its output.
    hidden_layers
        Number of hidden layers; 0 for one linear map.
    """
    hidden = [layer for _ in range(hidden_layers) for layer in (nn.Linear(width, width), nn.GELU())]
    return nn.Sequential(*hidden, nn.Linear(width, outputs))


class Dropout(nn.Module):
    """Dropout that draws from a generator of its own, where torch's draws from the global one.

    So models that train beside each other in threads stay reproducible.

    Parameters
    ----------
    share
        Share of the values that training sets to 0.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share
        self.generator: torch.Generator | None = None
        """The generator that it draws from; None for the global one."""

    def forward(self, values: Tensor) -> Tensor:
        """Return the values, in training some of them 0 and the others enlarged to make up."""
        if not self.training or self.share == 0:
            return values
        drawn = torch.rand(values.shape, generator=self.generator, device=values.device)
        return values * drawn.ge_(self.share).div_(1 - self.share)


class TransformerLayer(nn.Module):
    """Attention and a perceptron; each kind of layer puts them together in its own way.

    Parameters
    ----------
    width
        The width of the vectors.
    heads
        Number of attention heads; must divide the width.
    dropout
        Share of each half's output that is dropped in training.
    """

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, width)
        self.dropout = Dropout(dropout)

    def attention(self, vectors: Tensor, mask: Tensor | None) -> Tensor:
        """Return what each vector finds in all of them; parameters as for `forward`."""
        sets, members, width = vectors.shape
        stacked = self.queries_keys_values(vectors)
        split = stacked.view(sets, members, 3, self.heads, width // self.heads)
        queries, keys, values = split.permute(2, 0, 3, 1, 4)
        visible = None if mask is None else mask[:, None, None, :]
        found = self.mixed(queries, keys, values, visible)
        attended: Tensor = self.attended(found.transpose(1, 2).reshape(sets, members, width))
        return attended

    def mixed(self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """Return the values mixed by attention: (sets, heads, members, width of a head)."""
        return functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)


class PreNormLayer(TransformerLayer):
    """Attention and a perceptron, each behind a normalisation and beside a shortcut.

    Parameters
    ----------
    width, heads, dropout
        As for `TransformerLayer`.
    feed_forward
        Number of units inside the perceptron; 0 for twice the width.
    """

    def __init__(self, width: int, heads: int, dropout: float, feed_forward: int = 0) -> None:
        super().__init__(width, heads, dropout)
        inside = feed_forward or 2 * width
        self.before_attention = nn.LayerNorm(width)
        self.before_perceptron = nn.LayerNorm(width)
        self.perceptron = nn.Sequential(
            nn.Linear(width, inside), nn.GELU(), nn.Linear(inside, width)
        )

    def forward(self, vectors: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return the vectors, enriched by each other.

        Parameters
        ----------
        vectors
            (sets, members, width).
        mask
            (sets, members): which members exist and may be attended to; None for all.
        """
        vectors = vectors + self.dropout(self.attention(self.before_attention(vectors), mask))
        added: Tensor = self.dropout(self.perceptron(self.before_perceptron(vectors)))
        return vectors + added


class StandardLayer(TransformerLayer):
    """The layer of Vaswani et al. (2017), as torch has it.

    Parameters
    ----------
    width, heads, dropout, feed_forward
        As for `PreNormLayer`.
    """

    def __init__(self, width: int, heads: int, dropout: float, feed_forward: int = 0) -> None:
        super().__init__(width, heads, dropout)
        inside = feed_forward or 2 * width
        self.after_attention = nn.LayerNorm(width)
        self.after_perceptron = nn.LayerNorm(width)
        self.perceptron = nn.Sequential(
            nn.Linear(width, inside), nn.ReLU(), self.dropout, nn.Linear(inside, width)
        )

    def forward(self, vectors: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return the vectors, enriched by each other; parameters as for `PreNormLayer`."""
        vectors = self.after_attention(vectors + self.dropout(self.attention(vectors, mask)))
        enriched: Tensor = self.after_perceptron(vectors + self.dropout(self.perceptron(vectors)))
        return enriched

    def mixed(self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """Return the values mixed by attention, some of its weights dropped in training."""
        if not self.training or self.dropout.share == 0:
            return super().mixed(queries, keys, values, mask)
        scores = queries / math.sqrt(queries.shape[-1]) @ keys.transpose(-2, -1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        kept: Tensor = self.dropout(torch.softmax(scores, -1))
        return kept @ values


LAYERS = {LayerKind.PRE_NORM: PreNormLayer, LayerKind.STANDARD: StandardLayer}


def draw_weights(network: nn.Module, generator: torch.Generator, kind: FirstWeights) -> None:
    """Draw the first weights of a network, as `kind` says, but for a last layer that is to be 0.

    Parameters
    ----------
    network
        Changed in place; parameters of its own, not of a layer, are tokens.
    generator
        What to draw from.
    kind
        How to draw.
    """
    for name, parameter in network.named_parameters():
        if "." not in name:
            nn.init.normal_(parameter, generator=generator)
        elif parameter.dim() == 2:
            nn.init.xavier_uniform_(parameter, generator=generator)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
    if kind is FirstWeights.EVEN:
        return
    for name, layer in network.named_modules():
        # Queries, keys and values stay as they are: torch draws them so too.
        if isinstance(layer, nn.Linear) and not name.endswith("queries_keys_values"):
            bound = 1 / math.sqrt(layer.in_features)
            nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
            if not name.endswith("attended"):
                nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
