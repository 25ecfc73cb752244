"""What a recogniser saw in videos: the recognised key-steps of each, beside the true ones.

The files are PREGO's: an object of recordings, each with ``pred`` and ``gt``, lists of labels
counted from 0. They come by segments, with or without durations, or frame by frame.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness import MissingDataError
from stepgraph.errors import FormatError
from stepgraph.formats.json_text import as_list, as_object, read_json, shown
from stepgraph.formats.reading import naming
from stepgraph.sequences import Vocabulary

RECOGNISERS: Mapping[str, str] = {"miniroad": "miniROAD", "oadtr": "OadTR"}
"""The recognisers by the names that users type, and what they are called in file names."""

RECOGNISED_DATASETS: Mapping[str, str] = {
    "assembly101-o": "Assembly101-O",
    "epic-tent-o": "Epic-tent-O",
}
"""The data sets by the names that users type, and what they are called in file names."""


@dataclass(frozen=True)
class RecognisedRecording:
    """What a recogniser saw in one video, and what was to be seen.

    Parameters
    ----------
    id
        What the recording is called.
    recognised, true
        Node numbers in the vocabulary, in order: one for each segment, or one for each frame.
    recognised_durations, true_durations
        How many frames each segment takes, where the file says so.
    """

    id: str
    recognised: tuple[int, ...]
    true: tuple[int, ...]
    recognised_durations: tuple[int, ...] | None = None
    true_durations: tuple[int, ...] | None = None

    def merged(self) -> RecognisedRecording:
        """Return the recording with equal steps in a row as one segment, durations added up.

        Examples
        --------
        >>> frames = RecognisedRecording("1", (4, 4, 2), (4, 2, 2))
        >>> frames.merged().recognised, frames.merged().recognised_durations
        ((4, 2), (2, 1))
        """
        recognised, recognised_durations = _merge(self.recognised, self.recognised_durations)
        true, true_durations = _merge(self.true, self.true_durations)
        return RecognisedRecording(self.id, recognised, true, recognised_durations, true_durations)


@dataclass(frozen=True)
class Recognition:
    """The recordings of a recogniser's file.

    Parameters
    ----------
    vocabulary
        What the node numbers mean.
    recordings
        The recordings in file order.
    by_frame
        Whether each entry of a recording stands for one frame rather than one segment.
    """

    vocabulary: Vocabulary
    recordings: tuple[RecognisedRecording, ...]
    by_frame: bool = False

    def __len__(self) -> int:
        return len(self.recordings)

    def __iter__(self) -> Iterator[RecognisedRecording]:
        return iter(self.recordings)

    def names(self, nodes: tuple[int, ...]) -> tuple[str, ...]:
        """Return steps by name."""
        return tuple(self.vocabulary.name(node) for node in nodes)


def recognition_file(dataset: str, recogniser: str, *, frames: bool = False) -> str:
    """Return the name of the file that holds what a recogniser saw.

    Parameters
    ----------
    dataset
        One of `RECOGNISED_DATASETS`.
    recogniser
        One of `RECOGNISERS`.
    frames
        Whether frame by frame, which is published for miniROAD on EPIC-Tent-O only.

    Examples
    --------
    >>> recognition_file("epic-tent-o", "miniroad", frames=True)
    'output_miniROAD_Epic-tent-O_frames.json'
    """
    ending = "_frames" if frames else ""
    return f"output_{RECOGNISERS[recogniser]}_{RECOGNISED_DATASETS[dataset]}{ending}.json"


def read_recognition(path: str | Path, vocabulary: Vocabulary) -> Recognition:
    """Read a recogniser's file.

    Parameters
    ----------
    path
        The file; it is taken as frame by frame if its name ends with ``_frames``.
    vocabulary
        The actions of the data set, label 0 first.

    Raises
    ------
    MissingDataError
        If there is no such file.
    FormatError
        If it is not as expected; the message names the recording.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingDataError(f"{path}: there is no such file of recognised key-steps")
    with naming(path):
        raw = as_object(read_json(path), "the content")
        if not raw:
            raise FormatError("there are no recordings; expected at least one")
        recordings = tuple(_recording(id_, entry, vocabulary) for id_, entry in raw.items())
    by_frame = path.stem.endswith("_frames")
    if by_frame:
        with naming(path):
            for recording in recordings:
                if len(recording.recognised) != len(recording.true):
                    raise FormatError(
                        f"recording {recording.id!r} has {len(recording.recognised)} recognised "
                        f"and {len(recording.true)} true frames; expected as many"
                    )
    return Recognition(vocabulary, recordings, by_frame)


def _recording(id_: str, raw: Any, vocabulary: Vocabulary) -> RecognisedRecording:
    about = f"recording {id_!r}"
    entry = as_object(raw, about)
    recognised = _nodes(entry.get("pred"), f"{about}: 'pred'", vocabulary)
    true = _nodes(entry.get("gt"), f"{about}: 'gt'", vocabulary)
    return RecognisedRecording(
        id_,
        recognised,
        true,
        _durations(entry, "pred_durations", len(recognised), about),
        _durations(entry, "gt_durations", len(true), about),
    )


def _nodes(raw: Any, about: str, vocabulary: Vocabulary) -> tuple[int, ...]:
    labels = as_list(raw, about)
    if not labels:
        raise FormatError(f"{about} is empty; expected at least one label")
    for label in labels:
        if not _is_count(label) or label >= len(vocabulary):
            raise FormatError(
                f"{about} has the label {shown(label)}; expected 0 to {len(vocabulary) - 1}"
            )
    return tuple(label + 1 for label in labels)


def _durations(
    entry: Mapping[str, Any], key: str, expected: int, about: str
) -> tuple[int, ...] | None:
    if key not in entry:
        return None
    values = as_list(entry[key], f"{about}: {key!r}")
    if len(values) != expected or not all(map(_is_count, values)):
        raise FormatError(
            f"{about}: {key!r} has {len(values)} values; expected {expected} numbers of frames"
        )
    return tuple(values)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _merge(
    steps: tuple[int, ...], durations: tuple[int, ...] | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    lengths = durations if durations is not None else (1,) * len(steps)
    pairs = itertools.groupby(zip(steps, lengths, strict=True), key=lambda pair: pair[0])
    merged = [(step, sum(length for _, length in group)) for step, group in pairs]
    return tuple(step for step, _ in merged), tuple(length for _, length in merged)
