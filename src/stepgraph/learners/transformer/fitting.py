"""Training the Task Graph Transformer: on one procedure, or on many that share one network."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from stepgraph.learners.network_training import Epoch, train
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.loss import TGMLLoss
from stepgraph.learners.transformer.dataset import EmbeddedProcedure, padded
from stepgraph.learners.transformer.model import MASKED, Prediction, TaskGraphTransformer

LOOK_EVERY = 10
"""After how many epochs each to look whether the network agrees with all sequences."""


@dataclass(frozen=True)
class Schedule:
    """How a network is trained; the learner's settings of these names say more.

    Parameters
    ----------
    learning_rate, epochs
        Adam's step, and at most how many times over the data set.
    beta, final_beta, beta_every
        The weight of the contrastive term: from the first to the last linearly, changed every so
        many epochs.
    distinctiveness
        The weight of the distinctiveness cross-entropy.
    evenness, final_evenness, cooling
        The weight of the rows' entropy, as a number of recordings: from the first to the last
        geometrically, over so many epochs.
    subsets
        In which share of its turns a procedure is cut down to some of its key-steps.
    together
        How many procedures one step of the optimizer sees.
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


class Course(nn.Module):
    """A network and the procedures that it learns from in turn, a group of them at each step.

    Called without arguments, as the training loop does, it returns Z of the group at hand.

    Parameters
    ----------
    network
        The network.
    dataset
        All procedures.
    schedule
        How to train.
    seed
        For what is drawn: the turns, views and parts.
    """

    def __init__(
        self,
        network: TaskGraphTransformer,
        dataset: Sequence[EmbeddedProcedure],
        schedule: Schedule,
        seed: int,
    ) -> None:
        super().__init__()
        self.network = network
        self.dataset = dataset
        self.schedule = schedule
        self.device = next(network.parameters()).device
        self._rng = np.random.default_rng(seed)
        self._stepgraph = TGMLLoss(schedule.beta, schedule.epsilon)
        order = sorted(range(len(dataset)), key=lambda number: dataset[number].size)
        self.groups = [  # of similar sizes, so that little is padding
            order[start : start + schedule.together]
            for start in range(0, len(order), schedule.together)
        ]
        self._turns: list[int] = []
        self._whole: dict[int, SequenceBatch] = {}
        self._evenness = schedule.evenness
        self._group: Sequence[EmbeddedProcedure] = ()
        self._prediction: Prediction | None = None

    def forward(self) -> Tensor:
        """Return Z of the group at hand: (1, procedures, nodes, nodes)."""
        embeddings, counts = padded([example.drawn(self._rng) for example in self._group])
        counts = None if counts is None else counts.to(self.device)
        self._prediction = self.network(embeddings.to(self.device), counts)
        return self._prediction.Z[None]

    def batch_of(self, step: int) -> SequenceBatch:
        """Choose the group of a step, and return its sequences."""
        epoch = (step - 1) // len(self.groups) + 1
        self._stepgraph.beta = self.schedule.beta_at(epoch)
        self._evenness = self.schedule.evenness_at(epoch)
        if not self._turns:
            self._turns = self._rng.permutation(len(self.groups)).tolist()
        number = self._turns.pop()
        self._group = [self.dataset[place] for place in self.groups[number]]
        if self.schedule.subsets and self._rng.random() < self.schedule.subsets:
            self._group = [example.part(self._rng) for example in self._group]
            return self._batch()
        if number not in self._whole:
            self._whole[number] = self._batch()
        return self._whole[number]

    def loss(self, Z: Tensor, batch: SequenceBatch) -> Tensor:
        """Return the TGML loss and what regularises it, averaged over recordings and procedures.

        Rows with all their weight on steps that always come first are equally likely, however
        they spread it; the rows' entropy prefers the most even one, whose edges all lie above the
        threshold. See docs/decisions/0009.
        """
        own = self._prediction
        if own is None:
            raise RuntimeError("call the course before its loss")
        shares = [1 / len(example.sequences) for example in self._group]
        weights = [
            share
            for share, example in zip(shares, self._group, strict=True)
            for _ in example.sequences
        ]
        value: Tensor = self._stepgraph(Z, batch, torch.tensor(weights, device=self.device))
        if self.schedule.distinctiveness:
            apart = distinctiveness(own.nodes, own.mask).sum()
            value = value + self.schedule.distinctiveness * apart
        if self._evenness:
            # Not torch.special.entr, whose gradient at 0 is infinite: impossible edges weigh 0.
            negative = (own.Z * (own.Z + 1e-9).log()).sum((1, 2))
            recordings = torch.tensor(shares, device=self.device)
            value = value + self._evenness * (negative * recordings).sum()
        return value / len(own.Z)

    @torch.no_grad()
    def agrees(self) -> bool:
        """Return whether the network agrees with the sequences of every procedure."""
        self.network.eval()
        try:
            return all(example.agrees(predict(self.network, example)) for example in self.dataset)
        finally:
            self.network.train()

    def _batch(self) -> SequenceBatch:
        return SequenceBatch(
            [example.sequences for example in self._group],
            [example.size for example in self._group],
            device=self.device,
        )


