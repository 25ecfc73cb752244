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
from torch.utils.checkpoint import checkpoint

from tgml.learners.batching import Chunk, EntryLists, SequenceBatch


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
            One factor for each sequence, in the order in which the batch was given them.
        """
        return tgml_loss(Z, batch, self.beta, epsilon=self.epsilon, weights=weights).sum()


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
    parts = [_log_cases(edges, chunk) for chunk in batch.chunks]
    return _in_given_order(torch.cat(parts, -1), batch, Z)


def _log_cases(edges: Tensor, chunk: Chunk) -> Tensor:
    """Return the log of favourable over possible cases, Eq. 2, summed over each sequence."""
    graphs = edges[:, chunk.owner_tensor]  # (models, sequences, h, j)
    observed = chunk.nodes_tensor[None, :, None, :-1].expand(*graphs.shape[:3], -1)
    # met[..., h, t]: how many preconditions of h are among the nodes observed before term t.
    met = (graphs.gather(-1, observed) * chunk.is_term[:, None, :]).cumsum(-1)
    favourable = met == graphs.sum(-1, keepdim=True)
    possible = (favourable & chunk.unobserved).sum(2)
    current = chunk.nodes_tensor[None, :, None, 1:].expand(graphs.shape[0], -1, 1, -1)
    chosen = favourable.gather(2, current).squeeze(2)
    log_ratio = torch.where(chosen, -possible.clamp(min=1).double().log(), -torch.inf)
    return torch.where(chunk.is_term, log_ratio, 0.0).sum(-1)


def _log_sums(Z: Tensor, batch: SequenceBatch, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return the sums over t of log num_t and log den_t, for each sequence."""
    models = _as_models(Z, batch)
    pairs = []
    for number in range(len(batch.chunks)):
        if batch.whole:
            pairs.append(_chunk_log_sums(models, batch, number, epsilon))
        else:  # recomputed in the backward pass, so that one chunk's lists are held at a time
            pairs.append(
                checkpoint(_chunk_log_sums, models, batch, number, epsilon, use_reentrant=False)
            )
    numerators = torch.cat([pair[0] for pair in pairs], -1)
    denominators = torch.cat([pair[1] for pair in pairs], -1)
    return _in_given_order(numerators, batch, Z), _in_given_order(denominators, batch, Z)


def _chunk_log_sums(
    models: Tensor, batch: SequenceBatch, number: int, epsilon: float
) -> tuple[Tensor, Tensor]:
    chunk = batch.chunks[number]
    num, den = _sums(models, chunk, *batch.lists(number))
    # Terms beyond a sequence's end become log 1 = 0.
    num = torch.where(chunk.is_term[..., None], num + epsilon, 1.0)
    den = torch.where(chunk.is_term[..., None], den + epsilon, 1.0)
    return num.log().sum(1).T, den.log().sum(1).T


def _sums(
    models: Tensor, chunk: Chunk, feasibility: EntryLists, arrival: EntryLists
) -> tuple[Tensor, Tensor]:
    """Return num_t and den_t: (sequences, terms, models)."""
    entries = models.flatten(1).T.contiguous()
    shape = (*chunk.shape, models.shape[0])
    num = _sum_over(entries, feasibility).view(shape)
    arrivals = _sum_over(entries, arrival).view(shape)
    if chunk.incomplete is not None:
        column_sums = torch.einsum("mpij,pi->mpj", models, chunk.is_node.to(models.dtype))
        unobserved = column_sums.flatten(1).T[chunk.columns] - arrivals
        arrivals = torch.where(chunk.incomplete[:, None, None], unobserved, arrivals)
    den = arrivals.cumsum(1) - (num.cumsum(1) - num)
    # y_t itself is unobserved, so den_t >= num_t; rounding must not say otherwise.
    return num, torch.maximum(den, num)


class SumOverLists(torch.autograd.Function):
    """Sums over lists of entries; its gradient is the same sum over the transposed lists."""

    @staticmethod
    def forward(ctx: Any, entries: Tensor, lists: EntryLists) -> Tensor:
        """Return one sum a list, for each model: (lists, models)."""
        ctx.lists = lists
        return nn.functional.embedding_bag(
            lists.entries, entries, lists.offsets, mode="sum", include_last_offset=True
        )

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """Return the gradient of the entries."""
        lists: EntryLists = ctx.lists
        transposed = EntryLists(lists.sums, lists.sum_offsets, lists.entries, lists.offsets)
        return _sum_over(gradients[0].contiguous(), transposed), None


def _sum_over(entries: Tensor, lists: EntryLists) -> Tensor:
    result: Tensor = SumOverLists.apply(entries, lists)  # type: ignore[no-untyped-call]
    return result


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
