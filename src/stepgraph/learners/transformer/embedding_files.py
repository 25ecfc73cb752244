"""Embeddings from files: one for each step name, or one for each segment of a video.

**Step names.** npz, safetensors, or torch's .pt. In npz and safetensors a file holds one vector for
each step, under the step's name; or a matrix 'embeddings' with one row a step, beside an array of
their names, 'steps' (npz). A .pt file holds a dictionary from step names to tensors. stepgraph
loads weights only: it refuses a pickle that holds anything but plain tensors, because opening it
could run code.

**Video segments.** A folder with a folder for each procedure, in two forms. The released one has a
folder for each recording, and in it a file for each segment, ``<number>_<anything>.pt``: the number
is the segment's place in the recording, from 0 on, and the file holds a dictionary whose entry
'video' is the embedding (and 'text' that of the step's name). Ours has one file for each recording,
``<recording>.npz``, with the arrays 'steps', the name of each segment's step, and 'embeddings', one
row for each segment.
"""

from __future__ import annotations

import io
import pickle
import warnings
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from stepgraph.errors import FileError, FormatError, MissingExtraError, nearest_names
from stepgraph.files import reading_arrays
from stepgraph.sequences import Demonstrations, KeyStepSequence

SUFFIXES = (".npz", ".safetensors", ".pt", ".pth")

LARGEST_GROWTH = 50
"""Maximum growth of a compressed file, as a multiple of its size."""
GROWTH_FROM = 100_000_000
"""Minimum size in bytes from which the growth counts."""

Vectors = NDArray[np.float32]


def read_embeddings(path: str | Path) -> Mapping[str, Vectors]:
    """Return the vectors in a file by step name.

    Raises
    ------
    FileError
        If there is no such file.
    FormatError
        If it is truncated, of another kind, a pickle of anything but tensors, or its vectors have
        different widths or are not finite.
    """
    path = Path(path)
    if not path.is_file():
        raise FileError(f"{path}: no such file")
    if path.suffix not in SUFFIXES:
        raise FormatError(f"{path}: expected a file of the kind {', '.join(SUFFIXES)}")
    raw = {".npz": _npz, ".safetensors": _safetensors}.get(path.suffix, _torch)(path)
    if not raw:
        raise FormatError(f"{path}: no embeddings in it")
    return checked(raw, str(path))


def vectors_of(steps: Sequence[str], vectors: Mapping[str, Vectors], where: str) -> Vectors:
    """Return the vectors of some steps: (steps, features).

    Raises
    ------
    FormatError
        If a step has none; the message suggests a near name.
    """
    missing = [step for step in steps if step not in vectors]
    if missing:
        near = nearest_names(missing[0], vectors)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        more = f" (and {len(missing) - 1} more steps)" if len(missing) > 1 else ""
        raise FormatError(f"{where}: no embedding of the step {missing[0]!r}{more}{hint}")
    return np.stack([vectors[step] for step in steps])


def checked(raw: Mapping[str, Any], where: str) -> Mapping[str, Vectors]:
    """Check vectors and return them as numbers of one width.

    Raises
    ------
    FormatError
        If one is no vector, has another width than the first, or is not finite.
    """
    vectors: dict[str, NDArray[np.float32]] = {}
    width = 0
    for name, raw_values in raw.items():
        if not name.strip():
            raise FormatError(f"{where}: an embedding has an empty name; expected a step's")
        values = np.asarray(raw_values)
        if values.ndim == 2 and len(values) == 1:
            values = values[0]
        if values.ndim != 1 or not len(values) or values.dtype.kind not in "fiu":
            raise FormatError(
                f"{where}: the embedding of {name!r} has shape {values.shape} and type "
                f"{values.dtype}; expected one vector of numbers"
            )
        width = width or len(values)
        if len(values) != width:
            raise FormatError(
                f"{where}: the embedding of {name!r} has {len(values)} values, others have "
                f"{width}; all must come from one model"
            )
        vectors[name] = values.astype(np.float32)
        if not np.isfinite(vectors[name]).all():
            raise FormatError(
                f"{where}: the embedding of {name!r} holds a value that is no finite number"
            )
    return vectors


