"""The graph of a procedure that nobody has demonstrated, from its step names alone."""

from __future__ import annotations

from pathlib import Path

from stepgraph.errors import SettingError
from stepgraph.learners.base import Learned
from stepgraph.learners.transformer.checkpoint import load_checkpoint
from stepgraph.learners.transformer.embeddings.files import read_embeddings, vectors_of
from stepgraph.sequences import Vocabulary


def predict_unseen(
    words: Vocabulary, model: str | Path, *, embeddings: str | Path | None = None
) -> Learned:
    """Return what a saved network makes of a procedure's step names.

    Parameters
    ----------
    words
        The steps.
    model
        The file of the network.
    embeddings
        A file with their embeddings, for a network that was trained on such.

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
            "steps with --set embeddings=FILE"
        )
    known = len(trained.procedures)
    note = (
        f"nobody has demonstrated this procedure: its edges are what a network trained on {known} "
        f"other{'s' if known != 1 else ''} makes of the step names"
    )
    return Learned(trained.predict(words.steps, vectors), (note,))
