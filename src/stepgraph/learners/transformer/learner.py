"""The two methods of the Task Graph Transformer: settings, embeddings and training."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, NamedTuple

import torch

from stepgraph.errors import FormatError, SettingError
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.learners.base import (
    Curve,
    Learned,
    Learner,
    Preset,
    Progress,
    check_flag,
    check_number,
    check_whole,
    no_progress,
    one_of,
)
from stepgraph.learners.networks import one_thread
from stepgraph.learners.tgml.stopping import sequence_accuracy
from stepgraph.learners.transformer import minilm
from stepgraph.learners.transformer.dataset import EmbeddedProcedure, Vectors
from stepgraph.learners.transformer.embedding_files import (
    read_embeddings,
    read_segments,
    vectors_of,
)
from stepgraph.learners.transformer.fitting import BetaSchedule, Schedule, fit, predict
from stepgraph.learners.transformer.layers import FirstWeights, LayerKind
from stepgraph.learners.transformer.model import NARROW, Shape, TaskGraphTransformer
from stepgraph.learners.transformer.presets import DEPARTURES, PRESETS
from stepgraph.learners.transformer.sentence_embeddings import embed_names
from stepgraph.learners.transformer.trained import TrainedTransformer, save_checkpoint
from stepgraph.sequences import Demonstrations

SEED_OF_DRAWS = 1_000_003
"""Separates the draws in training from a network's first weights."""


