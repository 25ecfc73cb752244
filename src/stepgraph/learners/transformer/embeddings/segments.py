"""Embeddings of video segments, from a folder: procedures, in them recordings.

Two forms are read. The released one has a folder for each recording, and in it a file for each
segment, ``<number>_<anything>.pt``: the number is the segment's place in the recording, from 0 on,
and the file holds a dictionary whose entry 'video' is the embedding (and 'text' that of the step's
name). Ours has one file for each recording, ``<recording>.npz``, with the arrays 'steps', the name
of each segment's step, and 'embeddings', one row for each segment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from stepgraph.errors import FileError, FormatError
from stepgraph.learners.transformer.embeddings.files import checked, load_npz, load_torch, numbers
from stepgraph.sequences import Demonstrations, KeyStepSequence

Vectors = NDArray[np.float32]


def read_segments(folder: str | Path, given: Demonstrations, kind: str = "video") -> list[Vectors]:
    """Return the embeddings of each key-step in the recordings given: (views, features) each.

    Only files of these recordings are opened, so that those held for test stay unseen.

    Parameters
    ----------
    folder
        With a folder for each procedure.
    given
        The recordings.
    kind
        Which entry of the released files: 'video' or 'text'.

    Raises
    ------
    FileError
        If the procedure or a recording has no files.
    FormatError
        If a segment has no embedding or there is one too many, widths differ, or values are not
        finite.
    """
    root = Path(folder) / given.procedure
    if not root.is_dir():
        raise FileError(
            f"{root}: no such folder; expected one for the procedure {given.procedure!r}, in it "
            "one for each recording"
        )
    found: dict[int, list[Vectors]] = {}
    for recording in given:
        for node, vector in _recording(root, recording, given, kind):
            found.setdefault(node, []).append(vector)
    width = _one_width(found, root)
    empty = np.zeros((1, width), np.float32)  # of a step that no recording shows; it is left out
    return [
        np.stack(found[node]) if node in found else empty
        for node in range(1, len(given.vocabulary) + 1)
    ]


def _recording(
    root: Path, recording: KeyStepSequence, given: Demonstrations, kind: str
) -> list[tuple[int, Vectors]]:
    packed = root / f"{recording.id}.npz"
    if packed.is_file():
        return _packed(packed, recording, given)
    folder = root / recording.id
    if not folder.is_dir():
        raise FileError(
            f"{folder}: no such folder, nor {packed.name}; expected the embeddings of the "
            f"recording {recording.id!r}"
        )
    files: dict[int, Path] = {}
    for path in sorted(folder.glob("*.pt")):
        number = path.name.split("_")[0].removesuffix(".pt")
        if not number.isdecimal():
            raise FormatError(
                f"{path}: expected a name such as 0_step.pt, the segment's place in front"
            )
        if int(number) in files:
            raise FormatError(
                f"{path}: the segment {number} has another file, {files[int(number)].name}"
            )
        files[int(number)] = path
    _complete(sorted(files), recording, given, str(folder))
    return [(node, _entry(files[place], kind)) for place, node in enumerate(recording.steps)]


def _complete(
    places: Sequence[int], recording: KeyStepSequence, given: Demonstrations, where: str
) -> None:
    for place, node in enumerate(recording.steps):
        if place not in places:
            name = given.vocabulary.name(node)
            raise FormatError(f"{where}: no embedding of segment {place}, {name!r}")
    extra = [place for place in places if place >= len(recording.steps)]
    if extra:
        raise FormatError(
            f"{where}: an embedding of segment {extra[0]}, but the recording has segments 0 to "
            f"{len(recording.steps) - 1}"
        )


def _entry(path: Path, kind: str) -> Vectors:
    content = load_torch(path)
    if not isinstance(content, Mapping) or not isinstance(content.get(kind), torch.Tensor):
        raise FormatError(f"{path}: expected a dictionary with a tensor {kind!r}")
    flat = numbers(content[kind]).reshape(-1)
    return checked({path.stem: flat}, str(path))[path.stem]


def _packed(
    path: Path, recording: KeyStepSequence, given: Demonstrations
) -> list[tuple[int, Vectors]]:
    content = load_npz(path)
    if set(content) != {"steps", "embeddings"}:
        raise FormatError(f"{path}: holds {', '.join(content)}; expected 'steps' and 'embeddings'")
    names, matrix = content["steps"], content["embeddings"]
    if names.ndim != 1 or names.dtype.kind != "U" or matrix.ndim != 2 or len(names) != len(matrix):
        raise FormatError(
            f"{path}: 'steps' has shape {names.shape} and 'embeddings' {matrix.shape}; expected "
            "one name and one row for each segment"
        )
    expected = given.names(recording)
    _complete(range(len(names)), recording, given, str(path))
    for place, (came, wanted) in enumerate(zip(names.tolist(), expected, strict=True)):
        if came != wanted:
            raise FormatError(
                f"{path}: segment {place} is {came!r}; the recording has {wanted!r} there"
            )
    rows = checked({str(place): row for place, row in enumerate(matrix)}, str(path))
    return list(zip(recording.steps, rows.values(), strict=True))


def _one_width(found: Mapping[int, Sequence[Vectors]], where: Path) -> int:
    widths = sorted({len(vector) for vectors in found.values() for vector in vectors})
    if len(widths) != 1:
        listed = ", ".join(map(str, widths))
        raise FormatError(f"{where}: embeddings have {listed} values; expected one number of them")
    return widths[0]