def load_npz(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file; refuse a file with anything else in it."""
    try:
        packed = path.read_bytes()
        _check_growth(packed, path)
        # From bytes, because numpy leaves a broken file open.
        with reading_arrays(), np.load(io.BytesIO(packed), allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
    except (
        OSError, KeyError, ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError
    ) as error:  # fmt: skip
        raise _broken(path, error) from None
    for name, values in arrays.items():
        if not isinstance(values, np.ndarray):
            raise FormatError(f"{path}: {name!r} in it is no array; expected arrays alone")
    return arrays


def _check_growth(content: bytes, path: Path) -> None:
    """Check that a compressed file does not grow out of proportion; embeddings hardly shrink."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        size = sum(entry.file_size for entry in packed.infolist())
    if size > GROWTH_FROM and size > LARGEST_GROWTH * len(content):
        raise FormatError(
            f"{path}: grows to more than {LARGEST_GROWTH} times its size; no embeddings do that, "
            "and it is refused because it could fill the memory"
        )


def load_torch(path: Path) -> Any:
    """Return the content of a .pt file: tensors and plain containers of tensors only."""
    try:
        with warnings.catch_warnings():
            # The refusal below covers pickles of other kinds than torch's own.
            warnings.simplefilter("ignore")
            return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        raise FormatError(
            f"{path}: a pickle with more in it than plain tensors, which could run code; refused. "
            "Save a dictionary from step names to tensors, or an npz file"
        ) from None
    except Exception as error:  # torch passes on any error from inside a pickle
        raise _broken(path, error) from None


def _npz(path: Path) -> dict[str, Any]:
    arrays = load_npz(path)
    if set(arrays) != {"steps", "embeddings"}:
        return arrays
    names, matrix = arrays["steps"], arrays["embeddings"]
    if names.ndim != 1 or names.dtype.kind != "U" or matrix.ndim != 2 or len(names) != len(matrix):
        raise FormatError(
            f"{path}: 'steps' has shape {names.shape} and 'embeddings' {matrix.shape}; expected "
            "one name and one row for each step"
        )
    listed = names.tolist()
    twice = next((name for name, count in Counter(listed).items() if count > 1), None)
    if twice is not None:
        raise FormatError(f"{path}: the step {twice!r} is listed twice; step names must differ")
    return dict(zip(listed, matrix, strict=True))


def _safetensors(path: Path) -> dict[str, Any]:
    try:
        from safetensors import SafetensorError
        from safetensors.torch import load_file
    except ModuleNotFoundError:
        raise MissingExtraError(f"{path}: reading safetensors", "text") from None
    try:
        return {name: numbers(values) for name, values in load_file(path).items()}
    except (OSError, SafetensorError, ValueError) as error:
        raise _broken(path, error) from None


def _torch(path: Path) -> dict[str, Any]:
    content = load_torch(path)
    if not isinstance(content, dict) or not all(
        isinstance(name, str) and isinstance(values, torch.Tensor)
        for name, values in content.items()
    ):
        raise FormatError(
            f"{path}: holds {type(content).__name__}; expected a dictionary from step names "
            "to tensors"
        )
    return {name: numbers(values) for name, values in content.items()}


def numbers(values: torch.Tensor) -> NDArray[Any]:
    """Return a tensor's numbers."""
    array: NDArray[Any] = values.detach().float().numpy()  # bfloat16 is unknown to numpy
    return array


def _broken(path: Path, error: Exception) -> FormatError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return FormatError(f"{path}: cannot be read as {path.suffix}, is it whole? ({reason})")


def read_segments(
    folder: str | Path, demonstrations: Demonstrations, kind: str = "video"
) -> list[Vectors]:
    """Return the embeddings of each key-step in the recordings: (views, features) each.

    It opens files of these recordings only, so that test recordings stay unseen.

    Parameters
    ----------
    folder
        The folder that holds a folder for each procedure.
    demonstrations
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
    root = Path(folder) / demonstrations.procedure
    if not root.is_dir():
        raise FileError(
            f"{root}: no such folder; expected one for the procedure "
            f"{demonstrations.procedure!r}, in it one for each recording"
        )
    found: dict[int, list[Vectors]] = {}
    for recording in demonstrations:
        for node, vector in _recording(root, recording, demonstrations, kind):
            found.setdefault(node, []).append(vector)
    width = _one_width(found, root)
    empty = np.zeros((1, width), np.float32)  # of a step that no recording shows; it is left out
    return [
        np.stack(found[node]) if node in found else empty
        for node in range(1, len(demonstrations.vocabulary) + 1)
    ]


def _recording(
    root: Path, recording: KeyStepSequence, demonstrations: Demonstrations, kind: str
) -> list[tuple[int, Vectors]]:
    packed = root / f"{recording.id}.npz"
    if packed.is_file():
        return _packed(packed, recording, demonstrations)
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
    _complete(sorted(files), recording, demonstrations, str(folder))
    return [(node, _entry(files[place], kind)) for place, node in enumerate(recording.steps)]


def _complete(
    places: Sequence[int], recording: KeyStepSequence, demonstrations: Demonstrations, where: str
) -> None:
    for place, node in enumerate(recording.steps):
        if place not in places:
            name = demonstrations.vocabulary.name(node)
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
    path: Path, recording: KeyStepSequence, demonstrations: Demonstrations
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
    expected = demonstrations.names(recording)
    _complete(range(len(names)), recording, demonstrations, str(path))
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
