"""Recordings in every format, and the published annotations of the data sets."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from pathlib import Path

from benchmarks.datasets.assembly101 import read_assembly101, read_assembly101_o
from benchmarks.datasets.epic_tent import NO_REPAIRS, read_epic_tent_o
from benchmarks.datasets.recognition import read_recognition
from stepgraph.errors import FormatError
from stepgraph.formats import RECORDING_FORMATS, read_demonstrations, read_steps
from stepgraph.formats.json_text import dump_json
from stepgraph.formats.rows import COLUMN_NAMES
from stepgraph.formats.stepgraph_json import demonstrations_to_json
from stepgraph.sequences import Demonstrations, Vocabulary
from tests.formats.samples import (
    WRITERS,
    error_annotations,
    step_annotations,
)
from tests.fuzz.target import Target, by_name, expect, put

_WORDS = tuple(name for names in COLUMN_NAMES.values() for name in names[:2])
_SHARED = (
    "stepgraph.formats",
    "stepgraph.formats.reading",
    "stepgraph.formats.reading",
    "stepgraph.formats.json_text",
    "stepgraph.sequences",
)
_TABLE = (
    b"recording,step,start,end,mistake,procedure,weight\n1,a,0:01,1.5,yes,p,2\n"
    b"2,b,2024-01-01T10:00,,skipped,p,\n2,a,2024-01-01T10:00,,no,p,\n"
)
_JSONL = (
    b'{"id": 1, "steps": ["a", "b"], "starts": [1, 2], "ends": [2, null], "mistakes": '
    b'[null, "x"], "skipped": ["c"], "procedure": "p", "weight": 2}\n'
    b'{"recording": "2", "step": "a", "start": 1, "mistake": false, "procedure": "p"}\n'
)
_MORE = {
    "csv": [_TABLE, _TABLE.replace(b",", b";"), _TABLE.replace(b",", b"\t")],
    "jsonl": [_JSONL],
    "text": [b"# tea\nboil\npour\n\nboil\n"],
    "captaincook4d": [json.dumps(error_annotations()).encode()],
}
_MODULES = {
    "annotations": ("annotations_json",),
    "captaincook4d": ("captaincook4d",),
    "csv": ("csv", "rows", "times"),
    "jsonl": ("jsonl", "rows", "times"),
    "text": ("text",),
    "stepgraph": ("stepgraph_json",),
}


def _round_trip(found: Demonstrations, folder: Path) -> None:
    """Check that demonstrations come back from the file that stepgraph writes of them."""
    path = put(folder, "again.json", dump_json(demonstrations_to_json(found)).encode())
    again = read_demonstrations(path, format="stepgraph").only()
    expect(again == found, "demonstrations are read as they were written")


def _read(name: str, data: bytes, folder: Path) -> None:
    path = put(folder, WRITERS[name][0], data)
    reading = read_demonstrations(path, format=name)
    "".join(reading.notes).encode()
    for found in reading.procedures.values():
        _round_trip(found, folder)
    with suppress(FormatError):  # where there are no times
        read_demonstrations(path, format=name, order="start")


def _detect(data: bytes, folder: Path) -> None:
    read_demonstrations(put(folder, "tea.json", data))


def _errors(data: bytes, folder: Path) -> None:
    steps = put(folder, "steps.json", json.dumps(step_annotations()).encode())
    for found in read_demonstrations(
        steps, errors=put(folder, "errors.json", data)
    ).procedures.values():
        _round_trip(found, folder)


def _steps(data: bytes, folder: Path) -> None:
    read_steps(put(folder, "steps.txt", data))


def _assembly101(data: bytes, folder: Path) -> None:
    """Read a table, the action dictionary and the split, with a line of dashes between them."""
    table, actions, split = [*data.split(b"\n---\n"), b"", b""][:3]
    name = "nusar-2021_action_both_9011-b06b_9011_user_id_2021-02-01_154253"
    (folder / "annotations").mkdir(exist_ok=True)
    other = name.replace("9011", "9012")
    for recording in (name, other):
        put(folder / "annotations", f"{recording}.csv", table)
    put(folder, "Assembly101-O_action_dict.json", actions)
    put(folder, "train_split.txt", split)
    put(folder, "test_split.txt", other.encode())
    try:
        read_assembly101(folder)
    finally:
        read_assembly101_o(folder)


def _epic_tent(data: bytes, folder: Path) -> None:
    """Read labels, the action dictionary and the splits, with a line of dashes between them."""
    labels, actions, train, test = [*data.split(b"\n---\n"), b"", b"", b""][:4]
    put(folder, "Synchronised_action_label.txt", labels)
    put(folder, "EPIC-Tent-O_action_dict.json", actions)
    put(folder, "train_split.json", train)
    put(folder, "test_split.json", test)
    read_epic_tent_o(folder, repairs=NO_REPAIRS)


def _recognition(data: bytes, folder: Path) -> None:
    vocabulary = Vocabulary(("a", "b", "c"))
    for name in ("seen.json", "seen_frames.json"):
        found = read_recognition(put(folder, name, data), vocabulary)
        expect(bool(found.recordings), "a file of recognised steps has recordings")


def _seeds(name: str) -> list[bytes]:
    return [WRITERS[name][1]().encode(), *_MORE.get(name, ())]


_NAME = b"nusar-2021_action_both_9011-b06b_9011_user_id_2021-02-01_154253"
_ASSEMBLY = (
    b"0,5,attach,big wheel,chassis,correct,\n5,9,detach,door,cabin,mistake,wrong order\n"
    b'9,12,attach,big wheel,chassis,correction,\n---\n{"0": "attach-big_wheel", '
    b'"1": "detach-door"}\n---\n' + _NAME
)
_TENT = (
    b"subject_id,start,action_label\n9,0,1\n9,1,1\n9,2,0\n8,0,1\n---\n"
    b'{"1": "open bag", "2": "read"}\n---\n{"annotations_9": 2}\n---\n{"annotations_8": 1}'
)
_SEEN = b'{"v": {"pred": [0, 1, 1], "gt": [0, 2, 1], "pred_durations": [1, 2, 3]}}'

TARGETS = by_name(
    *(
        Target(
            f"recordings-{name}",
            partial(_read, name),
            partial(_seeds, name),
            (*(f"stepgraph.formats.{module}" for module in _MODULES[name]), *_SHARED),
            _WORDS,
            1.5,
        )
        for name in RECORDING_FORMATS
    ),
    Target(
        "recordings-detected",
        _detect,
        lambda: [
            WRITERS[name][1]().encode() for name in ("stepgraph", "annotations", "captaincook4d")
        ],
        ("stepgraph.formats.registry", *_SHARED),
        share=0.5,
    ),
    Target(
        "captaincook4d-errors",
        _errors,
        lambda: [json.dumps(error_annotations()).encode()],
        ("stepgraph.formats.captaincook4d",),
    ),
    Target(
        "steps", _steps, lambda: [b"# tea\nboil\npour\n"], ("stepgraph.formats.text",), share=0.3
    ),
    Target("assembly101", _assembly101, lambda: [_ASSEMBLY], ("benchmarks.datasets.assembly101",)),
    Target("epic-tent", _epic_tent, lambda: [_TENT], ("benchmarks.datasets.epic_tent",)),
    Target(
        "recognition",
        _recognition,
        lambda: [_SEEN],
        ("benchmarks.datasets.recognition",),
        ("pred", "gt", "pred_durations", "gt_durations"),
        0.5,
    ),
)