class Agreement:
    """Stops when the network agrees with all sequences, which it looks at now and then."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._every = LOOK_EVERY * len(course.groups)
        self.reached = False

    def observe(self, epoch: int, Z: Tensor) -> Tensor:
        """Return whether to stop, for each procedure of the group at hand."""
        if epoch > 1 and (epoch - 1) % self._every == 0:
            self.reached = self._course.agrees()
        return torch.full(Z.shape[:2], self.reached and self._course.schedule.stop)


def fit(
    network: TaskGraphTransformer,
    dataset: Sequence[EmbeddedProcedure],
    schedule: Schedule,
    seed: int,
    callback: Callable[[Epoch], None] | None = None,
) -> int:
    """Train a network; return how many epochs it took.

    Parameters
    ----------
    network
        Trained in place.
    dataset, schedule
        On what, and how.
    seed
        For what is drawn; the network's own seed was for its first weights.
    callback
        Told of each step of the optimizer.
    """
    course = Course(network, dataset, schedule, seed)
    network.draw_from(torch.Generator(course.device).manual_seed(seed))
    network.train()
    steps = schedule.epochs * len(course.groups)
    step = train(
        course,
        course.batch_of,
        course.loss,
        NetworkAdam(network, schedule.learning_rate, steps),
        Agreement(course),
        epochs=range(1, steps + 1),
        callback=callback,
    )
    network.eval()
    network.draw_from(None)
    return (step - 1) // len(course.groups)


@torch.no_grad()
def predict(
    network: TaskGraphTransformer, example: EmbeddedProcedure
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return the adjacency matrix of one procedure, from its typical embeddings."""
    device = next(network.parameters()).device
    embeddings = torch.from_numpy(example.typical())[None].to(device)
    Z: np.ndarray[tuple[int, int], np.dtype[np.float32]] = network(embeddings).Z[0].cpu().numpy()
    return Z


WARM_UP = 20
"""Over how many steps the learning rate rises."""
LEAST = 0.02
"""Which share of the learning rate is left at the end."""
LARGEST_NORM = 1.0
"""A gradient longer than this is cut down to it: one odd procedure must not undo the others."""


class NetworkAdam:
    """Adam with a learning rate that rises, then falls linearly.

    Parameters
    ----------
    network
        What to train.
    learning_rate
        The highest one.
    steps
        How many steps there are at most.
    """

    def __init__(self, network: nn.Module, learning_rate: float, steps: int) -> None:
        self._parameters = list(network.parameters())
        self._adam = torch.optim.Adam(self._parameters, lr=learning_rate, fused=True)
        self._highest = learning_rate
        self._steps = steps
        self._done = 0

    def zero_grad(self) -> None:
        """Forget the gradient."""
        self._adam.zero_grad()

    def step(self) -> None:
        """Move the network along the gradient."""
        self._done += 1
        share = min(self._done / WARM_UP, max(1 - self._done / self._steps, LEAST))
        for group in self._adam.param_groups:
            group["lr"] = self._highest * share
        nn.utils.clip_grad_norm_(self._parameters, LARGEST_NORM)
        self._adam.step()


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
