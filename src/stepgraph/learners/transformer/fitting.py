"""Training the Task Graph Transformer: on one procedure, or on many that share one network."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from stepgraph.learners.networks import train
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.loss import TGMLLoss
from stepgraph.learners.tgml.stopping import sequence_accuracy
from stepgraph.learners.transformer.dataset import EmbeddedProcedure
from stepgraph.learners.transformer.model import MASKED, Prediction, TaskGraphTransformer
from stepgraph.postprocess import cleaned, is_acyclic

LOOK_EVERY = 10
"""Number of epochs between checks whether the network agrees with all sequences."""
TEMPERATURE = 0.9
"""The paper's T: cosine similarities are multiplied by exp(T)."""


class BetaSchedule(StrEnum):
    """How the weight of the contrastive term goes from its first value to its last."""

    LINEAR = "linear"
    """In equal steps."""
    COMPOUND = "compound"
    """As in the paper's released code: each step covers a share of what is left, equal to the
    share of the epochs done, so that the last value is nearly reached at half time."""


@dataclass(frozen=True)
class Schedule:
    """The schedule of a training; see the learner's settings of the same names.

    Parameters
    ----------
    learning_rate, epochs
        Adam's step, and the maximum number of passes over the data set.
    warm_up, lowest_rate
        Number of steps of the optimizer over which the learning rate rises, and the share of it
        down to which it falls, linearly, by the end.
    clipping
        Maximum norm of a gradient; 0 for no limit.
    beta, final_beta, beta_every, beta_schedule
        The weight of the contrastive term, from the first to the last, changed every `beta_every`
        epochs.
    summed
        Whether losses are summed over recordings and nodes, not averaged.
    distinctiveness
        The weight of the distinctiveness cross-entropy.
    evenness, final_evenness, cooling
        The weight of the rows' entropy, as a number of recordings: geometric from the first to the
        last, over `cooling` epochs.
    subsets
        Share of the turns in which a procedure is cut down to some of its key-steps.
    together
        Number of procedures in one step of the optimizer; 0 for all.
    stop
        Whether to end once the network agrees with all sequences.
    stop_above, stop_below
        Bounds of the sequence accuracy at which to end; no such end if they are equal.
    break_cycles_from
        The first epoch in which a graph with a cycle loses it and has an accuracy; 0 for never.
    relaxed
        Whether these graphs are post-processed as the paper does for noisy sequences.
    epsilon
        Added inside the logarithms.
    """

    learning_rate: float
    epochs: int
    warm_up: int
    lowest_rate: float
    clipping: float
    beta: float
    final_beta: float
    beta_every: int
    beta_schedule: BetaSchedule
    summed: bool
    distinctiveness: float
    evenness: float
    final_evenness: float
    cooling: int
    subsets: float
    together: int
    stop: bool
    stop_above: float
    stop_below: float
    break_cycles_from: int
    relaxed: bool
    epsilon: float

    def beta_at(self, epoch: int) -> float:
        """Return the weight of the contrastive term in an epoch, counted from 1."""
        if self.beta_schedule is BetaSchedule.COMPOUND:
            beta = self.beta
            for change in range(self.beta_every, epoch + 1, self.beta_every):
                beta += (self.final_beta - beta) * (change - 1) / self.epochs
            return beta
        updates = max((self.epochs - 1) // self.beta_every, 1)
        done = min((epoch - 1) // self.beta_every / updates, 1.0)
        return self.beta + (self.final_beta - self.beta) * done

    def evenness_at(self, epoch: int) -> float:
        """Return the weight of the rows' entropy in an epoch, counted from 1."""
        done = min((epoch - 1) / self.cooling, 1.0)
        if not self.evenness or not self.final_evenness:
            return self.evenness * (1 - done)
        return float(self.evenness * (self.final_evenness / self.evenness) ** done)

    def rate_at(self, step: int, steps: int) -> float:
        """Return the share of the learning rate at a step of the optimizer, counted from 1.

        Parameters
        ----------
        step, steps
            The step, and the maximum number of steps.
        """
        share = max(1 - step / steps, self.lowest_rate)
        return min(step / self.warm_up, share) if self.warm_up else share


class Batch(NamedTuple):
    """Procedures of one size, for one pass through the network.

    Parameters
    ----------
    procedures
        Whole, or cut down to some of their key-steps.
    sequences
        Their sequences.
    """

    procedures: Sequence[EmbeddedProcedure]
    sequences: SequenceBatch


class Group(NamedTuple):
    """The procedures of one step of the optimizer.

    Parameters
    ----------
    batches
        The procedures by size, because a pass through the network costs the fourth power of the
        largest one.
    epoch
        The epoch of the step, counted from 1.
    """

    batches: Sequence[Batch]
    epoch: int


class Objective:
    """The objective of a network: the loss of a group of procedures at each step.

    Parameters
    ----------
    network
        The network.
    dataset
        All procedures.
    schedule
        How to train.
    seed
        The seed of the random turns, views and parts.
    """

    def __init__(
        self,
        network: TaskGraphTransformer,
        dataset: Sequence[EmbeddedProcedure],
        schedule: Schedule,
        seed: int,
    ) -> None:
        self._network = network
        self._dataset = dataset
        self._schedule = schedule
        self._device = next(network.parameters()).device
        self._rng = np.random.default_rng(seed)
        together = schedule.together or len(dataset)
        by_size = sorted(dataset, key=lambda procedure: procedure.size)
        self._groups = [
            by_size[start : start + together] for start in range(0, len(by_size), together)
        ]
        self._whole: dict[int, list[Batch]] = {}

    @property
    def steps(self) -> int:
        """Maximum number of steps of the optimizer."""
        return self._schedule.epochs * len(self._groups)

    def groups(self, epoch: int) -> Iterator[Group]:
        """Return the groups of an epoch, in a random order."""
        subsets = self._schedule.subsets
        for number in reversed(self._rng.permutation(len(self._groups)).tolist()):
            group = self._groups[number]
            if subsets and self._rng.random() < subsets:
                parts = [procedure.part(self._rng) for procedure in group]
                yield Group(self._batches(parts), epoch)
                continue
            if number not in self._whole:
                self._whole[number] = self._batches(group)
            yield Group(self._whole[number], epoch)

    def loss(self, group: Group) -> Tensor:
        """Return the regularised TGML loss, averaged over procedures.

        That of a procedure is averaged over its recordings, or summed. Rows with all their weight
        on steps that always come first are equally likely, however they spread it; the rows'
        entropy prefers the most even one, whose edges all lie above the threshold. See
        docs/decisions/0009.
        """
        losses = [self._loss(batch, group.epoch) for batch in group.batches]
        return sum(losses[1:], losses[0]) / sum(len(batch.procedures) for batch in group.batches)

    def _loss(self, batch: Batch, epoch: int) -> Tensor:
        """Return the loss of a batch, summed over its procedures."""
        schedule, procedures = self._schedule, batch.procedures
        own = self._predicted(procedures)
        shares = [1.0 if schedule.summed else 1 / len(one.sequences) for one in procedures]
        weights = [
            count if schedule.summed else share
            for share, procedure in zip(shares, procedures, strict=True)
            for count in procedure.counts
        ]
        tgml = TGMLLoss(schedule.beta_at(epoch), schedule.epsilon)
        value: Tensor = tgml(
            _with_token(own)[None], batch.sequences, torch.tensor(weights, device=self._device)
        )
        if schedule.distinctiveness:
            apart = distinctiveness(own.nodes, own.mask)
            apart = apart * own.mask.sum(-1) if schedule.summed else apart
            value = value + schedule.distinctiveness * apart.sum()
        evenness = schedule.evenness_at(epoch)
        if evenness:
            # Not torch.special.entr, whose gradient at 0 is infinite: impossible edges weigh 0.
            negative = (own.Z * (own.Z + 1e-9).log()).sum((1, 2))
            recordings = torch.tensor(shares, device=self._device)
            value = value + evenness * (negative * recordings).sum()
        return value

    def reached(self, epoch: int) -> bool:
        """Return whether to end after an epoch, by the network's graphs without dropout."""
        schedule = self._schedule
        self._network.eval()
        if schedule.stop and not epoch % LOOK_EVERY:
            return all(one.agrees(predict(self._network, one)) for one in self._dataset)
        if schedule.stop_above == schedule.stop_below:
            return False
        return all(
            schedule.stop_above < self._accuracy(procedure, epoch) < schedule.stop_below
            for procedure in self._dataset
        )

    def _accuracy(self, procedure: EmbeddedProcedure, epoch: int) -> float:
        """Return the sequence accuracy over recordings; 0 for a graph with a cycle.

        Steps that no recording shows are no part of the graph, but count in its threshold.
        """
        schedule, threshold = self._schedule, 1 / procedure.size
        shown = {node for steps in procedure.sequences for node in steps}
        nodes = np.ix_(*[[0, *sorted(shown), procedure.size - 1]] * 2)
        Z = predict(self._network, procedure).astype(np.float64)[nodes]
        breaks = 0 < schedule.break_cycles_from <= epoch
        if not breaks and not is_acyclic(threshold < Z):
            return 0.0
        edges = np.zeros((procedure.size, procedure.size), dtype=bool)
        edges[nodes], _ = cleaned(Z, threshold, relaxed=schedule.relaxed)
        found = [sequence_accuracy(edges, [steps]) for steps in procedure.sequences]
        return float(np.average(found, weights=procedure.counts))

    def _predicted(self, procedures: Sequence[EmbeddedProcedure]) -> Prediction:
        """Return the prediction for procedures, with one random view of each key-step."""
        embeddings = np.stack([procedure.drawn(self._rng) for procedure in procedures])
        prediction: Prediction = self._network(torch.from_numpy(embeddings).to(self._device))
        return prediction

    def _batches(self, group: Sequence[EmbeddedProcedure]) -> list[Batch]:
        sizes = groupby(sorted(group, key=lambda one: one.size), key=lambda one: one.size)
        return [Batch(own, self._sequences(own)) for own in (list(some) for _, some in sizes)]

    def _sequences(self, procedures: Sequence[EmbeddedProcedure]) -> SequenceBatch:
        """Return the sequences; a token before START takes its place, so START is a first step."""
        token = self._network.shape.auxiliary_token
        return SequenceBatch(
            [
                [(1, *(node + 1 for node in steps)) for steps in one.sequences]
                if token
                else one.sequences
                for one in procedures
            ],
            [one.size + token for one in procedures],
            device=self._device,
        )


def _with_token(prediction: Prediction) -> Tensor:
    """Return Z with a row and a column of the token before START, if there is one."""
    if prediction.lost is None:
        return prediction.Z
    column = prediction.lost.clone()
    column[:, 0] = 1.0  # START needs the token, and nothing else
    return functional.pad(torch.cat([column[..., None], prediction.Z], -1), (0, 0, 1, 0))


def fit(
    network: TaskGraphTransformer,
    dataset: Sequence[EmbeddedProcedure],
    schedule: Schedule,
    seed: int,
) -> list[float]:
    """Train a network; return the mean loss of each epoch.

    Parameters
    ----------
    network
        Trained in place.
    dataset, schedule
        The training data and the schedule.
    seed
        The seed of the training's draws; the first weights have the network's own seed.
    """
    objective = Objective(network, dataset, schedule, seed)
    device = next(network.parameters()).device
    network.draw_from(torch.Generator(device).manual_seed(seed))
    optimizer = torch.optim.Adam(network.parameters(), lr=schedule.learning_rate, fused=True)

    rates = None
    if schedule.warm_up or schedule.lowest_rate < 1:
        rates = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: schedule.rate_at(step + 1, objective.steps)
        )
    losses = train(
        network,
        objective.groups,
        objective.loss,
        optimizer,
        epochs=schedule.epochs,
        finished=lambda epoch, _: objective.reached(epoch),
        rates=rates,
        largest_norm=schedule.clipping or None,
    )
    network.eval()
    network.draw_from(None)
    return losses


@torch.no_grad()
def predict(
    network: TaskGraphTransformer, example: EmbeddedProcedure
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return the adjacency matrix of one procedure, from its typical embeddings."""
    device = next(network.parameters()).device
    embeddings = torch.from_numpy(example.typical())[None].to(device)
    Z: np.ndarray[tuple[int, int], np.dtype[np.float32]] = network(embeddings).Z[0].cpu().numpy()
    return Z


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
