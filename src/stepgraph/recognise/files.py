"""Reads and writes frames as folders of `.npy` arrays, one file for each recording.

Each kind of feature (such as RGB and optical flow) has a folder, and the labels have one, as in
PREGO's data. A recording has the same file name in all of them. Files are mapped into memory,
never loaded whole, and pickles are refused.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepgraph.errors import FileError, FormatError
from stepgraph.files import make_folder, read_text, reading_arrays, write_texts
from stepgraph.formats.json_text import parse_json
from stepgraph.recognise.frames import FrameRecording, Labels

BLOCK = 4096
"""Number of frames to check at a time."""


def read_classes(path: str | Path) -> tuple[str, ...]:
    """Read the names of the classes, class 0 first.

    Parameters
    ----------
    path
        A text file with a name on each line, or JSON: a list of names, or an object that maps
        numbers to names or names to numbers, the numbers without a gap.

    Raises
    ------
    FileError
        If it cannot be read.
    FormatError
        If there are no names, some are empty or repeat, or the numbers have gaps.
    """
    path = Path(path)
    text = read_text(path)
    if text.lstrip()[:1] in ("[", "{"):
        names = _names_in(parse_json(text, str(path)), str(path))
    else:
        names = [line.strip() for line in text.splitlines() if line.strip()]
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise FormatError(f"{path}: a class is called {name!r:.40}; expected a name")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise FormatError(f"{path}: the class {repeated[0]!r} is there twice; expected it once")
    if len(names) < 2:
        raise FormatError(f"{path}: {len(names)} classes; expected two or more to tell apart")
    return tuple(names)


def read_features(
    features: Sequence[str | Path],
    *,
    labels: str | Path | None = None,
    classes: int | None = None,
) -> tuple[FrameRecording, ...]:
    """Read recordings of frames.

    Parameters
    ----------
    features
        A folder for each kind of feature; or, for one recording, a `.npy` file for each kind.
    labels
        The folder (or file) of labels: a whole number for each frame, or a row for each frame
        that is one-hot or holds probabilities, of which the largest counts.
    classes
        Number of classes; required with labels.

    Returns
    -------
    tuple of FrameRecording
        In the order of their names.

    Raises
    ------
    FileError
        If a folder or file cannot be read, or a recording is missing in one of the folders.
    FormatError
        If a file is no plain array, lengths or widths differ, a value is not finite, or a label
        is outside the classes.
    """
    kinds = [_files(Path(path)) for path in features]
    if not kinds:
        raise FileError("no features are given; expected one folder or more")
    places = [*map(Path, features)]
    listed = list(kinds)
    if labels is not None:
        places.append(Path(labels))
        listed.append(_files(Path(labels)))
    ids = _common(places, listed)
    recordings = []
    for id_ in ids:
        arrays = tuple(_features(kind[id_]) for kind in kinds)
        truth = None
        if labels is not None:
            truth = _labels(listed[-1][id_], classes or 0)
        lengths = [len(values) for values in (*arrays, *(() if truth is None else (truth,)))]
        if len(set(lengths)) > 1:
            found = ", ".join(
                f"{length} in {files[id_]}" for length, files in zip(lengths, listed, strict=True)
            )
            raise FormatError(
                f"recording {id_!r}: different numbers of frames: {found}; expected as many "
                "everywhere"
            )
        recordings.append(FrameRecording(id_, arrays, truth))
    _check_widths(recordings, kinds)
    return tuple(recordings)


def _files(place: Path) -> dict[str, Path]:
    """Return the recordings in a folder, or in a single file, by name."""
    if place.is_dir():
        found = {path.stem: path for path in sorted(place.glob("*.npy"))}
        if not found:
            raise FileError(f"{place}: no .npy file in it; expected one for each recording")
        return found
    if not place.exists():
        raise FileError(f"{place}: no such file or folder; expected .npy files")
    if place.suffix != ".npy":
        raise FileError(f"{place}: expected a folder of .npy files, or one such file")
    return {place.stem: place}


def _common(places: Sequence[Path], listed: Sequence[dict[str, Path]]) -> list[str]:
    everything = sorted({id_ for files in listed for id_ in files})
    if all(place.is_file() for place in places) and all(len(files) == 1 for files in listed):
        # Single files belong together, whatever their names.
        first = next(iter(listed[0]))
        for files in listed[1:]:
            files[first] = files.pop(next(iter(files)))
        return [first]
    for id_ in everything:
        for place, files in zip(places, listed, strict=True):
            if id_ not in files:
                other = next(p for p, has in zip(places, listed, strict=True) if id_ in has)
                raise FileError(
                    f"{place}: there is no {id_}.npy, but {other} has one; expected each recording "
                    "in every folder"
                )
    return everything


def _array(path: Path) -> NDArray[Any]:
    try:
        with reading_arrays():
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror or error})") from None
    except ValueError as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        if "pickle" in what.lower() or "object" in what.lower():
            raise FormatError(
                f"{path}: holds pickled Python objects, or is no .npy file; expected a plain array "
                "of numbers, as pickles can run any program"
            ) from None
        raise FormatError(
            f"{path}: cannot be read as .npy, is it whole? ({what}); copy or write it again"
        ) from None


def _features(path: Path) -> NDArray[Any]:
    values = _array(path)
    if values.dtype.kind not in "fiu":
        raise FormatError(f"{path}: values of type {values.dtype}; expected numbers")
    if values.ndim != 2 or not values.size:
        raise FormatError(
            f"{path}: an array of shape {values.shape}; expected (frames, width), none of them 0"
        )
    for first in range(0, len(values), BLOCK):
        # Not only NaN: networks compute in float32, where very large numbers are infinite.
        with np.errstate(over="ignore"):
            finite = np.isfinite(values[first : first + BLOCK].astype(np.float32)).all(axis=1)
        if not finite.all():
            frame = first + int(np.argmin(finite)) + 1
            raise FormatError(
                f"{path}: frame {frame} has a value that is not finite (or too large); "
                "expected numbers only"
            )
    return values


def _labels(path: Path, classes: int) -> Labels:
    values = _array(path)
    if values.ndim == 1 and values.dtype.kind in "iu" and values.size:
        numbers: Labels = values.astype(np.intp)
        outside = (numbers < 0) | (numbers >= classes)
        if outside.any():
            frame = int(np.argmax(outside))
            raise FormatError(
                f"{path}: frame {frame + 1} has the label {numbers[frame]}; expected 0 to "
                f"{classes - 1}, one of the {classes} classes"
            )
        return numbers
    if values.ndim != 2 or values.dtype.kind not in "fiub" or not values.size:
        raise FormatError(
            f"{path}: labels of type {values.dtype} and shape {values.shape}; expected a whole "
            f"number for each frame, or (frames, {classes})"
        )
    if values.shape[1] != classes:
        raise FormatError(
            f"{path}: {values.shape[1]} columns; expected {classes}, one for each class"
        )
    with np.errstate(over="ignore"):  # infinite values are refused below
        shares = values.astype(np.float32)
    best = shares.max(axis=1)
    unclear = ~np.isfinite(shares).all(axis=1) | (best <= 0)
    unclear |= (shares == best[:, None]).sum(axis=1) != 1
    if unclear.any():
        frame = int(np.argmax(unclear))
        raise FormatError(
            f"{path}: frame {frame + 1} has the largest value {best[frame]:g} in "
            f"{int((shares[frame] == best[frame]).sum())} columns; expected one class that leads; "
            "where nothing is done, let that be a class of its own"
        )
    chosen: Labels = shares.argmax(axis=1).astype(np.intp)
    return chosen


def _check_widths(recordings: Sequence[FrameRecording], kinds: Sequence[dict[str, Path]]) -> None:
    expected = recordings[0].widths
    for recording in recordings[1:]:
        for kind, (size, width) in enumerate(zip(recording.widths, expected, strict=True)):
            if size != width:
                raise FormatError(
                    f"{kinds[kind][recording.id]}: {size} features for a frame; expected {width}, "
                    f"as {kinds[kind][recordings[0].id]} has"
                )


def _names_in(content: Any, where: str) -> list[Any]:
    if isinstance(content, list):
        return content
    if all(isinstance(value, str) for value in content.values()):
        pairs = [(number, name) for number, name in content.items()]
    else:
        pairs = [(number, name) for name, number in content.items()]
    try:
        numbered = sorted(((int(number), name) for number, name in pairs), key=lambda pair: pair[0])
    except (TypeError, ValueError):
        raise FormatError(
            f"{where}: expected names by number or numbers by name, such as "
            f"{json.dumps({'0': 'mix', '1': 'pour'})}"
        ) from None
    numbers = [number for number, _ in numbered]
    first = numbers[0] if numbers else 0
    if first not in (0, 1) or numbers != list(range(first, first + len(numbers))):
        raise FormatError(f"{where}: the numbers of the classes have gaps; expected 0, 1, 2, ...")
    return [name for _, name in numbered]


def save_frames(
    recordings: Sequence[FrameRecording],
    folder: str | Path,
    kinds: Sequence[str],
    *,
    labels: str = "labels",
) -> tuple[Path, ...]:
    """Write recordings as `read_features` reads them: a folder for each kind of feature.

    Parameters
    ----------
    recordings
        The recordings.
    folder
        The parent of the folders.
    kinds
        The folder name of each kind of feature.
    labels
        The folder name of the labels, where there are labels.

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
