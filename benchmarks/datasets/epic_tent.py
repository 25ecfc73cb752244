"""EPIC-Tent-O: pitching a tent, with the split and the rules of online mistake detection.

The folder holds one table of labelled actions for all recordings, two objects that split the
recordings and say how many segments of each count, and the actions. The table has known
defects, which are repaired by line as the benchmark's authors do; every repair is noted.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.harness import MissingDataError
from stepgraph.errors import FormatError
from stepgraph.files import read_text
from stepgraph.formats.json_text import as_name, as_object, read_json, shown
from stepgraph.formats.reading import naming
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary

_ACTIONS = "EPIC-Tent-O_action_dict.json"
_LABELS = "Synchronised_action_label.txt"
_SPLITS = {"train": "train_split.json", "test": "test_split.json"}
_PREFIX = "annotations_"
_SUBJECT, _LABEL = "subject_id", "action_label"


@dataclass(frozen=True)
class Repairs:
    """What is wrong with a table of labels, by line; the header is line 0.

    Parameters
    ----------
    labels
        For a line, the label that it has and the one that it should have.
    dropped
        Lines of what was done before the recording began.
    """

    labels: Mapping[int, tuple[int, int]]
    dropped: frozenset[int]


PUBLISHED_REPAIRS = Repairs(
    MappingProxyType(
        {
            43: (2, 0),
            197: (6, 5),
            260: (6, 4),
            273: (3, 4),
            280: (5, 4),
            331: (0, 4),
            398: (8, 4),
            690: (7, 4),
            995: (10, 4),
        }
    ),
    frozenset({1, 2, 3, 4, 5, 6, 195}),
)
"""The repairs that the benchmark's authors make to the file of EPIC-Tent 2019."""

NO_REPAIRS = Repairs(MappingProxyType({}), frozenset())
"""For a table that is right as it is."""


@dataclass(frozen=True)
class EpicTentO:
    """EPIC-Tent-O.

    Parameters
    ----------
    vocabulary
        All actions, in the order of the action dictionary.
    train
        The recordings to learn from; recordings are called as in the split.
    test
        The recordings to watch, each ending with its first mistake, which is marked. Times are
        left out of both: not every camera saw every action.
    notes
        Which lines were repaired or dropped, and which recordings were cut.
    """

    vocabulary: Vocabulary
    train: Demonstrations
    test: Demonstrations
    notes: tuple[str, ...] = ()


def read_epic_tent_o(folder: str | Path, *, repairs: Repairs = PUBLISHED_REPAIRS) -> EpicTentO:
    """Read EPIC-Tent-O from its folder.

    Equal labels in a row are one segment. Of each recording as many segments count as the
    split says, and the last one of a test recording is the mistake.

    Parameters
    ----------
    folder
        The folder with the action dictionary, the two splits and the table of action labels.
    repairs
        What is wrong with that table; by default the known faults of the published one.

    Raises
    ------
    MissingDataError
        If files are missing; the message names them.
    FormatError
        If a file is not as expected, or the table is not the one that the repairs are for.
    """
    folder = Path(folder)
    missing = [n for n in (_ACTIONS, _LABELS, *_SPLITS.values()) if not (folder / n).is_file()]
    if missing:
        raise MissingDataError(
            f"{folder}: EPIC-Tent-O lacks {', '.join(missing)}; "
            "give the folder that holds these files"
        )
    vocabulary = _read_actions(folder / _ACTIONS)
    with naming(folder / _LABELS):
        segments, notes = _read_segments(folder / _LABELS, len(vocabulary), repairs)
    halves: dict[str, Demonstrations] = {}
    for half, name in _SPLITS.items():
        with naming(folder / name):
            split = as_object(read_json(folder / name), "the content")
            recordings = []
            for id_, count in split.items():
                if half == "test" and any(known.id == id_ for known in halves["train"]):
                    raise FormatError(f"recording {id_!r} is in {_SPLITS['train']}, too")
                recordings.append(_recording(id_, count, segments, test=half == "test"))
            halves[half] = Demonstrations(vocabulary, tuple(recordings), "EPIC-Tent-O")
    cut = sum(len(segments[s.id]) > len(s) for half in halves.values() for s in half)
    notes.append(f"{cut} recordings are cut after as many segments as the split says")
    return EpicTentO(vocabulary, halves["train"], halves["test"], tuple(notes))


def _read_actions(path: Path) -> Vocabulary:
    with naming(path):
        raw = as_object(read_json(path), "the content")
        # The keys are the labels plus one, which makes them the node numbers.
        if list(raw) != [str(number) for number in range(1, len(raw) + 1)]:
            raise FormatError("the keys are not 1, 2, 3, ... in this order; expected them so")
        return Vocabulary(tuple(as_name(action, f"action {key!r}") for key, action in raw.items()))


def _read_segments(
    path: Path, actions: int, repairs: Repairs
) -> tuple[dict[str, list[int]], list[str]]:
    """Return each recording's segments as node numbers, and what was repaired."""
    reader = csv.reader(read_text(path).splitlines())
    try:
        rows = list(reader)
    except csv.Error as error:
        raise FormatError(f"line {reader.line_num - 1}: no row of a table ({error})") from None
    if not rows or rows[0][:1] != [_SUBJECT] or rows[0][-1] != _LABEL:
        raise FormatError(
            f"line 0 is no header; expected one from {_SUBJECT!r} to {_LABEL!r}, with commas"
        )
    segments: dict[str, list[int]] = {}
    notes = []
    for number, row in enumerate(rows):
        if number == 0 or not row:
            continue
        label = int(row[-1]) if row[-1].isdecimal() and len(row[-1]) < 10 else actions
        if len(row) != len(rows[0]) or label >= actions:
            raise FormatError(
                f"line {number}: expected {len(rows[0])} fields, the last a label from 0 to "
                f"{actions - 1}; came {','.join(row)!r}"
            )
        if number in repairs.labels:
            label = _repaired(number, label, repairs)
            notes.append(f"line {number}: the label {row[-1]} is a known defect, taken as {label}")
        if number in repairs.dropped:
            notes.append(f"line {number}: done before the recording began, left out")
            continue
        own = segments.setdefault(_PREFIX + row[0], [])
        if not own or own[-1] != label + 1:
            own.append(label + 1)
    lacking = [n for n in sorted({*repairs.labels, *repairs.dropped}) if n >= len(rows)]
    if lacking:
        raise FormatError(
            f"ends before line {lacking[0]}, which has a known defect; expected the whole file "
            "as EPIC-Tent 2019 publishes it"
        )
    return segments, notes


def _repaired(number: int, label: int, repairs: Repairs) -> int:
    wrong, right = repairs.labels[number]
    if label != wrong:
        raise FormatError(
            f"line {number} has the label {label}; expected {wrong}, a known defect of the file "
            "as EPIC-Tent 2019 publishes it: give that file, unchanged"
        )
    return right


def _recording(
    id_: str, count: Any, segments: Mapping[str, list[int]], *, test: bool
) -> KeyStepSequence:
    if id_ not in segments:
        raise FormatError(f"recording {id_!r} has no line in {_LABELS}")
    own = segments[id_]
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= len(own):
        raise FormatError(
            f"recording {id_!r} has {shown(count)} segments in the split; expected a number from "
            f"1 to {len(own)}, as many as {_LABELS} has"
        )
    mistakes: list[str | None] = [None] * count
    if test:
        mistakes[-1] = "mistake"
    return KeyStepSequence(id_, tuple(own[:count]), mistakes=tuple(mistakes))
