r"""The paper's likelihoods and the TGML loss, batched over procedures, seeds and sequences.

Everywhere Z is the adjacency matrix, Z[i, j] the weight of step i needing step j; its shape
is (nodes, nodes), (procedures, nodes, nodes) or (models, procedures, nodes, nodes). With
O = O(y, t) the steps observed before y_t, the two sums of Eq. 5 and 6 are

.. math:: num_t = \sum_{j \in O} Z_{y_t j} \qquad den_t = \sum_{h \notin O} \sum_{j \in O} Z_{hj}

When y_t has been observed, its row leaves the denominator and its column enters it, for the
rows still unobserved: den_{t+1} = den_t - num_t + arrival_t. So both cost as many entries of Z
as the sequence has pairs of steps.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.pair_sums import Chunk

CASE_ENTRIES = 16_000_000
"""Number of entries of unweighted graphs in one step of work."""


class TGMLLoss(nn.Module):
    """The Task Graph Maximum Likelihood loss, Eq. 6, for any network that outputs Z.

    Parameters
    ----------
    beta
        The weight of the contrastive term; 1 gives the negative log-likelihood.
    epsilon
        Added inside both logarithms; 0 is the paper's equation, 1e-6 what its code uses.

    Examples
    --------
    >>> batch = SequenceBatch([[(1, 2), (2, 1)]], sizes=[4])
    >>> Z = torch.full((4, 4), 0.25, requires_grad=True)
    >>> loss = TGMLLoss(beta=0.005)(Z, batch)
    >>> loss.backward()
    """

    def __init__(self, beta: float = 0.005, epsilon: float = 0.0) -> None:
        super().__init__()
        self.beta = beta
        self.epsilon = epsilon

    def forward(self, Z: Tensor, batch: SequenceBatch, weights: Tensor | None = None) -> Tensor:
        """Return the loss summed over all sequences, and models where Z holds several.

        Parameters
        ----------
        Z
            The adjacency matrices.
        batch
            The sequences.
        weights
            One factor for each sequence, in the order of the batch's input; by default the batch's
            own weights.
        """
        weights = batch.weights if weights is None else weights
        if weights is not None:
            return tgml_loss(Z, batch, self.beta, epsilon=self.epsilon, weights=weights).sum()
        numerators, denominators = _log_sums(Z, batch, self.epsilon, ordered=False)
        return self.beta * denominators.sum() - numerators.sum()


def tgml_loss(
    Z: Tensor,
    batch: SequenceBatch,
    beta: float,
    *,
    epsilon: float = 0.0,
    weights: Tensor | None = None,
) -> Tensor:
    """Return Eq. 6 for each sequence: (sequences,) or (models, sequences).

    Parameters
    ----------
    Z, batch
        The adjacency matrices and the sequences.
    beta
        The weight of the contrastive term.
    epsilon
        Added inside both logarithms.
    weights
        One factor for each sequence.
    """
    numerators, denominators = _log_sums(Z, batch, epsilon)
    loss = -(numerators - beta * denominators)
    return loss if weights is None else loss * weights


def log_likelihood(Z: Tensor, batch: SequenceBatch) -> Tensor:
    """Return log P(y | Z) of a weighted graph, Eq. 3 to 5, for each sequence."""
    numerators, denominators = _log_sums(Z, batch, 0.0)
    return numerators - denominators


def unweighted_log_likelihood(Z: Tensor, batch: SequenceBatch) -> Tensor:
    """Return log P(y | Z) of an unweighted graph, Eq. 1 and 2, for each sequence.

    Every non-zero entry of Z is an edge. A sequence that breaks an edge has -inf.
    """
    edges = (_as_models(Z, batch) != 0).to(torch.int64)
    parts = [
        _log_cases(edges, part)
        for chunk in batch.chunks
        for part in chunk.parts(CASE_ENTRIES // (len(edges) * batch.stride**2))
    ]
    return _in_given_order(torch.cat(parts, -1), batch, Z)


def _log_cases(edges: Tensor, chunk: Chunk) -> Tensor:
    """Return the log of favourable over possible cases, Eq. 2, summed over each sequence."""
    if chunk.is_node is not None:
        edges = edges * chunk.is_node[:, None, :]
    graphs = edges[:, chunk.owner_tensor]  # (models, sequences, h, j)
    observed = chunk.nodes_tensor[None, :, None, :-1].expand(*graphs.shape[:3], -1)
    # met[..., h, t]: how many preconditions of h are among the nodes observed before term t.
    met = graphs.gather(-1, observed).cumsum(-1)
    favourable = met == graphs.sum(-1, keepdim=True)
    possible = (favourable & chunk.unobserved).sum(2)
    current = chunk.nodes_tensor[None, :, None, 1:].expand(graphs.shape[0], -1, 1, -1)
    chosen = favourable.gather(2, current).squeeze(2)
    log_ratio = torch.where(chosen, -possible.clamp(min=1).double().log(), -torch.inf)
    return torch.where(chunk.is_term, log_ratio, 0.0).sum(-1)


def _log_sums(
    Z: Tensor, batch: SequenceBatch, epsilon: float, *, ordered: bool = True
) -> tuple[Tensor, Tensor]:
    """Return the sums over t of log num_t and log den_t, for each sequence."""
    models = _as_models(Z, batch)
    pairs: list[tuple[Tensor, Tensor]] = [
        LogSums.apply(models, batch, number, epsilon)  # type: ignore[no-untyped-call]
        for number in range(len(batch.chunks))
    ]
    numerators = pairs[0][0] if len(pairs) == 1 else torch.cat([pair[0] for pair in pairs], -1)
    denominators = pairs[0][1] if len(pairs) == 1 else torch.cat([pair[1] for pair in pairs], -1)
    if not ordered:
        return numerators, denominators
    return _in_given_order(numerators, batch, Z), _in_given_order(denominators, batch, Z)


class LogSums(torch.autograd.Function):
    """The sums over t of log num_t and log den_t, with their gradient in closed form.

    As den_t = sum of arrival_s over s < t, minus the sum of num_s over 0 < s < t, the gradient
    is another pair of sums over the same entries: an arrival at s is in every later denominator,
    and a numerator leaves them again.
    """

    @staticmethod
    def forward(
        ctx: Any, models: Tensor, batch: SequenceBatch, number: int, epsilon: float
    ) -> tuple[Tensor, Tensor]:
        """Return both sums for a chunk of the batch: (models, sequences) each."""
        chunk = batch.chunks[number]
        num, arrivals = batch.pairs(number).sums(models.detach())
        den = arrivals.cumsum_(1).sub_(num.cumsum(1)).add_(num)
        # y_t itself is unobserved, so den_t >= num_t, despite rounding.
        den = torch.maximum(den, num).add_(epsilon)
        num.add_(epsilon)
        if chunk.padding is not None:
            num.masked_fill_(chunk.padding, 1.0)
            den.masked_fill_(chunk.padding, 1.0)
        ctx.save_for_backward(num, den)
        # Does not save the pairs: a large batch rebuilds them, to hold one chunk's at a time.
        ctx.batch, ctx.number = batch, number
        return num.log().sum(1).T, den.log().sum(1).T

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, for_num: Tensor, for_den: Tensor) -> tuple[Tensor, None, None, None]:
        """Return the gradient of Z."""
        num, den = ctx.saved_tensors
        chunk = ctx.batch.chunks[ctx.number]
        from_den = for_den.T[:, None] / den
        if chunk.padding is not None:
            from_den.masked_fill_(chunk.padding, 0.0)
        later = from_den.sum(1, keepdim=True) - from_den.cumsum(1)  # denominators after t
        from_num = (for_num.T[:, None] / num).sub_(later)
        from_arrivals = later.add_(from_den)
        gradient = ctx.batch.pairs(ctx.number).gradient(from_num, from_arrivals)
        return gradient, None, None, None


def _as_models(Z: Tensor, batch: SequenceBatch) -> Tensor:
    """Return Z as (models, procedures, nodes, nodes)."""
    models = Z.reshape((1,) * (4 - Z.dim()) + Z.shape)
    expected = (len(batch.sizes), batch.stride, batch.stride)
    if tuple(models.shape[1:]) != expected:
        raise ValueError(
            f"Z has shape {tuple(Z.shape)}; expected (models,) + {expected}: "
            "procedures, nodes, nodes as the batch has them"
        )
    return models


def _in_given_order(values: Tensor, batch: SequenceBatch, Z: Tensor) -> Tensor:
    ordered = values[:, batch.restore]
    return ordered if Z.dim() == 4 else ordered[0]
