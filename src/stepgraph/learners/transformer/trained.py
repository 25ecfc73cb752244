"""A trained network: its predictions, its file, and graphs of procedures without recordings.

Which of two steps comes first, and which comes next, is judged by the adjacency matrix that it
predicts, by one of two rules. The fair one compares the likelihoods of both orders (Eq. 5), so its
answer turns round when the question does, and guessing is right half of the time. The published one
asks whether any of several conditions holds, with the truth always on the same side; random
matrices satisfy it far more often than half of the time. It serves for comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stepgraph.errors import FormatError, SettingError
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.learners.base import Learned
from stepgraph.learners.networks import check_size, load_network, write_network
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.loss import log_likelihood
from stepgraph.learners.transformer.dataset import Vectors
from stepgraph.learners.transformer.embedding_files import read_embeddings, vectors_of
from stepgraph.learners.transformer.model import Shape, TaskGraphTransformer
from stepgraph.learners.transformer.sentence_embeddings import embed_names
from stepgraph.sequences import Vocabulary

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


Clip = str | Vectors
"""A key-step: its name, for a network that was trained on names, or its embedding."""


@dataclass(frozen=True, eq=False)
class TrainedTransformer:
    """A trained network with the sentence model for its step names.

    Parameters
    ----------
    network
        The network.
    sentence_model
        The model that embedded the step names in training; empty for other embeddings.
    procedures
        The procedures of its training.
    """

    network: TaskGraphTransformer
    sentence_model: str = ""
    procedures: tuple[str, ...] = ()

    def predict(self, steps: Sequence[str], embeddings: Vectors | None = None) -> WeightedAdjacency:
        """Predict the weighted edges of a procedure; no recordings needed.

        Parameters
        ----------
        steps
            The names of its key-steps, in any order.
        embeddings
            (steps, features); by default the sentence model's.

        Raises
        ------
        FormatError
            If there are no steps, or the embeddings have another width than the network's.
        SettingError
            If the network was not trained on step names, and no embeddings are given.
        """
        words = Vocabulary(tuple(steps))
        if not len(words):
            raise FormatError("no steps; a procedure has at least one")
        vectors = self._vectors(list(steps) if embeddings is None else list(embeddings))
        if len(vectors) != len(words):
            raise FormatError(f"{len(vectors)} embeddings for {len(words)} steps; expected as many")
        Z = self.matrices(vectors[None])[0]
        return WeightedAdjacency(words, Z.double().numpy())

    def order(self, clip_a: Clip, clip_b: Clip) -> float:
        """Return the probability that A comes before B; 0.5 if the network cannot tell.

        The probabilities of both orders sum to 1.
        """
        return float(first_share(self.matrices(self._vectors([clip_a, clip_b])[None]))[0])

    def future(self, anchor: Clip, clip_a: Clip, clip_b: Clip) -> float:
        """Return the probability that B, and not A, comes after the anchor."""
        vectors = self._vectors([clip_a, anchor, clip_b])
        return float(future_share(self.matrices(vectors[None]))[0])

    @torch.no_grad()
    def matrices(self, vectors: Vectors) -> Tensor:
        """Return Z for each set of embeddings: (sets, steps, features) to (sets, nodes, nodes)."""
        self.network.eval()
        device = next(self.network.parameters()).device
        Z: Tensor = self.network(torch.from_numpy(vectors).to(device)).Z.cpu()
        return Z

    def _vectors(self, clips: Sequence[Clip]) -> Vectors:
        names = [clip for clip in clips if isinstance(clip, str)]
        if names and not self.sentence_model:
            raise SettingError(
                "this network was not trained with a sentence model, so it reads no step names; "
                "give embeddings"
            )
        of_names = iter(embed_names(names, self.sentence_model) if names else ())
        vectors = [
            next(of_names) if isinstance(clip, str) else np.asarray(clip, np.float32)
            for clip in clips
        ]
        width = self.network.shape.features
        for vector in vectors:
            if vector.shape != (width,):
                raise FormatError(
                    f"an embedding has shape {vector.shape}; this network expects ({width},)"
                )
            if not np.isfinite(vector).all():
                raise FormatError("an embedding holds a value that is no finite number")
        return np.stack(vectors)


FORMAT = "stepgraph-transformer"
VERSION = 2
OLDEST = 1
"""The first version, whose shapes lack the fields that have a default."""


def save_checkpoint(trained: TrainedTransformer, path: str | Path) -> None:
    """Write a trained network to a file, whole or not at all.

    Raises
    ------
    FileError
        If the file cannot be written.
    MissingExtraError
        If safetensors is not installed.
    """
    about = {
        "shape": asdict(trained.network.shape),
        "sentence_model": trained.sentence_model,
        "procedures": list(trained.procedures),
    }
    write_network(trained.network, path, format=FORMAT, version=VERSION, about=about)


def load_checkpoint(path: str | Path) -> TrainedTransformer:
    """Read a trained network.

    Raises
    ------
    FileError
        If there is no such file.
    FormatError
        If it is truncated, no network of stepgraph, of another version, or its weights do not have
        the shape that its header says.
    MissingExtraError
        If safetensors is not installed.
    """
    return load_network(path, format=FORMAT, version=VERSION, oldest=OLDEST, make=_from_header)


def _from_header(
    header: dict[str, Any], weights: Mapping[str, Tensor], where: str
) -> TrainedTransformer:
    shape = header["shape"]
    since_first = ("features", "width", "heads", "layers", "dropout", "all_pairs_up_to")
    names = since_first if header["version"] == OLDEST else [own.name for own in fields(Shape)]
    own = Shape(**{name: shape[name] for name in names})
    sentence_model, procedures = header["sentence_model"], header["procedures"]
    if not isinstance(sentence_model, str):
        raise TypeError("the sentence model is no text")
    if not isinstance(procedures, list):
        raise TypeError("the procedures are no list")
    projection = own.features * own.width if own.features != own.width else 0
    inside = own.layers * own.feed_forward + 2 * own.relation_feed_forward
    hidden = own.hidden_layers * own.width
    layers = own.layers * own.width**2 + (inside + hidden) * own.width
    check_size(layers + projection, weights, where)
    network = TaskGraphTransformer(own).eval()
    return TrainedTransformer(network, sentence_model, tuple(map(str, procedures)))


def predict_unseen(
    words: Vocabulary, model: str | Path, *, embeddings: str | Path | None = None
) -> Learned:
    """Predict a procedure from its step names with a saved network.

    Parameters
    ----------
    words
        The steps.
    model
        The file of the network.
    embeddings
        A file with their embeddings, for a network that was trained on embeddings.

    Raises
    ------
    FileError, FormatError
        If a file cannot be used.
    SettingError
        If the network needs embeddings and none are given.
    """
    trained = load_checkpoint(model)
    vectors = None
    if embeddings is not None:
        vectors = vectors_of(words.steps, read_embeddings(embeddings), str(embeddings))
    elif not trained.sentence_model:
        raise SettingError(
            f"{model}: this network was trained on a user's own embeddings; give those of these "
            "steps with embeddings=FILE"
        )
    known = len(trained.procedures)
    note = (
        f"nobody has demonstrated this procedure: its edges are what a network trained on {known} "
        f"other{'s' if known != 1 else ''} makes of the step names"
    )
    return Learned(trained.predict(words.steps, vectors), (note,))
