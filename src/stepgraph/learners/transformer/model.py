"""The Task Graph Transformer as a network (paper, section 3.2 and its figure of the model)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from stepgraph.errors import SettingError
from stepgraph.learners.base import check_number, check_whole

MASKED = -1e9
"""The score of an impossible edge; its softmax is exactly 0, as that of minus infinity."""
NARROW = 16
"""Number of units between the two layers of the relation head, as in the paper."""


@dataclass(frozen=True)
class Shape:
    """The shape of a network; a checkpoint stores it beside the weights.

    Parameters
    ----------
    features
        The width of the input embeddings.
    width
        The width of the network: embeddings are projected to it, unless they have it already.
    heads
        Number of attention heads; must divide the width.
    layers
        Number of layers of the encoder across key-steps.
    dropout
        Share of each layer's output that is dropped in training.
    all_pairs_up_to
        Maximum number of nodes for which all relation vectors attend to each other, which costs the
        fourth power of their number; beyond it those of one row do.

    Raises
    ------
    SettingError
        If a number is out of range, or the heads do not divide the width.
    """

    features: int
    width: int = 32
    heads: int = 4
    layers: int = 1
    dropout: float = 0.1
    all_pairs_up_to: int = 48

    def __post_init__(self) -> None:
        for name in ("features", "width", "heads", "layers", "all_pairs_up_to"):
            check_whole(name, getattr(self, name), low=1)
        check_number("dropout", self.dropout, low=0.0)
        if self.dropout >= 1:
            raise SettingError(f"dropout is {self.dropout!r}; expected a number below 1")
        if self.width % self.heads or NARROW % self.heads:
            raise SettingError(
                f"heads is {self.heads} and width {self.width}; expected heads that divide both "
                f"the width and {NARROW}, such as 4"
            )


class Prediction(NamedTuple):
    """The network's prediction for some procedures.

    Parameters
    ----------
    Z
        (procedures, nodes, nodes): the adjacency matrices, rows that sum to 1 where a step may
        need anything.
    nodes
        (procedures, nodes, width): the key-steps after the encoder, which are to stay distinct.
    mask
        (procedures, nodes): which nodes exist and are no padding.
    """

    Z: Tensor
    nodes: Tensor
    mask: Tensor


class TaskGraphTransformer(nn.Module):
    """Maps embeddings of key-steps to the adjacency matrix of their task graph.

    Learnable START and END join the key-steps; an encoder lets all of them attend to each other;
    every pair becomes one relation vector, of which the relation head makes a score. A mask removes
    impossible edges, and a softmax makes each row sum to 1. The order in which key-steps are given
    does not matter: a permutation of them permutes the matrix.

    Parameters
    ----------
    shape
        The shape of the network.
    seed
        The seed of the first weights. The last layer begins at 0, so that every row begins even;
        see docs/decisions/0009.

    Examples
    --------
    >>> network = TaskGraphTransformer(Shape(features=8)).eval()
    >>> network(torch.randn(1, 3, 8)).Z.shape
    torch.Size([1, 5, 5])
    """

    def __init__(self, shape: Shape, seed: int = 0) -> None:
        super().__init__()
        self.shape = shape
        width, heads, dropout = shape.width, shape.heads, shape.dropout
        self.normalise = nn.LayerNorm(shape.features, elementwise_affine=False)
        self.project = nn.Linear(shape.features, width) if width != shape.features else None
        self.start = nn.Parameter(torch.empty(width))
        self.end = nn.Parameter(torch.empty(width))
        self.encoder = nn.ModuleList(
            TransformerLayer(width, heads, dropout) for _ in range(shape.layers)
        )
        self.after_encoder = nn.LayerNorm(width)
        self.relations = TransformerLayer(2 * width, heads, dropout)
        self.narrow = _perceptron(2 * width, NARROW)
        self.narrow_relations = TransformerLayer(NARROW, heads, dropout)
        self.score = _perceptron(NARROW, 1)
        self._initialise(torch.Generator().manual_seed(seed))

    def _initialise(self, generator: torch.Generator) -> None:
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                nn.init.xavier_uniform_(parameter, generator=generator)
            elif name in ("start", "end"):
                nn.init.normal_(parameter, generator=generator)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)
        last = self.score[-1]
        nn.init.zeros_(last.weight)  # type: ignore[arg-type]

    def draw_from(self, generator: torch.Generator | None) -> None:
        """Let dropout draw from a generator."""
        for part in self.modules():
            if isinstance(part, Dropout):
                part.generator = generator

    def forward(self, embeddings: Tensor, counts: Tensor | None = None) -> Prediction:
        """Return the adjacency matrices of some procedures.

        Parameters
        ----------
        embeddings
            (procedures, steps, features), padded to the longest procedure.
        counts
            (procedures,): the number of key-steps of each; None if none is padded. START is the
            first node and END follows a procedure's last key-step.
        """
        if embeddings.dim() != 3 or embeddings.shape[-1] != self.shape.features:
            raise ValueError(
                f"embeddings have shape {tuple(embeddings.shape)}; expected (procedures, steps, "
                f"{self.shape.features})"
            )
        procedures, steps, _ = embeddings.shape
        size = steps + 2
        place = torch.arange(size, device=embeddings.device)
        ends = (
            torch.full((procedures,), steps + 1, device=embeddings.device)
            if counts is None
            else counts + 1
        )[:, None]
        mask = place <= ends
        is_end = place == ends
        key_steps = self.normalise(embeddings)
        if self.project is not None:
            key_steps = self.project(key_steps)
        start = self.start.expand(procedures, 1, -1)
        nodes = torch.cat([start, key_steps, torch.zeros_like(start)], 1)
        nodes = torch.where(is_end[..., None], self.end, nodes)
        visible = None if counts is None else mask
        for layer in self.encoder:
            nodes = layer(nodes, visible)
        nodes = self.after_encoder(nodes)
        both = mask[:, :, None] & mask[:, None]
        possible = both & (place[:, None] != place) & (place[:, None] > 0) & ~is_end[:, None]
        scores = self._scores(nodes, visible).masked_fill(~possible, MASKED)
        return Prediction(torch.softmax(scores, -1) * possible, nodes, mask)

    def _scores(self, nodes: Tensor, mask: Tensor | None) -> Tensor:
        """Return the relation head's score of every pair: (procedures, nodes, nodes)."""
        procedures, size, _ = nodes.shape
        pairs = torch.cat(
            [
                nodes[:, :, None].expand(-1, -1, size, -1),
                nodes[:, None].expand(-1, size, -1, -1),
            ],
            -1,
        )
        visible = None
        if size <= self.shape.all_pairs_up_to:
            pairs = pairs.flatten(1, 2)
            if mask is not None:
                visible = (mask[:, :, None] & mask[:, None]).flatten(1)
        else:
            pairs = pairs.flatten(0, 1)
            if mask is not None:
                visible = mask[:, None].expand(-1, size, -1).flatten(0, 1)
        narrow = self.narrow(self.relations(pairs, visible))
        scores: Tensor = self.score(self.narrow_relations(narrow, visible))
        return scores.view(procedures, size, size)


def _perceptron(width: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, outputs))


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
        return values * (drawn >= self.share) / (1 - self.share)


class TransformerLayer(nn.Module):
    """Attention and a perceptron, each behind a normalisation and beside a shortcut.

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
