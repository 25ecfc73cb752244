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

from enum import StrEnum
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import forward_ad

from stepgraph.errors import InputError
from stepgraph.learners.base import check_number, one_of
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.pair_sums import Chunk

CASE_ENTRIES = 16_000_000
"""Number of entries of unweighted graphs in one step of work."""

EXCESS = 0.02
"""How far a row of Z may exceed a sum of 1: in half precision, an even row of softmax does so by
less than 0.01."""
BELOW_ZERO = 1e-5
"""How far an entry of Z may be below 0, as one is when derivatives are checked by differences."""


class Reduction(StrEnum):
    """What becomes of the losses of the sequences."""

    SUM = "sum"
    """Their sum, as in Eq. 6."""
    MEAN = "mean"
    """Their mean; with weights, their weighted mean."""
    NONE = "none"
    """They stay as they are, one for each sequence."""


class TGMLLoss(nn.Module):
    """The Task Graph Maximum Likelihood loss, Eq. 6, for any network that outputs Z.

    It has derivatives of any order and works inside `torch.func` (`grad`, `vmap`, `jacrev`,
    `hessian`). Half precision is computed in float32, inside autocast too.

    Parameters
    ----------
    beta
        The weight of the contrastive term; 1 gives the negative log-likelihood.
    epsilon
        Added inside both logarithms; 0 is the paper's equation, 1e-6 what its code uses.
    reduction
        What becomes of the losses of the sequences: 'sum', 'mean' or 'none'; see `Reduction`.
    check
        Whether to refuse a Z with negative entries or rows that sum to more than one, such as
        scores before the softmax. It costs a look at Z, and on a GPU a wait for it.

    Raises
    ------
    SettingError
        If a parameter has a value that it cannot take.

    Examples
    --------
    >>> batch = SequenceBatch([[(1, 2), (2, 1)]], sizes=[4])
    >>> Z = torch.full((4, 4), 0.25, requires_grad=True)
    >>> loss = TGMLLoss(beta=0.005)(Z, batch)
    >>> loss.backward()
    >>> TGMLLoss(reduction="mean")
    TGMLLoss(beta=0.005, epsilon=0.0, reduction='mean', check=True)
    """

    def __init__(
        self,
        beta: float = 0.005,
        epsilon: float = 0.0,
        *,
        reduction: Reduction | str = Reduction.SUM,
        check: bool = True,
    ) -> None:
        super().__init__()
        check_number("beta", beta, low=0.0)
        check_number("epsilon", epsilon, low=0.0)
        self.beta = beta
        self.epsilon = epsilon
        self.reduction = one_of("reduction", reduction, Reduction)
        self.check = check

    def extra_repr(self) -> str:
        """Return the parameters, for the module's representation."""
        settings = f"beta={self.beta}, epsilon={self.epsilon}"
        return f"{settings}, reduction={self.reduction.value!r}, check={self.check}"

    def forward(self, Z: Tensor, batch: SequenceBatch, weights: Tensor | None = None) -> Tensor:
        """Return the loss, over all sequences and, where Z holds several, all models.

        Without a reduction its shape is (sequences,) or (models, sequences).

        Parameters
        ----------
        Z
            The adjacency matrices.
        batch
            The sequences.
        weights
            One factor for each sequence, in the order of the batch's input; by default the batch's
            own weights.

        Raises
        ------
        InputError
            If Z or the weights have another shape, type or device than the batch needs, or Z holds
            no weights but scores.
        """
        losses = _losses(Z, batch, self.beta, self.epsilon, check=self.check)
        weights = batch.weights if weights is None else weights
        if weights is not None:
            # In the order of the chunks, as the losses are.
            weights = _as_factors(weights, losses, batch)[..., batch.order]
            losses = losses * weights
        if self.reduction is Reduction.NONE:
            return _in_given_order(losses, batch, Z)
        if self.reduction is Reduction.SUM:
            return losses.sum()
        return losses.mean() if weights is None else losses.sum() / weights.expand_as(losses).sum()