@dataclass(frozen=True)
class TransformerLearner(Learner):
    """A transformer from embeddings of key-steps to their graph.

    Parameters
    ----------
    unified
        Whether all procedures share one network; else each has its own.
    width
        The width of the network: embeddings are projected to it; 0 for their own width.
    heads, layers
        The heads of its attention, and the layers of its encoder.
    relation_heads
        The heads of attention in the relation head; 0 for as many as `heads`.
    feed_forward, relation_feed_forward
        The units inside a layer of the encoder, and of the relation head; 0 for twice its width.
    hidden_layers
        The hidden layers in the perceptrons of the relation head.
    layer
        The kind of layers: 'pre-norm', or 'standard' as torch has them.
    normalise
        Whether embeddings are normalised first.
    auxiliary_token
        Whether a token stands before START and one after END. Steps may need the first, and the
        weight that they give it is lost.
    all_pairs_up_to
        The largest number of nodes for which all pairs attend to each other, and not those of one
        row; 0 for any number.
    first_weights
        How weights begin: 'even' makes all rows even, 'standard' draws them as torch does.
    dropout
        Share of a layer's output that is dropped in training.
    learning_rate, epochs
        Adam's step, and the maximum number of passes over all procedures; 0 epochs means 300, or
        150 if procedures share a network.
    warm_up, lowest_rate
        The optimizer's steps over which the learning rate rises, and the share of it down to which
        it falls, linearly, by the end; 0 and 1 keep it constant.
    clipping
        Maximum norm of a gradient; 0 for no limit.
    beta, final_beta, beta_every, beta_schedule
        The weight of the contrastive term, from the first to the last, changed every `beta_every`
        epochs: 'linear', or 'compound' as in the paper's released code.
    epsilon
        Added inside the logarithms.
    summed
        Whether losses are summed over recordings and nodes, as in Eq. 6; else averaged, equal
        recordings counted once.
    distinctiveness
        The weight of the cross-entropy that keeps key-steps apart.
    evenness, final_evenness, cooling
        The weight of the rows' entropy, counted in recordings: geometric from the first to the last
        over `cooling` epochs; 0 means 100, or 40 if procedures share a network. The paper has none.
    subsets
        Share of the turns in which a procedure is cut down to some of its key-steps.
    together
        Number of procedures in a step of the optimizer, if they share a network; 0 for all.
    stop
        Whether to end once all edges agree with all sequences.
    stop_above, stop_below
        Bounds of the sequence accuracy at which to end; equal ones for no such end.
    break_cycles_from
        For these bounds: the first epoch in which a graph with a cycle loses it and counts; 0 for
        never.
    relaxed
        Whether to post-process as the paper does for noisy sequences.
    device
        The torch device to compute on.
    """

    seeded: ClassVar[bool] = True
    presets: ClassVar[Mapping[str, Preset]] = PRESETS
    departures: ClassVar[Mapping[str, str]] = DEPARTURES

    unified: bool = False
    width: int = 32
    heads: int = 4
    layers: int = 1
    relation_heads: int = 0
    feed_forward: int = 0
    relation_feed_forward: int = 0
    hidden_layers: int = 1
    layer: LayerKind = LayerKind.PRE_NORM
    normalise: bool = True
    auxiliary_token: bool = False
    all_pairs_up_to: int = 48
    first_weights: FirstWeights = FirstWeights.EVEN
    dropout: float = 0.05
    learning_rate: float = 0.002
    epochs: int = 0
    warm_up: int = 20
    lowest_rate: float = 0.02
    clipping: float = 1.0
    beta: float = 0.005
    final_beta: float = 0.005
    beta_every: int = 100
    beta_schedule: BetaSchedule = BetaSchedule.LINEAR
    epsilon: float = 1e-6
    summed: bool = False
    distinctiveness: float = 1.0
    evenness: float = 3.0
    final_evenness: float = 0.3
    cooling: int = 0
    subsets: float = 0.0
    together: int = 1
    stop: bool = True
    stop_above: float = 0.0
    stop_below: float = 0.0
    break_cycles_from: int = 0
    relaxed: bool = False
    device: str = "cpu"

    def __post_init__(self) -> None:
        super().__post_init__()
        schedule = one_of("beta_schedule", self.beta_schedule, BetaSchedule)
        object.__setattr__(self, "beta_schedule", schedule)
        weights = one_of("first_weights", self.first_weights, FirstWeights)
        object.__setattr__(self, "first_weights", weights)
        for name in ("unified", "summed", "stop", "relaxed"):
            check_flag(name, getattr(self, name))
        for name in ("beta", "final_beta", "distinctiveness", "evenness", "final_evenness"):
            check_number(name, getattr(self, name), low=0.0)
        for name in ("clipping", "epsilon"):
            check_number(name, getattr(self, name), low=0.0)
        check_number("learning_rate", self.learning_rate, low=0.0, above=True)
        for name in ("subsets", "lowest_rate", "stop_above", "stop_below"):
            check_number(name, getattr(self, name), low=0.0)
            if getattr(self, name) > 1:
                raise SettingError(
                    f"{name} is {getattr(self, name)!r}; expected a share from 0 to 1"
                )
        if self.stop_below < self.stop_above:
            raise SettingError(
                f"stop_below is {self.stop_below!r} and stop_above {self.stop_above!r}; expected "
                "an accuracy below the first and above the second"
            )
        for name in ("width", "epochs", "warm_up", "cooling", "together", "break_cycles_from"):
            check_whole(name, getattr(self, name), low=0)
        check_whole("beta_every", self.beta_every, low=1)
        self._shape(self.width or NARROW * self.heads)  # checks the rest
        try:
            torch.zeros(1, device=self.device)
        except (RuntimeError, AssertionError, TypeError) as error:
            reason = str(error).splitlines()[0]
            raise SettingError(f"device {self.device!r} cannot be used: {reason}") from None

    @property
    def learns_from_all(self) -> bool:
        """Whether procedures share a network."""
        return self.unified

    @abstractmethod
    def views(self, procedures: Sequence[Demonstrations]) -> list[list[Vectors]]:
        """Return, for each procedure and key-step, its embeddings: (views, features)."""

    def check_tasks(self, networks: int) -> None:
        """Check the number of networks to train; a method may refuse it."""

    def keep(self, network: TaskGraphTransformer, procedures: Sequence[str]) -> None:
        """Do something with a trained network; a method may save it."""

    def learn(self, demonstrations: Demonstrations, *, seed: int = 0) -> Learned:
        """Learn the weights of one procedure."""
        return self.learn_many([demonstrations], seeds=[seed])[0][0]

    def learn_many(
        self,
        procedures: Sequence[Demonstrations],
        *,
        seeds: Sequence[int] = (0,),
        progress: Progress = no_progress,
    ) -> list[list[Learned]]:
        """Learn several procedures, each with several seeds.

        Networks train beside each other, one on each core.
        """
        rows: list[list[Learned]] = [[] for _ in procedures]
        for result in self._trained(procedures, seeds, progress):
            for number, example in zip(result.group, result.dataset, strict=True):
                demonstrations = procedures[number]
                found = _learned(
                    result.network, demonstrations, example, result.epochs, relaxed=self.relaxed
                )
                rows[number].append(found)
        return rows

    def networks(
        self,
        procedures: Sequence[Demonstrations],
        *,
        seed: int = 0,
        progress: Progress = no_progress,
    ) -> list[TaskGraphTransformer]:
        """Return the trained network of each procedure; a unified one is that of all."""
        found: dict[int, TaskGraphTransformer] = {}
        for result in self._trained(procedures, [seed], progress):
            found.update(dict.fromkeys(result.group, result.network))
        return [found[number] for number in range(len(procedures))]

    def networks_without(
        self,
        procedures: Sequence[Demonstrations],
        *,
        seed: int = 0,
        progress: Progress = no_progress,
    ) -> list[TaskGraphTransformer]:
        """Return for each procedure a network that was trained on all others."""
        numbers = range(len(procedures))
        groups = [[other for other in numbers if other != number] for number in numbers]
        return [result.network for result in self._trained(procedures, [seed], progress, groups)]

    def training_curve(self, demonstrations: Demonstrations, *, seed: int = 0) -> Curve:
        """Train a network on one procedure and return its loss by epoch."""
        (views,) = self.views([demonstrations])
        example = EmbeddedProcedure.of(demonstrations, views, self.repetitions, seed)
        with one_thread():
            _, losses = self.train_network([example], seed)
        return Curve("TGML loss and what regularises it", "epoch", tuple(losses))

    def _trained(
        self,
        procedures: Sequence[Demonstrations],
        seeds: Sequence[int],
        progress: Progress,
        groups: Sequence[list[int]] | None = None,
    ) -> list[_Trained]:
        """Return the networks of all groups of procedures, each with its seeds in order."""
        if groups is None:
            numbers = list(range(len(procedures)))
            groups = [numbers] if self.unified else [[number] for number in numbers]
        tasks = [(group, seed) for group in groups if group for seed in seeds]
        self.check_tasks(len(tasks))
        views = self.views(procedures)
        lock, done = Lock(), 0

        def work(task: tuple[list[int], int]) -> _Trained:
            nonlocal done
            group, seed = task
            dataset = [
                EmbeddedProcedure.of(procedures[number], views[number], self.repetitions, seed)
                for number in group
            ]
            network, losses = self.train_network(dataset, seed)
            self.keep(network, [procedures[number].procedure for number in group])
            with lock:
                done += 1
                progress(done, len(tasks), f"{done} of {len(tasks)} networks trained")
            return _Trained(group, dataset, network, len(losses))

        progress(0, len(tasks), "training")
        with one_thread(), ThreadPoolExecutor(_workers(len(tasks))) as pool:
            return list(pool.map(work, tasks))

    def train_network(
        self, dataset: Sequence[EmbeddedProcedure], seed: int
    ) -> tuple[TaskGraphTransformer, list[float]]:
        """Return a network trained on some procedures, and the mean loss of each epoch.

        Parameters
        ----------
        dataset, seed
            The training data, and the seed of all draws.

        Raises
        ------
        FormatError
            If embeddings of different procedures have different widths.
        """
        widths = sorted({views.shape[1] for example in dataset for views in example.views})
        if len(widths) != 1:
            raise FormatError(
                f"embeddings have widths {', '.join(map(str, widths))}; expected one width, as all "
                "must come from one model"
            )
        shape = self._shape(widths[0])
        network = TaskGraphTransformer(shape, seed, self.first_weights).to(self.device)
        schedule = self._schedule(len(dataset))
        return network, fit(network, dataset, schedule, seed + SEED_OF_DRAWS)

    def _shape(self, features: int) -> Shape:
        return Shape(
            **{**self._settings(Shape), "width": self.width or features, "features": features}
        )

    def _schedule(self, procedures: int) -> Schedule:
        # A network of many procedures needs more steps of the optimizer.
        epochs, cooling = (150, 40) if procedures > 1 else (300, 100)
        chosen = {"epochs": self.epochs or epochs, "cooling": self.cooling or cooling}
        return Schedule(**{**self._settings(Schedule), **chosen})

    def _settings(self, kind: type[Shape | Schedule]) -> dict[str, Any]:
        """Return the settings that a shape or a schedule has too."""
        names = (field.name for field in fields(kind))
        return {name: getattr(self, name) for name in names if name != "features"}


