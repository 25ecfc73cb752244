"""Which of two steps comes first, and which comes next, judged by an adjacency matrix.

Two rules. The fair one compares the likelihoods of both orders (Eq. 5), so its answer turns round
when the question does, and guessing is right half of the time. The published one asks whether any
of several conditions holds, with the truth always on the same side; random matrices satisfy it far
more often than half of the time. It is here to be compared with.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.loss import log_likelihood

Shares = NDArray[np.float64]


def first_share(Z: Tensor) -> Shares:
    """Return how likely A comes before B, as a share of both orders: (matrices,).

    Parameters
    ----------
    Z
        (matrices, 4, 4): START, A, B, END.

    Examples
    --------
    >>> even = torch.tensor([[0, 0, 0, 0], [0.5, 0, 0.5, 0], [0.5, 0.5, 0, 0], [0.4, 0.3, 0.3, 0]])
    >>> first_share(even[None]).round(6).tolist()
    [0.5]
    """
    return _share(Z, (1, 2), (2, 1))


def future_share(Z: Tensor) -> Shares:
    """Return how likely B comes after the anchor and A before it, not the other way round.

    Parameters
    ----------
    Z
        (matrices, 5, 5): START, A, anchor, B, END.
    """
    return _share(Z, (1, 2, 3), (3, 2, 1))


def published_first(Z: Tensor) -> NDArray[np.bool_]:
    """Return whether A comes before B by the published rule; `Z` as for `first_share`.

    It does if B needs A more than A needs B, or if A before B is the likelier order, or if END
    needs B more than A. The paper writes the first condition as an edge from A to B; read as its
    equations have it, that A needs B, random matrices would satisfy the rule in 95 of 100 cases.
    """
    needs = Z[:, 2, 1] > Z[:, 1, 2]
    ends = Z[:, 3, 2] > Z[:, 3, 1]
    return (needs | ends).numpy() | (first_share(Z) > 0.5)


def published_future(Z: Tensor) -> NDArray[np.bool_]:
    """Return whether B is the future by the published rule; `Z` as for `future_share`.

    It is if the anchor needs B less than A, or if A, anchor, B is the likelier order.
    """
    return (Z[:, 2, 3] < Z[:, 2, 1]).numpy() | (future_share(Z) > 0.5)


def random_matrices(count: int, size: int, seed: int) -> Tensor:
    """Return adjacency matrices of networks that know nothing: softmax of random scores.

    Parameters
    ----------
    count, size
        How many, of how many nodes.
    seed
        The same seed gives the same matrices.
    """
    scores = torch.randn((count, size, size), generator=torch.Generator().manual_seed(seed))
    impossible = torch.eye(size, dtype=torch.bool)
    impossible[0] = True
    impossible[:, -1] = True
    return torch.softmax(scores.masked_fill(impossible, -1e9), -1) * ~impossible


def _share(Z: Tensor, one: tuple[int, ...], other: tuple[int, ...]) -> Shares:
    size = len(one) + 2
    batch = SequenceBatch([[one, other]] * len(Z), [size] * len(Z))
    logs = log_likelihood(Z.double(), batch).view(-1, 2)
    shares: Shares = torch.sigmoid(logs[:, 0] - logs[:, 1]).nan_to_num(0.5).numpy()
    return shares
