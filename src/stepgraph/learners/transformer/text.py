"""tgt-text: the Task Graph Transformer on embeddings of step names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from stepgraph.errors import SettingError
from stepgraph.learners.transformer.base import TransformerLearner
from stepgraph.learners.transformer.checkpoint import save_checkpoint
from stepgraph.learners.transformer.embeddings import minilm
from stepgraph.learners.transformer.embeddings.files import read_embeddings, vectors_of
from stepgraph.learners.transformer.embeddings.segments import read_segments
from stepgraph.learners.transformer.embeddings.sentences import embed_names
from stepgraph.learners.transformer.lessons import Vectors
from stepgraph.learners.transformer.model import TaskGraphTransformer
from stepgraph.learners.transformer.trained import TrainedTransformer
from stepgraph.sequences import Demonstrations


@dataclass(frozen=True)
class TextTransformer(TransformerLearner):
    """The transformer on what the key-steps are called.

    Parameters
    ----------
    sentence_model
        What embeds step names: 'all-MiniLM-L6-v2', or a sentence-transformers model on this
        machine, by name or folder.
    embeddings
        A file with an embedding for each step name, to use instead: npz, safetensors or .pt; or
        the folder of the released features, of which 'text' counts.
    save_model
        A file to write the trained network to, which can then say something about procedures
        that nobody has demonstrated.
    """

    name: ClassVar[str] = "tgt-text"

    sentence_model: str = minilm.NAME
    embeddings: str = ""
    save_model: str = ""

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
        """Save the network if that was asked for."""
        if self.save_model:
            model = "" if self.embeddings else self.sentence_model
            trained = TrainedTransformer(network, model, tuple(procedures))
            save_checkpoint(trained, self.save_model)

    def views(self, procedures: Sequence[Demonstrations]) -> list[list[Vectors]]:
        """Return the one embedding of each step name."""
        if self.embeddings and Path(self.embeddings).is_dir():
            # Every recording has them, and they are the same in each.
            read = [read_segments(self.embeddings, given, "text") for given in procedures]
            return [[views[:1] for views in own] for own in read]
        return [
            list(self.embed(given.vocabulary.steps, given.procedure)[:, None])
            for given in procedures
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