class _Trained(NamedTuple):
    """A network and what it was trained on."""

    group: list[int]
    dataset: list[EmbeddedProcedure]
    network: TaskGraphTransformer
    epochs: int


def _learned(
    network: TaskGraphTransformer,
    demonstrations: Demonstrations,
    example: EmbeddedProcedure,
    epochs: int,
    *,
    relaxed: bool,
) -> Learned:
    matrix = predict(network, example).astype("float64")
    accuracy = sequence_accuracy(matrix > 1 / example.size, example.sequences)
    facts = {
        "epochs": epochs,
        "sequence_accuracy": accuracy,
        "agrees": float(example.agrees(matrix)),
    }
    for node in range(1, example.size - 1):
        if node not in demonstrations.seen:
            matrix[node] = 0.0
            matrix[node, 0] = 1.0
    adjacency = WeightedAdjacency(demonstrations.vocabulary, matrix, relaxed=relaxed)
    return Learned(adjacency, example.notes, facts)


def _workers(tasks: int) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(tasks, cores or 1))


@dataclass(frozen=True)
class TextTransformer(TransformerLearner):
    """The transformer on the names of the key-steps.

    Parameters
    ----------
    sentence_model
        The model that embeds step names: 'all-MiniLM-L6-v2', or a sentence-transformers model on
        this machine, by name or folder.
    embeddings
        A file with an embedding for each step name, to use instead: npz, safetensors or .pt; or the
        folder of the released features, whose 'text' entries it reads.
    save_model
        A file for the trained network, which can then predict procedures without recordings.
    """

    name: ClassVar[str] = "tgt-text"

    sentence_model: str = minilm.NAME
    embeddings: str = ""
    save_model: str = ""

    @property
    def learns_from_all(self) -> bool:
        """Whether procedures share a network, or their networks would share a file."""
        return self.unified or bool(self.save_model)

    def check_tasks(self, networks: int) -> None:
        """Check that there is one network if it is to be saved.

        Raises
        ------
        SettingError
            If there are several.
        """
        if self.save_model and networks != 1:
            raise SettingError(
                f"save_model is {self.save_model!r}, but {networks} networks are to be trained; "
                "train one for all procedures with unified=true and one seed, or choose one "
                "procedure"
            )

    def keep(self, network: TaskGraphTransformer, procedures: Sequence[str]) -> None:
        """Save the network if `save_model` is set."""
        if self.save_model:
            model = "" if self.embeddings else self.sentence_model
            trained = TrainedTransformer(network, model, tuple(procedures))
            save_checkpoint(trained, self.save_model)

    def views(self, procedures: Sequence[Demonstrations]) -> list[list[Vectors]]:
        """Return the one embedding of each step name."""
        if self.embeddings and Path(self.embeddings).is_dir():
            # Every recording has the same ones.
            read = [
                read_segments(self.embeddings, demonstrations, "text")
                for demonstrations in procedures
            ]
            return [[views[:1] for views in own] for own in read]
        return [
            list(self.embed(demonstrations.vocabulary.steps, demonstrations.procedure)[:, None])
            for demonstrations in procedures
        ]

    def embed(self, steps: Sequence[str], procedure: str = "") -> Vectors:
        """Return the embeddings of step names: (steps, features).

        Raises
        ------
        FormatError
            If the file of embeddings lacks a step.
        MissingExtraError
            If the sentence model's package is not installed.
        """
        if self.embeddings:
            about = f", procedure {procedure!r}" if procedure else ""
            where = f"{self.embeddings}{about}"
            return vectors_of(steps, read_embeddings(self.embeddings), where)
        return embed_names(steps, self.sentence_model)


@dataclass(frozen=True)
class VideoTransformer(TransformerLearner):
    """The transformer on video segments of the key-steps.

    Each training step draws one embedding for every key-step, from the training recordings only.

    Parameters
    ----------
    features
        The folder of the segment embeddings, with a folder for each procedure.
    """

    name: ClassVar[str] = "tgt-video"

    features: str = ""

    def views(self, procedures: Sequence[Demonstrations]) -> list[list[Vectors]]:
        """Return the embeddings of each key-step in all recordings.

        Raises
        ------
        SettingError
            If no folder is given.
        FileError, FormatError
            If its files are missing or malformed.
        """
        if not self.features:
            raise SettingError(
                "the method 'tgt-video' needs embeddings of video segments; give their folder with "
                "features=FOLDER"
            )
        return [read_segments(self.features, demonstrations) for demonstrations in procedures]
