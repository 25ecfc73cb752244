"""tgt-video: the Task Graph Transformer on embeddings of video segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from stepgraph.errors import SettingError
from stepgraph.learners.transformer.base import TransformerLearner
from stepgraph.learners.transformer.embeddings.segments import read_segments
from stepgraph.learners.transformer.lessons import Vectors
from stepgraph.sequences import Demonstrations


@dataclass(frozen=True)
class VideoTransformer(TransformerLearner):
    """The transformer on what the key-steps look like.

    At each step of training one embedding is drawn for every key-step, from the recordings that
    it learns from and no others.

    Parameters
    ----------
    features
        The folder with the embeddings of all segments, in it a folder for each procedure.
    """

    name: ClassVar[str] = "tgt-video"

    features: str = ""

    def views(self, procedures: Sequence[Demonstrations]) -> list[list[Vectors]]:
        """Return the embeddings of each key-step in all recordings given.

        Raises
        ------
        SettingError
            If no folder is given.
        FileError, FormatError
            If its files are not what they should be.
        """
        if not self.features:
            raise SettingError(
                "the method 'tgt-video' needs embeddings of video segments; give their folder with "
                "--set features=FOLDER (features=... in Python)"
            )
        return [read_segments(self.features, given) for given in procedures]