def tgml_loss(
    Z: Tensor,
    batch: SequenceBatch,
    beta: float,
    *,
    epsilon: float = 0.0,
    weights: Tensor | None = None,
) -> Tensor:
    """Return Eq. 6 for each sequence: (sequences,) or (models, sequences).

    Unlike the module, it takes any weights: it does not check Z.

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
    losses = _in_given_order(_losses(Z, batch, beta, epsilon), batch, Z)
    return losses if weights is None else losses * _as_factors(weights, losses, batch)


def log_likelihood(Z: Tensor, batch: SequenceBatch) -> Tensor:
    """Return log P(y | Z) of a weighted graph, Eq. 3 to 5, for each sequence.

    Rows need not sum to one.
    """
    return -tgml_loss(Z, batch, 1.0)


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


def _losses(
    Z: Tensor, batch: SequenceBatch, beta: float, epsilon: float, *, check: bool = False
) -> Tensor:
    """Return Eq. 6 for each sequence, in the order of the chunks: (models, sequences)."""
    models = _as_models(Z, batch)
    if not models.is_floating_point():
        raise InputError(f"Z holds {Z.dtype}; expected real numbers, such as torch.float32")
    if models.device != batch.device:
        raise InputError(
            f"Z is on {models.device} and the batch on {batch.device}; expected one device, as "
            "batch.to(Z.device) gives it"
        )
    if models.dtype.itemsize < 4:
        models = models.float()
    if check and not torch.compiler.is_compiling():
        _refuse_scores(models, batch)
    # The closed form is faster, but for the first derivative of ordinary tensors only.
    general = _transforms_active() or _has_tangent(models)
    losses = chunk_losses if general else ChunkLosses.apply
    parts: list[Tensor] = [
        losses(models, batch, number, beta, epsilon) for number in range(len(batch.chunks))
    ]
    return parts[0] if len(parts) == 1 else torch.cat(parts, -1)


def chunk_losses(
    models: Tensor, batch: SequenceBatch, number: int, beta: float, epsilon: float
) -> Tensor:
    """Return Eq. 6 for each sequence of a chunk, differentiable in every way: (models, sequences).

    Parameters
    ----------
    models
        (models, procedures, nodes, nodes): the adjacency matrices.
    batch, number
        The sequences, and which chunk of them.
    beta, epsilon
        The weight of the contrastive term, and what is added inside the logarithms.
    """
    num, den = _terms(models, batch, number, epsilon)
    return (den.log() * beta - num.log()).sum(1).T


class ChunkLosses(torch.autograd.Function):
    """The same as `chunk_losses`, with its gradient in closed form.

    As den_t = sum of arrival_s over s < t, minus the sum of num_s over 0 < s < t, the gradient
    is another pair of sums over the same entries: an arrival at s is in every later denominator,
    and a numerator leaves them again.
    """

    @staticmethod
    def forward(
        ctx: Any, models: Tensor, batch: SequenceBatch, number: int, beta: float, epsilon: float
    ) -> Tensor:
        """Return the losses of a chunk of the batch: (models, sequences)."""
        chunk = batch.chunks[number]
        num, arrivals = batch.pairs(number).sums(models.detach())
        den = arrivals.cumsum_(1).sub_(num.cumsum(1)).add_(num)
        # y_t itself is unobserved, so den_t >= num_t, despite rounding.
        den = torch.maximum(den, num).add_(epsilon)
        num.add_(epsilon)
        if chunk.padding is not None:
            num.masked_fill_(chunk.padding, 1.0)
            den.masked_fill_(chunk.padding, 1.0)
        ctx.save_for_backward(models, num, den)
        # Does not save the pairs: a large batch rebuilds them, to hold one chunk's at a time.
        ctx.batch, ctx.number, ctx.beta, ctx.epsilon = batch, number, beta, epsilon
        return den.log().mul_(beta).sub_(num.log()).sum(1).T

    @staticmethod
    def backward(ctx: Any, of_losses: Tensor) -> tuple[Tensor, None, None, None, None]:
        """Return the gradient of Z, itself differentiable if its graph is asked for."""
        models, num, den = ctx.saved_tensors
        chunk = ctx.batch.chunks[ctx.number]
        spread: Any = ctx.batch.pairs(ctx.number).gradient
        if torch.is_grad_enabled() or _transforms_active():
            num, den = _terms(models, ctx.batch, ctx.number, ctx.epsilon)
            spread = partial(_spread, batch=ctx.batch, number=ctx.number)
        from_num = of_losses.T[:, None] / num
        from_den = of_losses.T[:, None] * ctx.beta / den
        if chunk.padding is not None:
            from_den.masked_fill_(chunk.padding, 0.0)
        later = from_den.sum(1, keepdim=True) - from_den.cumsum(1)  # denominators after t
        from_num.add_(later).neg_()
        from_arrivals = later.add_(from_den)
        return spread(from_num, from_arrivals), None, None, None, None


class PairSums(torch.autograd.Function):
    """num_t and arrival_t of a chunk's sequences: linear in Z, with `Spread` as its transpose."""

    @staticmethod
    def forward(models: Tensor, batch: SequenceBatch, number: int) -> tuple[Tensor, Tensor]:
        """Return both sums, 0 beyond a sequence's end: (sequences, terms, models) each."""
        num, arrivals = batch.pairs(number).sums(models.detach())
        padding = batch.chunks[number].padding
        if padding is not None:
            num.masked_fill_(padding, 0.0)
            arrivals.masked_fill_(padding, 0.0)
        return num, arrivals

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:  # noqa: ARG004
        """Keep the chunk."""
        _, ctx.batch, ctx.number = inputs

    @staticmethod
    def backward(ctx: Any, of_num: Tensor, of_arrivals: Tensor) -> tuple[Tensor, None, None]:
        """Return the gradient of Z."""
        return _spread(of_num, of_arrivals, ctx.batch, ctx.number), None, None

    @staticmethod
    def jvp(ctx: Any, change: Tensor, *_: None) -> tuple[Tensor, Tensor]:
        """Return the change of both sums with a change of Z."""
        return _pair_sums(change, ctx.batch, ctx.number)

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int, ...], models: Tensor, batch: SequenceBatch, number: int
    ) -> tuple[tuple[Tensor, Tensor], tuple[int, int]]:
        """Take what is mapped over as so many more models."""
        together = models.movedim(in_dims[0], 0).flatten(0, 1)
        num, arrivals = _pair_sums(together, batch, number)
        apart = (*num.shape[:2], info.batch_size, -1)
        return (num.view(apart), arrivals.view(apart)), (2, 2)


