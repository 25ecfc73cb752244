"""Assembly101-O: assembling toys, with the split and the rules of online mistake detection.

The folder holds one table a recording, two lists that split the recordings, and the actions;
a training recording is free of mistakes, a test recording ends at its first one.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from tgml.errors import FormatError, MissingDataError, UnknownNameError
from tgml.files import read_text
from tgml.readers.draft import naming
from tgml.readers.values import as_name, as_object
from tgml.sequences import Demonstrations, KeyStepSequence, Vocabulary
from tgml.storage import read_json

_ACTIONS = "Assembly101-O_action_dict.json"
_SPLITS = {"train": "train_split.txt", "test": "test_split.txt"}
_RENAMED = {"position-figurine": "attach-figurine"}
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
    missing = [str(path.relative_to(folder)) for path in paths if not path.is_file()]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise MissingDataError(
            f"{folder}: Assembly101-O lacks {', '.join(missing[:5])}{more}; "
            "give the folder that holds these files"
        )


def _recording(path: Path, vocabulary: Vocabulary, *, cut: bool) -> KeyStepSequence:
    steps: list[int] = []
    mistakes: list[str | None] = []
    rows = csv.reader(read_text(path).splitlines())
    with naming(path):
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
                action = _RENAMED.get(action, action)
                if action not in vocabulary:
                    raise UnknownNameError(
                        "action", action, vocabulary.steps, f"{path}: line {rows.line_num}"
                    )
                steps.append(vocabulary.node(action))
                mistakes.append("mistake" if row[5] == "mistake" else None)
                if cut and mistakes[-1]:
                    break
        except csv.Error as error:
            raise FormatError(f"line {rows.line_num}: no row of a table ({error})") from None
        return KeyStepSequence(path.stem, tuple(steps), mistakes=tuple(mistakes))
