"""Frames to files, as `readers.features` reads them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from stepgraph.files import make_folder, write_texts
from stepgraph.recognise.frames import FrameRecording


def save_frames(
    recordings: Sequence[FrameRecording],
    folder: str | Path,
    kinds: Sequence[str],
    *,
    labels: str = "labels",
) -> tuple[Path, ...]:
    """Write recordings as `readers.features` reads them: a folder for each kind of feature.

    Parameters
    ----------
    recordings
        The recordings.
    folder
        Where the folders go.
    kinds
        What the folder of each kind is called.
    labels
        What the folder of the labels is called, where they are known.

    Returns
    -------
    tuple
        The folders of the features.
    """
    files: dict[Path, str | bytes] = {}
    for recording in recordings:
        arrays = dict(zip(kinds, recording.features, strict=True))
        if recording.labels is not None:
            arrays[labels] = recording.labels
        for kind, values in arrays.items():
            content = io.BytesIO()
            np.save(content, values, allow_pickle=False)
            files[make_folder(Path(folder) / kind) / f"{recording.id}.npy"] = content.getvalue()
    write_texts(files)
    return tuple(Path(folder) / kind for kind in kinds)