class Spread(torch.autograd.Function):
    """The gradient of Z from those of num_t and arrival_t: the transpose of `PairSums`."""

    @staticmethod
    def forward(num: Tensor, arrivals: Tensor, batch: SequenceBatch, number: int) -> Tensor:
        """Return the gradient: (models, procedures, nodes, nodes)."""
        return batch.pairs(number).gradient(num.detach(), arrivals.detach())

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:  # noqa: ARG004
        """Keep the chunk."""
        _, _, ctx.batch, ctx.number = inputs

    @staticmethod
    def backward(ctx: Any, of_gradient: Tensor) -> tuple[Tensor, Tensor, None, None]:
        """Return the gradients of both inputs."""
        return *_pair_sums(of_gradient, ctx.batch, ctx.number), None, None

    @staticmethod
    def jvp(ctx: Any, of_num: Tensor, of_arrivals: Tensor, *_: None) -> Tensor:
        """Return the change of the gradient with changes of both inputs."""
        return _spread(of_num, of_arrivals, ctx.batch, ctx.number)

    @staticmethod
    def vmap(
        info: Any,
        in_dims: tuple[int | None, ...],
        num: Tensor,
        arrivals: Tensor,
        batch: SequenceBatch,
        number: int,
    ) -> tuple[Tensor, int]:
        """Take what is mapped over as so many more models."""
        together = (
            values[:, :, None].expand(-1, -1, info.batch_size, -1)
            if dim is None
            else values.movedim(dim, 2)
            for values, dim in ((num, in_dims[0]), (arrivals, in_dims[1]))
        )
        num, arrivals = (values.flatten(2, 3) for values in together)
        gradient = _spread(num, arrivals, batch, number)
        return gradient.view(info.batch_size, -1, *gradient.shape[1:]), 0


