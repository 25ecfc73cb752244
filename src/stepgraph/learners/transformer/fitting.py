"""Training the Task Graph Transformer: on one procedure, or on many that share one network."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from stepgraph.learners.networks import train
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.loss import TGMLLoss
from stepgraph.learners.transformer.dataset import EmbeddedProcedure, padded
from stepgraph.learners.transformer.model import MASKED, Prediction, TaskGraphTransformer

LOOK_EVERY = 10
"""Number of epochs between checks whether the network agrees with all sequences."""
WARM_UP = 20
"""Number of steps over which the learning rate rises."""
LEAST = 0.02
"""Share of the learning rate that is left at the end."""
LARGEST_NORM = 1.0
"""Maximum norm of a gradient, so that one odd procedure cannot undo the others."""
TEMPERATURE = 0.9
"""The paper's T: cosine similarities are multiplied by exp(T)."""


@dataclass(frozen=True)
class Schedule:
    """The schedule of a training; see the learner's settings of the same names.

    Parameters
    ----------
    learning_rate, epochs
        Adam's step, and the maximum number of passes over the data set.
    beta, final_beta, beta_every
        The weight of the contrastive term: linear from the first to the last, changed every
        `beta_every` epochs.
    distinctiveness
        The weight of the distinctiveness cross-entropy.
    evenness, final_evenness, cooling
        The weight of the rows' entropy, as a number of recordings: geometric from the first to the
        last, over `cooling` epochs.
    subsets
        Share of the turns in which a procedure is cut down to some of its key-steps.
    together
        Number of procedures in one step of the optimizer.
    stop
        Whether to end once the network agrees with all sequences.
    epsilon
        Added inside the logarithms.
    """

    learning_rate: float
    epochs: int
    beta: float
    final_beta: float
    beta_every: int
    distinctiveness: float
    evenness: float
    final_evenness: float
    cooling: int
    subsets: float
    together: int
    stop: bool
    epsilon: float = 1e-6

    def beta_at(self, epoch: int) -> float:
        """Return the weight of the contrastive term in an epoch, counted from 1."""
        updates = max((self.epochs - 1) // self.beta_every, 1)
        done = min((epoch - 1) // self.beta_every / updates, 1.0)
        return self.beta + (self.final_beta - self.beta) * done

    def evenness_at(self, epoch: int) -> float:
        """Return the weight of the rows' entropy in an epoch, counted from 1."""
        done = min((epoch - 1) / self.cooling, 1.0)
        if not self.evenness or not self.final_evenness:
            return self.evenness * (1 - done)
        return float(self.evenness * (self.final_evenness / self.evenness) ** done)


class Group(NamedTuple):
    """The procedures of one step of the optimizer.

    Parameters
    ----------
    procedures
        Whole, or cut down to some of their key-steps.
    sequences
        Their sequences.
    epoch
        The epoch of the step, counted from 1.
    """

    procedures: Sequence[EmbeddedProcedure]
    sequences: SequenceBatch
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
        order = sorted(range(len(dataset)), key=lambda number: dataset[number].size)
        groups = [  # of similar sizes, so that little is padding
            order[start : start + schedule.together]
            for start in range(0, len(order), schedule.together)
        ]
        self._groups = [[dataset[place] for place in group] for group in groups]
        self._whole: dict[int, SequenceBatch] = {}

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
                yield Group(parts, self._sequences(parts), epoch)
                continue
            if number not in self._whole:
                self._whole[number] = self._sequences(group)
            yield Group(group, self._whole[number], epoch)

    def loss(self, group: Group) -> Tensor:
        """Return the regularised TGML loss, averaged over recordings and procedures.

        Rows with all their weight on steps that always come first are equally likely, however
        they spread it; the rows' entropy prefers the most even one, whose edges all lie above the
        threshold. See docs/decisions/0009.
        """
        schedule, procedures = self._schedule, group.procedures
        own = self._predicted(procedures)
        shares = [1 / len(procedure.sequences) for procedure in procedures]
        weights = [
            share
            for share, procedure in zip(shares, procedures, strict=True)
            for _ in procedure.sequences
        ]
        tgml = TGMLLoss(schedule.beta_at(group.epoch), schedule.epsilon)
        value: Tensor = tgml(
            own.Z[None], group.sequences, torch.tensor(weights, device=self._device)
        )
        if schedule.distinctiveness:
            apart = distinctiveness(own.nodes, own.mask).sum()
            value = value + schedule.distinctiveness * apart
        evenness = schedule.evenness_at(group.epoch)
        if evenness:
            # Not torch.special.entr, whose gradient at 0 is infinite: impossible edges weigh 0.
            negative = (own.Z * (own.Z + 1e-9).log()).sum((1, 2))
            recordings = torch.tensor(shares, device=self._device)
            value = value + evenness * (negative * recordings).sum()
        return value / len(own.Z)

    def reached(self, epoch: int) -> bool:
        """Return whether the network agrees with all sequences, checked every few epochs."""
        if not self._schedule.stop or epoch % LOOK_EVERY:
            return False
        self._network.eval()
        return all(
            procedure.agrees(predict(self._network, procedure)) for procedure in self._dataset
        )

    def _predicted(self, procedures: Sequence[EmbeddedProcedure]) -> Prediction:
        """Return the prediction for procedures, with one random view of each key-step."""
        embeddings, counts = padded([procedure.drawn(self._rng) for procedure in procedures])
        counts = None if counts is None else counts.to(self._device)
        prediction: Prediction = self._network(embeddings.to(self._device), counts)
        return prediction

    def _sequences(self, procedures: Sequence[EmbeddedProcedure]) -> SequenceBatch:
        return SequenceBatch(
            [procedure.sequences for procedure in procedures],
            [procedure.size for procedure in procedures],
            device=self._device,
        )


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

    def share(step: int) -> float:
        """Return the share of the learning rate: a short warm-up, then a linear descent."""
        return min((step + 1) / WARM_UP, max(1 - (step + 1) / objective.steps, LEAST))

    losses = train(
        network,
        objective.groups,
        objective.loss,
        optimizer,
        epochs=schedule.epochs,
        finished=lambda epoch, _: objective.reached(epoch),
        rates=torch.optim.lr_scheduler.LambdaLR(optimizer, share),
        largest_norm=LARGEST_NORM,
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
