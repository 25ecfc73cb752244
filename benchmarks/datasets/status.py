"""What a data directory holds of a data set: present, missing, or something else by that name."""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass
from pathlib import Path

from benchmarks.datasets.catalogue import DataFile, DataSet
from benchmarks.datasets.directory import inside
from stepgraph.errors import FileError


class State(enum.Enum):
    """What is at a file's place."""

    PRESENT = "present"
    """The file, with the right checksum."""

    MISSING = "missing"
    """Nothing."""

    DIFFERENT = "different"
    """Something with another checksum."""


@dataclass(frozen=True)
class DataSetStatus:
    """What a data directory holds of a data set.

    Parameters
    ----------
    dataset
        The data set.
    states
        What is at the place of each of its files, in their order.
    """

    dataset: DataSet
    states: tuple[State, ...]

    def files(self, state: State) -> tuple[DataFile, ...]:
        """Return the files in a state."""
        pairs = zip(self.dataset.files, self.states, strict=True)
        return tuple(file for file, its in pairs if its is state)


def examine(dataset: DataSet, directory: str | Path) -> DataSetStatus:
    """Compare a data directory with what the catalogue says of a data set.

    Raises
    ------
    FileError
        If a file is there but cannot be read.
    """
    directory = Path(directory)
    states = tuple(examine_file(file, inside(directory, file.path)) for file in dataset.files)
    return DataSetStatus(dataset, states)


def examine_file(file: DataFile, path: Path) -> State:
    """Say what is at a file's place."""
    try:
        if not path.exists():
            return State.MISSING
        if not path.is_file() or path.stat().st_size != file.size:
            return State.DIFFERENT
        return State.PRESENT if checksum(path) == file.sha256 else State.DIFFERENT
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from None


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file, as hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