def _pair_sums(models: Tensor, batch: SequenceBatch, number: int) -> tuple[Tensor, Tensor]:
    sums: tuple[Tensor, Tensor] = PairSums.apply(models, batch, number)  # type: ignore[no-untyped-call]
    return sums


def _spread(num: Tensor, arrivals: Tensor, batch: SequenceBatch, number: int) -> Tensor:
    gradient: Tensor = Spread.apply(num, arrivals, batch, number)  # type: ignore[no-untyped-call]
    return gradient


def _terms(
    models: Tensor, batch: SequenceBatch, number: int, epsilon: float
) -> tuple[Tensor, Tensor]:
    """Return num_t and den_t with epsilon, 1 beyond a sequence's end."""
    num, arrivals = _pair_sums(models, batch, number)
    den = arrivals.cumsum(1) - num.cumsum(1) + num
    # As above, without the derivative of a maximum, which would be that of the rounding.
    den = den + (num - den).clamp(min=0.0).detach() + epsilon
    num = num + epsilon
    padding = batch.chunks[number].padding
    if padding is None:
        return num, den
    return num.masked_fill(padding, 1.0), den.masked_fill(padding, 1.0)


def _transforms_active() -> bool:
    """Return whether a transform of `torch.func` runs; torch asks itself the same way."""
    return torch._C._are_functorch_transforms_active()


def _has_tangent(models: Tensor) -> bool:
    """Return whether forward mode differentiation is under way."""
    return forward_ad.unpack_dual(models).tangent is not None  # type: ignore[no-untyped-call]


def _as_models(Z: Tensor, batch: SequenceBatch) -> Tensor:
    """Return Z as (models, procedures, nodes, nodes)."""
    if not isinstance(Z, Tensor):
        raise InputError(f"Z is a {type(Z).__name__}; expected a torch.Tensor")
    models = Z.reshape((1,) * (4 - Z.dim()) + Z.shape)
    expected = (len(batch.sizes), batch.stride, batch.stride)
    if tuple(models.shape[1:]) != expected:
        raise InputError(
            f"Z has shape {tuple(Z.shape)}; expected (models,) + {expected}: "
            "procedures, nodes, nodes as the batch has them"
        )
    return models


def _as_factors(weights: Tensor, losses: Tensor, batch: SequenceBatch) -> Tensor:
    """Return weights in the type of the losses."""
    if weights.shape[-1:] != (len(batch),):
        raise InputError(
            f"the weights have shape {tuple(weights.shape)}; expected ({len(batch)},): one for "
            "each sequence of the batch"
        )
    return weights.to(losses.dtype)


def _refuse_scores(models: Tensor, batch: SequenceBatch) -> None:
    """Raise an error if Z has negative entries or rows that sum to more than one."""
    sums = models.sum(-1)
    try:
        suspect = models.amin().item() < -BELOW_ZERO or sums.amax().item() > 1 + EXCESS
    except RuntimeError:  # inside vmap, or on the device meta, there are no values to look at
        return
    if not suspect:
        return
    is_node = batch.chunks[0].is_node
    if is_node is not None:  # entries beyond a procedure's size may be anything
        models = models.where(is_node[:, :, None] & is_node[:, None, :], 0.0)
        sums = models.sum(-1)
    negative = (models < -BELOW_ZERO).nonzero().tolist()
    large = (sums > 1 + EXCESS).nonzero().tolist()
    if negative:
        model, procedure, row, column = negative[0]
        found = f"the entry {row}, {column} of Z is {models[model, procedure, row, column]:.4g}"
    elif large:
        model, procedure, row = large[0]
        found = f"row {row} of Z sums to {sums[model, procedure, row]:.4g}"
    else:
        return
    which = f" (procedure {procedure})" if len(batch.sizes) > 1 else ""
    raise InputError(
        f"{found}{which}; expected weights from 0 on, in rows that sum to one or less: turn scores "
        "into such rows by torch.softmax(scores, dim=-1), or pass check=False"
    )


def _in_given_order(values: Tensor, batch: SequenceBatch, Z: Tensor) -> Tensor:
    ordered = values[:, batch.restore]
    return ordered if Z.dim() == 4 else ordered[0]
