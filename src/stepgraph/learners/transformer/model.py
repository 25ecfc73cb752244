"""The Task Graph Transformer as a network (paper, section 3.2 and its figure of the model)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from stepgraph.errors import SettingError
from stepgraph.learners.base import check_flag, check_number, check_whole, one_of
from stepgraph.learners.transformer.layers import (
    LAYERS,
    Dropout,
    FirstWeights,
    LayerKind,
    TransformerLayer,
    draw_weights,
    perceptron,
)

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
        Number of attention heads of the encoder; must divide the width.
    layers
        Number of layers of the encoder across key-steps.
    dropout
        Share of each layer's output that is dropped in training.
    all_pairs_up_to
        Maximum number of nodes for which all relation vectors attend to each other, which costs the
        fourth power of their number; beyond it those of one row do. 0 for any number.
    relation_heads
        Number of attention heads of the relation head; 0 for as many as the encoder has.
    feed_forward, relation_feed_forward
        Number of units inside a layer of the encoder and of the relation head; 0 for twice the
        width of the layer.
    hidden_layers
        Number of hidden layers in the perceptrons of the relation head.
    layer
        The kind of all layers.
    normalise
        Whether embeddings are normalised before anything else.
    auxiliary_token
        Whether a token stands before START and one after END. Steps may need the first one, and the
        weight that they give it is lost.

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
    relation_heads: int = 0
    feed_forward: int = 0
    relation_feed_forward: int = 0
    hidden_layers: int = 1
    layer: LayerKind = LayerKind.PRE_NORM
    normalise: bool = True
    auxiliary_token: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "layer", one_of("layer", self.layer, LayerKind))
        for name in ("features", "width", "heads", "layers"):
            check_whole(name, getattr(self, name), low=1)
        for name in (
            "all_pairs_up_to",
            "relation_heads",
            "feed_forward",
            "relation_feed_forward",
            "hidden_layers",
        ):
            check_whole(name, getattr(self, name), low=0)
        for name in ("normalise", "auxiliary_token"):
            check_flag(name, getattr(self, name))
        check_number("dropout", self.dropout, low=0.0)
        if self.dropout >= 1:
            raise SettingError(f"dropout is {self.dropout!r}; expected a number below 1")
        if self.width % self.heads or (not self.relation_heads and NARROW % self.heads):
            raise SettingError(
                f"heads is {self.heads} and width {self.width}; expected heads that divide both "
                f"the width and {NARROW}, such as 4"
            )
        if self.relation_heads and (
            2 * self.width % self.relation_heads or NARROW % self.relation_heads
        ):
            raise SettingError(
                f"relation_heads is {self.relation_heads} and width {self.width}; expected heads "
                f"that divide both twice the width and {NARROW}, such as 2"
            )


class Prediction(NamedTuple):
    """The network's prediction for some procedures.

    Parameters
    ----------
    Z
        (procedures, nodes, nodes): the adjacency matrices, rows that sum to 1 where a step may
        need anything.
    nodes
        (procedures, tokens, width): START, key-steps, END and any auxiliary tokens after the
        encoder, which are to stay distinct.
    mask
        (procedures, tokens): which of them exist and are no padding.
    lost
        (procedures, nodes): the weight of each row on the auxiliary token before START; None
        without such a token.
    """

    Z: Tensor
    nodes: Tensor
    mask: Tensor
    lost: Tensor | None = None


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
        The seed of the first weights.
    first_weights
        How weights begin. By default the last layer begins at 0, so that every row begins even; see
        docs/decisions/0009.

    Examples
    --------
    >>> network = TaskGraphTransformer(Shape(features=8)).eval()
    >>> network(torch.randn(1, 3, 8)).Z.shape
    torch.Size([1, 5, 5])
    """

    def __init__(
        self, shape: Shape, seed: int = 0, first_weights: FirstWeights = FirstWeights.EVEN
    ) -> None:
        super().__init__()
        self.shape = shape
        width, heads = shape.width, shape.relation_heads or shape.heads
        self.normalise = nn.LayerNorm(shape.features, elementwise_affine=False)
        self.project = nn.Linear(shape.features, width) if width != shape.features else None
        self.start = nn.Parameter(torch.empty(width))
        self.end = nn.Parameter(torch.empty(width))
        if shape.auxiliary_token:
            self.before_start = nn.Parameter(torch.empty(width))
            self.after_end = nn.Parameter(torch.empty(width))
        layer = LAYERS[shape.layer]

        def relation_layer(width: int) -> TransformerLayer:
            return layer(width, heads, shape.dropout, shape.relation_feed_forward)

        self.encoder = nn.ModuleList(
            layer(width, shape.heads, shape.dropout, shape.feed_forward)
            for _ in range(shape.layers)
        )
        # A standard layer ends with a normalisation.
        self.after_encoder = (
            nn.LayerNorm(width) if shape.layer is LayerKind.PRE_NORM else nn.Identity()
        )
        self.relations = relation_layer(2 * width)
        self.narrow = perceptron(2 * width, NARROW, shape.hidden_layers)
        self.narrow_relations = relation_layer(NARROW)
        self.score = perceptron(NARROW, 1, shape.hidden_layers)
        draw_weights(self, torch.Generator().manual_seed(seed), first_weights)
        if first_weights is FirstWeights.EVEN:
            nn.init.zeros_(self.score[-1].weight)  # type: ignore[arg-type]

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
        size, extra = steps + 2, int(self.shape.auxiliary_token)
        place = torch.arange(size + 2 * extra, device=embeddings.device)
        ends = (
            torch.full((procedures,), steps + 1, device=embeddings.device)
            if counts is None
            else counts + 1
        )[:, None] + extra
        mask = place <= ends + extra
        nodes = self._tokens(embeddings, place == ends, place == ends + 1)
        visible = None if counts is None else mask
        for layer in self.encoder:
            nodes = layer(nodes, visible)
        nodes = self.after_encoder(nodes)
        needy = (place > extra) & (place <= ends)  # START needs nothing
        possible = needy[:, :, None] & (place < ends)[:, None] & (place[:, None] != place)
        scores = self._scores(nodes, visible).masked_fill(~possible, MASKED)
        weights = torch.softmax(scores, -1) * possible
        Z = weights[:, extra : extra + size, extra : extra + size]
        lost = weights[:, extra : extra + size, 0] if extra else None
        return Prediction(Z, nodes, mask, lost)

    def _tokens(self, embeddings: Tensor, is_end: Tensor, is_after_end: Tensor) -> Tensor:
        """Return START, the key-steps, END and any auxiliary tokens: (procedures, tokens, width).

        Parameters
        ----------
        embeddings
            (procedures, steps, features).
        is_end, is_after_end
            (procedures, tokens): which is END, and which stands behind it.
        """
        key_steps = self.normalise(embeddings) if self.shape.normalise else embeddings
        if self.project is not None:
            key_steps = self.project(key_steps)
        start = self.start.expand(len(embeddings), 1, -1)
        nothing = torch.zeros_like(start)
        if not self.shape.auxiliary_token:
            tokens = torch.cat([start, key_steps, nothing], 1)
            return torch.where(is_end[..., None], self.end, tokens)
        before = self.before_start.expand_as(start)
        tokens = torch.cat([before, start, key_steps, nothing, nothing], 1)
        tokens = torch.where(is_end[..., None], self.end, tokens)
        return torch.where(is_after_end[..., None], self.after_end, tokens)

    def _scores(self, nodes: Tensor, mask: Tensor | None) -> Tensor:
        """Return the relation head's score of every pair: (procedures, tokens, tokens)."""
        procedures, size, _ = nodes.shape
        pairs = torch.cat(
            [
                nodes[:, :, None].expand(-1, -1, size, -1),
                nodes[:, None].expand(-1, size, -1, -1),
            ],
            -1,
        )
        visible = None
        if not self.shape.all_pairs_up_to or size <= self.shape.all_pairs_up_to:
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
