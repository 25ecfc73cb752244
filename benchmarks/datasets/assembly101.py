"""Assembly101: assembling toys, whole recordings, and the split of online mistake detection.

The folder holds one table for each recording, two lists that split the recordings, and the actions;
in Assembly101-O a training recording is free of mistakes, a test recording ends at its first
one. `read_assembly101` reads the recordings whole instead.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import MissingDataError
from stepgraph.errors import FormatError, UnknownNameError
from stepgraph.files import read_text
from stepgraph.formats.json_text import as_name, as_object, read_json
from stepgraph.formats.reading import naming
from stepgraph.sequences import Demonstrations, KeyStepSequence, Vocabulary

_ACTIONS = "Assembly101-O_action_dict.json"
_SPLITS = {"train": "train_split.txt", "test": "test_split.txt"}
_RENAMED = {"position-figurine": "attach-figurine"}
# The person's number stands before the toy and after it. In seven names they differ; by the
# times of the other recordings of the day the first one is right.
_FILE_NAME = re.compile(r"_(?P<person>\d+)-(?P<toy>[a-z]\d+)[a-z]*_\d+_user_id")
_LABELS = ("correct", "mistake", "correction")


@dataclass(frozen=True)
class Assembly101O:
    """Assembly101-O.

    Parameters
    ----------
    vocabulary
        All actions, in the order of the action dictionary.
    train
        The recordings to learn from; many actions occur in none of them.
    test
        The recordings to watch, each cut at its first mistake, which is marked. Times are left
        out of both: the tables count frames.
    """

    vocabulary: Vocabulary
    train: Demonstrations
    test: Demonstrations


@dataclass(frozen=True)
class Maker:
    """Who assembled what.

    Parameters
    ----------
    subject
        The number of the person.
    toy
        The kind of toy: a letter and a number, without the letter of the single piece.
    """

    subject: str
    toy: str


@dataclass(frozen=True)
class Assembly101:
    """Whole recordings of Assembly101.

    Parameters
    ----------
    demonstrations
        All recordings; marks are 'mistake' and 'correction'.
    makers
        Who assembled which toy, by recording.
    splits
        The recordings in the published split's 'train' and 'test', where the folder has it.
    """

    demonstrations: Demonstrations
    makers: Mapping[str, Maker]
    splits: Mapping[str, frozenset[str]]


def read_assembly101_o(folder: str | Path) -> Assembly101O:
    """Read Assembly101-O from its folder.

    Parameters
    ----------
    folder
        The folder with the action dictionary, the two split lists and ``annotations``.

    Raises
    ------
    MissingDataError
        If files are missing; the message names them.
    FormatError
        If a file is not as expected.
    """
    folder = Path(folder)
    _expect(folder, [folder / name for name in (_ACTIONS, *_SPLITS.values())])
    with naming(folder / _ACTIONS):
        raw = as_object(read_json(folder / _ACTIONS), "the content")
        vocabulary = Vocabulary(
            tuple(as_name(action, f"action {key!r}") for key, action in raw.items())
        )
    splits = {
        split: [line.strip() for line in read_text(folder / name).splitlines() if line.strip()]
        for split, name in _SPLITS.items()
    }
    both = [id_ for id_ in splits["test"] if id_ in splits["train"]]
    if both:
        raise FormatError(
            f"{folder / _SPLITS['test']}: recording {both[0]!r} is in {_SPLITS['train']}, too"
        )
    _expect(folder, [_table(folder, id_) for ids in splits.values() for id_ in ids])
    sequences = {
        split: tuple(
            _recording(_table(folder, id_), vocabulary, cut=split == "test") for id_ in ids
        )
        for split, ids in splits.items()
    }
    with naming(folder):
        return Assembly101O(
            vocabulary,
            Demonstrations(vocabulary, sequences["train"], "Assembly101-O"),
            Demonstrations(vocabulary, sequences["test"], "Assembly101-O"),
        )


def _table(folder: Path, id_: str) -> Path:
    # Not with_suffix: an id may have dots of its own.
    return folder / "annotations" / f"{id_}.csv"


def _expect(folder: Path, paths: list[Path]) -> None:
    missing = [str(path.relative_to(folder)) for path in paths if not _is_file(path)]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise MissingDataError(
            f"{folder}: Assembly101-O lacks {', '.join(missing[:5])}{more}; "
            "give the folder that holds these files"
        )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # such as a line of a split list that is too long to be a name
        return False


def _recording(path: Path, vocabulary: Vocabulary, *, cut: bool) -> KeyStepSequence:
    steps: list[int] = []
    mistakes: list[str | None] = []
    with naming(path):
        for line, action, label in _rows(path):
            if action not in vocabulary:
                raise UnknownNameError("action", action, vocabulary.steps, f"{path}: line {line}")
            steps.append(vocabulary.node(action))
            mistakes.append("mistake" if label == "mistake" else None)
            if cut and mistakes[-1]:
                break
        return KeyStepSequence(path.stem, tuple(steps), mistakes=tuple(mistakes))


def _rows(path: Path) -> Iterator[tuple[int, str, str]]:
    """Return the line number, action and label of each segment."""
    rows = csv.reader(read_text(path).splitlines())
    try:
        for row in rows:
            if not row:
                continue
            if len(row) < 6 or row[5] not in _LABELS:
                raise FormatError(
                    f"line {rows.line_num}: expected start, end, verb, this, that and one of "
                    f"{', '.join(_LABELS)}; came {','.join(row)!r}"
                )
            action = f"{row[2]}-{row[3]}".replace(" ", "_")
            yield rows.line_num, _RENAMED.get(action, action), row[5]
    except csv.Error as error:
        raise FormatError(f"line {rows.line_num}: no row of a table ({error})") from None


def read_assembly101(folder: str | Path) -> Assembly101:
    """Read all recordings of Assembly101's mistake annotations, from first to last segment.

    Parameters
    ----------
    folder
        The folder with ``annotations``; where it also holds the split lists, they are read.

    Raises
    ------
    MissingDataError
        If there are no tables.
    FormatError
        If a file is not as expected, or its name does not tell who assembled which toy.
    """
    folder = Path(folder)
    paths = sorted((folder / "annotations").glob("*.csv"))
    if not paths:
        raise MissingDataError(
            f"{folder / 'annotations'}: there are no tables; give the folder that holds the "
            "annotations of Assembly101"
        )
    rows, makers = {}, {}
    for path in paths:
        with naming(path):
            rows[path.stem] = list(_rows(path))
            makers[path.stem] = _maker(path.stem)
    actions = sorted({action for found in rows.values() for _, action, _ in found})
    vocabulary = Vocabulary(tuple(actions))
    with naming(folder):
        demonstrations = Demonstrations(
            vocabulary,
            tuple(
                KeyStepSequence(
                    id_,
                    tuple(vocabulary.node(action) for _, action, _ in found),
                    mistakes=tuple(None if label == "correct" else label for _, _, label in found),
                )
                for id_, found in rows.items()
            ),
            "Assembly101",
        )
    splits = {
        split: frozenset(filter(None, map(str.strip, read_text(folder / name).splitlines())))
        for split, name in _SPLITS.items()
        if (folder / name).is_file()
    }
    return Assembly101(demonstrations, makers, splits)


def _maker(id_: str) -> Maker:
    found = _FILE_NAME.search(id_)
    if found is None:
        raise FormatError(
            "its name does not tell who assembled which toy; expected one such as "
            "nusar-2021_action_both_9011-b06b_9011_user_id_2021-02-01_154253"
        )
    return Maker(found["person"], found["toy"])
