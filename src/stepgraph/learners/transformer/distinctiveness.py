"""The distinctiveness cross-entropy: key-steps are to stay apart from each other."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from stepgraph.learners.transformer.model import MASKED

TEMPERATURE = 0.9
"""The paper's T: cosine similarities are multiplied by exp(T)."""


def distinctiveness(nodes: Tensor, mask: Tensor, temperature: float = TEMPERATURE) -> Tensor:
    """Return how far the nodes of each procedure are from being told apart: (procedures,).

    The cross-entropy between each row of Y = X X^T exp(T), X normalised, and the row of the
    identity, averaged over the nodes that exist.

    Parameters
    ----------
    nodes, mask
        As in `stepgraph.learners.transformer.model.Prediction`.
    temperature
        The paper's T.

    Examples
    --------
    >>> one_hot = torch.eye(3)[None]
    >>> same = torch.ones(1, 3, 3)
    >>> mask = torch.ones(1, 3, dtype=torch.bool)
    >>> bool(distinctiveness(one_hot, mask) < distinctiveness(same, mask))
    True
    """
    unit = functional.normalize(nodes, dim=-1)
    similar = unit @ unit.transpose(1, 2) * math.exp(temperature)
    log_share = torch.log_softmax(similar.masked_fill(~mask[:, None], MASKED), -1)
    own = log_share.diagonal(dim1=1, dim2=2).masked_fill(~mask, 0.0)
    return -own.sum(-1) / mask.sum(-1)
