"""A trained network, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from stepgraph.errors import FormatError, SettingError
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.learners.transformer.embeddings.sentences import embed_names
from stepgraph.learners.transformer.lessons import Vectors
from stepgraph.learners.transformer.likely_order import first_share, future_share
from stepgraph.learners.transformer.model import TaskGraphTransformer
from stepgraph.sequences import Vocabulary

Clip = str | Vectors
"""A key-step: its name, for a network that was trained on names, or its embedding."""


@dataclass(frozen=True, eq=False)
class TrainedTransformer:
    """A network with what it needs to read step names.

    Parameters
    ----------
    network
        The network.
    sentence_model
        What embedded the step names that it was trained on; empty if they came from elsewhere.
    procedures
        What it was trained on.
    """

    network: TaskGraphTransformer
    sentence_model: str = ""
    procedures: tuple[str, ...] = ()

    def predict(self, steps: Sequence[str], embeddings: Vectors | None = None) -> WeightedAdjacency:
        """Return the weighted edges of a procedure that nobody need have demonstrated.

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
        """Return how likely A comes before B, from 0 to 1; 0.5 where there is no telling.

        Asked the other way round it answers the opposite: both answers sum to 1.
        """
        return float(first_share(self.matrices(self._vectors([clip_a, clip_b])[None]))[0])

    def future(self, anchor: Clip, clip_a: Clip, clip_b: Clip) -> float:
        """Return how likely B, and not A, comes after the anchor, from 0 to 1."""
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
